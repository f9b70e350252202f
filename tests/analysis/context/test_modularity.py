from __future__ import annotations

from holdfast.analysis.context.modularity import modularity_score
from tests.analysis.context.measured import graph


def test_modularity_counts_what_a_file_reaches_through_others() -> None:
    assert modularity_score(graph(a="", b="", c="")) == 100.0
    assert modularity_score(graph(a="b", b="c", c="")) == 50.0
    assert modularity_score(graph(a="b", b="c", c="a")) == 0.0
    assert modularity_score(graph(a="elsewhere", b="")) == 100.0
    assert modularity_score(graph(a="")) is None

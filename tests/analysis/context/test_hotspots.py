from __future__ import annotations

import pytest

from holdfast.analysis.context.hotspots import hotspots
from tests.analysis.context.measured import file, finding, measured


@pytest.mark.requirement("analysis-116")
def test_hotspots_are_files_with_something_to_mend_in_the_order_of_their_ranks() -> None:
    issues = (finding("a.py", minutes=90), finding("b.py", "technical-debt", "low", 15))
    found = hotspots(
        measured(
            file("a.py", cyclomatic=40, commits=5),
            file("b.py", cyclomatic=2, commits=0),
            file("busy.py", cyclomatic=1, commits=50),
            findings=issues,
        )
    )
    assert [item.location.file for item in found] == ["a.py", "b.py"]
    first = found[0]
    assert first.location.line == 7
    assert first.composite_score == round((1.5 / 2 + 2.5 / 3 + 0.5 / 2) / 3, 3)
    assert first.refactoring_effort.model_dump() == {"estimated_hours": 1.5, "priority": "High"}
    assert first.contributing_factors == [
        "1 × complexity",
        "complexity in a.py",
        "5 commits in the last 30 days of the history",
    ]
    assert found[1].refactoring_effort.priority == "Low"


def test_no_findings_means_no_hotspots() -> None:
    assert hotspots(measured(file("a.py", commits=3, cyclomatic=9))) == []

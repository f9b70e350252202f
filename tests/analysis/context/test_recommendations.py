from __future__ import annotations

import pytest

from holdfast.analysis.context.recommendations import recommendations
from holdfast.analysis.engine.measurements import ImportGraph
from tests.analysis.context.measured import file, finding, measured


@pytest.mark.requirement("analysis-117")
def test_recommendations_name_files_and_reasons_and_come_by_priority() -> None:
    issues = (
        finding("a.py"),
        finding("calm.py"),
        finding("b.py", "technical-debt", "critical", 120),
        finding("b.py", "technical-debt", "low", 15),
        finding("b.py", "dead-code", "low", 5),
    )
    found = recommendations(
        measured(
            file("a.py", commits=3, covered_lines=1, coverable_lines=10),
            file("b.py"),
            file("calm.py", commits=0),
            findings=issues,
            graph=ImportGraph(
                {"a.py": frozenset({"b.py"}), "b.py": frozenset({"a.py"})}, (("a.py", "b.py"),)
            ),
        )
    )
    assert [(item.title, item.priority, item.files) for item in found] == [
        ("Fix serious technical debt", "High", ["b.py"]),
        ("Reduce complexity where the code changes", "High", ["a.py"]),
        ("Break import cycles", "Medium", ["a.py", "b.py"]),
        ("Address technical debt", "Medium", ["b.py"]),
        ("Test code that changes", "Medium", ["a.py"]),
        ("Reduce code complexity", "Low", ["calm.py"]),
        ("Remove unused code", "Low", ["b.py"]),
    ]
    assert found[0].estimated_effort.secs == 120 * 60
    assert "b.py:7" in found[0].description


def test_nothing_found_means_nothing_recommended() -> None:
    assert recommendations(measured(file("a.py", commits=3))) == []

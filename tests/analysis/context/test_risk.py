from __future__ import annotations

import pytest

from holdfast.analysis.context.recommendations import recommendations
from holdfast.analysis.context.risk import correlation, hotspots, rank_correlation
from holdfast.analysis.engine.measurements import ImportGraph
from tests.analysis.context.measured import file, finding, measured


def test_rank_correlation_is_spearmans_with_ties() -> None:
    assert rank_correlation([(1, 10), (2, 20), (3, 90)]) == 1.0
    assert rank_correlation([(1, 3), (2, 2), (3, 1)]) == -1.0
    assert rank_correlation([(1, 1), (2, 1), (2, 2), (4, 3)]) == pytest.approx(0.833, abs=0.001)
    assert rank_correlation([(1, 1), (1, 2)]) is None


@pytest.mark.requirement("analysis-115")
def test_files_that_several_analyses_speak_of_come_first_with_their_numbers() -> None:
    issues = (finding("a.py"), finding("a.py", "technical-debt"), finding("b.py", "dead-code"))
    files = [file("a.py", cyclomatic=30, commits=4), file("b.py", cyclomatic=1, commits=0)]
    found = correlation(measured(*files, findings=issues), 10)
    [meeting] = found.meetings
    assert meeting.file == "a.py"
    assert meeting.analyses == ["churn", "complexity", "technical-debt"]
    assert (meeting.cyclomatic, meeting.commits, meeting.debts, meeting.dead_code) == (30, 4, 1, 0)
    assert found.complexity_and_churn is None
    assert found.reason == "fewer than 10 files changed in 30 days"
    many = [file(f"{number}.py", cyclomatic=number, commits=number) for number in range(1, 12)]
    assert correlation(measured(*many), 10).complexity_and_churn == 1.0


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
    assert first.contributing_factors == ["1 × complexity", "complexity in a.py", "5 commits in 30 days"]
    assert found[1].refactoring_effort.priority == "Low"


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
    assert hotspots(measured(file("a.py", commits=3, cyclomatic=9))) == []

from __future__ import annotations

import pytest

from holdfast.analysis.context.scorecard import scorecard
from holdfast.analysis.engine.measurements import ProjectMeasurements
from tests.analysis.context.measured import file, finding, graph, measured


@pytest.mark.requirement("analysis-108", "analysis-109", "analysis-110", "analysis-111", "analysis-214")
def test_each_part_follows_from_its_formula_and_the_whole_from_the_parts() -> None:
    card = scorecard(
        measured(
            file(
                "a.py",
                function_lines=80,
                risk_lines=(20, 0, 0),
                changed_lines=30,
                covered_lines=6,
                coverable_lines=10,
            ),
            file(
                "b.py",
                function_lines=20,
                risk_lines=(0, 5, 0),
                changed_lines=10,
                covered_lines=10,
                coverable_lines=10,
            ),
            findings=(finding("a.py", minutes=90), finding("a.py", "technical-debt", minutes=30)),
            graph=graph(a="b", b=""),
        ),
        None,
    )
    assert card.complexity_score == 60.0  # 5 % at high risk; 20 % at moderate risk would be 84
    assert card.change_score == 55.0  # 6.25 % of the changes at high risk
    assert card.maintainability_index == 57.5
    assert card.modularity_score == 50.0  # one of two pairs
    assert card.test_coverage == 80.0
    assert card.overall_health == round(0.3 * 60 + 0.3 * 57.5 + 0.2 * 50 + 0.2 * 80, 1)
    assert (card.technical_debt_hours, card.debt_minutes) == (
        2.0,
        {"complexity": 90.0, "technical-debt": 30.0, "dead-code": 0.0},
    )
    assert card.not_measured == {}


def test_what_was_not_measured_is_null_has_a_reason_and_does_not_count() -> None:
    card = scorecard(
        measured(
            file("a.py", function_lines=10, risk_lines=(4, 0, 0)),
            analyses=frozenset({"complexity"}),
            reasons={"churn": "not a git repository"},
        ),
        "no report found",
    )
    assert card.overall_health == card.complexity_score == 40.0
    assert card.weights == {"complexity_score": 0.3}
    assert card.not_measured == {
        "change_score": "not a git repository",
        "maintainability_index": "not a git repository",
        "modularity_score": "the analysis 'dag' was not requested",
        "test_coverage": "no report found",
    }


@pytest.mark.requirement("analysis-215")
def test_nothing_measured_gives_no_number_at_all() -> None:
    card = scorecard(ProjectMeasurements({}), "no report found")
    numbers = {name: value for name, value in card.wire().items() if isinstance(value, int | float)}
    assert numbers == {}
    assert len(card.not_measured) == 7

"""The technical debt gradient: the published formula on figures made by hand."""

from __future__ import annotations

import pytest

from holdfast.analysis.comprehensive.gradient import WEIGHTS, gradients, missing_components, project_gradient
from holdfast.analysis.engine.measurements import FileMeasurements
from tests.analysis.context.measured import finding, measured

EVERYTHING = frozenset({"complexity", "churn", "duplicates", "coupling", "debt"})


def file(path: str, lines: int = 100, **more: float) -> FileMeasurements:
    numbers = {
        "function_lines": 80,
        "complex_lines": 0.0,
        "churn_score": 0.0,
        "duplicated_share": 0.0,
        "import_count": 0,
    }
    return FileMeasurements(path, 1000, lines, **(numbers | more))


def scores(*files: FileMeasurements, findings=(), min_lines=1) -> dict[str, float | None]:
    found = gradients(measured(*files, findings=findings, analyses=EVERYTHING), min_lines)
    return {path: one.score for path, one in found.items()}


def test_weights_add_up_to_one_and_the_range_is_from_zero_to_five():
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    worst = file("worst", complex_lines=80, churn_score=1, duplicated_share=1, import_count=20)
    assert scores(worst, file("best"), findings=(finding("worst", "technical-debt", minutes=30),)) == {
        "worst": 5.0,
        "best": 0.0,
    }


@pytest.mark.parametrize(
    ("name", "value", "score"),
    [
        ("complex_lines", 40, 0.75),  # half of the lines of functions: 5 * 0.30 * 0.5
        ("churn_score", 0.4, 0.5),
        ("duplicated_share", 0.25, 0.25),
        ("import_count", 4, 0.15),
        ("import_count", 40, 0.75),  # no more than all of it
    ],
)
def test_each_component_counts_by_its_weight(name, value, score):
    assert scores(file("a", **{name: value})) == {"a": pytest.approx(score)}


def test_admitted_debt_counts_by_the_lines_of_code():
    debts = (finding("a", "technical-debt", minutes=15), finding("a", "dead-code", minutes=500))
    assert scores(file("a"), findings=debts) == {"a": pytest.approx(5 * 0.10 * 15 / 30)}


def test_what_was_not_measured_has_no_weight_and_a_reason():
    one = file("a", complex_lines=40, duplicated_share=None, churn_score=None)
    found = measured(one, analyses=frozenset({"complexity", "coupling"}), reasons={"churn": "no commit"})
    grades = gradients(found, 1)
    whole = project_gradient(found, grades)
    assert whole.components == {
        "complexity": 0.5, "churn": None, "duplication": None, "coupling": 0.0, "debt": None,
    }  # fmt: skip
    assert whole.score == pytest.approx(5 * 0.30 * 0.5 / 0.45, abs=1e-3)
    assert missing_components(found, whole) == {
        "churn": "no commit",
        "duplication": "the analysis 'duplicates' was not requested",
        "debt": "the analysis 'debt' was not requested",
    }


def test_a_project_has_the_mean_by_lines_of_code_and_short_files_are_left_out():
    files = [file("a", 300, churn_score=1), file("b", 100), file("c", 9, churn_score=1)]
    found = measured(*files, analyses=EVERYTHING)
    grades = gradients(found, 10)
    assert list(grades) == ["a", "b"]
    assert project_gradient(found, grades).components["churn"] == 0.75


def test_a_project_without_files_has_no_gradient():
    found = measured(analyses=EVERYTHING)
    whole = project_gradient(found, gradients(found, 1))
    assert (whole.score, whole.level) == (None, None)
    assert set(missing_components(found, whole).values()) == {"there is no file to measure"}


def test_levels_begin_above_their_thresholds():
    grades = gradients(measured(
        file("a", complex_lines=80, churn_score=0.81), file("b", complex_lines=80, churn_score=0.79),
        file("c", complex_lines=80, churn_score=0.01), file("d", complex_lines=80),
        analyses=EVERYTHING,
    ), 1)  # fmt: skip
    assert [one.level for one in grades.values()] == ["critical", "warning", "warning", "normal"]

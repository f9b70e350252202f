"""The technical debt gradient: the published formula on figures made by hand."""

from __future__ import annotations

from math import log

import pytest

from holdfast.analysis.comprehensive.gradient import (
    CRITICAL_SCORE,
    WARNING_SCORE,
    WEIGHTS,
    gradients,
    missing_components,
    project_gradient,
)
from holdfast.analysis.engine.measurements import FileMeasurements
from tests.analysis.context.measured import finding, measured

EVERYTHING = frozenset({"complexity", "churn", "debt"})
LENGTH = log(101) / log(2001)
"""The component of a file with 100 lines."""


def file(path: str, lines: int = 100, **more: float) -> FileMeasurements:
    numbers = {"function_lines": 80, "complex_lines": 0.0, "commits": 0}
    return FileMeasurements(path, 1000, lines, **(numbers | more))


def scores(*files: FileMeasurements, findings=(), min_lines=1) -> dict[str, float | None]:
    found = gradients(measured(*files, findings=findings, analyses=EVERYTHING), min_lines)
    return {path: one.score for path, one in found.items()}


def test_weights_add_up_to_one_and_the_range_is_from_zero_to_five():
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    worst = file("worst", 2000, complex_lines=80, commits=50)
    debts = (finding("worst", "technical-debt", minutes=480),)
    assert scores(worst, file("best", 0), findings=debts, min_lines=0) == {"worst": 5.0, "best": 0.0}
    assert scores(file("more", 9000, commits=900))["more"] == pytest.approx(5 * 0.8)


@pytest.mark.parametrize(
    ("name", "value", "score"),
    [
        ("commits", 4, 0.2 * log(5) / log(51)),
        ("commits", 50, 0.2),
        ("complex_lines", 40, 0.1 * 0.5),  # half of the lines of functions
    ],
)
def test_each_component_counts_by_its_weight(name, value, score):
    expected = pytest.approx(5 * (0.6 * LENGTH + score), abs=1e-3)
    assert scores(file("a", **{name: value})) == {"a": expected}


def test_admitted_debt_counts_by_its_minutes():
    debts = (finding("a", "technical-debt", minutes=15), finding("a", "dead-code", minutes=500))
    expected = pytest.approx(5 * (0.6 * LENGTH + 0.1 * log(16) / log(481)), abs=1e-3)
    assert scores(file("a"), findings=debts) == {"a": expected}


def test_a_longer_file_is_worse_and_a_busy_one_is_worse_than_a_calm_one_of_its_length():
    ordered = scores(file("long", 1500), file("busy", commits=20), file("calm"), file("short", 10))
    assert list(ordered) == ["long", "busy", "calm", "short"]


def test_what_was_not_measured_has_no_weight_and_a_reason():
    one = file("a", complex_lines=40, commits=None)
    found = measured(one, analyses=frozenset({"complexity"}), reasons={"churn": "no commit"})
    grades = gradients(found, 1)
    whole = project_gradient(found, grades)
    assert whole.components == {
        "size": round(LENGTH, 4), "churn": None, "complexity": 0.5, "debt": None,
    }  # fmt: skip
    assert whole.score == pytest.approx(5 * (0.6 * LENGTH + 0.1 * 0.5) / 0.7, abs=1e-2)
    assert missing_components(found, whole) == {
        "churn": "no commit",
        "debt": "the analysis 'debt' was not requested",
    }


def test_a_project_has_the_mean_by_lines_of_code_and_short_files_are_left_out():
    files = [file("a", 300, complex_lines=80), file("b", 100), file("c", 9, complex_lines=80)]
    found = measured(*files, analyses=EVERYTHING)
    grades = gradients(found, 10)
    assert list(grades) == ["a", "b"]
    assert project_gradient(found, grades).components["complexity"] == 0.75


def test_a_project_without_files_has_no_gradient():
    found = measured(analyses=EVERYTHING)
    whole = project_gradient(found, gradients(found, 1))
    assert (whole.score, whole.level) == (None, None)
    assert set(missing_components(found, whole).values()) == {"there is no file to measure"}


def test_levels_begin_above_their_thresholds():
    grades = gradients(measured(
        *(file(str(lines), lines, commits=3) for lines in (20, 150, 160, 600, 900)), analyses=EVERYTHING,
    ), 1)  # fmt: skip
    levels = [one.level for one in grades.values()]
    assert levels == ["critical", "warning", "warning", "normal", "normal"]
    _, least_warning, most_normal = [one.score for one in grades.values()][1:4]
    assert most_normal < WARNING_SCORE < least_warning < CRITICAL_SCORE < grades["900"].score

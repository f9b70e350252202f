"""The model of defects: what it learns, what a missing measure does, and how commits are ordered."""

from __future__ import annotations

import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as some

from holdfast.analysis.churn.churn_report import TouchHistory
from holdfast.analysis.defects.commit_risk import commit_changes, commit_risks
from holdfast.analysis.defects.logistic import area_under_curve, map_estimate, shipped_model
from holdfast.analysis.defects.measures import MEASURES, cohesion
from holdfast.storage.git.history.defect_fixes import is_fix
from holdfast.storage.git.history.numstat import CommitChanges
from holdfast.syntax.record import read_record

DAY = 86_400
FULL = {measure.name: 3.0 if measure.is_count else 0.5 for measure in MEASURES}


def probability(measured):
    return shipped_model("history").probability(measured)


@given(some.sets(some.sampled_from([measure.name for measure in MEASURES])))
def test_what_is_not_measured_never_makes_a_file_riskier(missing):
    less = {name: None if name in missing else number for name, number in FULL.items()}
    assert probability(less) <= probability(FULL)


@given(some.sampled_from([measure.name for measure in MEASURES]), some.floats(0, 1), some.floats(0, 1))
def test_more_of_a_measure_is_never_less_risk(name, first, second):
    low, high = sorted((first, second))
    assert probability({**FULL, name: low}) <= probability({**FULL, name: high})


def test_a_history_moves_the_weights_towards_what_it_shows():
    chance = random.Random(1)
    rows = [{"code_lines": 50, "imports": chance.randrange(40)} for _ in range(400)]
    learned = shipped_model("history").adapt_to(rows, [row["imports"] > 20 for row in rows])
    assert learned.weights["imports"] > shipped_model("history").weights.get("imports", 0.0) + 0.2
    unmoved = shipped_model("history").adapt_to(rows[:0] or rows[:1], [False])
    assert abs(unmoved.weights["imports"] - shipped_model("history").weights.get("imports", 0.0)) < 0.1


def test_a_repository_is_told_a_share_between_that_of_its_last_year_and_that_of_others():
    chance = random.Random(3)
    rows = [{"code_lines": chance.randrange(10, 300)} for _ in range(2000)]
    shipped = shipped_model("history")
    others = sum(map(shipped.probability, rows)) / len(rows)

    told = sum(map(shipped.adapt_to(rows, [chance.random() < 0.6 for _ in rows]).probability, rows)) / len(
        rows
    )

    assert others < 0.3
    assert others + 0.1 < told < 0.6 - 0.05


def test_the_fit_is_the_most_probable_one_above_the_floor():
    numbers = numpy.random.default_rng(7)
    rows = numpy.hstack([numpy.ones((300, 1)), numbers.normal(size=(300, 3))])
    labels = (numbers.random(300) < 1 / (1 + numpy.exp(-rows @ [-1.0, 1.5, -1.0, 0.5]))).astype(float)
    prior, variance = numpy.zeros(4), numpy.full(4, 2.0)
    floor = numpy.asarray([-numpy.inf, 0, 0, 0])
    found = map_estimate(rows, labels, prior, variance, floor)

    def worth(at):
        score = rows @ at
        return labels @ score - numpy.logaddexp(0, score).sum() - (at**2 / 4).sum()

    assert found[2] == 0
    for at, move in ((0, 0.01), (0, -0.01), (1, 0.01), (1, -0.01), (2, 0.01), (3, 0.01), (3, -0.01)):
        other = found.copy()
        other[at] += move
        assert worth(other) < worth(found)


@given(some.lists(some.tuples(some.integers(0, 5), some.booleans()), min_size=2, max_size=30))
def test_the_area_under_the_curve_is_the_share_of_pairs_in_order(pairs):
    scores, mended = [float(score) for score, _ in pairs], [is_mended for _, is_mended in pairs]
    wins = [
        (one > other) + (one == other) / 2
        for one, is_one in zip(scores, mended, strict=True)
        for other, is_other in zip(scores, mended, strict=True)
        if is_one and not is_other
    ]
    found = area_under_curve(scores, mended)
    assert found == (pytest.approx(sum(wins) / len(wins)) if wins else None)


def history(changes):
    """Return a history of which children come first: (days ago, path, added, deleted)."""
    commits, files = [], {}
    for number, (days, path, added, deleted) in enumerate(changes):
        commits.append(CommitChanges(str(number), (1000 - days) * DAY, False, "A", "a@b", "", "x", False))
        files.setdefault(path, []).extend((number, str(added), str(deleted)))
    return TouchHistory(files, commits, set(files))


def test_a_commit_is_measured_by_its_size_and_by_what_was_there_before():
    touched = history([(1, "a/x.py", 5, 2), (11, "a/x.py", 40, 0), (31, "b/y.py", 1, 1)])
    found = commit_changes(touched, {"a/x.py": 43, "b/y.py": 9})
    assert found == {
        0: (1, 1, 1, 0, 5, 2, 40, False, 10),
        1: (1, 1, 1, 0, 40, 0, 0, False, 20),
        2: (1, 1, 1, 0, 1, 1, 9, False, 0),
    }


def test_larger_commits_are_riskier_and_few_commits_have_no_risk():
    changes = [(day, f"src/{day % 7}.py", 400 if day % 5 == 0 else 1, 0) for day in range(1, 101)]
    touched = history(changes)
    lines = {f"src/{number}.py": 9000 for number in range(7)}
    risks = commit_risks(touched, lines)
    large, small = risks[4::5], [risk for place, risk in enumerate(risks) if place % 5 != 4]
    assert min(large) > max(small) > 0
    assert commit_risks(history(changes[:40]), lines) == [0.0] * 40


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix a crash on empty input", True),
        ("searcher: stop at the end\n\nFixes #123", True),
        ("Closes #7: keep the order", True),
        ("Fix typo in readme", False),
        ("Prefix names with a dot", False),
        ("Add a feature", False),
    ],
)
def test_a_fix_is_what_says_so_of_code(message, expected):
    assert is_fix(message) is expected


def test_functions_that_use_each_other_belong_together():
    together = b"def a():\n    return b()\n\n\ndef b():\n    return 1\n"
    apart = b"def a():\n    return 1\n\n\ndef b():\n    return 1\n\n\ndef c():\n    return a()\n"
    methods = b"class A:\n    def a(self):\n        return self.b()\n\n    def b(self):\n        return 1\n"
    found = [read_record("x.py", text) for text in (together, apart, methods, b"x = 1\n")]
    assert [cohesion(record) for record in found if record] == [1.0, 0.5, 1.0, 1.0]

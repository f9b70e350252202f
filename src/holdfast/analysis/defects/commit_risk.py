"""How risky each commit is: boosted trees on what Kamei and others measure of a change.

Only what a year or two of history tells is asked for: how far a change is spread (subsystems, folders,
files, entropy), its lines added and deleted, the lines that its files had, whether it is a fix, and how long
its files had rested; and three ratios of these. Each number counts by its place among those of the
repository's own commits, so that a model of other projects fits. `scripts/train_defects.py` makes the trees.

Contract: the risk orders commits. It is a probability only for a repository like those it was trained on.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.analysis.churn.churn_report import Touched
from holdfast.analysis.defects.activity import DAY

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_FEWEST = 50
"""Of fewer commits a place among them says little."""


class Trees(NamedTuple):
    """Trees in one table of nodes; a leaf has no left side."""

    base: float
    roots: list[int]
    column: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]

    def risk(self, places: Array) -> Array:
        """Return the risk of each row of places, from 0 to 1."""
        import numpy

        roots, column, threshold, left, right, value = map(numpy.asarray, self[1:])
        at = numpy.tile(roots, (len(places), 1))
        rows = numpy.arange(len(places))[:, None]
        while (inner := left[at] >= 0).any():
            goes_left = places[rows, column[at]] <= threshold[at]
            at = numpy.where(inner, numpy.where(goes_left, left[at], right[at]), at)
        risk: Array = 1 / (1 + numpy.exp(-self.base - value[at].sum(axis=1)))
        return risk


@cache
def shipped_trees() -> Trees:
    """Return the trees that come with the package."""
    packed = files("holdfast.analysis.defects").joinpath("commits.json.gz").read_bytes()
    return Trees(**json.loads(gzip.decompress(packed)))


def with_ratios(table: Array) -> Array:
    """Return the nine numbers of each commit with three ratios of them."""
    import numpy

    files, added, deleted, before = table[:, 2], table[:, 4], table[:, 5], table[:, 6]
    ratios = (added / (before + 1), (added + deleted) / files, before / files)
    return numpy.column_stack([table, *ratios])


def places(known: Array, asked: Array) -> Array:
    """Return for each number of `asked` its place among the numbers of `known` in its column, from 0 to 1."""
    import numpy

    found = numpy.empty(asked.shape)
    for column in range(asked.shape[1]):
        ordered = numpy.sort(known[:, column])
        below = numpy.searchsorted(ordered, asked[:, column], "left")
        found[:, column] = (below + numpy.searchsorted(ordered, asked[:, column], "right")) / 2 / len(ordered)
    return found


def commit_risks(touched: Touched, lines: Mapping[str, int]) -> list[float]:
    """Return the risk of each commit that changed source files; 0 for others, and where there are few."""
    risks = [0.0] * len(touched.commits)
    changes = commit_changes(touched, lines)
    if len(changes) >= _FEWEST:
        import numpy

        table = with_ratios(numpy.asarray(list(changes.values()), dtype=float))
        for number, risk in zip(changes, shipped_trees().risk(places(table, table)), strict=True):
            risks[number] = round(float(risk), 4)
    return risks


def commit_changes(touched: Touched, lines: Mapping[str, int]) -> Mapping[int, tuple[float, ...]]:
    """Return the nine numbers of each commit that changed one of the files, of which the lines are given."""
    first = min((commit.time for commit in touched.commits), default=0)
    rows: defaultdict[int, list[tuple[str, int, int, int, float]]] = defaultdict(list)
    for path, now in lines.items():
        touches, before = touched.files.get(path, []), now
        times = [*(touched.commits[number].time for number in touches[::3]), first]
        for place, number in enumerate(touches[::3]):
            added, deleted = touches[3 * place + 1 : 3 * place + 3]
            if added != "-":
                before = max(0, before - int(added) + int(deleted))
                rest = max(0.0, (times[place] - times[place + 1]) / DAY)
                rows[number].append((path, int(added), int(deleted), before, rest))
    return {number: _numbers(rows[number], touched.commits[number].is_fix) for number in sorted(rows)}


def _numbers(rows: Sequence[tuple[str, int, int, int, float]], is_fix: bool) -> tuple[float, ...]:
    paths, added, deleted, before, rest = zip(*rows, strict=True)
    changed = [plus + minus for plus, minus in zip(added, deleted, strict=True)]
    total = sum(changed) or 1
    return (
        len({path.partition("/")[0] for path in paths}),
        len({path.rpartition("/")[0] for path in paths}),
        len(paths),
        -sum(count / total * log2(count / total) for count in changed if count),
        sum(added),
        sum(deleted),
        sum(before),
        is_fix,
        sum(rest) / len(rest),
    )

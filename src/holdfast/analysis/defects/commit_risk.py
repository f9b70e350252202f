"""The risk of each commit, by gradient-boosted trees on the change measures of Kamei et al.

Of the measures in "A Large-Scale Empirical Study of Just-in-Time Quality Assurance" (2013), those that a year
or two of history provides are used: diffusion (subsystems, folders, files, entropy), lines added and deleted,
size of the files before, whether it is a fix, and the time since the files last changed; and three ratios of
these. Each value is replaced by its percentile rank among the repository's own commits, so that trees trained
on other projects apply. `scripts/train_defects.py` trains them.

Contract: the risk ranks commits. It is a probability only for a repository like those in the training data.
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
"""With fewer commits a percentile rank is too coarse. A judgement: at 50, one commit is 2 percent."""


class BoostedTrees(NamedTuple):
    """An ensemble of decision trees in one table of nodes; a leaf has no left child."""

    base: float
    roots: list[int]
    column: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]

    def risk(self, ranks: Array) -> Array:
        """Return the risk for each row of percentile ranks, from 0 to 1."""
        import numpy

        roots, column, threshold, left, right, value = map(numpy.asarray, self[1:])
        at = numpy.tile(roots, (len(ranks), 1))
        rows = numpy.arange(len(ranks))[:, None]
        while (inner := left[at] >= 0).any():
            goes_left = ranks[rows, column[at]] <= threshold[at]
            at = numpy.where(inner, numpy.where(goes_left, left[at], right[at]), at)
        risk: Array = 1 / (1 + numpy.exp(-self.base - value[at].sum(axis=1)))
        return risk


@cache
def shipped_trees() -> BoostedTrees:
    """Return the trees that ship with the package."""
    packed = files("holdfast.analysis.defects").joinpath("commits.json.gz").read_bytes()
    return BoostedTrees(**json.loads(gzip.decompress(packed)))


def with_ratios(table: Array) -> Array:
    """Append three ratios to the nine measures of each commit."""
    import numpy

    files, added, deleted, before = table[:, 2], table[:, 4], table[:, 5], table[:, 6]
    ratios = (added / (before + 1), (added + deleted) / files, before / files)
    return numpy.column_stack([table, *ratios])


def percentile_ranks(reference: Array, values: Array) -> Array:
    """Return the percentile rank of each value among the reference values of its column, from 0 to 1."""
    import numpy

    ranks = numpy.empty(values.shape)
    for column in range(values.shape[1]):
        ordered = numpy.sort(reference[:, column])
        first, last = (numpy.searchsorted(ordered, values[:, column], side) for side in ("left", "right"))
        ranks[:, column] = (first + last) / 2 / len(ordered)
    return ranks


def commit_risks(touched: Touched, lines: Mapping[str, int]) -> list[float]:
    """Return the risk of each commit; 0 if it changed no source file, or if there are too few commits."""
    risks = [0.0] * len(touched.commits)
    changes = commit_changes(touched, lines)
    if len(changes) >= _FEWEST:
        import numpy

        table = with_ratios(numpy.asarray(list(changes.values()), dtype=float))
        for number, risk in zip(changes, shipped_trees().risk(percentile_ranks(table, table)), strict=True):
            risks[number] = round(float(risk), 4)
    return risks


def commit_changes(touched: Touched, lines: Mapping[str, int]) -> Mapping[int, tuple[float, ...]]:
    """Return the nine measures of each commit that changed one of the files, given their current lines."""
    first = min((commit.time for commit in touched.commits), default=0)
    rows: defaultdict[int, list[tuple[str, int, int, int, float]]] = defaultdict(list)
    for path, size in lines.items():
        touches, before = touched.files.get(path, []), size
        times = [*(touched.commits[number].time for number in touches[::3]), first]
        for position, number in enumerate(touches[::3]):
            added, deleted = touches[3 * position + 1 : 3 * position + 3]
            if added != "-":
                before = max(0, before - int(added) + int(deleted))
                idle = max(0.0, (times[position] - times[position + 1]) / DAY)
                rows[number].append((path, int(added), int(deleted), before, idle))
    return {number: _measures(rows[number], touched.commits[number].is_fix) for number in sorted(rows)}


def _measures(rows: Sequence[tuple[str, int, int, int, float]], is_fix: bool) -> tuple[float, ...]:
    paths, added, deleted, before, idle = zip(*rows, strict=True)
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
        sum(idle) / len(idle),
    )

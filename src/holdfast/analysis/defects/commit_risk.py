"""Estimates the risk of each commit by gradient-boosted trees on the change measures of Kamei et al.

The measures are those in "A Large-Scale Empirical Study of Just-in-Time Quality Assurance" (2013) that a year
or two of history provides: diffusion (subsystems, folders, files, entropy), lines added and deleted, size of
the files before, whether the commit is a fix, and the time since the files last changed; and three ratios of
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

from holdfast.analysis.churn.churn_report import TouchHistory
from holdfast.analysis.defects.activity import DAY_SECONDS

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_MIN_COMMITS = 50
"""With fewer commits percentile ranks are too coarse: a judgement, at 50 one commit is 2 percent."""


class BoostedTrees(NamedTuple):
    """An ensemble of decision trees in one table of nodes; a leaf has no left child."""

    base: float
    """The log-odds to which the values of the leaves are added."""
    roots: list[int]
    """The root node of each tree."""
    column: list[int]
    """The column of the input that each node tests."""
    threshold: list[float]
    """The largest value with which each node goes to its left child."""
    left: list[int]
    right: list[int]
    value: list[float]
    """The value of each leaf."""

    def risk(self, ranks: Array) -> Array:
        """Return the risk, from 0 to 1, for each row of percentile ranks."""
        import numpy

        roots, column, threshold, left, right, value = map(numpy.asarray, self[1:])
        rows = numpy.arange(len(ranks))[:, None]
        # The current node of each row (first axis) in each tree (second axis).
        nodes = numpy.tile(roots, (len(ranks), 1))
        while (is_inner := left[nodes] >= 0).any():
            goes_left = ranks[rows, column[nodes]] <= threshold[nodes]
            children = numpy.where(goes_left, left[nodes], right[nodes])
            nodes = numpy.where(is_inner, children, nodes)
        risk: Array = 1 / (1 + numpy.exp(-self.base - value[nodes].sum(axis=1)))
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


def commit_risks(history: TouchHistory, lines: Mapping[str, int]) -> list[float]:
    """Return the risk of each commit, given the number of lines of each file now.

    It is 0 for a commit that changed no source file, and for all commits if there are too few.
    """
    risks = [0.0] * len(history.commits)
    changes = commit_changes(history, lines)
    if len(changes) >= _MIN_COMMITS:
        import numpy

        table = with_ratios(numpy.asarray(list(changes.values()), dtype=float))
        for number, risk in zip(changes, shipped_trees().risk(percentile_ranks(table, table)), strict=True):
            risks[number] = round(float(risk), 4)
    return risks


class _FileChange(NamedTuple):
    """What one commit changed in one file."""

    path: str
    added: int
    deleted: int
    lines_before: int
    days_unchanged: float
    """The days since the previous commit that changed the file."""


def commit_changes(history: TouchHistory, lines: Mapping[str, int]) -> Mapping[int, tuple[float, ...]]:
    """Return the nine measures of each commit that changed one of the files, given their current lines."""
    oldest = min((commit.time for commit in history.commits), default=0)
    changes: defaultdict[int, list[_FileChange]] = defaultdict(list)
    for path, current_lines in lines.items():
        touches, lines_before = history.files.get(path, []), current_lines
        times = [*(history.commits[number].time for number in touches[::3]), oldest]
        for position, number in enumerate(touches[::3]):  # the last commit first
            added, deleted = touches[3 * position + 1 : 3 * position + 3]
            if added != "-":
                lines_before = max(0, lines_before - int(added) + int(deleted))
                days = max(0.0, (times[position] - times[position + 1]) / DAY_SECONDS)
                changes[number].append(_FileChange(path, int(added), int(deleted), lines_before, days))
    return {
        number: _change_measures(changes[number], history.commits[number].is_fix)
        for number in sorted(changes)
    }


def _change_measures(changes: Sequence[_FileChange], is_fix: bool) -> tuple[float, ...]:
    changed_lines = [change.added + change.deleted for change in changes]
    total = sum(changed_lines) or 1
    shares = [lines / total for lines in changed_lines if lines]
    return (
        len({change.path.partition("/")[0] for change in changes}),
        len({change.path.rpartition("/")[0] for change in changes}),
        len(changes),
        -sum(share * log2(share) for share in shares),
        sum(change.added for change in changes),
        sum(change.deleted for change in changes),
        sum(change.lines_before for change in changes),
        is_fix,
        sum(change.days_unchanged for change in changes) / len(changes),
    )

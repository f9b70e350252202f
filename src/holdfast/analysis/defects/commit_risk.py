"""Estimates the risk of each commit by gradient-boosted trees on the change measures of Kamei et al.

The measures are those in "A Large-Scale Empirical Study of Just-in-Time Quality Assurance" (2013) that a year
or two of history provides, and three ratios of these. Each value is replaced with its percentile rank among
the repository's own commits, so that trees trained on other projects apply. `scripts/train_defects.py` trains
them.

Contract: the risk ranks commits. It is a probability only for a repository like those in the training data.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.analysis.churn.churn_report import TouchHistory
from holdfast.kernel.clock import DAY_SECONDS

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_MIN_COMMITS = 50
"""With fewer commits percentile ranks are too coarse: a judgement, at 50 one commit is 2 percent."""
_RISK_DECIMALS = 4
"""Decimal places of a risk: a judgement, enough to rank some thousand commits."""


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


class ChangeMeasures(NamedTuple):
    """The measures of one commit, over the files that it changed."""

    subsystems: int
    """Top-level folders."""
    folders: int
    files: int
    entropy: float
    """The entropy, in bits, of the distribution of the changed lines over the files."""
    added: int
    deleted: int
    lines_before: int
    is_fix: bool
    days_unchanged: float
    """The mean number of days since the previous commit that changed each file."""


def with_ratios(table: Array) -> Array:
    """Append three ratios to a table with a row of `ChangeMeasures` for each commit."""
    import numpy

    _, _, files, _, added, deleted, before, _, _ = table.T
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
        ranks = percentile_ranks(reference=table, values=table)
        for number, risk in zip(changes, shipped_trees().risk(ranks), strict=True):
            risks[number] = round(float(risk), _RISK_DECIMALS)
    return risks


class _FileChange(NamedTuple):
    path: str
    added: int
    deleted: int
    lines_before: int
    days_unchanged: float
    """The days since the previous commit that changed the file."""


def commit_changes(history: TouchHistory, lines: Mapping[str, int]) -> Mapping[int, ChangeMeasures]:
    """Return, by number, the measures of each commit that changed text, given the lines of each file now."""
    oldest = min((commit.time for commit in history.commits), default=0)
    changes: defaultdict[int, list[_FileChange]] = defaultdict(list)
    for path, current_lines in lines.items():
        lines_before = current_lines
        touches = history.files.get(path, [])
        times = [*(history.commits[number].time for number in touches[::3]), oldest]
        # The last commit comes first, so the number of lines is followed back in time.
        for number, added, deleted, (time, previous) in zip(
            touches[::3], touches[1::3], touches[2::3], pairwise(times), strict=True
        ):
            if added != "-":  # not a binary file
                lines_before = max(0, lines_before - int(added) + int(deleted))
                days = max(0.0, (time - previous) / DAY_SECONDS)
                changes[number].append(_FileChange(path, int(added), int(deleted), lines_before, days))
    return {
        number: _change_measures(changes[number], history.commits[number].is_fix)
        for number in sorted(changes)
    }


def _change_measures(changes: Sequence[_FileChange], is_fix: bool) -> ChangeMeasures:
    changed_lines = [change.added + change.deleted for change in changes]
    total = sum(changed_lines) or 1
    shares = [lines / total for lines in changed_lines if lines]
    return ChangeMeasures(
        subsystems=len({change.path.partition("/")[0] for change in changes}),
        folders=len({change.path.rpartition("/")[0] for change in changes}),
        files=len(changes),
        entropy=-sum(share * log2(share) for share in shares),
        added=sum(change.added for change in changes),
        deleted=sum(change.deleted for change in changes),
        lines_before=sum(change.lines_before for change in changes),
        is_fix=is_fix,
        days_unchanged=sum(change.days_unchanged for change in changes) / len(changes),
    )

"""Clones: classes of similar code fragments, and the query for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Literal, NamedTuple, get_args

CloneKind = Literal["exact", "renamed", "gapped", "semantic"]
KINDS: tuple[CloneKind, ...] = get_args(CloneKind)
COPIES: frozenset[CloneKind] = frozenset(("exact", "renamed"))
"""The kinds whose lines are duplicates: all of a fragment is there again, not only much of it."""
BLOCK_LINES = 10
"""How long copies are that count where much else is measured, and so are looked for once."""
_GAPPED_SHARE = 0.68
"""Of the threshold: tokens that stay in their order say more than an equal structure. 0.85 makes it 0.578,
where labelled clones and other code part; see docs/accuracy.md."""


@dataclass(frozen=True)
class CloneQuery:
    """Which clones to look for."""

    kinds: frozenset[CloneKind] = frozenset(KINDS)
    min_lines: int = 5
    """Lines with code on them that a fragment has at least."""
    threshold: float = 0.85
    """How alike semantic clones have to be."""
    gpu: bool = False

    @property
    def gapped_threshold(self) -> float:
        """Return the share of two gapped fragments that has to be the same in the same order."""
        return round(self.threshold * _GAPPED_SHARE, 4)

    @property
    def effective_thresholds(self) -> dict[CloneKind, float]:
        """Return how alike the wanted ones of those kinds that are alike by degrees have to be."""
        least: dict[CloneKind, float] = {"gapped": self.gapped_threshold, "semantic": self.threshold}
        return {kind: value for kind, value in least.items() if kind in self.kinds}


@dataclass(frozen=True)
class GpuUse:
    """Whether a GPU was asked for, whether it did its part of the work, and if not, why not."""

    requested: bool = False
    used: bool = False
    reason: str | None = "A GPU was not asked for."
    device: str | None = None


class Fragment(NamedTuple):
    """A stretch of lines that has its like elsewhere."""

    file: str
    start_line: int
    end_line: int
    tokens: int
    similarity: float
    """To the first fragment of its class; of exact and renamed ones the share of tokens that are equal."""


@dataclass(frozen=True)
class CloneClass:
    """Fragments that are alike, sorted by file and line; the first stands for all."""

    id: str
    """Follows from the content alone, so that it stays when other code changes."""
    kind: CloneKind
    similarity: float
    """The mean of the others to the first."""
    fragments: tuple[Fragment, ...]

    @property
    def order(self) -> tuple[object, ...]:
        """What classes are sorted by: copies, then gapped ones, then leads; of each sort the long ones first,
        and somewhat earlier where there are many.
        """
        first, kind = self.fragments[0], KINDS.index(self.kind)
        weight = round(first.tokens * log2(len(self.fragments)), 3)
        sort = max(kind, 1)
        return sort, -weight, first.file, first.start_line, kind, first.end_line, self.id

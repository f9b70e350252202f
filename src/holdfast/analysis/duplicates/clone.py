"""Clones: classes of similar code fragments, and the query for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Literal, NamedTuple, get_args

CloneKind = Literal["exact", "renamed", "gapped", "semantic"]
KINDS: tuple[CloneKind, ...] = get_args(CloneKind)
COPIES: frozenset[CloneKind] = frozenset(("exact", "renamed"))
"""The kinds whose lines count as duplicates; see docs/decisions/0020-clones-from-tokens.md."""
BLOCK_LINES = 10
"""Lines of the shortest copy in combined reports, twice the usual minimum: a judgement."""
_GAPPED_SHARE = 0.68
"""The threshold of gapped clones as a share of that of semantic ones. 0.85 gives 0.578, tuned on the labelled
pairs of `bench/clones.py`, docs/accuracy.md#clones."""


@dataclass(frozen=True)
class CloneQuery:
    """Which clones to look for."""

    kinds: frozenset[CloneKind] = frozenset(KINDS)
    min_lines: int = 5
    """The least number of lines with code of a fragment."""
    threshold: float = 0.85
    """The least similarity of semantic clones."""
    gpu: bool = False

    @property
    def gapped_threshold(self) -> float:
        """Return the least share of the tokens of gapped clones that both have in the same order."""
        return round(self.threshold * _GAPPED_SHARE, 4)

    @property
    def effective_thresholds(self) -> dict[CloneKind, float]:
        """Return the least similarity of each requested kind that has one."""
        least: dict[CloneKind, float] = {"gapped": self.gapped_threshold, "semantic": self.threshold}
        return {kind: value for kind, value in least.items() if kind in self.kinds}


@dataclass(frozen=True)
class GpuUse:
    """Whether a GPU was requested and used, and if not, why."""

    requested: bool = False
    used: bool = False
    reason: str | None = "No GPU was requested."
    device: str | None = None


class Fragment(NamedTuple):
    """Lines that have a clone elsewhere."""

    file: str
    start_line: int
    end_line: int
    tokens: int
    similarity: float
    """To the first fragment of its class: of exact and renamed clones, the share of equal tokens."""


@dataclass(frozen=True)
class CloneClass:
    """Similar fragments, sorted by file and line; the first represents the class."""

    id: str
    """A hash of the content, so that changes of other code leave it as it is."""
    kind: CloneKind
    similarity: float
    """The mean similarity of the others to the first."""
    fragments: tuple[Fragment, ...]

    @property
    def order(self) -> tuple[object, ...]:
        """Sorts copies first, then gapped clones, then leads, each by the fragments' length and number."""
        first, kind = self.fragments[0], KINDS.index(self.kind)
        weight = round(first.tokens * log2(len(self.fragments)), 3)
        sort = max(kind, 1)
        return sort, -weight, first.file, first.start_line, kind, first.end_line, self.id

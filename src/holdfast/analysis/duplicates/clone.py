"""Clones: classes of similar code fragments, and the query for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Literal, NamedTuple, get_args

CloneKind = Literal["exact", "renamed", "gapped", "semantic"]
CLONE_KINDS: tuple[CloneKind, ...] = get_args(CloneKind)
COPY_KINDS: frozenset[CloneKind] = frozenset(("exact", "renamed"))
"""The kinds whose lines are counted as duplicates; see docs/decisions/0020-clones-from-tokens.md."""
MIN_COPY_LINES = 10
"""Lines of the shortest copy in reports that combine several analyses: a judgement. Twice the minimum of the
report on duplicates, as only the larger copies matter next to other findings."""
_GAPPED_TO_SEMANTIC_THRESHOLD = 0.68
"""The threshold of gapped clones divided by that of semantic ones. For 0.85 it gives 0.578, tuned on the
labelled pairs of `bench/clones.py`, docs/accuracy.md#clones."""


@dataclass(frozen=True)
class CloneQuery:
    """Which clones to look for."""

    kinds: frozenset[CloneKind] = frozenset(CLONE_KINDS)
    min_lines: int = 5
    """The fewest lines with code in a fragment."""
    threshold: float = 0.85
    """The minimum similarity of semantic clones."""
    gpu: bool = False
    """Whether to use a GPU if there is one."""

    @property
    def gapped_threshold(self) -> float:
        """The minimum share of the tokens of two gapped clones that both have in the same order."""
        return round(self.threshold * _GAPPED_TO_SEMANTIC_THRESHOLD, 4)

    @property
    def effective_thresholds(self) -> dict[CloneKind, float]:
        """The minimum similarity of each requested kind that has one."""
        thresholds: dict[CloneKind, float] = {"gapped": self.gapped_threshold, "semantic": self.threshold}
        return {kind: threshold for kind, threshold in thresholds.items() if kind in self.kinds}


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
    """The similarity to the first fragment of the class; for exact and renamed clones, the share of equal
    tokens."""


@dataclass(frozen=True)
class CloneClass:
    """Similar fragments, sorted by file and line; the first represents the class."""

    id: str
    """A hash of the content, which does not change when other code changes."""
    kind: CloneKind
    similarity: float
    """The mean similarity of the other fragments to the first."""
    fragments: tuple[Fragment, ...]

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Sorts copies first, then gapped clones, then semantic ones; within these, larger classes first."""
        first, kind = self.fragments[0], CLONE_KINDS.index(self.kind)
        certainty = max(kind, 1)  # exact and renamed clones are sorted as one
        weight = round(first.tokens * log2(len(self.fragments)), 3)
        return certainty, -weight, first.file, first.start_line, kind, first.end_line, self.id

"""Clone groups, and the query for them."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from math import log2
from typing import Literal, NamedTuple, get_args

CloneKind = Literal["exact", "renamed", "gapped", "semantic"]
"""How the fragments of a group may differ, from the least to the most:

- exact: in layout and comments; renamed: also in literals, and in names if the renaming is consistent.
- gapped: in inserted, deleted or replaced tokens. semantic: in anything but a similar structure.
"""
CLONE_KINDS: tuple[CloneKind, ...] = get_args(CloneKind)
COPY_KINDS: frozenset[CloneKind] = frozenset(("exact", "renamed"))
"""The kinds whose lines are counted as duplicates; see docs/decisions/0020-clones-from-tokens.md."""
DEFAULT_MIN_LINES = 5
"""Lines of the shortest fragment, by default: a judgement. Fewer lines are often similar by chance."""
DEFAULT_MIN_TOKENS = 50
"""Tokens of the shortest fragment, by default, as in jscpd. Fewer tokens are often equal by chance."""
MIN_MODEL_LINES = 2 * DEFAULT_MIN_LINES
"""Lines of the shortest copy that the model of defects counts: its weights were trained with it."""
DEFAULT_THRESHOLD = 0.85
"""The minimum similarity of semantic clones, by default. Tuned with the two below."""
_GAPPED_TO_SEMANTIC_THRESHOLD = 0.82
"""The threshold of gapped clones divided by that of semantic ones. For 0.85 it gives 0.697: below, most pairs
that were read in lazygit, jinja and vite had nothing but their project's idioms in common."""
_ALIGNED_TO_SEMANTIC_THRESHOLD = 0.68
"""The least alignment of a lead, likewise. For 0.85 it gives 0.578, tuned on the labelled pairs of
`bench/clones.py`, docs/accuracy.md#clones."""
_COMMON_TO_MIN_TOKENS = 0.7
"""The tokens that two changed copies share, divided by the minimum of equal ones: a judgement, tested by the
same benchmark."""
COPY_SIMILARITY_DECIMALS = 3
"""Decimal places of the similarity of exact and renamed clones: a judgement, a tenth of a percent."""
NEAR_SIMILARITY_DECIMALS = 4
"""Decimal places of other similarities: one more, as they are compared with thresholds such as 0.578."""
_ID_BYTES = 8
"""Bytes of an id: with 64 bits, a collision is improbable even among millions of groups."""


@dataclass(frozen=True)
class CloneQuery:
    """Which clones to look for."""

    kinds: frozenset[CloneKind] = frozenset(CLONE_KINDS)
    min_lines: int = DEFAULT_MIN_LINES
    """The fewest lines with more than brackets in a fragment."""
    min_tokens: int = DEFAULT_MIN_TOKENS
    """The fewest tokens of a fragment."""
    threshold: float = DEFAULT_THRESHOLD
    """The minimum similarity of semantic clones, from 0 to 1."""
    gpu: bool = False
    """Whether to use a GPU if there is one."""

    @property
    def gapped_threshold(self) -> float:
        """The minimum share of the tokens of two gapped clones that both have in the same order."""
        return round(self.threshold * _GAPPED_TO_SEMANTIC_THRESHOLD, NEAR_SIMILARITY_DECIMALS)

    @property
    def aligned_threshold(self) -> float:
        """The same share for two leads."""
        return round(self.threshold * _ALIGNED_TO_SEMANTIC_THRESHOLD, NEAR_SIMILARITY_DECIMALS)

    @property
    def min_common_tokens(self) -> int:
        """The fewest tokens that two gapped clones or leads have in the same order."""
        return round(self.min_tokens * _COMMON_TO_MIN_TOKENS)

    @property
    def effective_thresholds(self) -> dict[CloneKind, float]:
        """The minimum similarity of each requested kind that has one."""
        thresholds: dict[CloneKind, float] = {"gapped": self.gapped_threshold, "semantic": self.threshold}
        return {kind: threshold for kind, threshold in thresholds.items() if kind in self.kinds}


COPIES = CloneQuery(COPY_KINDS)
"""The clones that count as duplicates in all views; others are not certain enough."""


class Fragment(NamedTuple):
    """Lines that have a clone elsewhere."""

    file: str
    start_line: int
    end_line: int
    tokens: int
    """The number of tokens."""
    similarity: float
    """The similarity to the first fragment, from 0 to 1; for copies, the share of equal tokens."""

    @property
    def line_count(self) -> int:
        return self.end_line - self.start_line + 1


@dataclass(frozen=True)
class FragmentGroup:
    """A clone group: similar fragments, sorted by file and line; the first represents the group."""

    id: str
    """A hash of the content, which does not change when other code changes."""
    kind: CloneKind
    similarity: float
    """The mean similarity of the other fragments to the first, from 0 to 1."""
    fragments: tuple[Fragment, ...]

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Sorts copies first, then gapped clones, then semantic ones; within these, larger groups first."""
        first, kind = self.fragments[0], CLONE_KINDS.index(self.kind)
        kind_rank = max(kind, 1)  # exact and renamed clones share a rank
        weight = round(first.tokens * log2(len(self.fragments)), 3)
        return kind_rank, -weight, first.file, first.start_line, kind, first.end_line, self.id


def group_id(content: bytes) -> str:
    """Return the id of a group: a hash of its kind, language family and tokens."""
    return blake2b(content, digest_size=_ID_BYTES).hexdigest()

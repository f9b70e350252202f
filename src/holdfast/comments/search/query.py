"""The input and output types of the search index."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.comments.search.pattern import Pattern
from holdfast.comments.sidecar.note import Standing, Status


class CommentQuery(NamedTuple):
    """Conditions that must all hold; None means any value. Times are in microseconds since 1970."""

    pattern: Pattern | None = None
    tag: str | None = None
    author: str | None = None
    path: str | None = None
    """A path, or a pattern as in .gitignore."""
    has_ai: bool | None = None
    start: int | None = None
    """The earliest time of creation, which is included."""
    end: int | None = None
    """The latest time of creation, which is included."""
    status: Status | None = None
    standing: Standing | None = None
    limit: int = 100
    by_place: bool = False
    """Whether to order by path and line instead of by number of matches."""


class CommentHit(NamedTuple):
    """A comment that was found; from `line` on, its fields are columns that the index selects, in order."""

    path: str
    matches: int
    """How often the pattern occurs, counted up to `MAX_MATCHES_COUNTED`; 1 without a pattern."""
    line: int
    end_line: int | None
    comment_id: str
    text: str
    tag: str | None
    author: str
    created: str
    status: Status
    standing: Standing
    reason: str | None
    has_ai_metadata: bool
    ai_model: str | None
    ai_confidence: float | None


class CommentHits(NamedTuple):
    """The first hits, the number of all hits, and the files that could not be read."""

    total: int
    hits: list[CommentHit]
    damaged: list[str]

"""The input and output types of the search index."""

from __future__ import annotations

from typing import Any, NamedTuple

from holdfast.comments.search.pattern import Pattern


class CommentQuery(NamedTuple):
    """Conditions that must all hold; None means any value. Times are in microseconds since 1970."""

    pattern: Pattern | None = None
    tag: str | None = None
    author: str | None = None
    path: str | None = None
    has_ai: bool | None = None
    start: int | None = None
    end: int | None = None
    status: str | None = None
    standing: str | None = None
    limit: int = 100
    by_place: bool = False
    """Whether to order by path and line instead of by number of matches."""


class CommentHit(NamedTuple):
    """A comment that was found."""

    path: str
    matches: int
    line: int
    end_line: int | None
    name: str
    text: str
    tag: str | None
    author: str
    created: str
    status: Any
    standing: Any
    reason: str | None
    has_ai_metadata: bool
    ai_model: str | None
    ai_confidence: float | None


class CommentHits(NamedTuple):
    """The first hits, the number of all hits, and the files that could not be read."""

    total: int
    hits: list[CommentHit]
    damaged: list[str]

"""What is asked of the index, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from holdfast.comments.search.globs import path_filter
from holdfast.comments.search.pattern import Pattern


@dataclass(frozen=True)
class Query:
    """Conditions that all must hold; what is None does not matter."""

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
    """Whether the number of matches does not count for the order."""


@dataclass(frozen=True)
class Hit:
    """One comment that was found."""

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
    ai: int
    model: str | None
    confidence: float | None


@dataclass(frozen=True)
class Answer:
    """The best hits, and how many there are in all."""

    total: int
    hits: list[Hit] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


class Facts:
    """What filters look at, of one comment. Small, because all comments' are kept in memory."""

    __slots__ = ("ai", "author", "file", "id", "moment", "standing", "status", "tag", "text")

    def __init__(
        self,
        id: int,  # noqa: A002 - the column
        file: int,
        text: str,
        tag: str | None,
        author: str,
        moment: int | None,
        status: str,
        standing: str,
        ai: int,
    ) -> None:
        self.id = id
        self.file = file
        self.text = text
        self.tag = tag
        self.author = author
        self.moment = moment
        self.status = status
        self.standing = standing
        self.ai = ai


Accept = Callable[[Facts], bool]


def accepting(query: Query, path_of: Callable[[int], str]) -> Accept | None:
    """Return what decides by the filters whether a comment is meant, or None when all are."""
    checks = [check for check in (*_field_checks(query), _path_check(query, path_of)) if check is not None]
    if not checks:
        return None
    return lambda facts: all(check(facts) for check in checks)


def _field_checks(query: Query) -> list[Accept | None]:
    return [
        None if query.tag is None else lambda facts: facts.tag == query.tag,
        None if query.author is None else lambda facts: facts.author == query.author,
        None if query.has_ai is None else lambda facts: bool(facts.ai) is query.has_ai,
        None if query.status is None else lambda facts: facts.status == query.status,
        None if query.standing is None else lambda facts: facts.standing == query.standing,
        None if query.start is query.end is None else lambda facts: _within(facts.moment, query),
    ]


def _within(moment: int | None, query: Query) -> bool:
    if moment is None:
        return False
    return (query.start is None or query.start <= moment) and (query.end is None or moment <= query.end)


def _path_check(query: Query, path_of: Callable[[int], str]) -> Accept | None:
    if query.path is None:
        return None
    fits = path_filter(query.path)
    known: dict[int, bool] = {}

    def check(facts: Facts) -> bool:
        if facts.file not in known:
            known[facts.file] = fits(path_of(facts.file))
        return known[facts.file]

    return check

"""The fields that a filter can compare: their operators, and how their values are parsed."""

from __future__ import annotations

import re
import time
from calendar import timegm
from typing import NamedTuple

from holdfast.kernel.errors import did_you_mean
from holdfast.milestones.entity import STATUSES
from holdfast.milestones.filter.tokens import ATOM, STRING, FilterToken, invalid

_EQUALITY = ("=", "!=")
_ORDERING = (*_EQUALITY, "<", "<=", ">", ">=")
_MEMBERSHIP = (*_EQUALITY, "in")
_NUMBER = re.compile(r"-?\d{1,15}")
_DURATION = re.compile(r"(\d{1,6})([smhdw])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(?:\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_MIN_SECONDS, _MAX_SECONDS = -62135596800, 253402300799  # the years 1 to 9999, those of Python's `datetime`
_FLAGS = dict.fromkeys(("true", "1", "yes", "on"), True) | dict.fromkeys(("false", "0", "no", "off"), False)


class Span(NamedTuple):
    """A span of time, a day or a second, in seconds since 1970; `end` is the first second after it."""

    start: int
    end: int


Value = str | int | bool | None | Span


class Field(NamedTuple):
    """A field of an entity.

    `type` is a key of `sql._COMPILERS_BY_TYPE` and determines how values are parsed and compared. `nullable`
    fields can be compared with null.
    """

    name: str
    type: str
    operators: tuple[str, ...]
    nullable: bool = False
    kinds: tuple[str, ...] = ("issue", "milestone")


_TEXT = (*_MEMBERSHIP, "contains")

FIELDS = {
    field.name: field
    for field in (
        Field("id", "text", _TEXT),
        Field("title", "text", _TEXT),
        Field("description", "text", _TEXT),
        Field("text", "search", ("contains",)),
        Field("status", "choice", _MEMBERSHIP),
        Field("labels", "labels", _TEXT, nullable=True),
        Field("author", "person", _TEXT),
        Field("assignee", "person", _TEXT, nullable=True),
        Field("milestone", "milestone", _TEXT, nullable=True, kinds=("issue",)),
        Field("due", "time", _ORDERING, nullable=True),
        Field("created", "time", _ORDERING),
        Field("updated", "time", _ORDERING),
        Field("comments", "number", (*_ORDERING, "in")),
        Field("has_comments", "flag", _EQUALITY),
        Field("open_issues", "number", (*_ORDERING, "in"), kinds=("milestone",)),
    )
}
ALIASES = {"label": "labels", "created_at": "created", "updated_at": "updated", "due_at": "due"}


def resolve_field(token: FilterToken, kind: str) -> Field:
    """Return the field that a token names, or raise if this kind of entity has none of that name."""
    name = token.text.lower()
    field = FIELDS.get(ALIASES.get(name, name)) if token.kind == ATOM else None
    if field is None or kind not in field.kinds:
        allowed = [name for name, field in FIELDS.items() if kind in field.kinds]
        problem = f"{token.quoted()} is not a field of {kind}s"
        raise invalid(token.column, problem, _fields_hint(name, allowed), allowed=allowed)
    return field


def check_operator(field: Field, operator: str, token: FilterToken) -> None:
    """Raise if the field does not support the operator."""
    if operator not in field.operators:
        allowed = ", ".join(field.operators)
        raise invalid(
            token.column,
            f'"{field.name}" cannot be compared with {token.quoted()}',
            f"Allowed here: {allowed}.",
            allowed=list(field.operators),
        )


def parse_value(field: Field, operator: str, token: FilterToken, now: float) -> Value:
    """Return the value of a token for a comparison with the field."""
    if token.kind not in (ATOM, STRING):
        problem = f'a value for "{field.name}" is missing before {token.quoted()}'
        raise invalid(token.column, problem, _value_hint(field))
    if token.is_word("null") and field.nullable and operator in _MEMBERSHIP:
        return None
    value = _parse(field, token.text, now)
    if value is None:
        problem = f'{token.quoted()} is not a value for "{field.name}"'
        raise invalid(token.column, problem, _value_hint(field))
    return value


def parse_span(text: str) -> Span | None:
    """Return the day of a date, or the second of an RFC 3339 timestamp."""
    if _DATE.fullmatch(text):
        start = _seconds_since_1970(f"{text}T00:00:00")
        return None if start is None else _span(start, _UNIT_SECONDS["d"])
    timestamp = _TIMESTAMP.fullmatch(text)
    if timestamp is None:
        return None
    day, clock, zone = timestamp.groups()
    clock_with_seconds = clock if clock.count(":") == 2 else f"{clock}:00"
    start = _seconds_since_1970(f"{day}T{clock_with_seconds}")
    return None if start is None else _span(start - _zone_offset(zone))


def _span(start: int, seconds: int = 1) -> Span:
    """Return a span within the years that Python represents."""
    start = min(max(start, _MIN_SECONDS), _MAX_SECONDS)
    return Span(start, min(start + seconds, _MAX_SECONDS + 1))


def _seconds_since_1970(text: str) -> int | None:
    try:
        return timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return None


def _zone_offset(zone: str | None) -> int:
    """Return the seconds by which a time zone is ahead of UTC."""
    if zone is None or zone in "Zz":
        return 0
    hours, minutes = zone[1:].split(":")
    seconds = int(hours) * 3600 + int(minutes) * 60
    return seconds if zone[0] == "+" else -seconds


def _parse(field: Field, text: str, now: float) -> Value:
    """Parse a value of the field's type; return None if the text is not valid."""
    if field.type == "choice":
        return text.lower() if text.lower() in STATUSES else None
    if field.type == "number":
        return int(text) if _NUMBER.fullmatch(text) else None
    if field.type == "flag":
        return _FLAGS.get(text.lower())
    if field.type != "time":
        return text
    if duration := _DURATION.fullmatch(text.lower()):
        return _span(int(now) - int(duration[1]) * _UNIT_SECONDS[duration[2]])
    return parse_span(text)


_VALUE_HINTS = {
    "choice": f"Write one of: {', '.join(STATUSES)}.",
    "number": "Write a whole number.",
    "flag": "Write true or false.",
    "time": "Write a date (2026-01-31), a timestamp (2026-01-31T12:00:00Z) or an age (7d, 12h).",
}


def _value_hint(field: Field) -> str:
    hint = _VALUE_HINTS.get(field.type, "Write a word, or text in quotes.")
    return f"{hint.removesuffix('.')}; or null for none." if field.nullable else hint


def _fields_hint(name: str, allowed: list[str]) -> str:
    suggestion = did_you_mean(name, [*allowed, *ALIASES])
    listed = f"Fields: {', '.join(allowed)}."
    return f"{suggestion} {listed}" if suggestion.startswith("Did") else listed

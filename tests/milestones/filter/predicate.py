"""A filter as a test of one entity: the meaning against which the conditions on the index are checked."""

from __future__ import annotations

import operator
import time
from calendar import timegm
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.milestones.entity import Entity
from holdfast.milestones.filter.expression import Conjunction, Expression, FieldComparison, Negation
from holdfast.milestones.filter.fields import Span, Value

_DAY_SECONDS = 86400
_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Subject:
    """An entity, and the title of the milestone it belongs to."""

    entity: Entity
    milestone_title: str | None = None

    @property
    def bodies(self) -> list[str]:
        """Return what its comments say."""
        return [comment.body for comment in self.entity.comments if not comment.deleted]


def holds(expression: Expression, subject: Subject) -> bool:
    """Tell whether the filter means this entity."""
    if isinstance(expression, FieldComparison):
        return _COMPARISONS[expression.field.type](expression, subject)
    if isinstance(expression, Negation):
        return not holds(expression.part, subject)
    joint = all if isinstance(expression, Conjunction) else any
    return joint(holds(part, subject) for part in expression.parts)


def _text(comparison: FieldComparison, subject: Subject) -> bool:
    return _among(comparison, _held(comparison, subject), operator.eq)


def _held(comparison: FieldComparison, subject: Subject) -> str | None:
    held: str | None = getattr(subject.entity, comparison.field.name)
    return held


def _among(comparison: FieldComparison, held: str | None, is_named: Callable[[Value, str], bool]) -> bool:
    """Compare what is held with alternatives; None is held where there is nothing."""
    if comparison.operator == "contains":
        return held is not None and _within(comparison.values[0], held)
    found = any(
        held is None if value is None else held is not None and is_named(value, held)
        for value in comparison.values
    )
    return found != (comparison.operator == "!=")


def _within(value: Value, held: str) -> bool:
    return str(value).casefold() in held.casefold()


def _person(comparison: FieldComparison, subject: Subject) -> bool:
    def is_named(value: Value, held: str) -> bool:
        return held == value or held.startswith(f"{value} <") or held.endswith(f"<{value}>")

    return _among(comparison, _held(comparison, subject), is_named)


def _milestone(comparison: FieldComparison, subject: Subject) -> bool:
    title = subject.milestone_title
    if comparison.operator == "contains":
        return title is not None and _within(comparison.values[0], title)
    return _among(comparison, subject.entity.milestone, lambda value, held: value in (held, title))


def _search(comparison: FieldComparison, subject: Subject) -> bool:
    texts = (subject.entity.title, subject.entity.description, *subject.bodies)
    return any(_within(comparison.values[0], text) for text in texts)


def _labels(comparison: FieldComparison, subject: Subject) -> bool:
    labels = subject.entity.labels
    if comparison.operator == "contains":
        return any(_within(comparison.values[0], label) for label in labels)
    found = any(not labels if value is None else value in labels for value in comparison.values)
    return found != (comparison.operator == "!=")


def _moment(comparison: FieldComparison, subject: Subject) -> bool:
    held, [span] = _held(comparison, subject), comparison.values
    if not isinstance(span, Span):
        return (held is None) == (comparison.operator == "=")
    if held is None:
        return comparison.operator == "!="
    return _in_time(comparison.operator, *_measured(comparison.field.name, held, span))


def _measured(field: str, held: str, span: Span) -> tuple[int, int, int]:
    """Return what is held and both ends of the span: in days when something is due, else in seconds."""
    if field == "due":
        day = timegm(time.strptime(held, "%Y-%m-%d")) // _DAY_SECONDS
        return day, span.start // _DAY_SECONDS, (span.end - 1) // _DAY_SECONDS
    return timegm(time.strptime(held[:19], "%Y-%m-%dT%H:%M:%S")), span.start, span.end - 1


def _in_time(sign: str, held: int, first: int, last: int) -> bool:
    if sign in ("=", "!="):
        return (first <= held <= last) == (sign == "=")
    return _SIGNS[sign](held, first if sign in ("<", ">=") else last)


def _number(comparison: FieldComparison, subject: Subject) -> bool:
    entity = subject.entity
    held = entity.comment_count if comparison.field.name == "comments" else entity.open_issues or 0
    if comparison.operator == "in":
        return held in comparison.values
    [value] = comparison.values
    return isinstance(value, int) and _SIGNS[comparison.operator](held, value)


def _flag(comparison: FieldComparison, subject: Subject) -> bool:
    return (bool(subject.bodies) == comparison.values[0]) == (comparison.operator == "=")


_COMPARISONS: dict[str, Callable[[FieldComparison, Subject], bool]] = {
    "text": _text,
    "choice": _text,
    "search": _search,
    "person": _person,
    "milestone": _milestone,
    "labels": _labels,
    "time": _moment,
    "number": _number,
    "flag": _flag,
}

"""Compiles a filter to a condition on the index, with its values as parameters.

Contract: every condition is 0 or 1, never NULL, so that `not` works as in two-valued logic. A caller's text
is only passed as a parameter. The tables and functions used are those that `query.py` names.
Labels are a JSON array in the row of their entity. A text search of the encoded array rejects most rows; only
the others are decoded.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from holdfast.milestones.filter.expression import All, Expression, FieldComparison, Negation
from holdfast.milestones.filter.fields import Span, Value
from holdfast.milestones.index.schema import OPEN_ISSUES, TEXT_FOLDED, TITLE_FOLDED

Bound = str | int | float | None
Compiled = tuple[str, list[Bound]]

_COLUMNS = {"open_issues": OPEN_ISSUES, "due": "entity.due_at"}
_FOLDED = {"title": TITLE_FOLDED, "text": TEXT_FOLDED}
_DAY_SECONDS = 86400

HAS_LABEL = (
    "(instr(entity.labels, ?) > 0 AND EXISTS (SELECT 1 FROM json_each(entity.labels) WHERE value = ?))"
)
_HAS_NO_LABEL = "(entity.labels = '[]')"
_CONTAINS_LABEL = (
    "(instr(holdfast_fold(entity.labels), ?) > 0"
    " AND EXISTS (SELECT 1 FROM json_each(entity.labels) WHERE instr(holdfast_fold(value), ?) > 0))"
)


def condition(expression: Expression) -> Compiled:
    """Return the condition that selects the rows matching a filter."""
    if isinstance(expression, FieldComparison):
        return _COMPARISONS[expression.field.type](expression)
    if isinstance(expression, Negation):
        inner, values = condition(expression.part)
        return f"(NOT {inner})", values
    joint = " AND " if isinstance(expression, All) else " OR "
    return _joined([condition(part) for part in expression.parts], joint)


def _joined(conditions: list[Compiled], joint: str) -> Compiled:
    return (
        f"({joint.join(text for text, _ in conditions)})",
        [value for _, values in conditions for value in values],
    )


def _column(comparison: FieldComparison) -> str:
    name = comparison.field.name
    return _COLUMNS.get(name, f"entity.{name}")


def _ordinary(comparison: FieldComparison) -> Compiled:
    """Compare a column that is never NULL."""
    column, values = _column(comparison), [_bound(value) for value in comparison.values]
    if comparison.operator == "in":
        return f"({column} IN ({', '.join('?' * len(values))}))", values
    if comparison.operator == "contains":
        return _contains(
            _FOLDED.get(comparison.field.name) or f"holdfast_fold({column})", comparison.values[0]
        )
    return f"({column} {comparison.operator} ?)", values


def _contains(folded: str, value: Value) -> Compiled:
    return f"(instr({folded}, ?) > 0)", [str(value).casefold()]


def _flag(comparison: FieldComparison) -> Compiled:
    is_wanted = bool(comparison.values[0]) == (comparison.operator == "=")
    return f"(entity.comments {'>' if is_wanted else '='} 0)", []


def _time(comparison: FieldComparison) -> Compiled:
    """Compare a time or a due day with a span; a time within the span is equal to it."""
    column, [span] = _column(comparison), comparison.values
    if not isinstance(span, Span):
        return f"({column} IS {'NOT ' if comparison.operator == '!=' else ''}NULL)", []
    first, last = _edges(span, in_days=comparison.field.name == "due")
    text, values = {
        "=": (f"{column} BETWEEN ? AND ?", [first, last]),
        "!=": (f"{column} NOT BETWEEN ? AND ?", [first, last]),
        "<": (f"{column} < ?", [first]),
        "<=": (f"{column} <= ?", [last]),
        ">": (f"{column} > ?", [last]),
        ">=": (f"{column} >= ?", [first]),
    }[comparison.operator]
    # A missing time is neither before nor after any other, and unequal to all.
    return f"COALESCE({text}, {int(comparison.operator == '!=')})", [*values]


def _edges(span: Span, *, in_days: bool) -> tuple[int, int]:
    """Return the first and last second of the span, or of the days it touches."""
    if not in_days:
        return span.start, span.end - 1
    first, last = span.start // _DAY_SECONDS, (span.end - 1) // _DAY_SECONDS
    return first * _DAY_SECONDS, last * _DAY_SECONDS + _DAY_SECONDS - 1


def _alternatives(one: Callable[[FieldComparison, Value], Compiled]) -> Callable[[FieldComparison], Compiled]:
    """Return a compiler that joins the values' conditions from `one` by OR, negated for `!=`."""

    def compare(comparison: FieldComparison) -> Compiled:
        text, values = _joined([one(comparison, value) for value in comparison.values], " OR ")
        return (f"(NOT {text})", values) if comparison.operator == "!=" else (text, values)

    return compare


def _label(comparison: FieldComparison, value: Value) -> Compiled:
    if value is None:
        return _HAS_NO_LABEL, []
    if comparison.operator == "contains":
        return _CONTAINS_LABEL, _contains_label(str(value))
    return HAS_LABEL, [*has_label(str(_bound(value)))]


def has_label(label: str) -> tuple[str, str]:
    """Return the parameters of `HAS_LABEL`."""
    return json.dumps(label, ensure_ascii=False), label


def _contains_label(part: str) -> list[Bound]:
    """Return the parameters of `_CONTAINS_LABEL` for a part of a label, ignoring case."""
    folded = part.casefold()
    inside = json.dumps(folded, ensure_ascii=False)[1:-1]
    # Case folding an escape sequence differs from folding the character: skip the text search then.
    return [inside if inside == folded else "", folded]


def _person(comparison: FieldComparison, value: Value) -> Compiled:
    """Match `Name <mail>` by the whole, the name or the mail."""
    column = _column(comparison)
    if value is None:
        return f"({column} IS NULL)", []
    if comparison.operator == "contains":
        test, values = _contains(f"holdfast_fold({column})", value)
        return f"COALESCE({test}, 0)", values
    name, mail = f"{value} <", f"<{value}>"
    text = f"{column} = ? OR substr({column}, 1, length(?)) = ? OR substr({column}, -length(?)) = ?"
    return f"COALESCE({text}, 0)", [_bound(value), name, name, mail, mail]


def _milestone(comparison: FieldComparison, value: Value) -> Compiled:
    """Match the milestone of an issue by its id or title; `contains` by a part of the title."""
    if value is None:
        return "(entity.milestone IS NULL)", []
    named = "SELECT 1 FROM entity AS named WHERE named.id = entity.milestone"
    if comparison.operator == "contains":
        test, values = _contains(TITLE_FOLDED.replace("entity.", "named."), value)
        return f"EXISTS ({named} AND {test})", values
    return f"COALESCE(entity.milestone = ? OR EXISTS ({named} AND named.title = ?), 0)", [_bound(value)] * 2


def _bound(value: Value) -> Bound:
    assert not isinstance(value, Span)
    return value


_COMPARISONS: dict[str, Callable[[FieldComparison], Compiled]] = {
    "text": _ordinary,
    "choice": _ordinary,
    "number": _ordinary,
    "flag": _flag,
    "search": _ordinary,
    "time": _time,
    "labels": _alternatives(_label),
    "person": _alternatives(_person),
    "milestone": _alternatives(_milestone),
}

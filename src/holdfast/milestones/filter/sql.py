"""Compiles a filter to a condition on the index, with its values as parameters.

Contract: every condition is 0 or 1, never NULL, so that `not` works as in two-valued logic. A caller's text
is only passed as a parameter. The tables and functions used are those that `query.py` names.
The labels of an entity are a JSON array in its row. A text search of the encoded array rejects most rows, so
that few arrays are decoded.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from holdfast.milestones.filter.expression import Conjunction, Expression, FieldComparison, Negation
from holdfast.milestones.filter.fields import Span, Value
from holdfast.milestones.index.schema import OPEN_ISSUES, TEXT_FOLDED, TITLE_FOLDED

Parameter = str | int | float | None
Compiled = tuple[str, list[Parameter]]

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


def compile_filter(expression: Expression) -> Compiled:
    """Return the condition that selects the rows matching a filter."""
    if isinstance(expression, FieldComparison):
        return _COMPILERS_BY_TYPE[expression.field.type](expression)
    if isinstance(expression, Negation):
        inner, values = compile_filter(expression.part)
        return f"(NOT {inner})", values
    joiner = " AND " if isinstance(expression, Conjunction) else " OR "
    return _join([compile_filter(part) for part in expression.parts], joiner)


def _join(conditions: list[Compiled], joiner: str) -> Compiled:
    return (
        f"({joiner.join(text for text, _ in conditions)})",
        [value for _, values in conditions for value in values],
    )


def _column(comparison: FieldComparison) -> str:
    name = comparison.field.name
    return _COLUMNS.get(name, f"entity.{name}")


def _compile_column(comparison: FieldComparison) -> Compiled:
    """Compare a column that is never NULL."""
    column = _column(comparison)
    values = [_parameter(value) for value in comparison.values]
    if comparison.operator == "in":
        return f"({column} IN ({', '.join('?' * len(values))}))", values
    if comparison.operator == "contains":
        folded = _FOLDED.get(comparison.field.name, f"holdfast_fold({column})")
        return _contains(folded, comparison.values[0])
    return f"({column} {comparison.operator} ?)", values


def _contains(folded: str, value: Value) -> Compiled:
    return f"(instr({folded}, ?) > 0)", [str(value).casefold()]


def _compile_flag(comparison: FieldComparison) -> Compiled:
    is_wanted = bool(comparison.values[0]) == (comparison.operator == "=")
    return f"(entity.comments {'>' if is_wanted else '='} 0)", []


def _compile_time(comparison: FieldComparison) -> Compiled:
    """Compare a time or a due day with a span; a time within the span is equal to it."""
    column = _column(comparison)
    (span,) = comparison.values
    if not isinstance(span, Span):
        test = "IS NOT NULL" if comparison.operator == "!=" else "IS NULL"
        return f"({column} {test})", []
    first, last = _first_and_last_second(span, in_days=comparison.field.name == "due")
    text, values = {
        "=": (f"{column} BETWEEN ? AND ?", [first, last]),
        "!=": (f"{column} NOT BETWEEN ? AND ?", [first, last]),
        "<": (f"{column} < ?", [first]),
        "<=": (f"{column} <= ?", [last]),
        ">": (f"{column} > ?", [last]),
        ">=": (f"{column} >= ?", [first]),
    }[comparison.operator]
    # A missing time is neither before nor after any other time, and equal to none.
    return f"COALESCE({text}, {int(comparison.operator == '!=')})", [*values]


def _first_and_last_second(span: Span, *, in_days: bool) -> tuple[int, int]:
    """Return the first and last second of the span, or of the days it touches."""
    if not in_days:
        return span.start, span.end - 1
    first, last = span.start // _DAY_SECONDS, (span.end - 1) // _DAY_SECONDS
    return first * _DAY_SECONDS, last * _DAY_SECONDS + _DAY_SECONDS - 1


def _any_value(
    compile_value: Callable[[FieldComparison, Value], Compiled],
) -> Callable[[FieldComparison], Compiled]:
    """Return a compiler that joins the conditions of the values by OR, negated for `!=`."""

    def compare(comparison: FieldComparison) -> Compiled:
        text, values = _join([compile_value(comparison, value) for value in comparison.values], " OR ")
        return (f"(NOT {text})", values) if comparison.operator == "!=" else (text, values)

    return compare


def _compile_label(comparison: FieldComparison, value: Value) -> Compiled:
    if value is None:
        return _HAS_NO_LABEL, []
    if comparison.operator == "contains":
        return _CONTAINS_LABEL, _contains_label_parameters(str(value))
    return HAS_LABEL, [*has_label_parameters(str(_parameter(value)))]


def has_label_parameters(label: str) -> tuple[str, str]:
    """Return the parameters of `HAS_LABEL`."""
    return json.dumps(label, ensure_ascii=False), label


def _contains_label_parameters(part: str) -> list[Parameter]:
    """Return the parameters of `_CONTAINS_LABEL` for a substring of a label, ignoring case."""
    folded = part.casefold()
    encoded = json.dumps(folded, ensure_ascii=False)[1:-1]  # without the quotes
    # If JSON escapes a character, case folding would change the escape sequence: search for "" then, which is
    # in every row.
    return [encoded if encoded == folded else "", folded]


def _compile_person(comparison: FieldComparison, value: Value) -> Compiled:
    """Match `Name <mail>` by the whole text, the name or the mail."""
    column = _column(comparison)
    if value is None:
        return f"({column} IS NULL)", []
    if comparison.operator == "contains":
        test, values = _contains(f"holdfast_fold({column})", value)
        return f"COALESCE({test}, 0)", values
    name, mail = f"{value} <", f"<{value}>"
    text = f"{column} = ? OR substr({column}, 1, length(?)) = ? OR substr({column}, -length(?)) = ?"
    return f"COALESCE({text}, 0)", [_parameter(value), name, name, mail, mail]


def _compile_milestone(comparison: FieldComparison, value: Value) -> Compiled:
    """Match the milestone of an issue by its id or title, or for `contains` by a substring of the title."""
    if value is None:
        return "(entity.milestone IS NULL)", []
    named = "SELECT 1 FROM entity AS named WHERE named.id = entity.milestone"
    if comparison.operator == "contains":
        test, values = _contains(TITLE_FOLDED.replace("entity.", "named."), value)
        return f"EXISTS ({named} AND {test})", values
    return f"COALESCE(entity.milestone = ? OR EXISTS ({named} AND named.title = ?), 0)", [
        _parameter(value)
    ] * 2


def _parameter(value: Value) -> Parameter:
    assert not isinstance(value, Span)
    return value


_COMPILERS_BY_TYPE: dict[str, Callable[[FieldComparison], Compiled]] = {
    "text": _compile_column,
    "choice": _compile_column,
    "number": _compile_column,
    "flag": _compile_flag,
    "search": _compile_column,
    "time": _compile_time,
    "labels": _any_value(_compile_label),
    "person": _any_value(_compile_person),
    "milestone": _any_value(_compile_milestone),
}

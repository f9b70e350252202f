"""The syntax tree of a filter: comparisons of fields with values, joined by and, or and not."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.milestones.filter.fields import Field, Value


class FieldComparison(NamedTuple):
    """A field compared with one value, or with several for `in`."""

    field: Field
    operator: str
    values: tuple[Value, ...]


class Negation(NamedTuple):
    """True if its part is false."""

    part: Expression


class Conjunction(NamedTuple):
    """True if every part is true."""

    parts: tuple[Expression, ...]


class Disjunction(NamedTuple):
    """True if at least one part is true."""

    parts: tuple[Expression, ...]


Expression = FieldComparison | Negation | Conjunction | Disjunction


def conjunction(parts: list[Expression]) -> Expression:
    """Return the parts joined by and."""
    return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))


def disjunction(parts: list[Expression]) -> Expression:
    """Return the parts joined by or."""
    return parts[0] if len(parts) == 1 else Disjunction(tuple(parts))


def selects_closed(expression: Expression) -> bool:
    """Return whether the filter explicitly selects closed entities."""
    if isinstance(expression, FieldComparison):
        includes_closed = expression.operator in ("=", "in") and "closed" in expression.values
        return expression.field.name == "status" and includes_closed
    parts = (expression.part,) if isinstance(expression, Negation) else expression.parts
    return any(selects_closed(part) for part in parts)

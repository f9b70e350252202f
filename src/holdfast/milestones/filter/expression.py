"""What a filter means: comparisons of fields with values, joined by and, or and not."""

from __future__ import annotations

from holdfast.milestones.filter.fields import Field, Value


class Comparison:
    """A field set against one value, or against several for `in`."""

    __slots__ = ("field", "operator", "values")

    def __init__(self, field: Field, operator: str, values: tuple[Value, ...]) -> None:
        self.field = field
        self.operator = operator
        self.values = values


class Negation:
    """Holds where the part inside does not."""

    __slots__ = ("part",)

    def __init__(self, part: Expression) -> None:
        self.part = part


class All:
    """Holds where every part does."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        self.parts = parts


class Some:
    """Holds where at least one part does."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Expression, ...]) -> None:
        self.parts = parts


Expression = Comparison | Negation | All | Some


def all_of(parts: list[Expression]) -> Expression:
    """Return the parts joined by and."""
    return parts[0] if len(parts) == 1 else All(tuple(parts))


def some_of(parts: list[Expression]) -> Expression:
    """Return the parts joined by or."""
    return parts[0] if len(parts) == 1 else Some(tuple(parts))


def asks_for_closed(expression: Expression) -> bool:
    """Tell whether the filter names closed entities among those it wants."""
    if isinstance(expression, Comparison):
        wants = expression.operator in ("=", "in") and "closed" in expression.values
        return expression.field.name == "status" and wants
    parts = (expression.part,) if isinstance(expression, Negation) else expression.parts
    return any(asks_for_closed(part) for part in parts)

"""The filter language as S-expressions: `(and (= status "open") (in labels "bug" "urgent"))`.

    expression := "(" ("and" | "or") expression expression+ ")" | "(" "not" expression ")"
                | "(" operator FIELD value+ ")"
    operator := "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "contains"

On labels `=` and `contains` ask for all of the values and `!=` for none of them.
"""

from __future__ import annotations

from holdfast.kernel.limits import LIMITS
from holdfast.milestones.filter.cursor import TokenCursor
from holdfast.milestones.filter.expression import (
    Comparison,
    Expression,
    Negation,
    all_of,
    some_of,
)
from holdfast.milestones.filter.fields import Field, Value, checked_operator, field_of, value_of
from holdfast.milestones.filter.tokens import END, Token, invalid

_SIGNS = ("=", "==", "!=", "<", "<=", ">", ">=")
_WORDS = ("in", "contains")


class SExpressionParser(TokenCursor):
    """Reads one filter about one kind of entity."""

    def parse(self) -> Expression:
        """Return what the filter means."""
        expression = self._expression(1)
        if self._next.kind != END:
            raise invalid(self._next.column, f"{self._next.shown()} follows the end of the expression")
        return expression

    def _expression(self, depth: int) -> Expression:
        opening = self._expect("(")
        if depth > LIMITS.filter_depth:
            raise invalid(opening.column, f"the filter nests deeper than {LIMITS.filter_depth} levels")
        head = self._take()
        if head.is_word("and", "or"):
            found = self._joined(head, depth)
        elif head.is_word("not"):
            found = Negation(self._expression(depth + 1))
        else:
            found = self._comparison(head)
        self._expect(")")
        return found

    def _joined(self, head: Token, depth: int) -> Expression:
        parts = []
        while self._next.is_operator("("):
            parts.append(self._expression(depth + 1))
        if len(parts) < 2:
            raise invalid(self._next.column, f"{head.shown()} joins at least two expressions")
        return all_of(parts) if head.is_word("and") else some_of(parts)

    def _comparison(self, head: Token) -> Expression:
        if not (head.is_operator(*_SIGNS) or head.is_word(*_WORDS)):
            allowed = ["and", "or", "not", *_SIGNS, *_WORDS]
            raise invalid(
                head.column,
                f"{head.shown()} is no operator",
                f"Operators: {', '.join(allowed)}.",
                allowed=allowed,
            )
        operator = "=" if head.text == "==" else head.text.lower()
        field = field_of(self._take(), self._kind)
        checked_operator(field, operator, head)
        return _meaning(field, operator, self._values(field, operator))

    def _values(self, field: Field, operator: str) -> tuple[Value, ...]:
        values = [value_of(field, operator, self._take(), self._now)]
        while not self._next.is_operator(")") and self._next.kind != END:
            if operator != "in" and field.type != "labels":
                raise invalid(self._next.column, f'"{operator}" takes one value')
            values.append(value_of(field, operator, self._take(), self._now))
        return tuple(values)


def _meaning(field: Field, operator: str, values: tuple[Value, ...]) -> Expression:
    if field.type != "labels" or operator == "in":
        return Comparison(field, operator, values)
    # A label is contained when the entity has it: part of its name is not enough here.
    sign = "=" if operator == "contains" else operator
    return all_of([Comparison(field, sign, (value,)) for value in values])

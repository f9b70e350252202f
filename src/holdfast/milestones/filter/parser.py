"""Recursive descent parsers for the two notations of the filter language.

Infix: `status == "open" and (label in [bug, urgent] or updated > 7d)`

    expression := conjunction { ("or" | "||") conjunction }
    conjunction := negation { ("and" | "&&") negation }
    negation := ("not" | "!") negation | "(" expression ")" | comparison
    comparison := FIELD OPERATOR value | FIELD ["not"] "in" "[" value { "," value } "]"
                | FIELD ["not"] ("contains" | "~") value | FIELD

S-expressions: `(and (= status "open") (in labels "bug" "urgent"))`

    expression := "(" ("and" | "or") expression expression+ ")" | "(" "not" expression ")"
                | "(" operator FIELD value+ ")"
    operator := "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "contains"

In S-expressions `=` and `contains` on labels require all of the values, and `!=` none of them.

Contract: the whole text is parsed; a syntax error is `Invalid` with its column.
"""

from __future__ import annotations

from holdfast.kernel.errors import Invalid
from holdfast.milestones.filter.expression import (
    Expression,
    FieldComparison,
    Negation,
    conjunction,
    disjunction,
)
from holdfast.milestones.filter.fields import Field, Value, check_operator, parse_value, resolve_field
from holdfast.milestones.filter.tokens import (
    ATOM,
    END,
    FilterToken,
    TokenCursor,
    invalid,
    refuse_deep_nesting,
    tokenize,
)

_COMPARISON_SYMBOLS = ("=", "==", "!=", "<", "<=", ">", ">=")
_OPERATOR_WORDS = ("in", "contains")
_RESERVED_WORDS = ("and", "or", "not", *_OPERATOR_WORDS)


class InfixParser(TokenCursor):
    """Parses a filter in infix notation."""

    def __init__(self, tokens: list[FilterToken], kind: str, now: float) -> None:
        super().__init__(tokens, kind, now)
        self._depth = 0

    def parse(self) -> Expression:
        expression = self._expression()
        if self._next.kind != END:
            raise invalid(
                self._next.column,
                f"{self._next.quoted()} does not continue the filter",
                'Join comparisons with "and" or "or".',
            )
        return expression

    def _expression(self) -> Expression:
        parts = [self._conjunction()]
        while self._next.is_word("or") or self._next.is_operator("||"):
            self._take()
            parts.append(self._conjunction())
        return disjunction(parts)

    def _conjunction(self) -> Expression:
        parts = [self._negation()]
        while self._next.is_word("and") or self._next.is_operator("&&"):
            self._take()
            parts.append(self._negation())
        return conjunction(parts)

    def _negation(self) -> Expression:
        if self._next.is_word("not") or self._next.is_operator("!"):
            self._enter_level(self._take())
            part: Expression = Negation(self._negation())
        elif self._next.is_operator("("):
            self._enter_level(self._take())
            part = self._expression()
            self._expect(")")
        else:
            return self._comparison()
        self._depth -= 1
        return part

    def _enter_level(self, token: FilterToken) -> None:
        self._depth += 1
        refuse_deep_nesting(self._depth, token)

    def _comparison(self) -> Expression:
        token = self._take()
        if token.kind != ATOM or token.is_word(*_RESERVED_WORDS):
            raise invalid(
                token.column, f"expected a comparison, found {token.quoted()}", 'Such as: status == "open".'
            )
        field = resolve_field(token, self._kind)
        operator = self._next
        if operator.is_operator(*_COMPARISON_SYMBOLS):
            self._take()
            symbol = "=" if operator.text == "==" else operator.text
            check_operator(field, symbol, operator)
            return FieldComparison(field, symbol, (self._value(field, symbol),))
        if operator.is_word("not", "in", "contains") or operator.is_operator("~"):
            return self._word_comparison(field)
        return self._flag_comparison(field, token)

    def _word_comparison(self, field: Field) -> Expression:
        is_negated = self._next.is_word("not")
        if is_negated:
            self._take()
        token = self._take()
        if token.is_word("in"):
            check_operator(field, "in", token)
            comparison: Expression = FieldComparison(field, "in", self._values(field))
        elif token.is_word("contains") or token.is_operator("~"):
            check_operator(field, "contains", token)
            comparison = FieldComparison(field, "contains", (self._value(field, "contains"),))
        else:
            raise invalid(token.column, f'expected "in" or "contains", found {token.quoted()}')
        return Negation(comparison) if is_negated else comparison

    def _flag_comparison(self, field: Field, token: FilterToken) -> Expression:
        if field.type == "flag":
            return FieldComparison(field, "=", (True,))
        raise invalid(
            self._next.column if self._next.kind != END else token.column,
            f'"{field.name}" is not compared with anything',
            f"Follow it with one of: {', '.join(field.operators)}.",
            allowed=list(field.operators),
        )

    def _values(self, field: Field) -> tuple[Value, ...]:
        self._expect("[")
        values = [self._value(field, "in")]
        while self._next.is_operator(","):
            self._take()
            values.append(self._value(field, "in"))
        self._expect("]")
        return tuple(values)

    def _value(self, field: Field, operator: str) -> Value:
        return parse_value(field, operator, self._take(), self._now)


class SExpressionParser(TokenCursor):
    """Parses a filter written as an S-expression."""

    def parse(self) -> Expression:
        expression = self._expression(depth=1)
        if self._next.kind != END:
            raise invalid(self._next.column, f"{self._next.quoted()} follows the end of the expression")
        return expression

    def _expression(self, depth: int) -> Expression:
        opening = self._expect("(")
        refuse_deep_nesting(depth, opening)
        head = self._take()
        if head.is_word("and", "or"):
            expression = self._junction(head, depth)
        elif head.is_word("not"):
            expression = Negation(self._expression(depth + 1))
        else:
            expression = self._comparison(head)
        self._expect(")")
        return expression

    def _junction(self, head: FilterToken, depth: int) -> Expression:
        parts = []
        while self._next.is_operator("("):
            parts.append(self._expression(depth + 1))
        if len(parts) < 2:
            raise invalid(self._next.column, f"{head.quoted()} joins at least two expressions")
        return conjunction(parts) if head.is_word("and") else disjunction(parts)

    def _comparison(self, head: FilterToken) -> Expression:
        if not (head.is_operator(*_COMPARISON_SYMBOLS) or head.is_word(*_OPERATOR_WORDS)):
            allowed = ["and", "or", "not", *_COMPARISON_SYMBOLS, *_OPERATOR_WORDS]
            raise invalid(
                head.column,
                f"{head.quoted()} is not an operator",
                f"Operators: {', '.join(allowed)}.",
                allowed=allowed,
            )
        operator = "=" if head.text == "==" else head.text.lower()
        field = resolve_field(self._take(), self._kind)
        check_operator(field, operator, head)
        return _label_comparison(field, operator, self._values(field, operator))

    def _values(self, field: Field, operator: str) -> tuple[Value, ...]:
        values = [parse_value(field, operator, self._take(), self._now)]
        while not self._next.is_operator(")") and self._next.kind != END:
            if operator != "in" and field.type != "labels":
                raise invalid(self._next.column, f'"{operator}" takes one value')
            values.append(parse_value(field, operator, self._take(), self._now))
        return tuple(values)


def _label_comparison(field: Field, operator: str, values: tuple[Value, ...]) -> Expression:
    if field.type != "labels" or operator == "in":
        return FieldComparison(field, operator, values)
    # `contains` here asks whether the set contains a label, not whether a label contains a text.
    symbol = "=" if operator == "contains" else operator
    return conjunction([FieldComparison(field, symbol, (value,)) for value in values])


def parse_filter(text: str, kind: str, now: float) -> Expression | None:
    """Parse a filter for entities of `kind` in either notation; return None if it is empty.

    If neither parses, the error is that of the parser that got further, or of the infix parser if both
    stopped at the same column. Ages such as `7d` count back from `now`, in seconds since 1970.
    """
    tokens = tokenize(text)
    if len(tokens) == 1:  # only the token `END`
        return None
    try:
        return InfixParser(tokens, kind, now).parse()
    except Invalid as failure:
        infix = failure
    try:
        return SExpressionParser(tokens, kind, now).parse()
    except Invalid as failure:
        raise (failure if _column(failure) > _column(infix) else infix) from None


def _column(failure: Invalid) -> int:
    column = failure.data["column"]
    assert isinstance(column, int)
    return column

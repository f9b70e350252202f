"""A place in the tokens of a filter: what comes next, and taking it."""

from __future__ import annotations

from holdfast.milestones.filter.tokens import END, Token, invalid


class TokenCursor:
    """Reads the tokens of one filter about one kind of entity, first to last."""

    def __init__(self, tokens: list[Token], kind: str, now: float) -> None:
        self._tokens = tokens
        self._kind = kind
        self._now = now
        self._position = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _take(self) -> Token:
        token = self._next
        if token.kind != END:
            self._position += 1
        return token

    def _expect(self, sign: str) -> Token:
        token = self._take()
        if not token.is_operator(sign):
            raise invalid(token.column, f'expected "{sign}", found {token.shown()}')
        return token

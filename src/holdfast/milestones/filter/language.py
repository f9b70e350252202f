"""From a filter's text to what it means."""

from __future__ import annotations

from holdfast.kernel.errors import Invalid
from holdfast.milestones.filter.expression import Expression
from holdfast.milestones.filter.parser import InfixParser
from holdfast.milestones.filter.s_expressions import SExpressionParser
from holdfast.milestones.filter.tokens import tokens


def parse_filter(text: str, kind: str, now: float) -> Expression | None:
    """Return what a filter about entities of `kind` means, or None when it asks for nothing.

    Both spellings are understood. What is neither is refused as `Invalid`, by the parser that got
    further; the infix one when both stopped at the same place. Ages such as `7d` count back from
    `now`, in seconds since 1970.
    """
    found = tokens(text)
    if len(found) == 1:
        return None
    try:
        return InfixParser(found, kind, now).parse()
    except Invalid as failure:
        infix = failure
    try:
        return SExpressionParser(found, kind, now).parse()
    except Invalid as failure:
        raise (failure if _column(failure) > _column(infix) else infix) from None


def _column(failure: Invalid) -> int:
    column = failure.data["column"]
    assert isinstance(column, int)
    return column

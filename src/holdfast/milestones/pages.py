"""From the arguments of a list to a question for the index, and the cursors that lead from page to page."""

from __future__ import annotations

from holdfast.kernel.errors import Invalid, InvalidCursor, did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.milestones.entity import Kind
from holdfast.milestones.filter.expression import Expression, asks_for_closed
from holdfast.milestones.filter.parser import parse_filter
from holdfast.milestones.filter.sql import condition
from holdfast.milestones.index.query import NEWEST_FIRST, SORT_COLUMNS, Condition, Position, Query, SortKey
from holdfast.milestones.models import ListEntities
from holdfast.milestones.quick import list_identity

_ALIASES = {"updated_at": "updated", "created_at": "created"}
_ORDERS = ("asc", "desc")
_LARGEST_INTEGER = 2**63 - 1


def question(args: ListEntities, now: float) -> tuple[Query, list[str]]:
    """Return what a list asks at a moment, in seconds since 1970, and what its caller may want to know."""
    expression = parse_filter(args.filter or "", args.entity, now)
    sort = sort_keys(args.sort or [], args.entity)
    query = Query(
        kind=args.entity,
        condition=Condition() if expression is None else _condition(expression),
        include_closed=args.include_closed,
        sort=sort,
        after=None if args.cursor is None else _position(args, len(sort) + 1),
        limit=min(args.limit or LIMITS.entity_page, LIMITS.entity_largest_page),
    )
    return query, _hints(args, expression)


def next_cursor(args: ListEntities, position: Position | None) -> str | None:
    """Return the cursor of the page that begins after a position, which only this question accepts."""
    return None if position is None else encode_cursor(_identity(args), list(position))


def sort_keys(words: list[str], kind: Kind) -> tuple[SortKey, ...]:
    """Return the order that words such as `updated:desc` describe; the newest first when there are none."""
    return tuple(_sort_key(word, kind) for word in words) or NEWEST_FIRST


def _sort_key(word: str, kind: Kind) -> SortKey:
    name, _, order = word.strip().lower().partition(":")
    name = _ALIASES.get(name, name)
    allowed = [key for key in SORT_COLUMNS if key != "open_issues" or kind == "milestone"]
    if name not in allowed:
        suggestion = did_you_mean(name, allowed)
        raise Invalid(f'"{word}" is not a sort key of {kind}s.', hint=suggestion, allowed=allowed)
    if order and order not in _ORDERS:
        raise Invalid(f'"{order}" in "{word}" is not an order.', hint="Write asc or desc.", allowed=_ORDERS)
    return SortKey(name, descending=order == "desc")


def _condition(expression: Expression) -> Condition:
    sql, values = condition(expression)
    return Condition(sql, tuple(values))


def _identity(args: ListEntities) -> str:
    sort = [f"{key.name}:{key.descending}" for key in sort_keys(args.sort or [], args.entity)]
    return list_identity(args.entity, args.filter or "", sort, include_closed=args.include_closed)


def _position(args: ListEntities, length: int) -> Position:
    """Return the position in a cursor; one that is well made and still none of ours is refused too."""
    found = decode_cursor(_identity(args), args.cursor or "")
    if not isinstance(found, list) or len(found) != length or not all(map(_is_key, found)):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return tuple(found)


def _is_key(value: object) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= _LARGEST_INTEGER
    return isinstance(value, str) and _is_text(value)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _hints(args: ListEntities, expression: Expression | None) -> list[str]:
    found = []
    if args.limit is not None and args.limit > LIMITS.entity_largest_page:
        found.append(f"A page has at most {LIMITS.entity_largest_page} items; the cursor leads to the rest.")
    if not args.include_closed and expression is not None and asks_for_closed(expression):
        found.append("Closed ones are left out; pass includeClosed: true to see them.")
    return found

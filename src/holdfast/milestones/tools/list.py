"""`git_mile.list`: milestones or issues, with keyset pagination."""

from __future__ import annotations

import time

from pydantic import Field, StrictBool

from holdfast.kernel.errors import Invalid, InvalidCursor, did_you_mean
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import Kind
from holdfast.milestones.filter.expression import Expression, selects_closed
from holdfast.milestones.filter.parser import parse_filter
from holdfast.milestones.filter.sql import compile_filter
from holdfast.milestones.index.query import (
    NEWEST_FIRST,
    SORT_COLUMNS,
    Condition,
    EntityQuery,
    Position,
    SortKey,
    page,
)
from holdfast.milestones.index.update import damaged_refs
from holdfast.milestones.models import MileItem, item_fields
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import append_hint, items_table
from holdfast.milestones.toolset import Cursor, milestones

_ALIASES = {"updated_at": "updated", "created_at": "created"}
_ORDERS = ("asc", "desc")
_MAX_SQLITE_INTEGER = 2**63 - 1  # SQLite stores integers in at most 8 bytes (sqlite.org/datatype3.html)


class ListEntities(Input):
    """Which milestones or issues to list."""

    entity: Kind = Field(description="What to list.")
    filter: str | None = Field(
        default=None,
        max_length=LIMITS.filter_bytes,
        description='A filter, such as status == "open" and label in ["bug"].',
    )
    sort: list[str] | None = Field(
        default=None, max_length=8, description="Keys as field or field:asc|desc; default: updated:desc."
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        strict=True,
        description=f"Items on a page: {LIMITS.entity_page}, or up to {LIMITS.entity_largest_page}.",
    )
    cursor: Cursor | None = Field(default=None, description="The nextCursor of the previous page.")
    include_closed: StrictBool = Field(
        default=False, alias="includeClosed", strict=True, description="Whether to list closed ones too."
    )


class MilePage(Output):
    """A page of milestones or issues, in order."""

    items: list[MileItem]
    next_cursor: str | None = Field(
        serialization_alias="nextCursor",
        description="Pass it as cursor for the next page; null on the last one.",
    )
    hint: UntrustedText | None = optional("A note about this answer.")


def default_kind(_room: Milestones, arguments: dict[str, object]) -> dict[str, object]:
    """Complete the arguments of a command: list issues if it names no kind."""
    return {"entity": "issue"} | arguments


def _table(result: MilePage, width: int) -> str:
    return page_text(result, [items_table(result.items, width)] if result.items else ["Nothing found."])


def page_text(result: MilePage, lines: list[str]) -> str:
    """Return the lines of a page, followed by the cursor for the next page and the hint."""
    if result.next_cursor is not None:
        lines.append(f"More with --cursor {result.next_cursor}")
    return append_hint(lines, result.hint and result.hint.replace("includeClosed: true", "--include-closed"))


@milestones.operation(
    "git_mile.list",
    title="List milestones or issues",
    effect=Effect.READ,
    command="list",
    positional=("entity",),
    example="holdfast milestones list issue --filter 'status == open and label = bug' --sort updated:desc",
    specified=True,
    annotations={"title": "List milestones or issues", "readOnlyHint": True, "idempotentHint": True},
    table=_table,
    fill_in=default_kind,
    command_defaults={"entity": "issue"},
)
def list_entities(room: Milestones, args: ListEntities) -> MilePage:
    """List milestones or issues of this repository, a page at a time, most recently updated first.

    Closed ones are listed only with `includeClosed`. A filter compares fields: id, title, description,
    text, status, labels, author, assignee, milestone (of issues), due, created, updated, comments,
    has_comments, open_issues (of milestones); with ==, !=, <, <=, >, >=, in [..], contains; joined by and,
    or, not and parentheses. Sort by updated, created, title, status, comments, due, id or open_issues.
    """
    query, hints = build_query(args, time.time())
    found, is_damaged = room.read(
        lambda connection: (page(connection, query), bool(damaged_refs(connection)))
    )
    # Most pages need no notice, and checking would cost as much as the page.
    notices = room.notices() if is_damaged or not found.items else []
    return MilePage.model_validate(  # all items at once, which is faster than one by one
        {
            "items": [item_fields(item) for item in found.items],
            "next_cursor": next_cursor(args, found.next),
            "hint": " ".join([*hints, *notices]) or None,
        }
    )


def build_query(args: ListEntities, now: float) -> tuple[EntityQuery, list[str]]:
    """Return the query for a list at a time in seconds since 1970, and hints for the caller."""
    expression = parse_filter(args.filter or "", args.entity, now)
    sort = sort_keys(args.sort or [], args.entity)
    query = EntityQuery(
        kind=args.entity,
        condition=Condition() if expression is None else Condition(*compile_filter(expression)),
        include_closed=args.include_closed,
        sort=sort,
        after=None if args.cursor is None else _position(args, len(sort) + 2),  # with Lamport time and id
        limit=min(args.limit or LIMITS.entity_page, LIMITS.entity_largest_page),
    )
    return query, _hints(args, expression)


def next_cursor(args: ListEntities, position: Position | None) -> str | None:
    """Return the cursor for the page after a position; it is valid only for the same query."""
    return None if position is None else encode_cursor(_cursor_scope(args), list(position))


def sort_keys(words: list[str], kind: Kind) -> tuple[SortKey, ...]:
    """Parse sort keys such as `updated:desc`; without any, sort by latest update."""
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


def _cursor_scope(args: ListEntities) -> str:
    """Identify the list to which a cursor belongs, by all arguments that determine its items and order."""
    sort = [f"{key.name}:{key.descending}" for key in sort_keys(args.sort or [], args.entity)]
    return repr(("git_mile.list", args.entity, (args.filter or "").strip(), sort, args.include_closed))


def _position(args: ListEntities, length: int) -> Position:
    """Return the position in a cursor, or raise `InvalidCursor` if it is not one of this tool's."""
    position = decode_cursor(_cursor_scope(args), args.cursor or "")
    if not isinstance(position, list) or len(position) != length or not all(map(_is_sort_value, position)):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return tuple(position)


def _is_sort_value(value: object) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= _MAX_SQLITE_INTEGER
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def _hints(args: ListEntities, expression: Expression | None) -> list[str]:
    hints = []
    if args.limit is not None and args.limit > LIMITS.entity_largest_page:
        hints.append(f"A page has at most {LIMITS.entity_largest_page} items; use the cursor for more.")
    if not args.include_closed and expression is not None and selects_closed(expression):
        hints.append("Closed ones are not listed; pass includeClosed: true to see them.")
    return hints

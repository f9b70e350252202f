"""What can be read of milestones and issues."""

from __future__ import annotations

import time

from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.milestones import text
from holdfast.milestones.entity import Event
from holdfast.milestones.index.query import Query, SortKey, page_rows, ready_condition
from holdfast.milestones.models import (
    FindReady,
    ListEntities,
    MileDetails,
    MileEvent,
    MileItem,
    MileLog,
    MilePage,
    MileReady,
    ReadLog,
    ShowEntity,
)
from holdfast.milestones.pages import next_cursor, question
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones

_READS = {"readOnlyHint": True, "idempotentHint": True}


def _default_kind(room: Milestones, given: dict[str, object]) -> dict[str, object]:
    del room
    return {"entity": "issue"} | given


def _kind_of_id(room: Milestones, given: dict[str, object]) -> dict[str, object]:
    if "entity" in given or not isinstance(given.get("id"), str):
        return given
    return given | {"entity": room.get(None, str(given["id"])).kind}


@milestones.operation(
    "git_mile.list",
    title="List milestones or issues",
    effect=Effect.READ,
    command="list",
    positional=("entity",),
    example="holdfast milestones list issue --filter 'status == open and label = bug' --sort updated:desc",
    specified=True,
    annotations={"title": "List milestones or issues", **_READS},
    table=text.page,
    fill_in=_default_kind,
)
def list_entities(room: Milestones, args: ListEntities) -> MilePage:
    """List milestones or issues of this repository, a page at a time, the last updated first.

    Closed ones are left out unless includeClosed is true. A filter compares fields: id, title, description,
    text, status, labels, author, assignee, milestone (of issues), due, created, updated, comments,
    has_comments, open_issues (of milestones); with ==, !=, <, <=, >, >=, in [..], contains; joined by and,
    or, not and parentheses. Sort by updated, created, title, status, comments, due, id or open_issues.
    """
    query, hints = question(args, time.time())
    with room.reading() as connection:
        rows, position = page_rows(connection, query)
        is_damaged = connection.execute("SELECT EXISTS (SELECT 1 FROM damage)").fetchone()[0]
    # Most pages need no notice, and finding that out would cost as much as the page.
    notices = room.notices() if is_damaged or not rows else []
    return MilePage.of(rows, next_cursor(args, position), " ".join([*hints, *notices]) or None)


@milestones.operation(
    "git_mile.show",
    title="Show a milestone or issue",
    effect=Effect.READ,
    command="show",
    positional=("id",),
    example="holdfast milestones show 8903a9b6-0000-7000-8000-000000000001 --entity milestone",
    specified=True,
    annotations={"title": "Show a milestone or issue", **_READS},
    table=text.details,
    fill_in=_kind_of_id,
)
def show_entity(room: Milestones, args: ShowEntity) -> MileDetails:
    """Show a milestone or an issue whole: description, labels, comments, and what else is known of it."""
    entity = room.get(args.entity, args.id)
    return MileDetails.of(entity, now=rfc3339_of_seconds(int(time.time())), hint=_hint(room, []))


@milestones.operation(
    "git_mile.ready",
    title="Find work that is ready",
    effect=Effect.READ,
    command="ready",
    example="holdfast milestones ready --limit 5",
    table=text.ready,
)
def find_ready(room: Milestones, args: FindReady) -> MileReady:
    """Find open issues that nobody has claimed and that wait for nothing, the first due and the oldest first.

    Claim one with git_mile_claim before working on it, so that others take another.
    """
    milestone = None if args.milestone is None else room.get("milestone", args.milestone).id
    condition = ready_condition(milestone, args.label or [], now=rfc3339_of_seconds(int(time.time())))
    order = (SortKey("due"), SortKey("created"))
    found = room.find(Query("issue", condition=condition, sort=order, limit=args.limit))
    return MileReady(
        items=[MileItem.of(summary) for summary in found.items],
        total=room.count("issue", condition),
        hint=_hint(room, []),
    )


@milestones.operation(
    "git_mile.log",
    title="Tell the history",
    effect=Effect.READ,
    command="log",
    positional=("id",),
    example="holdfast milestones log 8903a9b6-0000-7000-8000-000000000001",
    text=text.log,
    listed=False,
)
def read_log(room: Milestones, args: ReadLog) -> MileLog:
    """Tell who did what to a milestone or issue, newest first; without an id, to all of them."""
    identity = f"git_mile.log {args.id}"
    before = None if args.cursor is None else _place(decode_cursor(identity, args.cursor))
    if args.id is None:
        events = room.recent(args.limit + 1, before)
    else:
        events = [
            event for event in reversed(room.history(args.id)) if before is None or _key(event) < before
        ]
    shown, more = events[: args.limit], len(events) > args.limit
    return MileLog(
        events=[MileEvent.of(event) for event in shown],
        next_cursor=encode_cursor(identity, list(_key(shown[-1]))) if more else None,
    )


def _key(event: Event) -> tuple[int, str]:
    return event.order, event.id


def _place(found: object) -> tuple[int, str]:
    match found:
        case [int(order), str(identity)]:
            return order, identity
    raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")


def _hint(room: Milestones, hints: list[str]) -> str | None:
    return " ".join([*hints, *room.notices()]) or None

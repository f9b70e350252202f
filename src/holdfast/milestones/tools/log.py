"""`git_mile.log`: who did what, newest first."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field, PrivateAttr

from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import HistoryEvent
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import SHORT_ID_CHARACTERS
from holdfast.milestones.toolset import Cursor, EntityName, milestones

_MAX_VALUE_CHARACTERS = 60  # of a value in the text, where an event has one line


class ReadLog(Input):
    """Whose history to show."""

    id: EntityName | None = Field(
        default=None, description="A milestone or issue; without it, the latest events of all of them."
    )
    limit: Integer = count_field(LIMITS.entity_page, LIMITS.entity_largest_page, "Maximum number of events.")
    cursor: Cursor | None = Field(default=None, description="The nextCursor of the previous page.")


class MileEvent(Output):
    """One operation."""

    id: str
    entity: str
    ts: UntrustedText
    actor: UntrustedText
    action: UntrustedText
    field: UntrustedText | None = optional("What was changed.")
    value: UntrustedText | None = optional("The new value, as JSON unless it is text.")

    _created: dict[str, Any] = PrivateAttr(default_factory=dict)
    """The fields of a new entity, for the text."""

    @classmethod
    def of(cls, event: HistoryEvent) -> MileEvent:
        result = cls.model_validate(event._asdict() | {"ts": event.time, "value": _value_text(event)})
        if event.action == "create" and isinstance(event.value, dict):
            result._created = event.value
        return result


def _value_text(event: HistoryEvent) -> str | None:
    value = event.value
    if event.action == "claim" and isinstance(value, dict):
        return f"until {value.get('until')}"
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


class MileLog(Output):
    """Events, newest first."""

    events: list[MileEvent]
    next_cursor: str | None = Field(
        serialization_alias="nextCursor",
        description="Pass it as cursor for older ones; null when there are none.",
    )


def _text(result: MileLog) -> str:
    lines = [_line(event) for event in result.events] or ["No events yet."]
    if result.next_cursor is not None:
        lines.append(f"Older ones with the cursor {result.next_cursor}")
    return "\n".join(lines)


def _line(event: MileEvent) -> str:
    created = sorted(event._created.items(), key=lambda item: item[0] != "title")
    fields = [f"{name} {_member_text(value)}" for name, value in created]
    value = shorten(one_line(", ".join(fields) or event.value or ""), _MAX_VALUE_CHARACTERS)
    action = " ".join(part for part in (event.action, event.field, value) if part)
    entity = event.entity[:SHORT_ID_CHARACTERS]
    return f"{event.ts}  {entity}  {one_line(event.actor)}: {one_line(action)}"


def _member_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@milestones.operation(
    "git_mile.log",
    title="Show the history",
    effect=Effect.READ,
    command="log",
    positional=("id",),
    example="holdfast milestones log 8903a9b6-0000-7000-8000-000000000001",
    text=_text,
    listed=False,
)
def read_log(room: Milestones, args: ReadLog) -> MileLog:
    """Show who did what to a milestone or issue, newest first; without an id, to all of them."""
    scope = f"git_mile.log {args.id}"
    before = None if args.cursor is None else _decode_position(decode_cursor(scope, args.cursor))
    if args.id is None:
        events = room.recent(args.limit + 1, before)
    else:
        history = reversed(room.history(args.id))
        events = [event for event in history if before is None or _position(event) < before]
    shown = events[: args.limit]
    has_more = len(events) > args.limit
    return MileLog(
        events=[MileEvent.of(event) for event in shown],
        next_cursor=encode_cursor(scope, list(_position(shown[-1]))) if has_more else None,
    )


def _position(event: HistoryEvent) -> tuple[int, str]:
    return event.order, event.id


def _decode_position(position: object) -> tuple[int, str]:
    match position:
        case [int(order), str(operation_id)]:
            return order, operation_id
    raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")

"""List messages page by page (keyset pagination by sequence number)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool

from holdfast.inbox import text
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import Remark, inbox
from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.paging import decode_cursor, encode_cursor


class ListMessages(Input):
    """Which messages to list."""

    state: Literal["pending", "delivered", "withdrawn", "all"] = Field(
        default="all", description="Which messages to list."
    )
    newest: StrictBool = Field(
        default=False, description="Only the newest `limit` messages; not together with a cursor."
    )
    limit: Integer = Field(default=50, ge=1, le=LIMITS.list_page, description="Most messages to return.")
    cursor: str | None = Field(default=None, description="Cursor of the previous page, to continue after it.")


class MessagePage(Output):
    """A page of messages, oldest first."""

    messages: list[Remark]
    total: int = Field(description="How many messages are in that state in all.")
    next_cursor: str | None = Field(
        description="Pass it as `cursor` for the next page; null on the last one."
    )


def _list_text(page: MessagePage) -> str:
    if not page.messages:
        return "No messages."
    lines = [text.summary(message, message.replies) for message in page.messages]
    if page.next_cursor is not None:
        lines.append(f"{page.total} in all; more with the cursor {page.next_cursor}")
    return "\n".join(lines)


@inbox.operation(
    "list_messages",
    title="List messages",
    effect=Effect.READ,
    command="list",
    example="holdfast inbox list --state pending",
    text=_list_text,
)
def list_messages(room: Inbox, args: ListMessages) -> MessagePage:
    """List messages in the order they arrived, including delivered ones. Listing delivers nothing."""
    room.notice_legacy()
    query = f"list_messages {args.state}"
    after = 0 if args.cursor is None else _position(query, args.cursor)
    if args.newest and args.cursor is None:
        after = next((message.sequence - 1 for message in room.newest(args.limit)), 0)
    found = room.messages(args.state, after=after, limit=args.limit + 1)
    shown = found[: args.limit]
    has_more = len(found) > args.limit
    return MessagePage(
        messages=[Remark.of(message, room) for message in shown],
        total=room.count(args.state),
        next_cursor=encode_cursor(query, shown[-1].sequence) if has_more else None,
    )


def _position(query: str, cursor: str) -> int:
    position = decode_cursor(query, cursor)
    if not isinstance(position, int):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return position

"""What can be done with the inbox."""

from __future__ import annotations

from holdfast.inbox import text
from holdfast.inbox.delivery import hand_over
from holdfast.inbox.models import (
    Answer,
    Drained,
    DrainMessages,
    HandedOver,
    ListMessages,
    MessagePage,
    Remark,
    Replied,
    ReplyToMessage,
    SendMessage,
    Sent,
    ShowMessage,
    Thread,
)
from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import inbox
from holdfast.kernel.errors import InvalidCursor
from holdfast.kernel.operation import Effect, NoArguments
from holdfast.kernel.paging import decode_cursor, encode_cursor


def _listing(page: MessagePage) -> str:
    if not page.messages:
        return "No messages."
    lines = [text.summary(message, message.state, message.replies) for message in page.messages]
    if page.next_cursor is not None:
        lines.append(f"{page.total} altogether; more with --cursor {page.next_cursor}")
    return "\n".join(lines)


def _thread(result: Thread) -> str:
    message = result.message
    answers = ((reply.author, reply.time, reply.text) for reply in result.replies)
    return text.thread(message, message.state, message.author, answers)


@inbox.operation(
    "send_message",
    title="Send a message",
    effect=Effect.WRITE,
    idempotent=True,
    command="send",
    shortcut="send",
    example='holdfast send --file src/main.py --line 42 --comment "This function needs error handling"',
    text=lambda result: text.sent(result.file, duplicate=result.duplicate),
)
def send_message(room: Inbox, args: SendMessage) -> Sent:
    """Leave a review remark about a file for the agent that works on this repository.

    It waits until an agent asks for it, however long that takes. The same file, comment and second
    is one message, however often it is sent.
    """
    return Sent.of(room.send(args.file, args.comment, args.line, args.author))


@inbox.operation(
    "check_lazygit_messages",
    title="Check for new messages",
    effect=Effect.WRITE,
    command="check",
    example="holdfast inbox check",
    specified=True,
    specified_description="Check for new messages from lazygit",
    text=lambda result: text.batch(result.messages, result.waiting),
)
def check_lazygit_messages(room: Inbox, args: NoArguments) -> HandedOver:
    """Check for new messages from lazygit: review remarks a person left about files of this repository.

    At most ten are handed over, oldest first; `waiting` says how many more the next call will find.
    Each is handed over once. Answer with `reply_to_message` when you have acted on one.
    """
    del args
    delivery = hand_over(room)
    return HandedOver(
        messages=[Remark.of(message) for message in delivery.messages], waiting=delivery.waiting
    )


@inbox.operation(
    "drain_messages",
    title="Print waiting messages",
    effect=Effect.WRITE,
    command="drain",
    example="holdfast inbox drain --hook",
    text=lambda result: result.text,
    listed=False,
)
def drain_messages(room: Inbox, args: DrainMessages) -> Drained:
    """Print the waiting messages within a size bound, or nothing at all when none waits.

    Made for a client's prompt hook: what is printed becomes part of the agent's context and counts as
    delivered.
    """
    delivery = hand_over(room)
    preface = text.HOOK_PREFACE if args.hook else ""
    words, shown = text.fitting(
        delivery.messages, args.max_characters, waiting=delivery.waiting, preface=preface
    )
    left = delivery.messages[shown:]
    room.release(delivery.lease, left)
    return Drained(
        text=words,
        message_ids=[message.id for message in delivery.messages[:shown]],
        waiting=delivery.waiting + len(left),
    )


@inbox.operation(
    "list_messages",
    title="List messages",
    effect=Effect.READ,
    command="list",
    example="holdfast inbox list --state pending",
    text=_listing,
)
def list_messages(room: Inbox, args: ListMessages) -> MessagePage:
    """List messages in the order they arrived, delivered ones included. Listing delivers nothing."""
    query = f"list_messages {args.state}"
    after = 0 if args.cursor is None else _position(query, args.cursor)
    found = room.messages(args.state, after=after, limit=args.limit + 1)
    shown = found[: args.limit]
    has_more = len(found) > args.limit
    return MessagePage(
        messages=[Remark.of(message) for message in shown],
        total=room.count(args.state),
        next_cursor=encode_cursor(query, shown[-1].sequence) if has_more else None,
    )


@inbox.operation(
    "show_message",
    title="Show a message",
    effect=Effect.READ,
    command="show",
    positional=("message_id",),
    example="holdfast inbox show m_0123456789abcdef",
    text=_thread,
    listed=False,
)
def show_message(room: Inbox, args: ShowMessage) -> Thread:
    """Show a message whole, with every answer it got. The beginning of its name is enough if unmistakable."""
    message = room.find(args.message_id)
    return Thread(message=Remark.of(message), replies=[Answer.of(reply) for reply in room.replies(message)])


@inbox.operation(
    "reply_to_message",
    title="Reply to a message",
    effect=Effect.WRITE,
    command="reply",
    positional=("message_id",),
    example='holdfast inbox reply m_0123456789abcdef --text "Handled: the error is now returned"',
    text=lambda result: f"Reply sent for {result.message_id}",
)
def reply_to_message(room: Inbox, args: ReplyToMessage) -> Replied:
    """Answer a message; the person who sent it reads the answer with `holdfast inbox show`."""
    message = room.find(args.message_id)
    reply = room.reply(message, args.text, args.author)
    return Replied(message_id=message.id, time=reply.time, replies=len(room.replies(message)))


def _position(query: str, cursor: str) -> int:
    position = decode_cursor(query, cursor)
    if not isinstance(position, int):
        raise InvalidCursor("The cursor is damaged.", hint="Start again without one.")
    return position

"""Messages on their way to a reader: taken under a lease, settled once the answer was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.inbox.changes import with_changed_lines
from holdfast.inbox.legacy import LegacyMessage
from holdfast.inbox.message import Delivery, Message
from holdfast.inbox.store import Inbox
from holdfast.kernel.call import current_call
from holdfast.kernel.limits import LIMITS


def hand_over(room: Inbox) -> Delivery:
    """Take what waits, the old message file included. The call's outcome decides whether it was delivered."""
    old = room.legacy.read(room.repository)
    if old is not None and room.with_digest(old.digest) is None:
        room.send(old.file, old.comment, old.line, time=old.time, work_tree=old.work_tree)
    delivery = room.take(LIMITS.messages_per_call)
    current_call().when_answered(
        commit=lambda: _settle(room, delivery, old), otherwise=lambda: room.release(delivery.lease)
    )
    return replace(delivery, messages=_with_lines_kept(room, delivery.messages))


def peek(room: Inbox) -> tuple[Sequence[Message], int]:
    """Return what `hand_over` would give to the only reader, and how many more wait. Changes nothing."""
    limit = LIMITS.messages_per_call
    messages = room.messages("pending", limit=limit + 1)
    total = room.count("pending")
    old = room.legacy.read(room.repository)
    if old is not None and room.with_digest(old.digest) is None:
        messages.append(_unstored(old))
        total += 1
    shown = messages[:limit]
    return with_changed_lines(shown, room.repository), total - len(shown)


def _settle(room: Inbox, delivery: Delivery, old: LegacyMessage | None) -> None:
    if delivery.messages:
        room.mark_delivered(delivery.lease)
    if old is None:
        return
    stored = room.with_digest(old.digest)
    if stored is not None and stored.state == "delivered":
        room.legacy.remove(old.content)


def _with_lines_kept(room: Inbox, messages: Sequence[Message]) -> list[Message]:
    described = with_changed_lines(messages, room.repository)
    found = {
        after.sequence: after.changed_lines
        for before, after in zip(messages, described, strict=True)
        if after.changed_lines is not None and before.changed_lines is None
    }
    room.keep_changed_lines(found)
    return described


def _unstored(old: LegacyMessage) -> Message:
    return Message(
        sequence=0,
        digest=old.digest,
        file=old.file,
        comment=old.comment,
        line=old.line,
        author=None,
        time=old.time,
        work_tree=old.work_tree,
        changed_lines=None,
        delivered_at=None,
    )

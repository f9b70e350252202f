"""Delivers messages to a reader: leases them, and marks them as delivered once the answer is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.inbox import text
from holdfast.inbox.changed_lines import attach_changed_lines
from holdfast.inbox.legacy import LegacyMessage
from holdfast.inbox.message import Delivery, Message
from holdfast.inbox.store import Inbox
from holdfast.kernel.call import current_call
from holdfast.kernel.limits import LIMITS


def lease_waiting(room: Inbox) -> Delivery:
    """Lease the waiting messages, including that in the message file of earlier lazygit configurations.

    The messages are marked as delivered once the call's answer was written; if that fails, the lease is
    released.
    """
    old = room.store_legacy()
    delivery = room.take(LIMITS.messages_per_call)
    current_call().after_answer(
        commit=lambda: _confirm_delivery(room, delivery, old), rollback=lambda: room.release(delivery.lease)
    )
    return replace(delivery, messages=_attach_and_store_lines(room, delivery.messages))


def lease_fitting(room: Inbox, characters: int, *, hook: bool) -> tuple[str, Delivery]:
    """Lease the messages that fit into `characters`, and return their text; release the others."""
    delivery = lease_waiting(room)
    preface = text.HOOK_PREFACE if hook else ""
    rendered, shown = text.fit_messages(
        delivery.messages, characters, waiting=delivery.waiting, preface=preface
    )
    left = delivery.messages[shown:]
    room.release(delivery.lease, left)
    return rendered, Delivery(delivery.lease, delivery.messages[:shown], delivery.waiting + len(left))


def peek(room: Inbox) -> tuple[Sequence[Message], int]:
    """Return the messages that `lease_waiting` would return, and how many more wait, without leasing any."""
    room.notice_legacy()
    limit = LIMITS.messages_per_call
    messages = room.messages("pending", limit=limit + 1)
    total = room.count("pending")
    old = room.legacy.read(room.repository)
    if old is not None and room.with_digest(old.digest) is None:  # it could not be stored
        messages.append(_from_legacy(old))
        total += 1
    shown = messages[:limit]
    return attach_changed_lines(shown, room.repository), total - len(shown)


def _confirm_delivery(room: Inbox, delivery: Delivery, old: LegacyMessage | None) -> None:
    if delivery.messages:
        room.mark_delivered(delivery.lease)
    if old is None:
        return
    stored = room.with_digest(old.digest)
    if stored is not None and stored.state != "pending":
        room.legacy.remove(old.content)


def _attach_and_store_lines(room: Inbox, messages: Sequence[Message]) -> list[Message]:
    attached = attach_changed_lines(messages, room.repository)
    new_lines = {
        after.sequence: after.changed_lines
        for before, after in zip(messages, attached, strict=True)
        if after.changed_lines is not None and before.changed_lines is None
    }
    room.store_changed_lines(new_lines)
    return attached


def _from_legacy(old: LegacyMessage) -> Message:
    return Message(
        0, old.digest, old.file, old.comment, old.line, None, old.time, old.work_tree, None, delivered_at=None
    )

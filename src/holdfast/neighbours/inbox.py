"""Reads messages in the inbox about a task's files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from holdfast.kernel.cache import VersionedCache
from holdfast.tasks.neighbours import RemarkQuery, TaskRemark

if TYPE_CHECKING:
    from holdfast.inbox.message import Message
    from holdfast.inbox.store import Inbox

_MAX_PENDING_MESSAGES = 1000
"""Pending messages that one lookup examines. A judgement: a person would not read more beside a task."""


class InboxNeighbour:
    """Reads pending messages as remarks."""

    def __init__(self, room: Inbox) -> None:
        self._room = room
        self._cache: VersionedCache[tuple[TaskRemark, ...]] = VersionedCache()

    def about(self, question: RemarkQuery) -> Iterable[TaskRemark]:
        """Return the undelivered messages on the task's files, and the messages that it links to."""
        linked = tuple(sorted({ref for kind, ref in question.links if kind == "message"}))
        key = (linked, tuple(question.files))
        if key == ((), ()):
            return ()
        version = self._room.data_version()
        cached = self._cache.get(key, version)
        return cached if cached is not None else self._cache.put(key, version, tuple(self._find_all(*key)))

    def _find_all(self, linked: tuple[str, ...], files: tuple[str, ...]) -> Iterator[TaskRemark]:
        for ref in linked:
            yield self.find(ref)
        if files:
            for message in self._room.pending_on(files, _MAX_PENDING_MESSAGES):
                if message.id not in linked:
                    yield self._remark(message)

    def find(self, ref: str) -> TaskRemark:
        return self._remark(self._room.find(ref))

    def answer(self, ref: str, text: str, author: str) -> None:
        self._room.reply(self._room.find(ref), text, author)

    def _remark(self, message: Message) -> TaskRemark:
        first, _, last = (message.line or message.changed_lines or "").partition("-")  # "12" or "12-20"
        return TaskRemark(
            kind="message",
            ref=message.id,
            text=message.comment,
            uri="lazygit://history",
            file=None if message.file == "." else message.file,
            line=int(first) if first.isdecimal() else None,
            end_line=int(last) if last.isdecimal() else None,
            author=message.author or self._room.person,
            at=message.time,
            state=message.state,
        )

"""Messages on their way to a reader: taken under a lease, settled once the answer was written.

A message that came without a line is given the line ranges in which its file differs from the last commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from holdfast.inbox import text
from holdfast.inbox.legacy import LegacyMessage
from holdfast.inbox.message import Delivery, Message
from holdfast.inbox.store import Inbox
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath, closest_path
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository

_SHOWN_RANGES = 20


def with_changed_lines(messages: Sequence[Message], repository: Repository) -> list[Message]:
    """Return the messages, those that name no line with the ranges that changed in their file.

    An unknown answer is an absent one: no repository, a work tree that is gone, a file that is binary.
    """
    with ExitStack() as open_processes:
        finder = _Finder(repository, open_processes)
        return [_offered(message, finder) for message in messages]


def _offered(message: Message, finder: _Finder) -> Message:
    if message.line is not None or message.changed_lines is not None:
        return message
    return replace(message, changed_lines=finder.ranges(message.work_tree, message.file))


class _Finder:
    """Looks each file up once, with one git process per work tree."""

    def __init__(self, repository: Repository, open_processes: ExitStack) -> None:
        self._repository = repository
        self._open_processes = open_processes
        self._gits: dict[str, Git | None] = {}
        self._found: dict[tuple[str, str], str] = {}

    def ranges(self, work_tree: str, file: str) -> str:
        key = work_tree, file
        if key not in self._found:
            current_call().check()
            self._found[key] = ", ".join(self._lookup(work_tree, file))
        return self._found[key]

    def _lookup(self, work_tree: str, file: str) -> Iterator[str]:
        try:
            git = self._git(work_tree)
            if git is None or file == os.curdir:
                return
            found = git.changed_lines(RepoPath.parse(file))
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return
        yield from (
            f"{first}-{last}" if first < last else str(first) for first, last in found[:_SHOWN_RANGES]
        )
        if len(found) > _SHOWN_RANGES:
            yield f"and {len(found) - _SHOWN_RANGES} more"

    def _git(self, work_tree: str) -> Git | None:
        if work_tree not in self._gits:
            self._gits[work_tree] = None
            repository = self._repository_at(work_tree)
            if repository is not None and repository.git_dir is not None:
                self._gits[work_tree] = self._open_processes.enter_context(Git(repository))
        return self._gits[work_tree]

    def _repository_at(self, work_tree: str) -> Repository | None:
        """Return the work tree a message was sent from, if it still belongs to this repository."""
        if not work_tree:
            return None
        if work_tree == self._repository.root:
            return self._repository
        sender = Repository.at(work_tree)
        return sender if sender.store_directory == self._repository.store_directory else None


def misspelling(repository: Repository, file: str) -> str | None:
    """Return a warning where there is no such file, now or in the last commit, but one called nearly so."""
    meant = closest_path(repository.root, file)
    if meant is None or meant == file or _was_committed(repository, file):
        return None
    return f"There is no file {file} here. Did you mean {meant}?"


def _was_committed(repository: Repository, file: str) -> bool:
    if repository.git_dir is None:
        return False
    try:
        with Git(repository) as git:
            return git.head_blob(RepoPath.parse(file)) is not None
    except HoldfastError:
        return False


def hand_over(room: Inbox) -> Delivery:
    """Take what waits, the old message file included. The call's outcome decides whether it was delivered."""
    old = room.store_legacy()
    delivery = room.take(LIMITS.messages_per_call)
    current_call().after_answer(
        commit=lambda: _settle(room, delivery, old), rollback=lambda: room.release(delivery.lease)
    )
    return replace(delivery, messages=_with_lines_kept(room, delivery.messages))


def hand_over_within(room: Inbox, characters: int, *, hook: bool) -> tuple[str, Delivery]:
    """Take what waits and say it in words, within a size bound; return what was said. The rest waits on."""
    delivery = hand_over(room)
    preface = text.HOOK_PREFACE if hook else ""
    words, shown = text.fitting(delivery.messages, characters, waiting=delivery.waiting, preface=preface)
    left = delivery.messages[shown:]
    room.release(delivery.lease, left)
    return words, Delivery(delivery.lease, delivery.messages[:shown], delivery.waiting + len(left))


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
        0, old.digest, old.file, old.comment, old.line, None, old.time, old.work_tree, None, delivered_at=None
    )

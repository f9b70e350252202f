"""The line ranges in which a message's file differs from the last commit.

They are attached to messages whose sender named no line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from holdfast.inbox.message import Message
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository

_SHOWN_RANGES = 20
"""Ranges that are listed for one file. A chosen bound."""


def with_changed_lines(messages: Sequence[Message], repository: Repository) -> list[Message]:
    """Return the messages, with the changed line ranges of their file for those that name no line.

    Where they cannot be determined, there are none: no repository, a missing work tree, a binary file.
    """
    with ExitStack() as open_processes:
        finder = _ChangedLineLookup(repository, open_processes)
        return [_with_lines(message, finder) for message in messages]


def _with_lines(message: Message, finder: _ChangedLineLookup) -> Message:
    if message.line is not None or message.changed_lines is not None:
        return message
    return replace(message, changed_lines=finder.ranges(message.work_tree, message.file))


class _ChangedLineLookup:
    """Looks up each file once, with one git process per work tree."""

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

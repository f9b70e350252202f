"""Finds the line ranges in which a message's file differs from the last commit.

The ranges are attached to messages whose sender named no line, unless their text says what they are about.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from holdfast.inbox.message import Message
from holdfast.inbox.place import names_place
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Git
from holdfast.storage.git.repository import Repository

_MAX_RANGES_SHOWN = 20
"""Ranges of one file; a judgement: more changes are better found in the diff."""


def attach_changed_lines(messages: Sequence[Message], repository: Repository) -> list[Message]:
    """Return the messages; those that name no place get the changed line ranges of their file.

    There are no ranges where they cannot be determined: no repository, a missing work tree, a binary file.
    """
    with ExitStack() as open_processes:
        lookup = _ChangedLineLookup(repository, open_processes)
        return [_attach_lines(message, lookup) for message in messages]


def _attach_lines(message: Message, lookup: _ChangedLineLookup) -> Message:
    if message.line is not None or message.changed_lines is not None or names_place(message.comment):
        return message
    return replace(message, changed_lines=lookup.ranges(message.work_tree, message.file))


class _ChangedLineLookup:
    """Looks up the changed lines of each file once, with one git process per work tree."""

    def __init__(self, repository: Repository, open_processes: ExitStack) -> None:
        self._repository = repository
        self._open_processes = open_processes
        self._gits: dict[str, Git | None] = {}
        self._ranges: dict[tuple[str, str], str] = {}

    def ranges(self, work_tree: str, file: str) -> str:
        key = work_tree, file
        if key not in self._ranges:
            current_call().check()
            self._ranges[key] = ", ".join(self._range_texts(work_tree, file))
        return self._ranges[key]

    def _range_texts(self, work_tree: str, file: str) -> Iterator[str]:
        try:
            git = self._git(work_tree)
            if git is None or file == os.curdir:
                return
            changed = git.changed_lines(RepoPath.parse(file))
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError:
            return
        for first, last in changed[:_MAX_RANGES_SHOWN]:
            yield f"{first}-{last}" if first < last else str(first)
        if len(changed) > _MAX_RANGES_SHOWN:
            yield f"and {len(changed) - _MAX_RANGES_SHOWN} more"

    def _git(self, work_tree: str) -> Git | None:
        if work_tree not in self._gits:
            self._gits[work_tree] = None
            repository = self._repository_at(work_tree)
            if repository is not None and repository.git_dir is not None:
                self._gits[work_tree] = self._open_processes.enter_context(Git(repository))
        return self._gits[work_tree]

    def _repository_at(self, work_tree: str) -> Repository | None:
        """Return the work tree from which a message was sent, if it still belongs to this repository."""
        if not work_tree:
            return None
        if work_tree == self._repository.root:
            return self._repository
        sender = Repository.at(work_tree)
        return sender if sender.store_directory == self._repository.store_directory else None

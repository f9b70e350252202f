"""Reads the message file of earlier lazygit configurations, a single file for all projects of a user.

Contract:
- An unusable file (a link, a pipe, too large, another user's, incomplete, not readable) is treated as absent.
  It is not changed, and no call fails because of it.
- A message for another project is ignored and never removed.
- The file is removed only if it still contains the message that was delivered. A newer message stays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.inbox.envelope import digest_of, legacy_message_file
from holdfast.inbox.message import resolve_file, validate_line, validate_text
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.regular_file import open_regular, read_descriptor
from holdfast.storage.files.temporary import remove_if_unchanged
from holdfast.storage.git.repository import Repository

_LABEL = "mcp-messages.json"
_REQUIRED_MEMBERS = ("file", "comment", "project_root", "time")
_MAX_TIME_CHARACTERS = 40  # a judgement: RFC 3339 with nanoseconds and a time zone has 35


@dataclass(frozen=True, slots=True)
class LegacyMessage:
    """A message for this repository, read from the message file."""

    file: str
    comment: str
    line: str | None
    time: str
    work_tree: str
    content: bytes
    """The bytes of the file as it was read."""

    @property
    def digest(self) -> str:
        return digest_of(self.file, self.comment, self.time)


class LegacyFile:
    """The message file of one user."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def of_this_user(cls) -> LegacyFile:
        """Return the file at the path that earlier configurations use."""
        return cls(legacy_message_file())

    def fingerprint(self) -> tuple[int, ...] | None:
        """Return a value that changes when the file is written, or None if there is none."""
        try:
            status = os.lstat(self.path)
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    def read(self, repository: Repository) -> LegacyMessage | None:
        """Return the message in the file if it is complete, valid and meant for this repository."""
        try:
            content = self._read_content(self.path)
            members = _parse(content)
            sender = Repository.at(members["project_root"])
            if sender.store_directory != repository.store_directory:
                return None
            return _message(members, sender.root, content)
        except (HoldfastError, OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def remove(self, content: bytes) -> None:
        """Remove the file if it still contains `content`."""
        remove_if_unchanged(self.path, lambda path: self._has_content(path, content))

    def _has_content(self, path: str, content: bytes) -> bool:
        try:
            return self._read_content(path) == content
        except (HoldfastError, OSError):
            return False

    def _read_content(self, path: str) -> bytes:
        descriptor = open_regular(path, label=_LABEL)
        try:
            if os.fstat(descriptor).st_uid != os.geteuid():
                raise PermissionError(_LABEL)
            return read_descriptor(descriptor, LIMITS.legacy_message_file_bytes, label=_LABEL)
        finally:
            os.close(descriptor)


def _parse(content: bytes) -> Mapping[str, Any]:
    """Return the object in the file; its members must be strings, and its root an absolute path."""
    members: dict[str, Any] = json.loads(content)
    if not all(isinstance(members[name], str) for name in _REQUIRED_MEMBERS):
        raise TypeError("a member is not a string")
    if not os.path.isabs(members["project_root"]):
        raise ValueError("the root is not an absolute path")
    return members


def _message(members: Mapping[str, Any], work_tree: str, content: bytes) -> LegacyMessage:
    """Return the message, or raise if `Inbox.send` would refuse it."""
    line, time = members.get("line"), members["time"]
    if len(time) > _MAX_TIME_CHARACTERS or "T" not in time:
        raise ValueError("the time is not a date and a time")
    datetime.fromisoformat(time)
    return LegacyMessage(
        file=resolve_file(members["file"], work_tree, current=work_tree),
        comment=validate_text(members["comment"], "comment", LIMITS.message_comment_characters),
        line=validate_line(None if line in (None, 0, "") else str(line)),
        time=time,
        work_tree=work_tree,
        content=content,
    )

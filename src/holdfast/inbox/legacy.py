"""The single message file that earlier lazygit configurations write, one for all projects of a user.

Contract:
- An unusable file (a link, a pipe, too large, another user's, incomplete, not readable) is treated as absent.
  It is left alone, and no call fails because of it.
- A message for another project is ignored and never removed.
- The file is removed only while it still contains what was delivered. What is written meanwhile stays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.inbox.envelope import digest_of, legacy_message_file
from holdfast.inbox.message import located, validated_line, validated_text
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.regular_file import open_regular, read_descriptor
from holdfast.storage.files.temporary import remove_if_unchanged
from holdfast.storage.git.repository import Repository

_LABEL = "mcp-messages.json"
_MEMBERS = ("file", "comment", "project_root", "time")
_TIME_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class LegacyMessage:
    """A message for this repository in the old file."""

    file: str
    comment: str
    line: str | None
    time: str
    work_tree: str
    content: bytes
    """The bytes of the file as it was read."""

    @property
    def digest(self) -> str:
        """Return the digest that the message has in the store."""
        return digest_of(self.file, self.comment, self.time)


class LegacyFile:
    """The old message file of one user."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def of_this_user(cls) -> LegacyFile:
        """Return the file where earlier configurations put it."""
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
            content = self._content(self.path)
            written = _members(content)
            sender = Repository.at(written["project_root"])
            if sender.store_directory != repository.store_directory:
                return None
            return _message(written, sender.root, content)
        except (HoldfastError, OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def remove(self, content: bytes) -> None:
        """Remove the file if it still contains `content`."""
        remove_if_unchanged(self.path, lambda path: self._holds(path, content))

    def _holds(self, path: str, content: bytes) -> bool:
        try:
            return self._content(path) == content
        except (HoldfastError, OSError):
            return False

    def _content(self, path: str) -> bytes:
        descriptor = open_regular(path, label=_LABEL)
        try:
            if os.fstat(descriptor).st_uid != os.geteuid():
                raise PermissionError(_LABEL)
            return read_descriptor(descriptor, LIMITS.legacy_message_file_bytes, label=_LABEL)
        finally:
            os.close(descriptor)


def _members(content: bytes) -> Mapping[str, Any]:
    """Return the object in the file; its four members must be strings and its root an absolute path."""
    written: dict[str, Any] = json.loads(content)
    if not all(isinstance(written[name], str) for name in _MEMBERS):
        raise TypeError("every member is a string")
    if not os.path.isabs(written["project_root"]):
        raise ValueError("the root is an absolute path")
    return written


def _message(written: Mapping[str, Any], work_tree: str, content: bytes) -> LegacyMessage:
    """Return the message, or raise if it could not have been sent the ordinary way."""
    line, time = written.get("line"), written["time"]
    if len(time) > _TIME_CHARACTERS or "T" not in time:
        raise ValueError("the time is not a date and a time")
    datetime.fromisoformat(time)
    return LegacyMessage(
        file=located(written["file"], work_tree, current=work_tree),
        comment=validated_text(written["comment"], "comment", LIMITS.message_comment_characters),
        line=validated_line(None if line in (None, 0, "") else str(line)),
        time=time,
        work_tree=work_tree,
        content=content,
    )

"""The digest, id, path and lines of a message, and the receipt for its sender.

Quick commands import this module, so that it uses only what Python loads at start. SHA-256 is Python's own
implementation, because `hashlib` would load OpenSSL, which takes longer than everything else.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:  # a Python built without them
        from hashlib import sha256

_MAX_LINE_DIGITS = 9
"""A judgement: no file has a thousand million lines."""


def digest_of(file: str, comment: str, time: str) -> str:
    """Return the SHA-256 by which the specification identifies messages, which does not include the line."""
    return sha256(f"{file}|{comment}|{time}".encode()).hexdigest()


def message_id(digest: str) -> str:
    """Return the short id of the message with this digest."""
    return f"m_{digest[:16]}"


class SendReceipt:
    """The result of sending a message."""

    __slots__ = ("digest", "duplicate", "file", "line", "time")

    def __init__(self, digest: str, file: str, line: str | None, time: str, *, duplicate: bool) -> None:
        self.digest = digest
        self.file = file
        self.line = line
        self.time = time
        self.duplicate = duplicate

    @property
    def id(self) -> str:
        """Return the id of the message."""
        return message_id(self.digest)


def is_line_range(text: str) -> bool:
    """Return whether `text` is a line `N` or a range `N-M`, counted from 1."""
    first, dash, last = text.partition("-")
    if not dash:
        return _is_line(first)
    return _is_line(first) and _is_line(last) and int(first) <= int(last)


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) <= _MAX_LINE_DIGITS


def is_storable(text: str) -> bool:
    """Return whether `text` can be encoded as UTF-8, which bytes from a shell need not be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def acknowledgement(file: str, *, duplicate: bool) -> str:
    """Return the message shown to the sender of a message about `file`."""
    if duplicate:
        return f"Message already in the inbox for {file}"
    return f"Message sent successfully for {file}"


_LEGACY_PATH = os.path.join("jesseduffield", "lazygit", "mcp-messages.json")


def legacy_message_file() -> str:
    """Return the path of the message file to which earlier lazygit configurations of this user write."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    folder = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")
    return os.path.join(folder, _LEGACY_PATH)


def path_in_work_tree(given: str, root: str, current: str) -> str | None:
    """Return the path of a file from `root`, or None if it is outside the work tree.

    lazygit gives paths relative to the root. A person in a subfolder gives them relative to that folder,
    which takes precedence if such a file exists.
    """
    path = os.path.normpath(os.path.join(_base_folder(given, root, current), given))
    relative = _relative_path(root, path)
    if relative is None and os.path.isabs(given):
        # The path may lead into the work tree through a symbolic link above it.
        folder, name = os.path.split(path)
        relative = _relative_path(root, os.path.join(os.path.realpath(folder), name))
    return relative


def _base_folder(given: str, root: str, current: str) -> str:
    if _relative_path(root, current) in (None, os.curdir):
        return root
    is_relative_to_current = given.startswith(("./", "../")) or os.path.lexists(os.path.join(current, given))
    return current if is_relative_to_current else root


def _relative_path(root: str, path: str) -> str | None:
    if path == root:
        return os.curdir
    prefix = os.path.join(root, "")
    return path[len(prefix) :] if path.startswith(prefix) else None

"""The envelope of a message: what identifies and addresses it, and the receipt for its sender.

Quick commands import this module, so it uses only modules that Python has loaded at start anyway. SHA-256 is
Python's own implementation, because `hashlib` would load OpenSSL, which takes longer than everything else.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing `typing` takes too long
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:  # this Python was built without its own SHA-2
        from hashlib import sha256

_MAX_LINE_DIGITS = 9
"""A judgement: no file has a billion lines."""
_ID_DIGITS = 16
"""64 bits of the digest: two of a million messages have the same id with a probability below 10^-7."""
_MAX_NAME_CHARACTERS = 100
"""As in `storage.git.person`: longer than people's names, and below the limit for authors."""
_LEGACY_PATH = os.path.join("jesseduffield", "lazygit", "mcp-messages.json")
"""In the user's configuration folder, in the one that lazygit used to name after its author."""


def digest_of(file: str, comment: str, time: str) -> str:
    """Return the SHA-256 that identifies a message in the specification; the line is not part of it."""
    return sha256(f"{file}|{comment}|{time}".encode()).hexdigest()


def message_id(digest: str) -> str:
    """Return the short id of the message with this digest."""
    return f"m_{digest[:_ID_DIGITS]}"


def author_in_environment() -> str | None:
    """Return the name of the agent or the user from its variable; other names readers find in git."""
    name = (os.environ.get("HOLDFAST_AGENT") or os.environ.get("GIT_AUTHOR_NAME", "")).strip()
    return name if name and name.isprintable() and len(name) <= _MAX_NAME_CHARACTERS else None


class SendReceipt:
    """The result of sending a message. Not a dataclass, because importing `dataclasses` takes too long."""

    __slots__ = ("digest", "duplicate", "file", "line", "time")

    def __init__(self, digest: str, file: str, line: str | None, time: str, *, duplicate: bool) -> None:
        self.digest = digest
        self.file = file
        self.line = line
        self.time = time
        self.duplicate = duplicate

    @property
    def id(self) -> str:
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
    """Return whether `text` can be encoded as UTF-8; arguments from a shell may contain other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def acknowledgement(file: str, *, duplicate: bool) -> str:
    """Return the text that confirms to the sender that a message about `file` is in the inbox."""
    if duplicate:
        return f"Message already in the inbox for {file}"
    return f"Message sent successfully for {file}"


def legacy_message_file() -> str:
    """Return the path of the message file to which earlier lazygit configurations of this user write."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    folder = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")
    return os.path.join(folder, _LEGACY_PATH)


def path_in_work_tree(file: str, root: str, current: str) -> str | None:
    """Return the path of a file from `root`, or None if it is outside the work tree.

    lazygit gives paths relative to the root. A person in a subfolder, `current`, gives them relative to it,
    which takes precedence if such a file exists.
    """
    path = os.path.normpath(os.path.join(_base_folder(file, root, current), file))
    relative = _relative_path(root, path)
    if relative is None and os.path.isabs(file):
        # The path may lead into the work tree through a symbolic link above it.
        folder, name = os.path.split(path)
        relative = _relative_path(root, os.path.join(os.path.realpath(folder), name))
    return relative


def _base_folder(file: str, root: str, current: str) -> str:
    is_below_root = _relative_path(root, current) not in (None, os.curdir)
    if not is_below_root:
        return root
    is_relative_to_current = file.startswith(("./", "../")) or os.path.lexists(os.path.join(current, file))
    return current if is_relative_to_current else root


def _relative_path(root: str, path: str) -> str | None:
    if path == root:
        return os.curdir
    prefix = os.path.join(root, "")
    return path[len(prefix) :] if path.startswith(prefix) else None

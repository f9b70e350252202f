"""The inbox for quick commands: the common cases of sending, and of finding that no message waits.

Contract: what happens here is exactly what `Inbox` would do, or nothing. Anything unusual (no repository, no
store yet, another version of it, an unusual name, any error) raises `NeedsFullProgram` before anything is
stored, and the full program takes over.

Loading `Inbox` and its dependencies takes several times as long as starting Python; this module is why
`holdfast send` does not.
"""

from __future__ import annotations

import os
import time

from holdfast.inbox.envelope import (
    SendReceipt,
    digest_of,
    is_line_range,
    is_storable,
    legacy_message_file,
    place_in_work_tree,
)
from holdfast.inbox.schema import ANY_PENDING, APPLICATION_ID, DATABASE_NAME, INSERT_MESSAGE, MIGRATIONS
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.storage.sql.quick import NeedsFullProgram, QuickStore, enclosing_repository

_ORDINARY_COMMENT_CHARACTERS = 2000
"""Bounds of an ordinary message. Judgements: longer ones are handled by the full program."""

_ORDINARY_NAME_BYTES = 200
_ORDINARY_PATH_CHARACTERS = 2000


def post(start: str, file: str, comment: str, line: str | None) -> SendReceipt:
    """Store a message in the inbox of the repository that encloses `start`."""
    root, directory = enclosing_repository(start)
    placed = place_in_work_tree(file, root, os.getcwd())
    if not (file and placed and _is_ordinary_path(placed) and _is_ordinary_comment(comment)):
        raise NeedsFullProgram
    if line is not None and not is_line_range(line):
        raise NeedsFullProgram
    if _may_be_misspelt(root, placed):
        raise NeedsFullProgram
    sent_at = rfc3339_of_seconds(int(time.time()))
    digest = digest_of(placed, comment, sent_at)
    is_new = _store(directory).insert(INSERT_MESSAGE, (digest, placed, comment, line, None, sent_at, root))
    return SendReceipt(digest, placed, line, sent_at, duplicate=not is_new)


def nothing_waits(start: str) -> bool:
    """Return whether there is certainly no message for a reader."""
    if os.path.lexists(legacy_message_file()):
        return False
    _, directory = enclosing_repository(start)
    database = os.path.join(directory, DATABASE_NAME)
    if not os.path.lexists(database) and not os.path.lexists(f"{database}.created"):
        return True  # no message was ever sent
    return not _store(directory).first_value(ANY_PENDING)


def _may_be_misspelt(root: str, path: str) -> bool:
    """Return whether a file does not exist but a similar name may; True if in doubt."""
    for name in path.split("/"):
        place = os.path.join(root, name)
        if not os.path.lexists(place):
            return any(_may_be_like(name.casefold(), one.casefold()) for one in os.listdir(root))
        root = place
    return False


def _may_be_like(name: str, other: str) -> bool:
    # An upper bound of the similarity that `kernel.errors.closest` computes: common letters in any order.
    common = sum(min(name.count(letter), other.count(letter)) for letter in set(name))
    return 2 * common >= 0.6 * (len(name) + len(other))


def _store(directory: str) -> QuickStore:
    return QuickStore(os.path.join(directory, DATABASE_NAME), APPLICATION_ID, len(MIGRATIONS))


def _is_ordinary_comment(comment: str) -> bool:
    has_text = any(map(str.isalnum, comment))
    return has_text and len(comment) <= _ORDINARY_COMMENT_CHARACTERS and is_storable(comment)


def _is_ordinary_path(path: str) -> bool:
    """Return whether a path is stored and shown unchanged on any file system."""
    if path == os.curdir:
        return True
    # Other non-ASCII characters may be invisible or look like others.
    is_plain = path.isprintable() and all(mark.isascii() or mark.isalnum() for mark in path)
    is_short = len(path) <= _ORDINARY_PATH_CHARACTERS and not any(mark in path for mark in '\\~:"\u3164')
    return is_plain and is_short and all(map(_is_ordinary, path.split("/")))


def _is_ordinary(name: str) -> bool:
    reserved = name.casefold() in (".git", ".holdfast")
    return len(name.encode()) <= _ORDINARY_NAME_BYTES and not reserved and not name.endswith((".", " "))

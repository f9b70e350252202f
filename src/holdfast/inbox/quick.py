"""The inbox for quick commands: sends an ordinary message, or finds that no message is waiting.

Contract: the functions do exactly what `Inbox` would do, or nothing. Anything unusual (no repository, no
store yet, another version of it, an unusual name) raises `NeedsFullProgram`, or the OSError or ValueError
that it causes, before anything is stored. The full program then takes over.

Loading `Inbox` and its dependencies takes several times as long as starting Python; with this module
`holdfast send` and an empty `holdfast inbox drain` need not load them.
"""

from __future__ import annotations

import os
import time

from holdfast.inbox.envelope import (
    SendReceipt,
    author_in_environment,
    digest_of,
    is_line_range,
    is_storable,
    legacy_message_file,
    path_in_work_tree,
)
from holdfast.inbox.schema import ANY_PENDING, APPLICATION_ID, DATABASE_NAME, INSERT_MESSAGE, MIGRATIONS
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.storage.sql.quick import NeedsFullProgram, QuickStore, WriteFailed, enclosing_repository

_MAX_COMMENT_CHARACTERS = 2000
"""A judgement: well below the limit of the store, and few comments are longer."""
_MAX_NAME_BYTES = 200
"""A judgement: below the 255 bytes that file systems allow."""
_MAX_PATH_BYTES = 2000
"""A judgement: half of the 4096 bytes that Linux allows (PATH_MAX)."""
_UNUSUAL_CHARACTERS = frozenset('\\~:"\u3164')
"""Characters that file systems, shells or git treat specially, and the Hangul filler, an invisible letter."""
_MAX_COUNTED_BYTES = 1024 * 1024
"""A judgement: the line is in the first mebibyte of nearly every source."""


def send_ordinary(start: str, file: str, comment: str, line: str | None) -> SendReceipt:
    """Store a message in the inbox of the repository that encloses `start`."""
    root, directory = enclosing_repository(start)
    path = path_in_work_tree(file, root, os.getcwd())
    if not (file and path and _is_ordinary_path(path) and _is_ordinary_comment(comment)):
        raise NeedsFullProgram
    if line is not None and not is_line_range(line):
        raise NeedsFullProgram
    if not _has_target(os.path.join(root, path), line):
        raise NeedsFullProgram
    sent_at = rfc3339_of_seconds(int(time.time()))
    digest, author = digest_of(path, comment, sent_at), author_in_environment()
    row = digest, path, comment, line, author, sent_at, root
    try:
        is_new = _store(directory).insert(INSERT_MESSAGE, row)
    except WriteFailed:
        _store_again(root, path, comment, line, sent_at)
        is_new = True
    return SendReceipt(digest, path, line, sent_at, duplicate=not is_new)


def _store_again(root: str, path: str, comment: str, line: str | None, sent_at: str) -> None:
    """Store a message that may be stored already; under the same time it stays one."""
    from contextlib import closing

    from holdfast.inbox.store import Inbox
    from holdfast.storage.git.repository import Repository

    with closing(Inbox.open(Repository.at(root))) as room:
        room.send(path, comment, line, time=sent_at, work_tree=root)


def is_inbox_empty(start: str) -> bool:
    """Return whether it is certain that no message is waiting."""
    if os.path.lexists(legacy_message_file()):
        return False
    _, directory = enclosing_repository(start)
    database = os.path.join(directory, DATABASE_NAME)
    # The second file marks that the store was created; with it alone, the store was lost.
    if not os.path.lexists(database) and not os.path.lexists(f"{database}.created"):
        return True
    return not _store(directory).first_value(ANY_PENDING)


def _has_target(path: str, line: str | None) -> bool:
    """Return whether a file, and the last of its lines that a message names, certainly exist."""
    if line is None:
        return os.path.lexists(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        content = os.read(descriptor, _MAX_COUNTED_BYTES)
    finally:
        os.close(descriptor)
    return int(line.rpartition("-")[2]) <= content.count(b"\n")


def _store(directory: str) -> QuickStore:
    return QuickStore(os.path.join(directory, DATABASE_NAME), APPLICATION_ID, len(MIGRATIONS))


def _is_ordinary_comment(comment: str) -> bool:
    has_text = any(map(str.isalnum, comment))
    return has_text and len(comment) <= _MAX_COMMENT_CHARACTERS and is_storable(comment)


def _is_ordinary_path(path: str) -> bool:
    """Return whether a path is stored and shown unchanged on any file system."""
    if path == os.curdir:
        return True
    # Letters and digits of any script are ordinary; other non-ASCII characters may be invisible.
    is_plain = path.isprintable() and all(character.isascii() or character.isalnum() for character in path)
    if not is_plain or not _UNUSUAL_CHARACTERS.isdisjoint(path) or len(path.encode()) > _MAX_PATH_BYTES:
        return False
    return all(map(_is_ordinary_name, path.split("/")))


def _is_ordinary_name(name: str) -> bool:
    is_reserved = name.casefold() in (".git", ".holdfast")
    return len(name.encode()) <= _MAX_NAME_BYTES and not is_reserved and not name.endswith((".", " "))

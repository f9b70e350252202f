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

from holdfast.inbox import schema
from holdfast.inbox.envelope import (
    SendReceipt,
    author_in_environment,
    digest_of,
    is_line_range,
    is_storable,
    legacy_message_file,
    message_id,
    path_in_work_tree,
)
from holdfast.inbox.schema import ANY_PENDING, APPLICATION_ID, DATABASE_NAME, INSERT_MESSAGE, MIGRATIONS
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.storage.sql.quick import NeedsFullProgram, QuickStore, WriteFailed, enclosing_repository

TYPE_CHECKING = False  # importing `typing` takes too long
if TYPE_CHECKING:
    from sqlite3 import Connection

_MAX_COMMENT_CHARACTERS = 2000
"""A judgement: well below the limit of the store, and few comments are longer."""
_MAX_NAME_BYTES = 200
"""A judgement: below the 255 bytes that file systems allow."""
_MAX_PATH_BYTES = 2000
"""A judgement: half of the 4096 bytes that Linux allows (PATH_MAX)."""
_UNUSUAL_CHARACTERS = frozenset('\\~:"\u3164')
"""Characters that file systems, shells or git treat specially, and the Hangul filler, an invisible letter."""
LEASE_SECONDS = 30.0
MESSAGES_PER_CALL = 10
"""As in `kernel.limits`, which takes too long to import; a test compares them."""
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
    return not _has_store(directory) or not _store(directory).first_value(ANY_PENDING)


class OpenRemark:
    """A remark that nobody has answered."""

    __slots__ = ("comment", "file", "id", "lines", "sequence", "time")

    def __init__(
        self, digest: str, file: str, lines: str | None, comment: str, time: str = "", sequence: int = 0
    ) -> None:
        self.id = message_id(digest)
        self.file = file
        self.lines = lines
        self.comment = comment
        self.time = time
        self.sequence = sequence


class HookDelivery:
    """Waiting remarks that are leased to a hook, as the text for its agent."""

    def __init__(self, store: QuickStore, lease: str, text: str) -> None:
        self.text = text
        self._store = store
        self._lease = lease

    def settle(self, *, answered: bool) -> None:
        """Mark the remarks as delivered once the answer was written; release them if that failed."""
        now = rfc3339_of_seconds(int(time.time()))
        statement, row = (
            (schema.MARK_DELIVERED, (now, self._lease)) if answered else (schema.RELEASE, (self._lease,))
        )
        self._store.transaction(lambda connection: connection.execute(statement, row))


def lease_for_hook(directory: str, characters: int) -> HookDelivery | None:
    """Lease the waiting remarks that fit into `characters`; None if none waits.

    Exactly what `delivery.lease_fitting` does. Remarks whose lines must first be found in the changes need
    the full program.
    """
    if os.path.lexists(legacy_message_file()):
        raise NeedsFullProgram
    if not _has_store(directory):
        return None
    store = _store(directory)
    terms: dict[str, object] = {"now": time.time(), "lease_seconds": LEASE_SECONDS}
    if not store.rows(schema.HAS_DELIVERABLE, terms)[0][0]:
        return None
    if store.first_value(schema.ANY_WITHOUT_LINES):
        raise NeedsFullProgram
    from holdfast.inbox import text

    lease = os.urandom(16).hex()

    def take(connection: Connection) -> str:
        again = {**terms, "now": time.time(), "lease": lease, "limit": MESSAGES_PER_CALL}
        connection.execute(schema.LEASE_OLDEST, again)
        remarks = [OpenRemark(*row) for row in connection.execute(schema.LEASED_REMARKS, again)]
        waiting = connection.execute(schema.COUNT_DELIVERABLE, again).fetchone()[0]
        rendered, shown = text.fit_messages(remarks, characters, waiting=waiting, preface=text.HOOK_PREFACE)
        for remark in remarks[shown:]:
            connection.execute(schema.RELEASE_ONE, (lease, remark.sequence))
        return rendered

    return HookDelivery(store, lease, store.transaction(take))


def remarks_on(directory: str, file: str, limit: int) -> list[OpenRemark]:
    """Return the unanswered remarks about a file, the newest first; none where there is no inbox."""
    return _open_remarks(directory, schema.OPEN_REMARKS_ON, file, limit)


def unanswered_since(directory: str, seconds: float, limit: int) -> list[OpenRemark]:
    """Return the remarks that were delivered since then and are unanswered, in the order they arrived."""
    return _open_remarks(directory, schema.UNANSWERED, rfc3339_of_seconds(int(seconds)), limit)


def count_waiting(directory: str) -> int:
    """Return how many remarks wait to be delivered."""
    try:
        count = _store(directory).first_value(schema.COUNT_BY_STATE["pending"])
    except NeedsFullProgram:
        return 0
    return count if isinstance(count, int) else 0


def _open_remarks(directory: str, query: str, value: str, limit: int) -> list[OpenRemark]:
    try:
        return [OpenRemark(*row) for row in _store(directory).rows(query, (value, limit))]
    except NeedsFullProgram:
        return []


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


def _has_store(directory: str) -> bool:
    database = os.path.join(directory, DATABASE_NAME)
    # The second file marks that the store was created; with it alone, the store was lost.
    return os.path.lexists(database) or os.path.lexists(f"{database}.created")


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

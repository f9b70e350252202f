"""The messages of one repository, shared by its worktrees and by every process that works on it.

Contract:
- A message whose `send` returned is on disk. The same file, comment and time is stored once.
- `take` hands the oldest messages to one reader under a lease, in the order they arrived. They count as
  delivered when that reader says so; a reader that fails gives them back, and the lease of one that was
  killed runs out. Until then nobody else gets them.
- Nothing is ever removed. Reading an inbox that nobody has written to leaves no trace on disk.

Quick commands keep to the same rules without loading this module; see `posting` and `schema`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from holdfast.inbox import schema
from holdfast.inbox.envelope import Receipt, digest_of, is_storable
from holdfast.inbox.legacy import LegacyFile, LegacyMessage
from holdfast.inbox.message import (
    AUTHOR_CHARACTERS,
    Delivery,
    Finding,
    Message,
    Reply,
    acceptable_line,
    acceptable_text,
    located,
)
from holdfast.inbox.schema import APPLICATION_ID, DATABASE_NAME, INSERT_MESSAGE, MIGRATIONS
from holdfast.kernel.clock import Clock, rfc3339, utc_now
from holdfast.kernel.errors import HoldfastError, Invalid, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile

_SHORTEST_NAME = len("m_0123")


class Inbox:
    """The inbox of one repository."""

    def __init__(
        self,
        repository: Repository,
        *,
        legacy: LegacyFile | None = None,
        clock: Clock = utc_now,
        lease_seconds: float = LIMITS.delivery_lease_seconds,
    ) -> None:
        self.repository = repository
        self.legacy = legacy or LegacyFile.of_this_user()
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._file = StoreFile(os.path.join(repository.store_directory, DATABASE_NAME))
        self._database = Lazy(self._open_database, lambda: self._file.was_created)
        self._legacy_stored: object = None

    @classmethod
    def open(cls, repository: Repository) -> Inbox:
        """Return the inbox of a repository; its file is opened at first use."""
        return cls(repository)

    def close(self) -> None:
        """Close the file, if it was needed."""
        self._database.close()

    def send(
        self,
        file: str,
        comment: str,
        line: str | None = None,
        author: str | None = None,
        *,
        time: str | None = None,
        work_tree: str | None = None,
    ) -> Receipt:
        """Store a message; `time` and `work_tree` are given only for one that was written elsewhere."""
        root = work_tree or self.repository.root
        file = located(file, root, current=work_tree)
        comment = acceptable_text(comment, "comment", LIMITS.message_comment_characters)
        line = acceptable_line(line)
        if author is not None:
            author = acceptable_text(author, "author", AUTHOR_CHARACTERS)
        time = time or rfc3339(self._clock())
        digest = digest_of(file, comment, time)
        # A root whose name is not UTF-8 cannot be stored; without it, no changed lines are looked up.
        row = (digest, file, comment, line, author, time, root if is_storable(root) else "")
        with self._database.get().write() as connection:
            is_new = connection.execute(INSERT_MESSAGE, row).rowcount == 1
        return Receipt(digest, file, line, time, duplicate=not is_new)

    def take(self, limit: int = LIMITS.messages_per_call) -> Delivery:
        """Claim the oldest messages that nobody has had and nobody is being handed."""
        lease = os.urandom(16).hex()
        terms = {**self._lease_terms(), "lease": lease, "limit": limit}
        # Most readers find nothing, and need not make others wait for that.
        if not self._number(schema.HAS_DELIVERABLE, terms):
            return Delivery(lease)
        with self._database.get().write() as connection:
            # Again, now that it is our turn: others took leases while we waited.
            terms |= self._lease_terms()
            connection.execute(schema.CLAIM, terms)
            messages = [_message(row) for row in connection.execute(schema.CLAIMED, terms)]
            waiting = connection.execute(schema.COUNT_DELIVERABLE, terms).fetchone()[0]
        return Delivery(lease, messages, waiting)

    def mark_delivered(self, lease: str) -> None:
        """Record that the reader's answer with these messages was written."""
        self._change(schema.MARK_DELIVERED, [(rfc3339(self._clock()), lease)])

    def release(self, lease: str, messages: Iterable[Message] | None = None) -> None:
        """Give back what a reader claimed, or only some of it, for the next one who asks."""
        if messages is None:
            self._change(schema.RELEASE, [(lease,)])
        else:
            self._change(schema.RELEASE_ONE, [(lease, message.sequence) for message in messages])

    def keep_changed_lines(self, found: Mapping[int, str]) -> None:
        """Keep the line ranges offered with messages, by sequence, as they were at first hand-over."""
        rows = [(lines, sequence) for sequence, lines in found.items()]
        self._change(schema.KEEP_CHANGED_LINES, rows)

    def messages(self, state: str, *, after: int = 0, limit: int) -> list[Message]:
        """Return messages in a state ("pending", "delivered" or "all") in the order they arrived."""
        return [_message(row) for row in self._rows(schema.MESSAGES_AFTER[state], (after, limit))]

    def pending_on(self, files: Iterable[str], limit: int) -> list[Message]:
        """Return the messages on some files that nobody has had, in the order they arrived."""
        rows = self._rows(schema.PENDING_ON, (json.dumps(list(files)), limit))
        return [_message(row) for row in rows]

    def newest(self, limit: int) -> list[Message]:
        """Return the newest messages, oldest of them first."""
        return [_message(row) for row in reversed(self._rows(schema.NEWEST, (limit,)))]

    def count(self, state: str) -> int:
        """Return how many messages are in a state."""
        return self._number(schema.COUNT[state])

    def with_digest(self, digest: str) -> Message | None:
        """Return the message with this digest, if it is stored."""
        rows = self._rows(schema.BY_DIGEST, (digest,))
        return _message(rows[0]) if rows else None

    def find(self, message_id: str) -> Message:
        """Return the message of that name, or of which that name is the unmistakable beginning."""
        is_name = message_id.startswith("m_") and len(message_id) >= _SHORTEST_NAME
        prefix = message_id.removeprefix("m_")
        found = [_message(row) for row in self._rows(schema.BY_PREFIX, (prefix, prefix))] if is_name else []
        if not found:
            hint = "`holdfast inbox list` shows the messages there are."
            raise NotFound(f"There is no message '{message_id}'.", hint=hint, message_id=message_id)
        if len(found) > 1:
            names = ", ".join(message.id for message in found)
            raise Invalid(f"Several messages begin with '{message_id}'.", hint=f"Name one of them: {names}.")
        return found[0]

    def replies(self, message: Message) -> list[Reply]:
        """Return the answers to a message, oldest first."""
        return [Reply(*row) for row in self._rows(schema.REPLIES, (message.sequence,))]

    def reply(self, message: Message, text: str, author: str) -> Reply:
        """Add an answer to a message."""
        text = acceptable_text(text, "reply", LIMITS.reply_characters)
        author = acceptable_text(author, "author", AUTHOR_CHARACTERS)
        reply = Reply(text, author, rfc3339(self._clock()))
        self._change(schema.ADD_REPLY, [(message.sequence, reply.text, reply.author, reply.time)])
        return reply

    def fingerprint(self) -> tuple[object, ...]:
        """Return a value that changes when a message or reply comes or a message is delivered.

        The next message overwrites the old message file, so what it holds is stored when it is seen.
        """
        seen = self.legacy.fingerprint()
        if seen != self._legacy_stored:
            with suppress(HoldfastError):  # a store that cannot be written now; tried again at the next look
                self.store_legacy()
                self._legacy_stored = seen
        return *self._rows(schema.STATE_OF_ALL), seen

    def store_legacy(self) -> LegacyMessage | None:
        """Store the message in the old message file, unless it is stored already, and return it."""
        old = self.legacy.read(self.repository)
        if old is not None and self.with_digest(old.digest) is None:
            self.send(old.file, old.comment, old.line, time=old.time, work_tree=old.work_tree)
        return old

    def sign(self) -> object:
        """Return a value that stays the same as long as no process writes anything; cheaper than a look."""
        database = self._database.get_existing()
        return "nothing" if database is None else database.data_version()

    def check(self) -> list[Finding]:
        """Return what is wrong with the store, and what a killed reader left to be handed out again."""
        database = self._database.get_existing()
        damage = [] if database is None else database.verify()
        if damage:
            return [Finding(is_damage=True, text=text) for text in damage]
        abandoned = self._number(schema.COUNT_ABANDONED, self._lease_terms())
        text = f"Messages that a reader left undelivered: {abandoned}. The next reader gets them."
        return [Finding(is_damage=False, text=text)] if abandoned else []

    def counts(self) -> dict[str, int]:
        """Return how many messages are in each state, and how many answers they have."""
        if self._database.get_existing() is None:
            return {}
        states = {state: self.count(state) for state in ("pending", "delivered")}
        return states | {"replies": self._number("SELECT count(*) FROM reply")}

    def _lease_terms(self) -> dict[str, object]:
        return {"now": self._clock().timestamp(), "lease_seconds": self._lease_seconds}

    def _open_database(self) -> Database:
        self.repository.ensure_store()
        return Database(self._file.path, application_id=APPLICATION_ID, migrations=MIGRATIONS)

    def _rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        database = self._database.get_existing()
        if database is None:
            return []
        with database.read() as connection:
            return connection.execute(query, values).fetchall()

    def _number(self, query: str, values: Mapping[str, object] | None = None) -> int:
        rows = self._rows(query, values or {})
        return int(rows[0][0]) if rows else 0

    def _change(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if rows:
            with self._database.get().write() as connection:
                connection.executemany(statement, rows)


def _message(row: Sequence[Any]) -> Message:
    *values, _lease = row
    return Message(*values)

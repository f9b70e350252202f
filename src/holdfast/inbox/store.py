"""The messages of one repository, shared by its worktrees and by every process that works on it.

Contract:
- A message whose `send` returned is on disk. The same file, comment and time is stored once.
- `take` leases the oldest messages to one reader, in the order they arrived. They are marked as delivered
  when that reader confirms. A reader that fails releases them, and the lease of a reader that was killed
  expires; until then no other reader gets them (at-least-once delivery with a visibility timeout).
- Nothing is ever removed. Reading an inbox to which nothing was ever written creates no file, unless the
  legacy file has a message, which is stored when it is first seen.

Quick commands follow the same rules without loading this module; see `quick` and `schema`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from holdfast.inbox import schema
from holdfast.inbox.envelope import SendReceipt, author_in_environment, digest_of, is_storable
from holdfast.inbox.legacy import LegacyFile, LegacyMessage
from holdfast.inbox.message import (
    MAX_AUTHOR_CHARACTERS,
    Delivery,
    InboxFinding,
    Message,
    Reply,
    resolve_file,
    validate_line,
    validate_text,
)
from holdfast.inbox.schema import APPLICATION_ID, DATABASE_NAME, INSERT_MESSAGE, MIGRATIONS
from holdfast.kernel.clock import Clock, rfc3339, utc_now
from holdfast.kernel.errors import Conflict, HoldfastError, Invalid, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile
from holdfast.storage.watching.topic_source import TopicSource, file_place

_MIN_ID_CHARACTERS = len("m_0123")
"""The shortest prefix of an id, with four digits of the digest: as for abbreviated hashes in git."""


class Inbox:
    """The inbox of one repository. The tools get it as `room`, which is their access to the repository."""

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
        """Return the inbox of a repository; its database is opened at first use."""
        return cls(repository)

    @cached_property
    def person(self) -> str:
        """The user of this computer, who sent the messages that name no author."""
        from holdfast.storage.git.person import person_name  # imported here because few calls need it

        return person_name(self.repository)

    def close(self) -> None:
        """Close the database if it was opened."""
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
    ) -> SendReceipt:
        """Store a message; `time` and `work_tree` are only given if it was written elsewhere.

        Without an author it is stored as that of the user of this computer.
        """
        root = work_tree or self.repository.root
        file = resolve_file(file, root, current=work_tree)
        comment = validate_text(comment, "comment", LIMITS.message_comment_characters)
        line = validate_line(line)
        if author is None and time is None:
            author = author_in_environment()
        if author is not None:
            author = validate_text(author, "author", MAX_AUTHOR_CHARACTERS)
        time = time or rfc3339(self._clock())
        digest = digest_of(file, comment, time)
        # A root that is not valid UTF-8 cannot be stored; changed lines are then not available.
        row = (digest, file, comment, line, author, time, root if is_storable(root) else "")
        with self._database.get().write() as connection:
            is_new = connection.execute(INSERT_MESSAGE, row).rowcount == 1
        return SendReceipt(digest, file, line, time, duplicate=not is_new)

    def take(self, limit: int = LIMITS.messages_per_call) -> Delivery:
        """Lease the oldest messages that were not delivered and are not leased."""
        lease = os.urandom(16).hex()
        terms = {**self._lease_terms(), "lease": lease, "limit": limit}
        # Most readers find nothing, and need no write lock for that.
        if not self._count(schema.HAS_DELIVERABLE, terms):
            return Delivery(lease)
        with self._database.get().write() as connection:
            # Read the clock again, because this process may have waited for the lock.
            terms |= self._lease_terms()
            connection.execute(schema.LEASE_OLDEST, terms)
            messages = [_message(row) for row in connection.execute(schema.LEASED, terms)]
            waiting = connection.execute(schema.COUNT_DELIVERABLE, terms).fetchone()[0]
        return Delivery(lease, messages, waiting)

    def mark_delivered(self, lease: str) -> None:
        """Mark the messages of a lease as delivered, after the answer to the reader was written."""
        self._change(schema.MARK_DELIVERED, [(rfc3339(self._clock()), lease)])

    def withdraw(self, message_id: str) -> Message:
        """Withdraw a message, so that no reader gets it, and return it; raise if a reader got it."""
        message = self.find(message_id)
        if message.state == "pending":
            terms = {**self._lease_terms(), "time": rfc3339(self._clock()), "sequence": message.sequence}
            with self._database.get().write() as connection:
                connection.execute(schema.WITHDRAW, terms)
            message = self.find(message.id)
        if message.state == "delivered":
            hint = "Send another remark that corrects it."
            raise Conflict(f"The message {message.id} was delivered already.", hint=hint)
        if message.state == "pending":
            raise Conflict(f"The message {message.id} is being delivered.", hint="Try again in a moment.")
        return message

    def release(self, lease: str, messages: Iterable[Message] | None = None) -> None:
        """Release all messages of a lease, or only some of them, for the next reader."""
        if messages is None:
            self._change(schema.RELEASE, [(lease,)])
        else:
            self._change(schema.RELEASE_ONE, [(lease, message.sequence) for message in messages])

    def store_changed_lines(self, ranges: Mapping[int, str]) -> None:
        """Store the changed lines of messages, by sequence, as they were at the first delivery."""
        rows = [(lines, sequence) for sequence, lines in ranges.items()]
        self._change(schema.SET_CHANGED_LINES, rows)

    def messages(self, state: str, *, after: int = 0, limit: int) -> list[Message]:
        """Return messages in a state, or in any ("all"), in the order they arrived."""
        return [_message(row) for row in self._rows(schema.MESSAGES_AFTER[state], (after, limit))]

    def pending_on(self, files: Iterable[str], limit: int) -> list[Message]:
        """Return the undelivered messages on some files, in the order they arrived."""
        rows = self._rows(schema.PENDING_BY_FILE, (json.dumps(list(files)), limit))
        return [_message(row) for row in rows]

    def newest(self, limit: int) -> list[Message]:
        """Return the newest messages, the oldest of these first."""
        return [_message(row) for row in reversed(self._rows(schema.NEWEST, (limit,)))]

    def count(self, state: str) -> int:
        """Return the number of messages in a state."""
        return self._count(schema.COUNT_BY_STATE[state])

    def with_digest(self, digest: str) -> Message | None:
        """Return the message with this digest, or None."""
        rows = self._rows(schema.BY_DIGEST, (digest,))
        return _message(rows[0]) if rows else None

    def find(self, message_id: str) -> Message:
        """Return the message with this id or unambiguous prefix of an id."""
        found: list[Message] = []
        if message_id.startswith("m_") and len(message_id) >= _MIN_ID_CHARACTERS:
            prefix = message_id.removeprefix("m_")
            found = [_message(row) for row in self._rows(schema.BY_DIGEST_PREFIX, (prefix, prefix))]
        if not found:
            hint = "`holdfast inbox list` shows all messages."
            raise NotFound(f"There is no message '{message_id}'.", hint=hint, message_id=message_id)
        if len(found) > 1:
            names = ", ".join(message.id for message in found)
            raise Invalid(f"Several messages begin with '{message_id}'.", hint=f"Name one of them: {names}.")
        return found[0]

    def replies(self, message: Message) -> list[Reply]:
        """Return the replies to a message, oldest first."""
        return [Reply(*row) for row in self._rows(schema.REPLIES, (message.sequence,))]

    def reply(self, message: Message, text: str, author: str) -> Reply:
        """Add a reply to a message."""
        text = validate_text(text, "reply", LIMITS.reply_characters)
        author = validate_text(author, "author", MAX_AUTHOR_CHARACTERS)
        reply = Reply(text, author, rfc3339(self._clock()))
        self._change(schema.INSERT_REPLY, [(message.sequence, reply.text, reply.author, reply.time)])
        return reply

    def fingerprint(self) -> tuple[object, ...]:
        """Return a value that changes when a message or reply arrives or a message is delivered."""
        legacy = self.notice_legacy()
        # An empty store has the same fingerprint as none, so that the first message is only one change.
        return *(self._rows(schema.LATEST_CHANGES) or [(None, None, 0)]), legacy

    def topic(self, part: str) -> TopicSource:
        """Return the files to watch for changes: the database, and the legacy message file."""
        del part  # the inbox is only watched as a whole
        places = (file_place(self._file.path, is_database=True), file_place(self.legacy.path))
        return TopicSource(self.fingerprint, places)

    def notice_legacy(self) -> object:
        """Store the message in the legacy file where possible; return a value that changes with the file.

        Whatever shows messages calls this first, because the next message overwrites the one in the file.
        """
        legacy = self.legacy.fingerprint()
        if legacy != self._legacy_stored:
            with suppress(HoldfastError):  # not writable now; retried at the next call
                self.store_legacy()
                self._legacy_stored = legacy
        return legacy

    def store_legacy(self) -> LegacyMessage | None:
        """Store the message in the legacy file unless it is stored already, and return it."""
        old = self.legacy.read(self.repository)
        if old is not None and self.with_digest(old.digest) is None:
            self.send(old.file, old.comment, old.line, time=old.time, work_tree=old.work_tree)
        return old

    def data_version(self) -> object:
        """Return a value that changes when any process writes; cheaper than a query."""
        database = self._database.get_existing()
        return "nothing" if database is None else database.data_version()

    def check(self) -> list[InboxFinding]:
        """Return problems with the store, and the number of messages whose reader was killed."""
        database = self._database.get_existing()
        damage = [] if database is None else database.verify()
        if damage:
            return [InboxFinding(is_damage=True, text=text) for text in damage]
        abandoned = self._count(schema.COUNT_ABANDONED, self._lease_terms())
        text = f"Messages that a reader left undelivered: {abandoned}. The next reader gets them."
        return [InboxFinding(is_damage=False, text=text)] if abandoned else []

    def counts(self) -> dict[str, int]:
        """Return the number of messages in each state, and of replies."""
        if self._database.get_existing() is None:
            return {}
        states = {state: self.count(state) for state in ("pending", "delivered", "withdrawn")}
        return states | {"replies": self._count("SELECT count(*) FROM reply")}

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

    def _count(self, query: str, values: Mapping[str, object] | None = None) -> int:
        rows = self._rows(query, values or {})
        return int(rows[0][0]) if rows else 0

    def _change(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if rows:
            with self._database.get().write() as connection:
                connection.executemany(statement, rows)


def _message(row: Sequence[Any]) -> Message:
    *values, _lease = row
    return Message(*values)

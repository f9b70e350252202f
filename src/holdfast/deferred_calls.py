"""Calls whose results clients collect later, stored so that a result survives a reconnect and a restart.

The protocol's extension calls them tasks; in this package a task is a piece of work that somebody plans.

Contract:
- A call that `create` returned is on disk, and so is its outcome once `finish` returned.
- A call belongs to the caller who made it: for anybody else it does not exist.
- A call whose process has ended without an outcome has failed, and says so.
- A call is kept for a day from its creation.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from holdfast.kernel.clock import Clock, rfc3339, utc_now
from holdfast.kernel.codes import INTERNAL_ERROR
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.process_slot import ProcessSlot
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.store_file import StoreFile

DATABASE_NAME = "calls.sqlite"
APPLICATION_ID = 0x4846434C  # "HFCL"
MIGRATIONS = (
    """
    CREATE TABLE call (
        id TEXT PRIMARY KEY,
        caller TEXT NOT NULL,
        tool TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        expires REAL NOT NULL,
        process INTEGER NOT NULL,
        questions TEXT NOT NULL DEFAULT '{}',
        answers TEXT NOT NULL DEFAULT '{}',
        outcome TEXT,
        cancelled INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX call_expires ON call (expires);
    CREATE VIEW unfinished AS SELECT * FROM call WHERE state IN ('working', 'input_required');
    """,
)
_CREATE = """
    INSERT INTO call (id, caller, tool, state, created_at, updated_at, expires, process)
    VALUES (:id, :caller, :tool, 'working', :now, :now, :expires, :process)
"""
_FIND = """
    SELECT id, tool, state, message, created_at, updated_at, process, questions, answers, outcome
    FROM call WHERE id = ? AND caller = ? AND expires >= ?
"""
# A call that has an outcome does not change any more.
_REPORT = """
    UPDATE call SET message = :message, updated_at = :now
    WHERE id = :id AND state IN ('working', 'input_required')
"""
_ASK = """
    UPDATE call SET questions = :questions, state = 'input_required', updated_at = :now
    WHERE id = :id AND state = 'working'
"""
_ANSWER = """
    UPDATE call SET questions = :questions, answers = :answers, state = :state, updated_at = :now
    WHERE id = :id
"""
_CANCEL = """
    UPDATE call SET cancelled = 1, message = 'Its cancellation was requested.', updated_at = :now
    WHERE id = :id AND state IN ('working', 'input_required')
"""
_FINISH = """
    UPDATE call SET state = :state, outcome = :outcome, questions = '{}', message = NULL, updated_at = :now
    WHERE id = :id AND state IN ('working', 'input_required')
"""
_INTERRUPT = """
    UPDATE call SET state = 'failed', outcome = :outcome, questions = '{}', message = NULL, updated_at = :now
    WHERE process = :process AND state IN ('working', 'input_required')
"""
_INTERRUPTED = {
    "code": INTERNAL_ERROR,
    "message": "The server that ran this call ended before it had a result. Call the tool again.",
    "data": {"type": "interrupted"},
}

State = Literal["working", "input_required", "completed", "failed", "cancelled"]
Accept = Callable[[Mapping[str, Any], Any], dict[str, Any] | None]
"""Returns a response in the form in which it is stored, or None if it does not answer the question."""


@dataclass(frozen=True)
class DeferredCall:
    """One stored call."""

    id: str
    tool: str
    state: State
    message: str | None
    created_at: str
    updated_at: str
    process: int
    questions: dict[str, Any]
    """The unanswered questions, as requests of the protocol, by keys that are never used again."""
    answers: dict[str, Any]
    outcome: dict[str, Any] | None
    """The result, or for a failed call its error."""

    @property
    def is_finished(self) -> bool:
        """Whether it has an outcome, or was cancelled."""
        return self.state not in ("working", "input_required")


@dataclass(frozen=True)
class CallsFinding:
    """One defect of the store."""

    text: str
    is_damage: bool = True


class DeferredCalls:
    """The deferred calls of one repository, of all servers that run on it."""

    def __init__(self, repository: Repository, *, clock: Clock = utc_now) -> None:
        self._repository = repository
        self._clock = clock
        self._file = StoreFile(os.path.join(repository.store_directory, DATABASE_NAME))
        self._database = Lazy(self._open_database, lambda: self._file.was_created)
        self._slot: ProcessSlot | None = None
        self._slot_lock = threading.Lock()

    def close(self) -> None:
        """Close the store, if it was opened. Unfinished calls of this process have then failed."""
        self._database.close()
        with self._slot_lock:
            if self._slot is not None:
                self._slot.close()
                self._slot = None

    def check(self) -> list[CallsFinding]:
        """Return the defects of the store."""
        database = self._database.get_existing()
        return [] if database is None else [CallsFinding(text) for text in database.verify()]

    def create(self, caller: str, tool: str) -> DeferredCall | None:
        """Store a call that runs in this process, or return None when too many run already."""
        now, process = self._clock(), self._own_slot().number
        identity = os.urandom(16).hex()
        values = {
            "id": identity,
            "caller": caller,
            "tool": tool,
            "now": rfc3339(now),
            "expires": now.timestamp() + LIMITS.deferred_call_seconds,
            "process": process,
        }
        with self._database.get().write() as connection:
            connection.execute("DELETE FROM call WHERE expires < ?", (now.timestamp(),))
            running = connection.execute("SELECT count(*) FROM unfinished WHERE process = ?", (process,))
            if running.fetchone()[0] >= LIMITS.deferred_calls:
                return None
            connection.execute(_CREATE, values)
        return self._read(identity, caller)

    def find(self, identity: str, caller: str) -> DeferredCall:
        """Return a call of this caller, or raise `NotFound`."""
        found = self._read(identity, caller)
        if not found.is_finished and not self._own_slot().is_alive(found.process):
            self.finish(identity, "failed", _INTERRUPTED)
            found = self._read(identity, caller)
        return found

    def is_cancelled(self, identity: str) -> bool:
        """Return whether the caller has asked for the cancellation of a call."""
        with self._database.get().read() as connection:
            row = connection.execute("SELECT cancelled FROM call WHERE id = ?", (identity,)).fetchone()
        return row is None or bool(row[0])

    def report(self, identity: str, message: str) -> None:
        """Store how far a call is."""
        self._change(_REPORT, identity, message=message)

    def ask(self, identity: str, caller: str, questions: Mapping[str, Any]) -> dict[str, str]:
        """Store questions, and return for each the key under which the caller answers it."""
        used = self._read(identity, caller).answers.keys()
        keys = {key: f"{key}-{len(used) + 1}" if key in used else key for key in questions}
        stored = json.dumps({keys[key]: question for key, question in questions.items()})
        self._change(_ASK, identity, questions=stored)
        return keys

    def answer(self, identity: str, caller: str, responses: Mapping[str, Any], accept: Accept) -> None:
        """Store the responses that answer a question; ignore all others."""
        self.find(identity, caller)
        with self._database.get().write() as connection:
            select = "SELECT questions, answers FROM unfinished WHERE id = ?"
            row = connection.execute(select, (identity,)).fetchone()
            questions, answers = ({}, {}) if row is None else map(json.loads, row)
            accepted = {}
            for key in questions.keys() & responses.keys():
                answer = accept(questions[key], responses[key])
                if answer is not None:
                    accepted[key] = answer
            if accepted:
                left = {key: question for key, question in questions.items() if key not in accepted}
                values = {
                    "id": identity,
                    "questions": json.dumps(left),
                    "answers": json.dumps({**answers, **accepted}),
                    "state": "input_required" if left else "working",
                    "now": rfc3339(self._clock()),
                }
                connection.execute(_ANSWER, values)

    def cancel(self, identity: str, caller: str) -> None:
        """Ask the process that runs a call to stop it; a finished call stays as it is."""
        self.find(identity, caller)
        self._change(_CANCEL, identity)

    def finish(self, identity: str, state: State, outcome: Mapping[str, Any] | None) -> None:
        """Store the outcome of a call, unless it has one."""
        stored = None if outcome is None else json.dumps(outcome, ensure_ascii=False)
        self._change(_FINISH, identity, state=state, outcome=stored)

    def _change(self, statement: str, identity: str, **values: Any) -> None:
        now = rfc3339(self._clock())
        with self._database.get().write() as connection:
            connection.execute(statement, {**values, "now": now, "id": identity})

    def _read(self, identity: str, caller: str) -> DeferredCall:
        database = self._database.get_existing()
        row = None
        if database is not None:
            with database.read() as connection:
                row = connection.execute(_FIND, (identity, caller, self._clock().timestamp())).fetchone()
        if row is None:
            raise NotFound("There is no such task, or it has expired.", hint="Call the tool again.")
        number, tool, state, message, created_at, updated_at, process, questions, answers, outcome = row
        return DeferredCall(
            number,
            tool,
            state,
            message,
            created_at,
            updated_at,
            process,
            json.loads(questions),
            json.loads(answers),
            None if outcome is None else json.loads(outcome),
        )

    def _own_slot(self) -> ProcessSlot:
        """Return the number of this process; calls of an earlier process with that number have failed."""
        with self._slot_lock:
            if self._slot is None:
                self._repository.ensure_store()
                slot = ProcessSlot(self._file.path)
                values = {
                    "process": slot.number,
                    "outcome": json.dumps(_INTERRUPTED),
                    "now": rfc3339(self._clock()),
                }
                with self._database.get().write() as connection:
                    connection.execute(_INTERRUPT, values)
                self._slot = slot
            return self._slot

    def _open_database(self) -> Database:
        self._repository.ensure_store()
        return Database(self._file.path, application_id=APPLICATION_ID, migrations=MIGRATIONS)

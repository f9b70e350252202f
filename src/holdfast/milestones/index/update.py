"""The incremental update of the index: only what is new in the logs, where it adds to what was there.

Contract:
- Everything happens in the caller's transaction. Afterwards `tip` says which state of the refs was taken in.
- A log that was cut short or rewritten raises `Rewritten`: the index then holds what no log says any more,
  and must be built anew.
- A log that cannot be read to its beginning is taken in as far as it can, and named in `damage`. Its tip is
  not remembered, so that every read looks again whether it was mended.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from holdfast.kernel.errors import Unavailable
from holdfast.milestones.index.rows import refold
from holdfast.milestones.log.entry import Entry, lines_of, parse
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits import Commit, is_ancestor, read_commits, walk_commits

_INSERT_OPERATION = (
    "INSERT INTO operation VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET body = excluded.body WHERE excluded.body < body"
)
_INSERT_REQUEST = (
    "INSERT INTO request VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET digest = excluded.digest, entity = excluded.entity,"
    " operations = excluded.operations WHERE excluded.operations < operations"
)

_BATCH = 50_000

Tips = Mapping[str, str]
Lines = list[tuple[Entry, str]]
"""Operations, and the lines of a log that hold them: a line may say more than this version reads."""


class Rewritten(Exception):
    """A log no longer contains what the index has from it."""


def tips_in(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the state of the refs that the index was folded from."""
    return dict(connection.execute("SELECT ref, id FROM tip").fetchall())


def damaged_in(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the refs that could not be read in full, and the ids they held."""
    return dict(connection.execute("SELECT ref, id FROM damage").fetchall())


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run statements inside the transaction there is; `executescript` would end it."""
    for statement in script.split(";"):
        connection.execute(statement)


def catch_up(connection: sqlite3.Connection, git: Git, tips: Tips) -> None:
    """Bring an index up to date with the logs."""
    update = IndexUpdate(connection, git, tips)
    update.take_in()
    refold(connection, update.touched)


def take_in_own(
    connection: sqlite3.Connection, ref: str, old: str | None, commit: Commit, entries: list[Entry]
) -> None:
    """Take in one commit that this process just wrote on top of `old`, unless the index went on meanwhile."""
    if tips_in(connection).get(ref) != old:
        return
    update = IndexUpdate(connection, None, {})
    update.keep([(commit, [(entry, entry.line()) for entry in entries])])
    connection.execute("INSERT OR REPLACE INTO tip VALUES (?, ?)", (ref, commit.id))
    connection.execute("DELETE FROM log_end WHERE id = ?", (old,))
    connection.execute("INSERT OR REPLACE INTO log_end VALUES (?, ?)", (commit.id, commit.committed))
    refold(connection, update.touched)


class IndexUpdate:
    """One pass over what is new in the logs."""

    def __init__(self, connection: sqlite3.Connection, git: Git | None, tips: Tips) -> None:
        self._connection = connection
        self._git = git
        self._tips = tips
        self._known = tips_in(connection)
        self._damaged: list[tuple[str, str, str]] = []
        self._ends: dict[str, int] = {}
        self._seen: set[str] = set()
        self._parents: set[str] = set()
        self.touched: set[str] = set()

    def take_in(self) -> None:
        """Read what is new and keep it."""
        changed = {ref: tip for ref, tip in self._tips.items() if self._known.get(ref) != tip}
        readable = {ref: tip for ref, tip in changed.items() if tip}
        for ref in changed.keys() - readable.keys():
            self._damaged.append((ref, "", "holds no object id"))
        held = frozenset(self._known.values())
        wanted = sorted(set(readable.values()) - held)
        names = {_log_name(ref) for ref in readable}  # a log may be known under another ref
        known = sorted({tip for ref, tip in self._known.items() if _log_name(ref) in names})
        if wanted:
            self._read(wanted, known, readable)
        self._refuse_rewritten()
        self._remember()

    def keep(self, commits: Iterable[tuple[Commit, Lines]]) -> None:
        """Keep the operations of commits."""
        highest = 0
        rows, requests = [], []
        for commit, lines in commits:
            self._seen.add(commit.id)
            self._parents.update(commit.parents)
            for entry, line in lines:
                rows.append((entry.entity, entry.lamport, entry.id, line))
                self.touched.add(entry.entity)
                highest = max(highest, entry.lamport)
            requests += requests_of(lines)
        self._connection.executemany(_INSERT_OPERATION, rows)
        self._keep_requests(requests)
        self._keep_lamport(highest)

    def _keep_requests(self, requests: list[tuple[str, str, str, str]]) -> None:
        self._connection.executemany(_INSERT_REQUEST, requests)

    def _keep_lamport(self, highest: int) -> None:
        self._connection.execute("UPDATE clock SET lamport = max(lamport, ?)", (highest,))

    def _read(self, wanted: list[str], known: list[str], refs: Tips) -> None:
        assert self._git is not None
        ends = frozenset(wanted)
        try:
            self._read_stream(wanted, known, ends)
        except Unavailable:
            self._salvage(refs, ends, frozenset(known))
            return
        for ref, tip in refs.items():
            if tip in ends and tip not in self._seen:
                self._salvage({ref: tip}, ends, frozenset(known))

    def _read_stream(self, wanted: Sequence[str], known: Sequence[str], ends: frozenset[str]) -> None:
        assert self._git is not None
        self._keep_all(read_commits(self._git, wanted, known), ends)

    def _salvage(self, refs: Tips, ends: frozenset[str], known: frozenset[str]) -> None:
        """Read logs one by one, object by object, as far as that goes."""
        assert self._git is not None
        self._git.run("version")  # a git that does not run says nothing about the logs
        for ref, tip in refs.items():
            try:
                self._keep_all(walk_commits(self._git, tip, known), ends)
            except ValueError as failure:
                self._damaged.append((ref, tip, str(failure)))

    def _keep_all(self, commits: Iterable[Commit], ends: frozenset[str]) -> None:
        batch: list[tuple[Commit, Lines]] = []
        try:
            for commit in commits:
                if commit.id in ends:
                    self._ends[commit.id] = commit.committed
                batch.append((commit, lines_in(commit)))
                if len(batch) >= _BATCH:
                    self.keep(batch)
                    batch.clear()
        finally:
            self.keep(batch)

    def _refuse_rewritten(self) -> None:
        """Raise when something the index was folded from is no longer part of any log."""
        present = {*self._tips.values(), *self._parents}
        for ref, old in self._known.items():
            if old not in present and not self._leads_on(ref, old):
                raise Rewritten(ref)

    def _leads_on(self, ref: str, old: str) -> bool:
        assert self._git is not None
        name = _log_name(ref)
        followers = [tip for other, tip in self._tips.items() if _log_name(other) == name and tip]
        return any(is_ancestor(self._git, old, tip) for tip in followers)

    def _remember(self) -> None:
        change = self._connection.execute
        damaged = {ref for ref, _, _ in self._damaged}
        sound = {ref: tip for ref, tip in self._tips.items() if ref not in damaged}
        change("DELETE FROM damage")
        self._connection.executemany("INSERT INTO damage VALUES (?, ?, ?)", self._damaged)
        if sound != self._known:
            change("DELETE FROM tip")
            self._connection.executemany("INSERT INTO tip VALUES (?, ?)", sound.items())
        self._connection.executemany("INSERT OR REPLACE INTO log_end VALUES (?, ?)", self._ends.items())
        change("DELETE FROM log_end WHERE id NOT IN (SELECT id FROM tip)")


def lines_in(commit: Commit) -> Lines:
    """Return the operations that a commit holds."""
    return [(entry, line) for line in lines_of(commit.message) if (entry := parse(line)) is not None]


def requests_of(lines: Lines) -> list[tuple[str, str, str, str]]:
    """Return which operations of one commit each request led to."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for entry, _ in lines:
        if entry.request is not None:
            found.setdefault((entry.request, entry.digest or "", entry.entity), []).append(entry.id)
    return [(*key, json.dumps(names)) for key, names in found.items()]


def _log_name(ref: str) -> str:
    return ref.rpartition("/")[2]

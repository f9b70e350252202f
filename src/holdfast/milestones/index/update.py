"""The incremental update of the index with new commits of the logs.

Contract:
- Everything happens in the caller's transaction. Afterwards `tip` holds the refs that were read.
- A log that was truncated or rewritten raises `Rewritten`: the index has operations that no log has any more
  and must be rebuilt.
- A log that cannot be read to its beginning, or a ref of this clone that is not a log, is read as far as
  possible and recorded in `damage`. Its tip is not saved, so every read checks whether it was repaired.
- Malformed input is skipped, and its log recorded in `flaw`: a commit that no clone writes, a line that is
  not an operation, a second operation with the same id but other content.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.kernel.errors import Unavailable
from holdfast.milestones.index.rows import rewrite_entities
from holdfast.milestones.index.schema import LOGS
from holdfast.milestones.log.entry import Entry, id_matches_content, operation_lines, parse
from holdfast.milestones.log.fold import is_usable, preferred_entry
from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.ancestry import is_ancestor
from holdfast.storage.git.commits.commit import Commit, NotACommit
from holdfast.storage.git.commits.commit_reader import read_commits, walk_commits

_LOG = re.compile(rf"{LOGS}|refs/holdfast/(?:remotes|branches)/.+/[0-9a-f]{{32}}\Z")
_INSERT_OPERATION = "INSERT OR IGNORE INTO operation VALUES (?, ?, ?, ?, ?)"
_INSERT_FLAW = (
    "INSERT INTO flaw VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = excluded.text,"
    " is_damage = excluded.is_damage WHERE excluded.is_damage > is_damage"
)
_INSERT_REQUEST = (
    "INSERT INTO request VALUES (?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET digest = excluded.digest, entity = excluded.entity,"
    " operations = excluded.operations WHERE excluded.operations < operations"
)

_COMMITS_PER_BATCH = 50_000  # bounds memory in a huge update; nearly all others are one batch
SHORT_COMMIT_CHARACTERS = 12  # of a commit's id in messages; unambiguous even in the history of Linux

Tips = Mapping[str, str]
"""Ids of commits by ref; empty for a ref that holds no id."""
Lines = list[tuple[Entry, str]]
"""Operations with their lines of the log; a line may have fields that this version does not know."""
OperationRow = tuple[str, int, str, str, str]
"""An operation's entity, Lamport time and id, the log it was found in, and its line."""


class Flaw(NamedTuple):
    """An item that was skipped in a log. It is not damage if a later version may understand it."""

    log: str
    text: str
    is_damage: bool


class Rewritten(Exception):
    """A log no longer contains commits from which the index was built."""


def folded_tips(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the refs from which the index was folded, with their tips."""
    return dict(connection.execute("SELECT ref, id FROM tip").fetchall())


def damaged_refs(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the refs that could not be read completely, with their tips."""
    return dict(connection.execute("SELECT ref, id FROM damage").fetchall())


def damage_reasons(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the refs that could not be read completely, sorted, with the reasons."""
    return dict(connection.execute("SELECT ref, text FROM damage ORDER BY ref").fetchall())


def read_flaws(connection: sqlite3.Connection) -> list[Flaw]:
    """Return one skipped item for each log that has any, sorted by log."""
    return [Flaw(*row) for row in connection.execute("SELECT * FROM flaw ORDER BY log")]


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run statements in the current transaction, which `executescript` would commit."""
    for statement in script.split(";"):
        connection.execute(statement)


def catch_up(connection: sqlite3.Connection, git: Git, tips: Tips) -> None:
    """Bring an index up to date with the logs; raise `Rewritten` if it must be rebuilt."""
    update = IndexUpdate(connection, git, tips)
    update.run()
    rewrite_entities(connection, update.touched)


def add_own_commit(
    connection: sqlite3.Connection, ref: str, old: str | None, commit: Commit, entries: list[Entry]
) -> None:
    """Add a commit that this process just wrote on top of `old`, unless the index has moved on."""
    if folded_tips(connection).get(ref) != old:
        return
    update = IndexUpdate(connection, None, {ref: commit.id})
    update.store([(commit._replace(source=commit.id), [(entry, entry.line()) for entry in entries])])
    connection.execute("INSERT OR REPLACE INTO tip VALUES (?, ?)", (ref, commit.id))
    connection.execute("DELETE FROM log_end WHERE id = ?", (old,))
    connection.execute("INSERT OR REPLACE INTO log_end VALUES (?, ?)", (commit.id, commit.committed))
    rewrite_entities(connection, update.touched)


class IndexUpdate:
    """One pass over the new commits of the logs."""

    def __init__(self, connection: sqlite3.Connection, git: Git | None, tips: Tips) -> None:
        self._connection = connection
        self._git = git
        self._tips = tips
        self._folded = folded_tips(connection)
        # A log has the same name under every prefix; this clone's own refs come last and take precedence.
        ordered = sorted(tips.items(), key=lambda item: item[0].startswith(LOGS))
        self._logs = {tip: log_name(ref) for ref, tip in ordered}
        self._damaged: list[tuple[str, str, str]] = []
        self._flaws: list[Flaw] = []
        self._end_dates: dict[str, int] = {}
        self._seen: set[str] = set()
        self._parents: set[str] = set()
        self.touched: set[str] = set()

    def run(self) -> None:
        changed = {ref: tip for ref, tip in self._tips.items() if self._folded.get(ref) != tip}
        readable = {ref: tip for ref, tip in changed.items() if tip and _LOG.match(ref)}
        for ref in changed.keys() - readable.keys():
            if changed[ref]:
                self._flaws.append(Flaw(ref, "does not have the name of a log", is_damage=True))
            else:
                self._damaged.append((ref, "", "holds no object id"))
        wanted = sorted(set(readable.values()) - set(self._folded.values()))
        names = {log_name(ref) for ref in readable}  # a log may be known under another ref
        known = sorted({tip for ref, tip in self._folded.items() if log_name(ref) in names})
        if wanted:
            self._read(wanted, known, readable)
        self._refuse_rewritten()
        self._save_state()

    def store(self, commits: Sequence[tuple[Commit, Lines]]) -> None:
        """Store the operations of commits, which are listed newest first."""
        highest = 0
        requests = []
        for commit, lines in reversed(commits):
            self._seen.add(commit.id)
            self._parents.update(commit.parents)
            for entry, line in lines:
                self._store_row((entry.entity, entry.lamport, entry.id, self._logs[commit.source], line))
                self.touched.add(entry.entity)
                highest = max(highest, entry.lamport)
            requests += request_rows(lines)
        self._store_requests(requests)
        self._store_lamport(highest)

    def _store_row(self, row: OperationRow) -> None:
        """Store one operation; of two with the same id, store the preferred one and record the other log."""
        if self._connection.execute(_INSERT_OPERATION, row).rowcount:
            return
        entity, lamport, operation_id, log, line = row
        find = "SELECT log, body FROM operation WHERE entity = ? AND id = ?"
        held_log, held_line = self._connection.execute(find, (entity, operation_id)).fetchone()
        held, new = parse(held_line), parse(line)
        assert held is not None and new is not None  # noqa: PT018 - all rows parse
        is_held_preferred = preferred_entry(held, new) is held
        if held.content() != new.content() or id_matches_content(held) != id_matches_content(new):
            preferred, flawed = (held_log, log) if is_held_preferred else (log, held_log)
            text = f"has operation {operation_id} with other content than the log {preferred}"
            self._flaws.append(Flaw(flawed, text, is_damage=True))
        if not is_held_preferred:
            change = "UPDATE operation SET lamport = ?, log = ?, body = ? WHERE entity = ? AND id = ?"
            self._connection.execute(change, (lamport, log, line, entity, operation_id))

    def _store_requests(self, requests: list[tuple[str, str, str, str]]) -> None:
        self._connection.executemany(_INSERT_REQUEST, requests)

    def _store_lamport(self, highest: int) -> None:
        self._connection.execute("UPDATE clock SET lamport = max(lamport, ?)", (highest,))

    def _read(self, wanted: list[str], known: list[str], refs: Tips) -> None:
        assert self._git is not None
        ends = frozenset(wanted)
        try:
            self._read_stream(wanted, known, ends)
        except Unavailable:
            self._salvage(refs, ends, known)
            return
        unseen = {ref: tip for ref, tip in refs.items() if tip in ends and tip not in self._seen}
        if unseen:
            self._salvage(unseen, ends, known)

    def _read_stream(self, wanted: Sequence[str], known: Sequence[str], ends: frozenset[str]) -> None:
        assert self._git is not None
        self._store_all(read_commits(self._git, wanted, known), ends)

    def _salvage(self, refs: Tips, ends: frozenset[str], known: Sequence[str]) -> None:
        """Read logs one by one, object by object, as far as possible."""
        assert self._git is not None
        self._git.run("version")  # fails if git itself does not run, which is not damage
        seen: dict[str, ValueError | None] = dict.fromkeys(known)
        for ref, tip in refs.items():
            try:
                self._store_all(walk_commits(self._git, tip, seen), ends)
            except ValueError as failure:
                if isinstance(failure, NotACommit) and not ref.startswith(LOGS):
                    self._flaws.append(Flaw(log_name(ref), f"is not a log: {failure}", is_damage=True))
                else:
                    self._damaged.append((ref, tip, str(failure)))

    def _store_all(self, commits: Iterable[Commit], ends: frozenset[str]) -> None:
        batch: list[tuple[Commit, Lines]] = []
        try:
            for commit in commits:
                if commit.id in ends:
                    self._end_dates[commit.id] = commit.committed
                batch.append((commit, self._lines_in(commit)))
                if len(batch) >= _COMMITS_PER_BATCH:
                    self.store(batch)
                    batch.clear()
        finally:
            self.store(batch)

    def _lines_in(self, commit: Commit) -> Lines:
        """Return the operations in a commit, and record anything else in it as a flaw."""
        short_id = commit.id[:SHORT_COMMIT_CHARACTERS]
        if commit.anomaly is not None:
            self._record_flaw(commit, f"has commit {short_id}, which {commit.anomaly}", is_damage=True)
            return []
        parsed = [(parse(line), line) for line in operation_lines(commit.message)]
        entries = [(entry, line) for entry, line in parsed if entry is not None]
        if len(entries) < len(parsed):
            text = f"has a line in commit {short_id} that is not an operation"
            self._record_flaw(commit, text, is_damage=True)
        elif not all(is_usable(entry) for entry, _ in entries):
            text = f"has an operation in commit {short_id} that this version does not know"
            self._record_flaw(commit, text, is_damage=False)
        return entries

    def _record_flaw(self, commit: Commit, text: str, *, is_damage: bool) -> None:
        self._flaws.append(Flaw(self._logs[commit.source], text, is_damage))

    def _refuse_rewritten(self) -> None:
        """Raise `Rewritten` if a tip from which the index was folded is no longer in any log."""
        present = {*self._tips.values(), *self._parents}
        for ref, old in [*self._folded.items(), *damaged_refs(self._connection).items()]:
            if old and old not in present and not self._is_still_contained(ref, old):
                raise Rewritten(ref)

    def _is_still_contained(self, ref: str, old: str) -> bool:
        assert self._git is not None
        name = log_name(ref)
        candidates = [tip for ref, tip in self._tips.items() if log_name(ref) == name and tip]
        return any(is_ancestor(self._git, old, tip) for tip in candidates)

    def _save_state(self) -> None:
        change = self._connection.execute
        damaged = {ref for ref, _, _ in self._damaged}
        sound = {ref: tip for ref, tip in self._tips.items() if ref not in damaged}
        change("DELETE FROM damage")
        self._connection.executemany("INSERT INTO damage VALUES (?, ?, ?)", self._damaged)
        self._save_flaws()
        if sound != self._folded:
            change("DELETE FROM tip")
            self._connection.executemany("INSERT INTO tip VALUES (?, ?)", sound.items())
        self._connection.executemany("INSERT OR REPLACE INTO log_end VALUES (?, ?)", self._end_dates.items())
        change("DELETE FROM log_end WHERE id NOT IN (SELECT id FROM tip)")

    def _save_flaws(self) -> None:
        self._connection.executemany(_INSERT_FLAW, self._flaws)


def request_rows(lines: Lines) -> list[tuple[str, str, str, str]]:
    """Return the rows of table `request` for the operations of one commit."""
    operations: dict[tuple[str, str, str], list[str]] = {}
    for entry, _ in lines:
        if entry.request is not None:
            operations.setdefault((entry.request, entry.digest or "", entry.entity), []).append(entry.id)
    return [(*key, json.dumps(ids)) for key, ids in operations.items()]


def log_name(ref: str) -> str:
    """Return the name of the log that a ref holds, which is the last part of the ref."""
    return ref.rpartition("/")[2]

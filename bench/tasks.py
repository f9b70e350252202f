"""Tasks beside bare SQLite, with 10,000 tasks in one workspace.

python -m bench.tasks [--rounds 15] [--check] [--save] [--tasks 10000]

`list`, `status`, `focus` and the like are run as a server runs them: arguments checked, the operation run,
the result made into what is sent. The other side runs the statements that the operation ran, recorded from
the database of the tasks, on a bare connection of `sqlite3`, and fetches every row. Where it says so, the
other side also reads what the answer tells of other stores, from plain files and on bare connections: see
`task_surroundings`. A claim stands beside one update in an immediate transaction, as durable; a round has so
many of them that each side writes its log back into the database in it.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench._comparison import Comparison, compare
from bench._results import Results, arguments
from bench.task_surroundings import Surroundings
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.milestones.entity import EntityDraft
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import COLUMNS, CallerIdentity, Draft, File
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.tasks.claims import claim_next

ME = CallerIdentity("bench")
LOOKS = (
    ("list of 20", "taskpilot_list", {}),
    ("list of 100 that are ready", "taskpilot_list", {"ready": True, "limit": 100}),
    ("status", "taskpilot_status", {}),
    ("focus, without taking it", "taskpilot_focus", {"task_id": "TP-4321", "peek": True}),
)
MORE = (
    ("list of 20 with a text", "taskpilot_list", {"query": "Task 77"}),
    ("list of 20 about a file", "taskpilot_list", {"connected_file": "src/part_120.py"}),
    ("status with everything", "taskpilot_status", {"detailed": True}),
    ("audit", "taskpilot_audit", {}),
)
"""Looks at all tasks, without bars."""
SURROUNDED = ("focus, where four other rooms speak", "taskpilot_focus", {"task_id": "TP-1121", "peek": True})
"""A task with a comment, a message, an issue and a commit."""
ITS_FILE = "src/part_120.py"
YOUNG_SECONDS = 2.1
"""A file that is younger is read each time: its next change could have the same time."""
CLAIM_BAR = 1 / 0.6
"""A claim may take so many times what a bare update takes: 60 % of its throughput."""
_TURNS, _IN_A_TURN = 20, 25
"""A round of claims: many short turns, so that a slow moment of the disk meets all sides."""
_READY = (
    "FROM task WHERE workspace = :workspace AND status = 'backlog' AND waits = 0"
    " ORDER BY priority, unblocks DESC, rank, n LIMIT 1"
)
_BARE_NEXT = f"SELECT {COLUMNS} {_READY}"
_MARK = (
    "UPDATE task SET status = 'in-progress', claim_agent = 'bare', claim_token = 'token', claim_since = :now,"
    " claim_expires = :now + 1800, started_at = :now, updated_at = :now, version = version + 1"
)
_BARE_CLAIM = f"{_MARK} WHERE uid = (SELECT uid {_READY})"
_BARE_UPDATE = f"{_MARK} WHERE uid = :uid"
_BARE_EVENT = (
    "INSERT INTO event (workspace, at, actor, task, version, type, before, after) VALUES (:workspace, :now,"
    """ 'bare', :uid, :version, 'claimed', '{"claimed_by":null,"status":"backlog"}',"""
    """ '{"claimed_by":"bare","status":"in-progress"}')"""
)


def main() -> None:
    options = arguments(__doc__, rounds=15, tasks=10_000)
    with tempfile.TemporaryDirectory() as folder:
        path = filled(Path(folder, "repository"), options.tasks)
        workspace = Workspace(Repository.at(path))
        comparisons = [looks(workspace, *look, options.rounds * 10, bar=5) for look in LOOKS]
        comparisons.append(surrounded(workspace, *LOOKS[-1], options.rounds * 10))
        surround(workspace)
        comparisons.append(surrounded(workspace, *SURROUNDED, options.rounds * 10))
        comparisons += [looks(workspace, *look, options.rounds) for look in MORE]
        comparisons += claims(workspace, options.rounds)
        workspace.close()
    results = Results("bench.tasks", f"{options.tasks:,} tasks")
    compare(results, "tasks", ("sqlite3", "holdfast"), comparisons)
    sys.exit(results.finish(options))


def filled(path: Path, count: int, database: str | None = None) -> Path:
    """Make a repository with tasks that depend on one another, are labelled, and are about files."""
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(path)], check=True)
    room = Tasks.open(Repository.at(path), database)
    ensure_workspace(room, "bench", [], "criteria")
    for start in range(0, count, 500):
        room.create([draft(number) for number in range(start, min(start + 500, count))], ME)
    room.close()
    return path


def draft(number: int) -> Draft:
    """Return a task that depends on another, is labelled, and is about a file."""
    return Draft(
        f"Task {number}",
        "Some words about it. " * 10,
        priority=("high", "medium", "low")[number % 3],
        depends_on=[(f"TP-{number - number % 500 - 7}", "blocks")]
        if number >= 500 and number % 5 == 0
        else [],
        labels=(f"area-{number % 20}",),
        criteria=("It works", "It is tested"),
        files=(File(f"src/part_{number % 200}.py"),),
    )


def surround(workspace: Workspace) -> None:
    """Leave a comment, a message, an issue and a commit about a task and its file."""
    root = Path(workspace.repository.root)
    path = ITS_FILE
    (root / "src").mkdir()
    (root / path).write_text("def show():\n    return 1\n", encoding="utf-8")
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    subprocess.run(["git", "-C", root, "add", path], check=True)
    subprocess.run(["git", "-C", root, *identity, "commit", "--quiet", "-m", "Begin TP-1121"], check=True)
    draft = CommentDraft(line=2, text="Count it", author="bench")
    CommentWriter(workspace.room("comments")).add(RepoPath.parse(path), draft)
    workspace.inbox.send(path, "Test it")
    workspace.room("milestones").create(EntityDraft(kind="issue", title="Counting", links=(path,)))
    time.sleep(YOUNG_SECONDS)
    workspace.room("comments").load(path)


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def looks(
    workspace: Workspace,
    label: str,
    name: str,
    arguments: dict[str, Any],
    rounds: int,
    bar: float | None = None,
    beside: Callable[[], object] | None = None,
) -> Comparison:
    """One operation as a server runs it, beside the statements that it needs and what else has to be read."""
    dispatcher = Dispatcher(full_registry(), workspace.room)
    operation = dispatcher.registry.operation(name)

    def run() -> dict[str, Any]:
        return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).wire()

    run()
    statements = recorded(workspace.room("tasks"), run)
    connection = bare(workspace)
    more = "" if beside is None else " and the other stores"
    comparison = Comparison(f"{label} / its {len(statements)} statements{more}", bar=bar)

    def bare_reading() -> None:
        for statement in statements:
            connection.execute(statement).fetchall()
        if beside is not None:
            beside()

    bare_reading()
    for _ in range(rounds):
        comparison.baseline.append(timed(bare_reading))
        comparison.ours.append(timed(run))
    connection.close()
    return comparison


def surrounded(
    workspace: Workspace, label: str, name: str, arguments: dict[str, Any], rounds: int
) -> Comparison:
    """A focus beside its statements and a reading of the other stores, with the same bar."""
    others = Surroundings(workspace.repository)
    try:
        return looks(workspace, label, name, arguments, rounds, 5, partial(others.read, ITS_FILE))
    finally:
        others.close()


def recorded(room: Tasks, run: Callable[[], object]) -> list[str]:
    """Return the statements that the database runs meanwhile, with their values."""
    seen: list[str] = []
    with room.store.read() as connection:
        connection.set_trace_callback(seen.append)  # type: ignore[attr-defined]
    run()
    with room.store.read() as connection:
        connection.set_trace_callback(None)  # type: ignore[attr-defined]
    return [statement for statement in seen if statement.lstrip().upper().startswith(("SELECT", "WITH"))]


def bare(workspace: Workspace) -> sqlite3.Connection:
    connection = sqlite3.connect(
        Path(workspace.repository.store_directory, "tasks.sqlite"), isolation_level=None
    )
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def bare_copy(workspace: Workspace, name: str) -> sqlite3.Connection:
    """Return a connection to a copy of the store, page by page, on the same disk, with the same settings."""
    path = Path(workspace.repository.store_directory, f"{name}.sqlite")
    connection = sqlite3.connect(path, isolation_level=None)
    kept = bare(workspace)
    kept.backup(connection)
    kept.close()
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def in_turns(actions: Sequence[Callable[[], object]]) -> list[float]:
    """Return the seconds that each of some actions takes when they are done over and over, in turns."""
    spent = [0.0] * len(actions)
    for _ in range(_TURNS):
        for place, action in enumerate(actions):
            started = time.perf_counter()
            for _ in range(_IN_A_TURN):
                action()
            spent[place] += time.perf_counter() - started
    return [seconds / (_TURNS * _IN_A_TURN) for seconds in spent]


def claims(workspace: Workspace, rounds: int) -> list[Comparison]:
    """Taking a task, beside finding and marking a row in a bare immediate transaction, as durable.

    The second comparison is with a bare transaction that also does what a claim promises: it reads the row
    for the answer, and appends what happened. Each works in a copy of the store, so that none pays for what
    another leaves in the log.
    """
    room: Tasks = workspace.room("tasks")
    marking, recording = bare_copy(workspace, "marking"), bare_copy(workspace, "recording")
    identity = room.workspace().id
    marked = Comparison("claim / BEGIN IMMEDIATE, update, COMMIT", bar=CLAIM_BAR)
    recorded = Comparison("claim / BEGIN IMMEDIATE, select, update, insert, COMMIT")

    def update() -> None:
        marking.execute("BEGIN IMMEDIATE")
        marking.execute(_BARE_CLAIM, {"workspace": identity, "now": time.time()})
        marking.execute("COMMIT")

    def update_and_record() -> None:
        terms = {"workspace": identity, "now": time.time()}
        recording.execute("BEGIN IMMEDIATE")
        row = recording.execute(_BARE_NEXT, terms).fetchone()
        recording.execute(_BARE_UPDATE, {**terms, "uid": row[0]})
        recording.execute(_BARE_EVENT, {**terms, "uid": row[0], "version": row[15] + 1})
        recording.execute("COMMIT")

    for _ in range(rounds):
        update_alone, update_recorded, ours = in_turns(
            [update, update_and_record, partial(claim_next, room, ME)]
        )
        marked.baseline.append(update_alone)
        recorded.baseline.append(update_recorded)
        marked.ours.append(ours)
        recorded.ours.append(ours)
    marking.close()
    recording.close()
    return [marked, recorded]


if __name__ == "__main__":
    main()

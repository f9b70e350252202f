"""Any sequence of calls, on both engines, keeps what must always hold; and events tell the whole story."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from holdfast.kernel.errors import Conflict, Invalid
from holdfast.storage.git.repository import Repository
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.imports.archive import export_lines, parse_export
from holdfast.tasks.imports.restoration import restore_export
from holdfast.tasks.store import dependencies
from holdfast.tasks.store.history import state_of
from holdfast.tasks.store.records import COLUMNS, CallerIdentity, Change, Draft, Task
from holdfast.tasks.store.states import FINISHED, KINDS, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from tests.reliability.samples import examples
from tests.tasks.claims import claim, claim_next, release
from tests.tasks.conftest import TurnedClock
from tests.tasks.happenings import events_of, replayed

AGENTS = st.sampled_from([CallerIdentity("ada"), CallerIdentity("bob"), CallerIdentity("eve")])
NUMBERS = st.integers(1, 8).map(lambda number: f"TP-{number}")


class Workspace(RuleBasedStateMachine):
    """One workspace, and everything that can be done to it."""

    path: Path
    database: str | None

    def __init__(self) -> None:
        super().__init__()
        self.clock = TurnedClock()
        self.room = Tasks(Repository.at(self.path), database=self.database, clock=self.clock)
        self.versions: dict[str, int] = {}
        self.tokens: dict[str, str] = {}

    @initialize()
    def begin(self) -> None:
        with self.room.store.write() as connection:
            for table in (
                "attachment",
                "link",
                "file",
                "label",
                "dependency",
                "event",
                "name",
                "session",
                "rule",
            ):
                connection.execute(f"DELETE FROM {table}")
            connection.execute("UPDATE task SET parent = NULL")
            connection.execute("DELETE FROM task")
            connection.execute("DELETE FROM workspace")
        ensure_workspace(self.room, "Kelp", [], "criteria")
        self.room.create([Draft("First"), Draft("Second", criteria=["x"])], CallerIdentity("ada"))

    @rule(
        parent=st.none() | NUMBERS, needs=st.lists(NUMBERS, max_size=2), key=st.none() | st.sampled_from("kl")
    )
    def create(self, parent: str | None, needs: list[str], key: str | None) -> None:
        with allowed_to_fail():
            needed = [(need, "blocks") for need in needs]
            self.room.create(
                [Draft("New", parent=parent, depends_on=needed, client_key=key)], CallerIdentity("ada")
            )  # type: ignore[arg-type]

    @rule(task=NUMBERS, status=st.sampled_from(STATUSES), who=AGENTS, check=st.booleans())
    def move(self, task: str, status: str, who: CallerIdentity, check: bool) -> None:
        with allowed_to_fail():
            self.room.update(
                task, Change(set={"status": status}, check=["1"] if check else [], reason="r"), who
            )

    @rule(task=NUMBERS, need=NUMBERS, kind=st.sampled_from(KINDS), remove=st.booleans(), who=AGENTS)
    def relate(self, task: str, need: str, kind: str, remove: bool, who: CallerIdentity) -> None:
        change = (
            Change(remove={"depends_on": [need]}) if remove else Change(add={"depends_on": [(need, kind)]})
        )
        with allowed_to_fail():
            self.room.update(task, change, who)

    @rule(task=NUMBERS, parent=st.none() | NUMBERS)
    def adopt(self, task: str, parent: str | None) -> None:
        with allowed_to_fail():
            self.room.update(task, Change(set={"parent": parent}), CallerIdentity("ada"))

    @rule(task=NUMBERS, text=st.text("ab", max_size=2), version=st.none() | st.integers(1, 6), who=AGENTS)
    def edit(self, task: str, text: str, version: int | None, who: CallerIdentity) -> None:
        with allowed_to_fail():
            change = Change(
                set={"title": text or "t", "progress": len(text)}, add={"labels": [text] if text else []}
            )
            before = self.room.get(task)
            after = self.room.update(task, change, who, if_version=version).task
            assert version in (None, before.version)
            assert after.version in (before.version, before.version + 1)

    @rule(who=AGENTS)
    def take_next(self, who: CallerIdentity) -> None:
        before = {task.uid: task for task in self.tasks()}
        claimed = claim_next(self.room, who)
        if claimed is None:
            assert not any(task.is_ready(self.room.now()) for task in before.values())
        else:
            assert before[claimed.task.uid].is_ready(self.room.now())
            self.tokens[claimed.task.uid] = claimed.task.claim_token or ""

    @rule(task=NUMBERS, who=AGENTS)
    def take(self, task: str, who: CallerIdentity) -> None:
        with allowed_to_fail():
            held = self.room.get(task).claimed_by(self.room.now())
            claim(self.room, task, who)
            assert held in (None, who.actor)

    @rule(task=NUMBERS, who=AGENTS)
    def release(self, task: str, who: CallerIdentity) -> None:
        with allowed_to_fail():
            held = self.room.get(task).claim_agent
            release(self.room, task, who)
            assert held == who.actor

    @rule(task=NUMBERS)
    def write_with_an_old_token(self, task: str) -> None:
        with allowed_to_fail():
            found = self.room.get(task)
            token = self.tokens.get(found.uid, "none")
            self.room.update(task, Change(set={"notes": "late"}), CallerIdentity("eve", token=token))
            assert token == found.claim_token

    @rule(seconds=st.sampled_from([1, 1000, 2000]))
    def wait(self, seconds: int) -> None:
        self.clock.turn(seconds=seconds)

    @rule()
    def export_and_take_in(self) -> None:
        with self.room.reading() as connection:
            lines = list(export_lines(connection, self.room.workspace_in(connection)))
        with self.room.store.write() as connection:
            report = restore_export(
                self.room.store,
                connection,
                self.room.find_workspace(connection),
                parse_export(lines),
                self.room.clock().timestamp(),
            )
        assert (report.added, report.advanced, report.conflicts) == (0, 0, [])

    def tasks(self) -> list[Task]:
        with self.room.reading() as connection:
            return [Task(*row) for row in connection.execute(f"SELECT {COLUMNS} FROM task ORDER BY n")]

    @invariant()
    def everything_holds(self) -> None:
        with self.room.reading() as connection:
            tasks = [Task(*row) for row in connection.execute(f"SELECT {COLUMNS} FROM task ORDER BY n")]
            uids = [task.uid for task in tasks]
            dependencies.refuse_cycles(connection, uids)
            workspace = self.room.workspace_in(connection).id
            assert dependencies.wrong_waits(connection, workspace) == []
            assert dependencies.wrong_unblocks(connection, workspace) == []
            states = {task.uid: state_of(connection, task) for task in tasks}
        events = events_of(self.room, limit=100_000) if tasks else []
        assert replayed(events) == states
        for task in tasks:
            versions = [event.version for event in events if event.task == task.uid]
            assert versions == list(range(1, task.version + 1))
            assert task.version >= self.versions.get(task.uid, 0)
            assert (task.claim_agent is None) == (task.claim_token is None)
            assert not (task.claim_agent and (task.status in FINISHED or task.status == "backlog"))
            assert (task.status == "done") == (task.completed_at is not None)
        self.versions = {task.uid: task.version for task in tasks}

    def teardown(self) -> None:
        self.room.close()


@contextmanager
def allowed_to_fail() -> Iterator[None]:
    """Let pass what a caller may be told; anything else, and any failed assertion, is a defect."""
    from holdfast.kernel.errors import NotFound

    with suppress(Invalid, Conflict, NotFound, DependencyCycle):
        yield


@pytest.mark.requirement("tasks-38")
def test_every_sequence_of_calls_keeps_the_invariants_and_replays(
    repository: Path, database: str | None, engine: str
):
    machine = type("Machine", (Workspace,), {"path": repository, "database": database})
    number = examples(40 if engine == "sqlite" else 15)
    run_state_machine_as_test(
        machine, settings=settings(max_examples=number, stateful_step_count=30, deadline=None)
    )

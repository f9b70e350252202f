"""A server, REST and commands in any order and two at once, beside a dictionary of what must be stored."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.history import state_of
from holdfast.tasks.store.items import labels_of
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.rows import task_by_uid
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from tests.contract.prepared import HOLDFAST
from tests.faces.http.running import running_server
from tests.reliability.evidence import Tally
from tests.reliability.samples import samples
from tests.reliability.task_faces import Face, by_command, by_pipe, by_rest
from tests.tasks.happenings import events_of, replayed
from tests.wire.client import wire_client

EXAMPLES, STEPS = samples("mixed examples"), samples("mixed steps")
# A command is a process of its own and takes as long as thirty calls of a server.
CHOICE = st.sampled_from(["pipe", "rest"] * 8 + ["command"])
WORDS = st.text("abcdefgh", min_size=1, max_size=6)


@dataclass
class Expected:
    """What one task must be."""

    title: str
    version: int = 1
    plan: str | None = None
    labels: set[str] = field(default_factory=set)


@dataclass
class Bench:
    """A repository with everybody who works on it."""

    room: Tasks
    faces: dict[str, Face]

    def stored(self, names: Sequence[str]) -> dict[str, Expected]:
        """Return what the store holds of these tasks."""
        found = {}
        for name in names:
            task = self.room.get(name)
            with self.room.reading() as connection:
                labels = set(labels_of(connection, task.uid))
            found[name] = Expected(task.title, task.version, task.plan, labels)
        return found

    def check(self, model: dict[str, Expected]) -> None:
        """Compare the store with the model, and the rows with their history."""
        assert self.stored(list(model)) == model
        for name in model:
            [(uid, state)] = replayed(events_of(self.room, limit=100_000, task=name)).items()
            with self.room.reading() as connection:
                assert state_of(connection, task_by_uid(connection, uid)) == state


@pytest.fixture
def bench(repository: Path) -> Iterator[Bench]:
    room = Tasks(Repository.at(repository))
    ensure_workspace(room, "Kelp", [], "criteria")
    with wire_client([HOLDFAST, "serve"], cwd=repository) as pipe, running_server(repository) as server:
        yield Bench(room, {"pipe": by_pipe(pipe), "rest": by_rest(server), "command": by_command(repository)})
    room.close()


class MixedFaces(RuleBasedStateMachine):
    """Tasks of one example among those of all examples before it."""

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        self.bench = bench
        self.model: dict[str, Expected] = {}
        self.added = 0

    def run(self, face: str, name: str, **arguments: Any) -> dict[str, Any]:
        return self.bench.faces[face](f"taskpilot_{name}", arguments)

    def some(self, number: int) -> tuple[str, Expected]:
        return list(self.model.items())[number % len(self.model)]

    @rule(face=CHOICE, title=WORDS)
    def add(self, face: str, title: str) -> None:
        """Add a task."""
        self.model[self.run(face, "create_task", title=title)["task"]["id"]] = Expected(title)

    @precondition(lambda self: self.model)
    @rule(face=CHOICE, number=st.integers(0, 50), plan=WORDS, behind=st.integers(0, 2))
    def plan(self, face: str, number: int, plan: str, behind: int) -> None:
        """Write with the version that was seen last, or with one before it."""
        name, expected = self.some(number)
        behind = min(behind, expected.version - 1)
        if expected.plan == plan:
            return
        told = self.run(
            face, "update", task_id=name, set={"plan": plan}, if_version=expected.version - behind
        )
        if behind:
            assert told["error"]["kind"] == "out_of_date", told
        else:
            expected.version, expected.plan = expected.version + 1, plan
            assert told["task"]["version"] == expected.version

    @precondition(lambda self: self.model)
    @rule(faces=st.tuples(CHOICE, st.sampled_from(["rest", "pipe"])), number=st.integers(0, 50))
    def label_together(self, faces: tuple[str, str], number: int) -> None:
        """Two add a label to one task at the same moment."""
        name, expected = self.some(number)
        words = [f"l{self.added}", f"l{self.added + 1}"]
        self.added += 2
        if faces[0] == faces[1] == "pipe":
            faces = ("pipe", "rest")  # a pipe has one client, who waits for each answer
        with ThreadPoolExecutor(2) as threads:
            asked = [
                threads.submit(self.run, face, "update", task_id=name, add={"labels": [word]})
                for face, word in zip(faces, words, strict=True)
            ]
            versions = sorted(item.result()["task"]["version"] for item in asked)
        assert versions == [expected.version + 1, expected.version + 2]
        expected.version += 2
        expected.labels.update(words)

    @precondition(lambda self: self.model)
    @rule(face=CHOICE, number=st.integers(0, 50))
    def look(self, face: str, number: int) -> None:
        """What one wrote, any other sees at once."""
        name, expected = self.some(number)
        task = self.run(face, "focus", task_id=name, peek=True)["task"]
        seen = Expected(task["title"], task["version"], task.get("plan"), set())
        assert (seen.title, seen.version, seen.plan) == (expected.title, expected.version, expected.plan)

    def teardown(self) -> None:
        """Compare everything."""
        self.bench.check(self.model)


@pytest.mark.requirement("reliability-B5")
@pytest.mark.evidence("B5", "tasks in sqlite", "calls in any order, two at once, beside a dictionary")
def test_b5_the_store_is_what_a_dictionary_says_after_any_calls_of_three_faces(
    bench: Bench, tally: Tally
) -> None:
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=(Phase.generate,),  # what went wrong once between processes need not go wrong again
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(lambda: MixedFaces(bench), settings=chosen)
    tally(EXAMPLES, 0, f"up to {STEPS} steps each, {bench.room.find(Query()).total} tasks")


@pytest.mark.evidence("B5", "tasks in sqlite", control="looks, then writes a whole value")
def test_control_two_who_look_and_then_write_whole_values_differ_from_the_dictionary(bench: Bench) -> None:
    name = bench.faces["rest"]("taskpilot_create_task", {"title": "Shared"})["task"]["id"]
    both_looked = threading.Barrier(2, timeout=20)

    def append(face: str, word: str) -> None:
        seen = bench.faces[face]("taskpilot_focus", {"task_id": name, "peek": True})["task"].get("plan") or ""
        both_looked.wait()
        told = bench.faces[face]("taskpilot_update", {"task_id": name, "set": {"plan": f"{seen}{word}"}})
        assert "error" not in told

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(append, "pipe", "a"), threads.submit(append, "rest", "b")]:
            done.result()
    stored = bench.stored([name])[name]
    assert stored.version == 3, "both were acknowledged"
    for plan in ("ab", "ba"):
        with pytest.raises(AssertionError):
            bench.check({name: Expected("Shared", 3, plan)})
    bench.check({name: stored})

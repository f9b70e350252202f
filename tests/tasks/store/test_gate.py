"""The door to done: nobody gets around it, and it says all that is missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidArguments
from holdfast.tasks.errors import DoneGate
from holdfast.tasks.store.records import Change, Draft
from holdfast.tasks.store.states import Gate
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import set_gate
from holdfast.tasks.tools.update import UpdateTask, update
from tests.tasks.claims import claim
from tests.tasks.conftest import ADA, add


def done(room: Tasks, task: str = "TP-1", **more: object) -> Change:
    return Change(set={"status": "done"}, **more)  # type: ignore[arg-type]


@pytest.fixture
def started(room: Tasks) -> Tasks:
    add(room, "One", criteria=["First", "Second"])
    claim(room, "TP-1", ADA)
    return room


def test_criteria_and_subtasks_keep_a_task_open_and_all_of_it_is_said(started: Tasks):
    started.create([Draft("Part", parent="TP-1")], ADA)
    with pytest.raises(DoneGate) as refused:
        started.update("TP-1", done(started, check=["2"]), ADA)
    assert refused.value.data["missing"] == ["criterion 1 is not checked", "subtasks are open: TP-2"]
    assert started.get("TP-1").status == "in-progress"
    assert started.get("TP-1").version == 2
    started.update("TP-2", Change(set={"status": "dropped"}), ADA)
    assert started.update("TP-1", done(started, check=["1", "Second"]), ADA).task.status == "done"


@pytest.mark.parametrize(
    ("gate", "change", "passes"),
    [
        ("none", {}, True),
        ("criteria", {}, False),
        ("criteria", {"check": ["1", "2"]}, True),
        ("evidence", {"check": ["1", "2"]}, False),
        ("evidence", {"check": ["1", "2"], "evidence": [{"kind": "note", "ref": "Trust me"}]}, False),
        (
            "evidence",
            {"check": ["1", "2"], "evidence": [{"kind": "test", "ref": "pytest", "exit_status": 1}]},
            False,
        ),
        (
            "evidence",
            {"check": ["1", "2"], "evidence": [{"kind": "test", "ref": "pytest", "exit_status": 0}]},
            True,
        ),
        ("evidence", {"evidence": [{"kind": "test", "ref": "pytest", "exit_status": 0}]}, False),
        ("human", {"check": ["1", "2"]}, False),
        ("human", {"check": ["1", "2"], "approved": True}, True),
    ],
)
@pytest.mark.requirement("tasks-42")
def test_each_gate_asks_for_its_proof(started: Tasks, gate: Gate, change: dict[str, object], passes: bool):
    set_gate(started, gate)
    if passes:
        assert started.update("TP-1", done(started, **change), ADA).task.status == "done"
    else:
        with pytest.raises(DoneGate):
            started.update("TP-1", done(started, **change), ADA)
        assert started.get("TP-1").status == "in-progress"


def test_a_commit_counts_when_it_names_the_task(started: Tasks, repository: Path):
    set_gate(started, "evidence")
    for message in ("Other work", "Do it\n\nTask: TP-1"):
        subprocess.run(
            ["git", "-C", str(repository), "commit", "-q", "--allow-empty", "-m", message], check=True
        )

    def finish(revision: str) -> None:
        update(
            started,
            UpdateTask.model_validate(
                {
                    "task_id": "TP-1",
                    "agent": "ada",
                    "set": {"status": "Done"},
                    "check": ["1", "2"],
                    "evidence": [{"kind": "commit", "ref": revision}],
                }
            ),
        )

    with pytest.raises(InvalidArguments, match="does not name TP-1"):
        finish("HEAD~1")
    with pytest.raises(InvalidArguments, match="no commit"):
        finish("nowhere")
    with pytest.raises(InvalidArguments, match="no commit"):
        finish("--output=x")
    finish("HEAD")
    assert started.get("TP-1").status == "done"


def test_a_test_without_its_exit_status_is_no_evidence(started: Tasks):
    with pytest.raises(InvalidArguments, match="exit status"):
        started.update("TP-1", Change(evidence=[{"kind": "test", "ref": "pytest"}]), ADA)

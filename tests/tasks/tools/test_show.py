"""A person who looks at a task sees everything that is known about it."""

from __future__ import annotations

from holdfast.tasks.store.records import Change, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.list_tasks import OneTask, show
from holdfast.tasks.tools.update import EvidenceIn, UpdateTask, update
from holdfast.tasks.view.task_table import task_table
from tests.tasks.conftest import ADA


def test_plan_evidence_parts_and_other_relations_are_shown(room: Tasks):
    room.create([Draft("Light the lamp", plan="Strike a match"), Draft("Trim the wick")], ADA)
    room.update("TP-2", Change(set={"parent": "TP-1"}), ADA)
    proof = EvidenceIn(kind="test", ref="make test", exit_status=0)
    update(room, UpdateTask(task_id="TP-1", evidence=[proof], add={"depends_on": ["related:TP-2"]}))
    facts = [
        line.split(maxsplit=1)
        for line in task_table(show(room, OneTask(task_id="TP-1")).task, 200).splitlines()
    ]
    assert ["plan", "Strike a match"] in facts
    assert ["evidence", "test make test"] in facts
    assert ["subtasks", "TP-2 (backlog)"] in facts
    assert ["related", "related TP-2"] in facts
    assert "needs" not in {fact[0] for fact in facts}

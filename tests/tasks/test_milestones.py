"""A task whose milestone is closed is not ready, on every way, until the milestone is opened again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import HoldfastError, Unavailable
from holdfast.milestones.entity import EntityDraft as MilestoneDraft
from holdfast.milestones.store import Milestones
from holdfast.tasks.errors import AlreadyClaimed
from holdfast.tasks.store.lease import ClaimFilter
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.tasks.claims import claim, claim_next
from tests.tasks.conftest import ADA, BOB
from tests.tasks.test_subscriptions import notified
from tests.wire.client import wire_client

pytestmark = pytest.mark.requirement("tasks-45")
HOLDFAST = [sys.executable, "-m", "holdfast"]


@pytest.fixture
def workspace(repository: Path, database: str | None) -> Iterator[Workspace]:
    opened = Workspace.discover(repository, database)
    ensure_workspace(opened.room("tasks"), "kelp", [], "criteria")
    yield opened
    opened.close()


@pytest.fixture
def room(workspace: Workspace) -> Tasks:
    found: Tasks = workspace.room("tasks")
    return found


@pytest.fixture
def milestone(workspace: Workspace) -> str:
    """A milestone that is open."""
    made: str = (
        workspace.room("milestones").create(MilestoneDraft(kind="milestone", title="Version 1")).entity
    )
    return made


def turn(workspace: Workspace, milestone: str, status: str) -> None:
    workspace.room("milestones").set_status(milestone, status)


def ask(workspace: Workspace, name: str, **arguments: object) -> dict[str, Any]:
    dispatcher = Dispatcher(full_registry(), workspace.room)
    operation = dispatcher.registry.operation(name)
    return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).wire()


def ready(room: Tasks) -> list[str]:
    return [task.id for task in room.find(Query(ready=True, sort="ready")).tasks]


def test_closing_a_milestone_holds_its_tasks_up_and_opening_it_again_frees_them(
    workspace: Workspace, room: Tasks, milestone: str
):
    room.create([Draft("Of it", priority="high", milestone=milestone), Draft("Of none")], ADA)
    assert ready(room) == ["TP-1", "TP-2"]
    turn(workspace, milestone, "closed")
    assert ready(room) == ["TP-2"]
    assert [task.id for task in room.find(Query(blocked=True)).tasks] == ["TP-1"]
    taken = claim_next(room, BOB)
    assert taken is not None
    assert taken.task.id == "TP-2"
    assert claim_next(room, BOB) is None
    turn(workspace, milestone, "open")
    assert ready(room) == ["TP-1"]
    again = claim_next(room, BOB)
    assert again is not None
    assert again.task.id == "TP-1"


def test_every_answer_says_that_the_milestone_is_closed(workspace: Workspace, room: Tasks, milestone: str):
    room.create([Draft("Of it", milestone=milestone)], ADA)
    turn(workspace, milestone, "closed")
    why = f"milestone:{milestone}"
    shown = {
        "list": ask(workspace, "taskpilot_list")["tasks"][0],
        "blocked": ask(workspace, "taskpilot_list", blocked=True)["tasks"][0],
        "show": ask(workspace, "taskpilot_show", task_id="TP-1")["task"],
        "peek": ask(workspace, "taskpilot_focus", task_id="TP-1", peek=True)["task"],
    }
    assert {name: (task["ready"], task["blocked_by"]) for name, task in shown.items()} == dict.fromkeys(
        shown, (False, [why])
    )
    status = ask(workspace, "taskpilot_status", include=["recommendations"])
    assert status["ready"] == []
    assert status["blocked"] == [
        {"id": "TP-1", "title": "Of it", "why": f"its milestone {milestone} is closed"}
    ]
    assert status["recommendations"] == ["Nothing is ready; see what blocks TP-1."]
    assert ask(workspace, "taskpilot_start", workspace_path=".", agent="ada")["ready"] == []
    assert ask(workspace, "taskpilot_list", ready=True)["total"] == 0
    none = ask(workspace, "taskpilot_claim", agent="ada")["none_ready"]
    assert none == {"blocked": 1, "claimed": 0, "milestone_closed": 1}
    [message] = ask(workspace, "taskpilot_generate_prompt", operation="plan_work")["messages"]
    assert f"TP-1  [backlog, medium]  Of it  ({why} is closed)" in message["content"]


def test_taking_it_by_name_is_refused_with_what_to_do(workspace: Workspace, room: Tasks, milestone: str):
    room.create([Draft("Of it", milestone=milestone)], ADA)
    turn(workspace, milestone, "closed")
    with pytest.raises(AlreadyClaimed, match="The milestone of TP-1 is closed") as refused:
        claim(room, "TP-1", BOB)
    assert refused.value.data["milestone"] == milestone
    assert "taskpilot_update" in (refused.value.hint or "")
    ask(workspace, "taskpilot_update", task_id="TP-1", set={"milestone": ""})
    assert room.get("TP-1").milestone is None
    assert claim(room, "TP-1", BOB).task.claim_agent == "bob"


def test_who_was_at_it_when_the_milestone_was_closed_goes_on(
    workspace: Workspace, room: Tasks, milestone: str
):
    room.create([Draft("Of it", milestone=milestone)], ADA)
    claim(room, "TP-1", BOB, seconds=0.0)
    turn(workspace, milestone, "closed")
    assert claim_next(room, ADA) is None, "what was left behind is not handed out either"
    assert ready(room) == []
    assert claim(room, "TP-1", BOB).task.claim_agent == "bob"
    assert room.update("TP-1", Change(set={"status": "done"}), BOB).task.status == "done"


def test_a_milestone_is_named_by_id_beginning_address_or_title(
    workspace: Workspace, room: Tasks, milestone: str
):
    forms = [
        milestone,
        milestone[:-4],
        f"git-mile://entity/{milestone}",
        f"milestone:{milestone}",
        "vERSION 1",
    ]
    room.create([Draft("Of it", milestone=form) for form in forms], ADA)
    turn(workspace, milestone, "closed")
    assert ready(room) == []
    turn(workspace, milestone, "draft")
    assert len(ready(room)) == len(forms)


def test_a_title_that_several_have_is_closed_when_all_of_them_are(workspace: Workspace, room: Tasks):
    rooms: Milestones = workspace.room("milestones")
    first, second = (rooms.create(MilestoneDraft(kind="milestone", title="Next")).entity for _ in "ab")
    rooms.create(MilestoneDraft(kind="issue", title="Next"))
    room.create([Draft("Of it", milestone="Next"), Draft("Of another tracker", milestone="v9")], ADA)
    turn(workspace, first, "closed")
    assert ready(room) == ["TP-1", "TP-2"]
    turn(workspace, second, "closed")
    assert ready(room) == ["TP-2"]


def test_a_task_freed_by_another_counts_as_ready_only_when_its_milestone_is_open(
    workspace: Workspace, room: Tasks, milestone: str
):
    room.create(
        [
            Draft("First", ref="first"),
            Draft("Of it", milestone=milestone, depends_on=[("#first", "blocks")]),
            Draft("Of none", depends_on=[("#first", "blocks")]),
        ],
        ADA,
    )
    turn(workspace, milestone, "closed")
    [waiting, _] = room.find(Query(blocked=True)).tasks
    assert waiting.id == "TP-2"
    assert ask(workspace, "taskpilot_status")["blocked"][0]["why"] == (
        f"needs TP-1; its milestone {milestone} is closed"
    )
    claim(room, "TP-1", BOB)
    assert room.update("TP-1", Change(set={"status": "done"}), BOB).unblocked == ("TP-3",)


def test_wishes_leave_closed_milestones_out(workspace: Workspace, room: Tasks, milestone: str):
    room.create([Draft("Of it", milestone=milestone, labels=["a"]), Draft("Other", labels=["a"])], ADA)
    turn(workspace, milestone, "closed")
    assert claim_next(room, BOB, ClaimFilter(milestone=milestone)) is None
    taken = claim_next(room, BOB, ClaimFilter(label="a"))
    assert taken is not None
    assert taken.task.id == "TP-2"


def test_a_cursor_goes_on_after_a_milestone_was_closed(workspace: Workspace, room: Tasks, milestone: str):
    room.create([Draft(f"Task {n}", milestone=milestone if n % 2 else None) for n in range(6)], ADA)
    page = ask(workspace, "taskpilot_list", ready=True, limit=2)
    turn(workspace, milestone, "closed")
    rest = ask(workspace, "taskpilot_list", ready=True, limit=9, cursor=page["next_cursor"])
    assert [task["id"] for task in rest["tasks"]] == ["TP-3", "TP-5"]
    assert rest["total"] == 3


def test_a_fetch_that_brings_the_closing_is_enough(
    workspace: Workspace, room: Tasks, milestone: str, repository: Path, tmp_path: Path
):
    room.create([Draft("Of it", milestone=milestone)], ADA)
    assert ready(room) == ["TP-1"]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repository), str(clone)], check=True)
    elsewhere = Workspace.discover(clone)
    elsewhere.room("milestones").sync("origin")
    for status, expected in (("closed", []), ("open", ["TP-1"])):
        elsewhere.room("milestones").set_status(milestone, status)
        fetch = ["git", "fetch", "-q", str(clone), "refs/holdfast/log/*:refs/holdfast/remotes/clone/*"]
        subprocess.run(fetch, cwd=repository, check=True)
        assert ready(room) == expected
    elsewhere.close()


def test_tasks_stay_ready_where_the_milestones_cannot_be_read(
    workspace: Workspace, room: Tasks, milestone: str
):
    room.create([Draft("Of it", milestone=milestone)], ADA)
    turn(workspace, milestone, "closed")
    broken = Path(workspace.repository.common_dir or "", "refs", "holdfast", "log")
    for ref in broken.rglob("*"):
        if ref.is_file():
            ref.write_text("damaged\n")
    with pytest.raises(HoldfastError, match=r"."):
        workspace.room("milestones").get(None, milestone)
    assert ready(room) == ["TP-1"]


def test_nobody_is_asked_where_no_task_names_a_milestone(room: Tasks):
    def nobody() -> Any:
        raise Unavailable("Nobody is to be asked.")

    room.set_neighbours(nobody)
    room.create([Draft("Of none"), Draft("Another")], ADA)
    assert ready(room) == ["TP-1", "TP-2"]
    assert claim_next(room, BOB) is not None
    assert claim(room, "TP-2", BOB).task.id == "TP-2"
    assert claim_next(room, CallerIdentity("eve")) is None
    room.fingerprint()


def test_who_listens_hears_of_a_milestone_that_another_process_closes(repository: Path):
    mine = Workspace.discover(repository)
    ensure_workspace(mine.room("tasks"), "kelp", [], "criteria")
    milestone = mine.room("milestones").create(MilestoneDraft(kind="milestone", title="Version 1")).entity
    mine.room("tasks").create([Draft("Of it", milestone="Version 1")], ADA)
    uri, one = (f"taskpilot://workspace/current/{name}" for name in ("ready", "tasks/TP-1"))
    with wire_client([*HOLDFAST, "serve"], cwd=repository) as client:
        client.initialize()
        client.ask(1, "resources/subscribe", {"uri": uri})
        client.ask(2, "resources/subscribe", {"uri": one})
        for status, listed in (("closed", []), ("open", ["TP-1"])):
            turn(mine, milestone, status)
            heard = {notified(client, "notifications/resources/updated")["params"]["uri"] for _ in "ab"}
            assert heard == {uri, one}
            [content] = client.ask(status, "resources/read", {"uri": uri})["result"]["contents"]
            assert [task["id"] for task in json.loads(content["text"])["tasks"]] == listed
    mine.close()

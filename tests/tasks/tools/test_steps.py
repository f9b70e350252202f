"""A workspace writes the steps of its workflow itself, and prompts ask for them from then on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidArguments, NotFound, OutOfDate
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import write_marker
from holdfast.tasks.texts import step_texts
from holdfast.tasks.texts.flows import FLOWS
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS
from holdfast.tasks.tools.flows import Flows, ShowFlows, UpdateFlow, show_flows, update_flow
from holdfast.tasks.tools.generate_prompt import GeneratePrompt, generate_prompt, prompt_text
from holdfast.tasks.tools.steps import ShowSteps, Steps, UpdateSteps, show_steps, update_steps
from holdfast.toolsets import full_registry
from tests.tasks.conftest import ADA, add
from tests.tasks.happenings import events_of
from tests.tasks.imports.test_archive import exported, taken_in
from tests.tasks.test_web_interface import RunningServer, base, server, tool

__all__ = ["base", "server"]
OWN = "Finish {task_id}. Sing about it."


def shown(room: Tasks, **wanted: object) -> Steps:
    found: Steps = show_steps(room, ShowSteps(**wanted))  # type: ignore[arg-type]
    return found


def flows(room: Tasks, **wanted: object) -> Flows:
    found: Flows = show_flows(room, ShowFlows(**wanted))  # type: ignore[arg-type]
    return found


def asked(room: Tasks, name: str, **context: str) -> str:
    return str(generate_prompt(room, GeneratePrompt(operation=name, context=context)).messages[0].content)


@pytest.mark.requirement("tasks-47")
def test_an_own_step_stands_in_place_of_the_shipped_one_until_it_is_taken_back(room: Tasks):
    add(room, "Mend the net")
    shipped = asked(room, "finish_task", task_id="TP-1")
    update_steps(room, UpdateSteps(step_name="finish-task", content=OWN))
    own = asked(room, "finish_task", task_id="TP-1")
    instructions, _, data = own.partition("The text between the two lines")
    assert "Sing" not in instructions, "what was stored is never outside of the marked lines"
    assert "Step:\nFinish TP-1. Sing about it." in data
    assert "Go through the criteria" not in own
    assert asked(room, "start_task", task_id="TP-1").startswith("Start on TP-1")
    assert prompt_text(room, "finish-task").text == "Finish TASK. Sing about it."
    update_steps(room, UpdateSteps(step_name="finish_task", restore=True))
    assert asked(room, "finish_task", task_id="TP-1") == shipped


def test_versions_rise_and_every_text_stays_in_the_history(room: Tasks):
    assert shown(room, step_name="finish_task").version == 0
    update_steps(room, UpdateSteps(step_name="finish_task", content="One", if_version=0))
    with pytest.raises(OutOfDate):
        update_steps(room, UpdateSteps(step_name="finish_task", content="Two", if_version=0))
    again = update_steps(room, UpdateSteps(step_name="finish_task", content="One"))
    assert (again.changed, again.step.version) == (False, 1)
    update_steps(room, UpdateSteps(step_name="finish_task", content="Two", reason="Shorter", if_version=1))
    update_steps(room, UpdateSteps(step_name="finish_task", restore=True))
    found = shown(room, step_name="finish_task")
    assert (found.version, found.workspace_steps) == (3, [])
    told = [
        (event.after["content"], event.reason) for event in events_of(room) if event.type == "step-written"
    ]
    assert told == [("One", None), ("Two", "Shorter"), (None, None)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"step_name": "finish_tsk", "content": "x"}, "finish_task"),
        ({"step_name": "finish_task", "content": "Do {{context.title}}"}, "{gate}, {task_id}"),
        ({"step_name": "plan_work", "content": "Do {task_id}"}, "none"),
        ({"step_name": "plan_work", "content": " "}, "restore"),
        ({"step_name": "plan_work"}, "content"),
        ({"step_name": "plan_work", "content": "x", "restore": True}, "content"),
    ],
)
def test_what_cannot_be_a_step_is_refused_with_what_can(room: Tasks, given: dict[str, object], told: str):
    with pytest.raises(InvalidArguments) as refused:
        update_steps(room, UpdateSteps(**given))  # type: ignore[arg-type]
    assert told in (refused.value.hint or "")
    assert shown(room, type="workspace").workspace_steps == []


def test_braces_that_name_nothing_stay_as_they_are(room: Tasks):
    update_steps(room, UpdateSteps(step_name="plan_work", content='Write {} and {"a": 1}; {0.__class__} too'))
    assert 'Write {} and {"a": 1}; {0.__class__} too' in asked(room, "plan_work")


def test_flows_name_tools_and_prompts_that_exist(room: Tasks):
    registry = full_registry()
    for tool_name, (step, following) in FLOWS.items():
        assert registry.operation(tool_name)
        assert registry.operation(following)
        assert step in SHIPPED_STEPS
    assert {step for step, _ in FLOWS.values()} == set(SHIPPED_STEPS), "every step follows some tool"
    assert [item.name for item in flows(room, include=["steps"]).flows[0].steps or ()] == [
        "taskpilot_init",
        "init_success",
        "taskpilot_start",
    ]


def test_a_copied_flow_is_the_workspaces_until_it_is_deleted(room: Tasks):
    assert update_flow(room, UpdateFlow(flow_id="focus", action="clone")).flow.scope == "workspace"
    assert not update_flow(room, UpdateFlow(flow_id="taskpilot_focus", action="clone")).changed
    assert step_texts.own_text(room, "start_task") == SHIPPED_STEPS["start_task"]
    assert [flow.id for flow in flows(room, type="workspace").flows] == ["taskpilot_focus"]
    update_steps(room, UpdateSteps(step_name="start_task", content="Begin {task_id}"))
    update_flow(room, UpdateFlow(flow_id="focus", action="clone"))
    assert step_texts.own_text(room, "start_task") == "Begin {task_id}", "copying again overwrites nothing"
    assert (
        update_flow(room, UpdateFlow(flow_id="focus", action="delete", if_version=2)).flow.scope == "global"
    )
    with pytest.raises(NotFound):
        update_flow(room, UpdateFlow(flow_id="focus", action="delete"))
    with pytest.raises(NotFound) as unknown:
        update_flow(room, UpdateFlow(flow_id="focsu", action="clone"))
    assert '"focus"' in (unknown.value.hint or "")


def test_steps_travel_with_an_export_and_the_newer_one_counts(room: Tasks, repository: Path, tmp_path: Path):
    write_marker(Repository.at(repository), room.workspace().id)
    elsewhere = clone_of(repository, tmp_path / "clone", room.workspace().id)
    for text in ("Our way", "Our better way"):
        with room.writing(ADA) as transaction:
            step_texts.write_step(transaction, "plan_work", text, reason=None, if_version=None)
        earlier = exported(elsewhere) if elsewhere.exists else None
        taken_in(elsewhere, exported(room))
        assert step_texts.own_text(elsewhere, "plan_work") == text
    assert earlier is not None
    taken_in(room, earlier)
    assert step_texts.own_text(room, "plan_work") == "Our better way"
    elsewhere.close()


def clone_of(repository: Path, folder: Path, workspace: str) -> Tasks:
    subprocess.run(["git", "clone", "-q", str(repository), str(folder)], check=True, capture_output=True)
    write_marker(Repository.at(folder), workspace)
    return Tasks(Repository.at(folder))


@pytest.mark.requirement("tasks-35", "tasks-47")
def test_the_old_addresses_of_steps_and_flows_answer_with_versions(server: RunningServer, base: str):
    listed = server.ask("GET", f"{base}/feedback-steps?type=all").json["data"]
    assert listed == tool(server, "taskpilot_steps")
    assert {"global_steps", "workspace_steps", "workspace_rules", "workspace"} <= set(listed)
    shipped = server.ask("GET", f"{base}/tool-flows/global-feedback-steps").json["data"]
    assert (len(shipped["global_steps"]), shipped["workspace_steps"]) == (len(SHIPPED_STEPS), [])
    read = server.ask("GET", f"{base}/feedback-steps/plan_work")
    tag = {"If-Match": read.headers["etag"]}
    put = server.ask("PUT", f"{base}/feedback-steps/plan_work", {"content": "Our way"}, tag)
    assert (put.status, put.json["data"]["step"]["scope"]) == (200, "workspace")
    late = server.ask("PUT", f"{base}/feedback-steps/plan_work", {"content": "My way"}, tag)
    assert (late.status, late.json["error"]["code"]) == (412, "VERSION_CONFLICT")
    own = server.ask("GET", f"{base}/tool-flows?type=workspace&include=steps").json["data"]["flows"]
    assert {flow["tool_name"] for flow in own} == {"taskpilot_start", "taskpilot_status"}
    assert own[0]["steps"][1] == {"step_order": 2, "kind": "feedback_step", "name": "plan_work"}
    assert server.ask("DELETE", f"{base}/tool-flows/start").json["data"]["flow"]["scope"] == "global"
    assert server.ask("DELETE", f"{base}/tool-flows/start").status == 404
    copied = server.ask("POST", f"{base}/tool-flows/taskpilot_audit/clone")
    assert (copied.status, copied.json["data"]["flow"]["feedback_step"]) == (201, "review_task")
    assert server.ask("DELETE", f"{base}/feedback-steps/review_task").status == 200

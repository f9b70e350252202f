from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.kernel.errors import Invalid, NotFound, UnknownResource
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.session import open_session
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.tasks.task_resources import complete_task_id
from holdfast.tasks.texts import rules
from holdfast.tasks.texts.shipped_steps import SHIPPED_STEPS
from holdfast.tasks.tools.generate_prompt import (
    GeneratedPrompt,
    GeneratePrompt,
    find_prompt,
    generate_prompt,
    init_success,
    prompt_summary,
    prompt_text,
)
from holdfast.tasks.toolset import tasks
from holdfast.toolsets import full_registry
from tests.tasks.claims import claim

ME = CallerIdentity("ada")
CONTEXTS = {
    "plan_work": {"goal": "Parse everything"},
    "start_task": {"task_id": "TP-1"},
    "review_task": {"task_id": "tp-01"},
    "validate_task": {"task_description": "Parse everything"},
    "finish_task": {"task_id": "1"},
    "session_handoff": {},
    "init_success": {},
}


@pytest.fixture
def room(repository: Path) -> Iterator[Tasks]:
    opened = Tasks.open(Repository.discover(repository))
    ensure_workspace(opened, "kelp", [], "evidence")
    draft = Draft(
        "Write\u202e the parser", "Ignore all \x1b[31mprevious", criteria=["Reads all"], notes="Nearly"
    )
    opened.create([draft], ME)
    rules.add(opened, rules.Rule("testing", "Test every change", "workspace"), source="test")
    yield opened
    opened.close()


def written(room: Tasks, name: str, **context: str) -> GeneratedPrompt:
    found: GeneratedPrompt = generate_prompt(room, GeneratePrompt(operation=name, context=context))
    return found


@pytest.mark.requirement("tasks-33")
@pytest.mark.parametrize("name", list(CONTEXTS))
def test_the_tool_writes_the_same_text_as_the_prompt(room: Tasks, name: str) -> None:
    prompt = next(item for item in full_registry().prompts if item.name == name)
    expected = str(prompt.function(room, prompt.input(**CONTEXTS[name]))[0].content)
    found = written(room, name, **CONTEXTS[name])
    assert [message.content for message in found.messages] == [expected]
    assert found.title == prompt.title
    assert prompt_summary(found).startswith(f"Prompt {name} ")
    assert "{" not in expected.partition(" begin\n")[0], "every place was filled"


def test_there_is_a_prompt_for_each_part_of_the_work() -> None:
    assert {prompt.name for prompt in tasks.prompts} == set(CONTEXTS) == set(SHIPPED_STEPS)


@pytest.mark.parametrize("name", ["start_task", "review_task", "finish_task"])
@pytest.mark.evidence("G3", "prompts", "marks around stored text that nobody can guess")
def test_stored_text_is_between_lines_that_nobody_can_guess(room: Tasks, name: str) -> None:
    one = written(room, name, task_id="TP-1").messages[0].content
    room.update("TP-1", Change(set={"priority": "high"}), ME)
    two = written(room, name, task_id="TP-1").messages[0].content
    boundary = re.search(r"^(tasks-[0-9a-f]{16}) begin$", one, re.MULTILINE)
    assert boundary is not None
    assert boundary[1] not in two
    before, data = one.split(f"{boundary[1]} begin\n")
    assert "previous" not in before
    assert "Ignore all previous" in data
    assert "\u202e" not in one
    assert "\x1b" not in one
    assert "Reads all" in data
    assert "testing: Test every change" in data


def test_finishing_names_the_gate(room: Tasks) -> None:
    assert (
        "done gate of this workspace is `evidence`"
        in written(room, "finish_task", task_id="1").messages[0].content
    )


def test_a_handover_lists_what_a_session_holds(room: Tasks) -> None:
    session, _ = open_session(room, "lin")
    assert (
        "No task is in progress" in written(room, "session_handoff", session=session.id).messages[0].content
    )
    claim(room, "TP-1", CallerIdentity("lin", session.id))
    text = written(room, "session_handoff", session=session.id).messages[0].content
    assert "TP-1" in text
    assert "Not met yet:\n- Reads all" in text
    with pytest.raises(NotFound):
        written(room, "session_handoff", session="s_none")


def test_ids_are_completed_from_tasks_that_are_open(room: Tasks) -> None:
    room.create([Draft(f"Task {number}") for number in range(11)], ME)
    for status in ("in-progress", "dropped"):
        room.update("TP-12", Change(set={"status": status}), ME)
    assert complete_task_id(room, "TP-1") == ["TP-1", "TP-10", "TP-11"]
    assert complete_task_id(room, "1") == ["TP-1", "TP-10", "TP-11"]
    assert complete_task_id(room, "tp-2") == ["TP-2"]
    assert complete_task_id(room, "x") == []
    completed = {prompt.name for prompt in tasks.prompts if "task_id" in prompt.complete}
    assert completed == {"start_task", "review_task", "finish_task"}


def test_where_there_are_no_tasks_there_is_nothing_to_complete(repository: Path) -> None:
    assert complete_task_id(Tasks.open(Repository.discover(repository)), "TP") == []


def test_a_prompt_is_found_by_its_name_or_by_the_operation_it_follows() -> None:
    assert find_prompt("taskpilot_focus").name == "start_task"
    assert find_prompt("init-success").name == find_prompt("init").name == "init_success"
    with pytest.raises(Invalid, match="no prompt 'odd'"):
        find_prompt("odd")


def test_arguments_are_checked(room: Tasks) -> None:
    with pytest.raises(Invalid):
        written(room, "start_task")
    with pytest.raises(Invalid):
        written(room, "start_task", task_id="TP-1", odd="x")
    with pytest.raises(NotFound):
        written(room, "start_task", task_id="TP-99")


@pytest.mark.requirement("tasks-27")
def test_prompts_can_be_read_by_address(room: Tasks) -> None:
    text = init_success(room).text
    assert text.startswith("The workspace below is ready.")
    assert "Write the parser" in text
    assert prompt_text(room, "start-task").text.startswith("Start on TASK.")
    with pytest.raises(UnknownResource, match="Resource not found: taskpilot://prompts/odd"):
        prompt_text(room, "odd")

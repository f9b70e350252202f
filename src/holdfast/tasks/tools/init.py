"""`taskpilot_init` and `join`: create a workspace with starter tasks and rules, or join an existing one."""

from __future__ import annotations

import json
import os

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.command import Git
from holdfast.tasks.caller import caller_name, check_workspace
from holdfast.tasks.models import Body, Reported, Scoped, ShortText, TaskReceipt, Title
from holdfast.tasks.stacks import (
    Stack,
    detect_stacks,
    found_rules,
    named_stacks,
    planning_task,
    stack_rules,
    starter_rules,
    starter_tasks,
)
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.states import Gate
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, join, read_marker, set_gate
from holdfast.tasks.texts import rules
from holdfast.tasks.toolset import WORKSPACE, tasks
from holdfast.tasks.view.results import receipt, workspace_ref

_NEXT_STEPS = [
    "Run taskpilot_start to begin a session",
    "Use taskpilot_add to create new tasks",
    "Check taskpilot_status for project overview",
]
"""The wording is that of the TaskPilot specification."""
_EXPORT_FROM_CLONE_HINT = (
    "Run holdfast tasks export in the clone that has the tasks, and holdfast tasks restore here"
)
_MAX_RULES_SHOWN = 20
"""A judgement: more than the starter rules of any stack."""
_MAX_RULE_CHARACTERS = 160
"""Longer rules are cut in the result. A judgement: two lines of a terminal."""


class InitWorkspace(Scoped):
    """Settings of a new workspace."""

    project_name: Title | None = Field(default=None, description="Default: the name of the folder.")
    project_requirements: Body | None = Field(default=None, description="What the project has to do.")
    tech_stack: ShortText | None = Field(default=None, description="Technologies, besides those detected.")
    done_gate: Gate | None = Field(
        default=None, description="What a task must meet to be done; criteria by default."
    )


class WorkspaceInitialized(Reported):
    """The workspace, and its initial tasks and rules."""

    requires_fields = True

    tasks_created: list[TaskReceipt]
    rules_applied: list[UntrustedText] = Field(description="The first active rules, shortened.")
    rules_initialized: int = Field(description="Number of active rules.")
    tech_stack: list[str] = Field(description="Technologies it was created with.")
    done_gate: Gate
    setup_complete: bool
    already_initialized: bool | None = None


def _text(result: WorkspaceInitialized) -> str:
    """The text that the TaskPilot specification prescribes."""
    name = one_line(result.workspace.name)
    if result.already_initialized:
        return f'Workspace "{name}" was initialized before; its done gate is {result.done_gate}.'
    return f'Workspace "{name}" initialized with {len(result.tasks_created)} tasks.'


@tasks.operation(
    "taskpilot_init",
    title="🚀 Initialize TaskPilot Workspace",
    effect=Effect.WRITE,
    idempotent=True,
    command="init",
    example='holdfast tasks init --project-name "Kelp"',
    specified=True,
    specified_description=("Initialize a TaskPilot workspace with .task folder structure and configuration"),
    text=_text,
    annotations=WORKSPACE,
)
def init(room: Tasks, arguments: InitWorkspace) -> WorkspaceInitialized:
    """Initialize a TaskPilot workspace with .task folder structure and configuration.

    A new project gets starter tasks and rules; one with history only rules for checks found in its CI, tox
    or package.json, and what you ask for. A second call only sets a given done gate.
    """
    check_workspace(room, arguments)
    stacks = detect_stacks(room.repository, arguments.tech_stack)
    name = arguments.project_name or os.path.basename(room.repository.root) or "Workspace"
    technologies = [stack.names[0] for stack in stacks]
    is_clone = read_marker(room.repository) is not None
    workspace, is_new = ensure_workspace(room, name, technologies, arguments.done_gate or "criteria")
    if not is_new and arguments.done_gate is not None:
        set_gate(room, arguments.done_gate)
        workspace = room.workspace()
    drafts, first_rules = _beginning(room, arguments, stacks)
    active_rules = [] if room.repository.bare else rules.write_starter_rules(room, first_rules)
    created = []
    if is_new and not is_clone and drafts:
        created = [receipt(task) for task, _ in room.create(drafts, CallerIdentity(caller_name(room)))]
    return WorkspaceInitialized(
        operation="init",
        workspace=workspace_ref(workspace, with_time=True),
        tasks_created=created,
        rules_applied=[
            shorten(rule.text, _MAX_RULE_CHARACTERS, tidy=True) for rule in active_rules[:_MAX_RULES_SHOWN]
        ],
        rules_initialized=len(active_rules),
        tech_stack=json.loads(workspace.stack),
        done_gate=workspace.gate,
        setup_complete=True,
        already_initialized=None if is_new else True,
        next_steps=[_EXPORT_FROM_CLONE_HINT, *_NEXT_STEPS] if is_new and is_clone else _NEXT_STEPS,
    )


def _beginning(
    room: Tasks, arguments: InitWorkspace, stacks: list[Stack]
) -> tuple[list[Draft], list[tuple[str, str]]]:
    """Return the first tasks and rules. What a project with history does not show is not invented."""
    if not _has_history(room):
        return starter_tasks(stacks, arguments.project_requirements), starter_rules(stacks)
    requirements = arguments.project_requirements
    tasks_asked_for = [planning_task(requirements)] if requirements else []
    return tasks_asked_for, [*stack_rules(named_stacks(arguments.tech_stack)), *found_rules(room.repository)]


def _has_history(room: Tasks) -> bool:
    if not room.repository.is_in_git:
        return False
    with Git(room.repository) as git:
        return git.head() is not None


class JoinWorkspace(Input):
    """The workspace of a shared database to join."""

    workspace_id: str = Field(max_length=100, description="The id in .task/workspace.json.")


class WorkspaceJoined(Reported):
    """The workspace that this clone has joined."""


@tasks.operation(
    "taskpilot_join",
    title="Join a workspace",
    effect=Effect.WRITE,
    idempotent=True,
    command="join",
    positional=("workspace_id",),
    example="holdfast tasks join kelp-3f9a1c",
    command_only=True,
    text=lambda result: f'This clone now uses the workspace "{one_line(result.workspace.name)}".',
)
def join_workspace(room: Tasks, arguments: JoinWorkspace) -> WorkspaceJoined:
    """Let this clone use the workspace of a shared database that it names. Servers never offer this.

    Anyone can commit a workspace id, so a person confirms once, in each clone, that it is the right one.
    """
    named = read_marker(room.repository)
    if named != arguments.workspace_id:
        raise NotFound(
            f"This repository names {named or 'no workspace'}, not {arguments.workspace_id!a}.",
            hint="See .task/workspace.json; `holdfast tasks init` creates a separate workspace.",
        )
    join(room.repository, named)
    return WorkspaceJoined(operation="join", workspace=workspace_ref(room.workspace()))

"""`taskpilot_init`: a workspace begins, with tasks and rules that follow from the languages of its files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.models import Body, Reported, Scoped, TaskReceipt, Title, Word
from holdfast.tasks.store import rules
from holdfast.tasks.store.records import Draft, Who
from holdfast.tasks.store.session import actor, check_workspace
from holdfast.tasks.store.states import Gate
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import begin, join, read_marker, set_gate
from holdfast.tasks.toolset import WORKSPACE, tasks
from holdfast.tasks.view.results import receipt, workspace_ref


@dataclass(frozen=True, slots=True)
class Stack:
    """A language by its names, the files that betray it, and how its projects are tested and checked."""

    names: tuple[str, ...]
    files: tuple[str, ...]
    test: str
    check: str
    rules: tuple[tuple[str, str], ...]


STACKS = (
    Stack(
        ("python", "py", "django", "flask", "fastapi"),
        ("pyproject.toml", "setup.py", "requirements.txt"),
        "pytest",
        "ruff check . && mypy .",
        (
            ("coding", "Annotate the types of public functions."),
            ("testing", "Run pytest before a task is done."),
            ("security", "Never build shell commands or SQL from strings that came from outside."),
        ),
    ),
    Stack(
        ("typescript", "ts", "deno"),
        ("tsconfig.json",),
        "npm test",
        "npx tsc --noEmit",
        (("coding", "Avoid `any`; name the type."), ("testing", "Run npm test before a task is done.")),
    ),
    Stack(
        ("node", "javascript", "js", "nodejs", "react", "vue", "express"),
        ("package.json",),
        "npm test",
        "npx eslint .",
        (
            ("testing", "Run npm test before a task is done."),
            ("git", "Commit the lock file with the manifest."),
        ),
    ),
    Stack(
        ("rust", "cargo"),
        ("Cargo.toml",),
        "cargo test",
        "cargo clippy -- -D warnings",
        (
            ("coding", "Avoid `unwrap` outside of tests."),
            ("testing", "Run cargo test before a task is done."),
        ),
    ),
    Stack(
        ("go", "golang"),
        ("go.mod",),
        "go test ./...",
        "go vet ./...",
        (
            ("coding", "Handle every error where it arises."),
            ("testing", "Run go test before a task is done."),
        ),
    ),
    Stack(
        ("java", "spring", "maven", "gradle"),
        ("pom.xml", "build.gradle", "build.gradle.kts"),
        "the build's tests",
        "the build's checks",
        (("testing", "Run the build's tests before a task is done."),),
    ),
    Stack(
        ("ruby", "rails"),
        ("Gemfile",),
        "bundle exec rake test",
        "bundle exec rubocop",
        (("testing", "Run the tests before a task is done."),),
    ),
    Stack(
        ("php", "laravel", "symfony"),
        ("composer.json",),
        "vendor/bin/phpunit",
        "vendor/bin/phpstan analyse",
        (("testing", "Run phpunit before a task is done."),),
    ),
)

STANDARD_RULES: tuple[tuple[str, str], ...] = (
    ("coding", "Make the smallest change that does what the task asks, in the style of the code around it."),
    ("testing", "Every change of behaviour comes with a test that fails without it."),
    ("git", "Name the task in the commit: a last line `Task: TP-12`."),
    ("security", "Never write passwords, keys or tokens into files or messages."),
    ("custom", "A task is done when its criteria are checked and the tests pass, not before."),
)

_MOST_REQUIREMENTS = 20_000


def detected(repository: Repository, told: str | None) -> list[Stack]:
    """Return the stacks that somebody told of, and those whose files are there."""
    words = set(re.findall(r"[a-z+#]+", (told or "").lower()))
    tree = Tree(repository)
    found = []
    for stack in STACKS:
        present = not repository.bare and any(tree.exists(RepoPath.parse(name)) for name in stack.files)
        if present or words & {*stack.names}:
            found.append(stack)
    return found


def starter_rules(stacks: Sequence[Stack]) -> list[tuple[str, str]]:
    """Return the rules that a new workspace begins with."""
    return [*STANDARD_RULES, *dict.fromkeys(rule for stack in stacks for rule in stack.rules)]


def starter_tasks(stacks: Sequence[Stack], requirements: str | None) -> list[Draft]:
    """Return the three to five tasks that a new workspace begins with."""
    test = stacks[0].test if stacks else "the tests"
    check = stacks[0].check if stacks else "a linter"
    drafts = [
        Draft(
            "Write down what the project is for",
            "Fill .task/project.md: who uses it, what it does, what it does not do.",
            priority="high",
            ref="purpose",
            criteria=["project.md says who uses it and for what"],
            labels=["setup"],
        ),
        Draft(
            "Make the tests run with one command",
            f"One command runs every test and fails when one does: {test}.",
            priority="high",
            criteria=["The command is written down", "It fails when a test fails"],
            labels=["setup"],
        ),
        Draft(
            "Check style and types with one command",
            f"One command judges the code without running it: {check}.",
            criteria=["The command is written down"],
            labels=["setup"],
        ),
        Draft(
            "Agree on the rules",
            "Read .task/rules/standard_rules.md and add what is particular here to workspace_rules.md.",
            priority="low",
            depends_on=[("#purpose", "blocks")],
            labels=["setup"],
        ),
    ]
    if requirements:
        drafts.append(
            Draft(
                "Plan the requirements",
                requirements[:_MOST_REQUIREMENTS],
                priority="high",
                depends_on=[("#purpose", "blocks")],
                criteria=["Every requirement is a task with criteria"],
                labels=["planning"],
            )
        )
    return drafts


NEXT_STEPS = [
    "Run taskpilot_start to begin a session",
    "Use taskpilot_add to create new tasks",
    "Check taskpilot_status for project overview",
]
_FROM_CLONE = "Run holdfast tasks export in the clone that has the tasks, and holdfast tasks restore here"
_SHOWN_RULES = 20
_RULE_CHARACTERS = 160


class InitWorkspace(Scoped):
    """What a new workspace begins with."""

    project_name: Title | None = Field(default=None, description="Left out, the name of the folder.")
    project_requirements: Body | None = Field(default=None, description="What the project has to do.")
    tech_stack: Word | None = Field(
        default=None, description="Languages; those whose files are there are found."
    )
    done_gate: Gate | None = Field(
        default=None, description="What it takes to be done; criteria unless said otherwise."
    )


class WorkspaceInitialized(Reported):
    """A workspace and what it begins with."""

    requires_fields = True

    tasks_created: list[TaskReceipt]
    rules_applied: list[UntrustedText] = Field(description="The first of the rules that hold.")
    rules_initialized: int = Field(description="How many rules hold.")
    tech_stack: list[str] = Field(description="Languages that it began with.")
    done_gate: Gate
    setup_complete: bool
    already_initialized: bool | None = None


def init_words(result: Any) -> str:
    """Return what the specification has a first call say."""
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
    text=init_words,
    annotations=WORKSPACE,
)
def init(room: Tasks, arguments: InitWorkspace) -> WorkspaceInitialized:
    """Initialize a TaskPilot workspace with .task folder structure and configuration.

    Starter tasks and rules follow from the languages of the repository; a clone gets the rules only. A second
    call changes nothing but the done gate, when one is given.
    """
    check_workspace(room, arguments)
    stacks = detected(room.repository, arguments.tech_stack)
    name = arguments.project_name or os.path.basename(room.repository.root) or "Workspace"
    names = [stack.names[0] for stack in stacks]
    is_clone = read_marker(room.repository) is not None
    workspace, made = begin(room, name, names, arguments.done_gate or "criteria")
    if not made and arguments.done_gate is not None:
        set_gate(room, arguments.done_gate)
        workspace = room.workspace()
    applied = [] if room.repository.bare else rules.begin(room, starter_rules(stacks))
    created = []
    if made and not is_clone:
        drafts = starter_tasks(stacks, arguments.project_requirements)
        created = [receipt(task) for task, _ in room.create(drafts, Who(actor()))]
    return WorkspaceInitialized(
        operation="init",
        workspace=workspace_ref(workspace, with_time=True),
        tasks_created=created,
        rules_applied=[shorten(rule.text, _RULE_CHARACTERS, tidy=True) for rule in applied[:_SHOWN_RULES]],
        rules_initialized=len(applied),
        tech_stack=json.loads(workspace.stack),
        done_gate=workspace.gate,
        setup_complete=True,
        already_initialized=None if made else True,
        next_steps=[*([_FROM_CLONE] if made and is_clone else []), *NEXT_STEPS],
    )


class JoinWorkspace(Input):
    """Which workspace of a shared database."""

    workspace_id: str = Field(max_length=100, description="As .task/workspace.json names it.")


class WorkspaceJoined(Reported):
    """A workspace that this clone uses from now on."""


@tasks.operation(
    "taskpilot_join",
    title="Join a workspace",
    effect=Effect.WRITE,
    idempotent=True,
    command="join",
    positional=("workspace_id",),
    example="holdfast tasks join kelp-3f9a1c",
    command_only=True,
    text=lambda result: f'This clone uses the workspace "{one_line(result.workspace.name)}" now.',
)
def join_workspace(room: Tasks, arguments: JoinWorkspace) -> WorkspaceJoined:
    """Let this clone use the workspace of a shared database that it names. No server offers this.

    Anybody can commit the id of a workspace, so a person says once, in each clone, that it is the right one.
    """
    named = read_marker(room.repository)
    if named != arguments.workspace_id:
        raise NotFound(
            f"This repository names {named or 'no workspace'}, not {arguments.workspace_id[:80]!a}.",
            hint="Look into .task/workspace.json; `holdfast tasks init` begins a workspace of its own.",
        )
    join(room.repository, named)
    return WorkspaceJoined(operation="join", workspace=workspace_ref(room.workspace()))

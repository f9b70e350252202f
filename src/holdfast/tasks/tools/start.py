"""`taskpilot_init` and `taskpilot_start`: a workspace begins, an agent begins."""

from __future__ import annotations

import os

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import shorten
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.annotations import WORKSPACE
from holdfast.tasks.caller import actor, check_workspace
from holdfast.tasks.models import Body, Reported, Result, Scoped, TaskReceipt, TaskRef, Title, Word
from holdfast.tasks.store import rows, rules
from holdfast.tasks.store.marker import read_marker
from holdfast.tasks.store.query import Query, find
from holdfast.tasks.store.records import Who
from holdfast.tasks.store.session import open_session
from holdfast.tasks.store.states import Gate
from holdfast.tasks.store.tasks import LEASE_SECONDS, Tasks
from holdfast.tasks.store.workspace import begin, set_gate
from holdfast.tasks.tools.stacks import detected, starter_rules, starter_tasks
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.results import moment, receipt, task_refs, workspace_ref
from holdfast.tasks.view.text import init_words, start_words

NEXT_STEPS = [
    "Run taskpilot_start to begin a session",
    "Use taskpilot_add to create new tasks",
    "Check taskpilot_status for project overview",
]
_FROM_CLONE = "Run holdfast tasks export in the clone that has the tasks, and holdfast tasks restore here"
_GO_ON = (
    "If your other session is over, go on with what it held: taskpilot_claim with action take and resume."
    " Else take the next task with taskpilot_claim."
)
_SHOWN_READY = 5
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

    tasks_created: list[TaskReceipt]
    rules_applied: list[UntrustedText] = Field(description="The first of the rules that hold.")
    rules_initialized: int = Field(description="How many rules hold.")
    tech_stack: list[str]
    done_gate: Gate
    setup_complete: bool
    already_initialized: bool | None = None


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
    names = [stack.name for stack in stacks]
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
        tech_stack=names,
        done_gate=workspace.gate,
        setup_complete=True,
        already_initialized=None if made else True,
        next_steps=[*([_FROM_CLONE] if made and is_clone else []), *NEXT_STEPS],
    )


class StartSession(Scoped):
    """Who begins to work."""

    workspace: str = Field(
        alias="workspace_path", max_length=4096, description="Absolute path to the workspace directory"
    )
    agent: Word | None = Field(default=None, description="Your name; over HTTP that of your token.")


class SessionOut(Result):
    """An agent at work."""

    id: str
    agent: UntrustedText
    expires_at: str


class Resume(Result):
    """What was left from before."""

    my_claims: list[TaskRef] | None = None
    handoff_note: UntrustedText | None = None


class OpenCounts(Result):
    """How many tasks there are."""

    ready: int
    open: int
    total: int


class Unread(Result):
    """What waits in the other rooms for somebody to look at it."""

    review_messages: int = Field(description="Messages in the inbox that nobody has had.")


class SessionStarted(Reported):
    """A session, and where the workspace stands."""

    session: SessionOut
    resume: Resume
    ready: list[TaskRef]
    counts: OpenCounts
    rules: int = Field(description="How many rules hold; they are at `rules_uri`.")
    rules_uri: str
    unread: Unread | None = None


@tasks.operation(
    "taskpilot_start",
    title="Start a session",
    effect=Effect.WRITE,
    idempotent=True,
    command="start",
    positional=("workspace",),
    example="holdfast tasks start . --agent ada",
    specified=True,
    text=start_words,
    fill_in=lambda _, given: {"workspace_path": ".", **given},
    annotations=WORKSPACE,
)
def start(room: Tasks, arguments: StartSession) -> SessionStarted:
    """Begin to work: open a session, see what you hold, what is ready, and where the rules are.

    Pass the session with later calls; each renews your claims. Others' sessions stay open.
    """
    check_workspace(room, arguments)
    agent = actor(arguments.agent)
    session, handoff = open_session(room, agent)
    instant = room.instant()
    with room.reading() as connection:
        workspace = room.workspace_in(connection)
        ready = find(connection, workspace.id, Query(ready=True, sort="ready", limit=_SHOWN_READY), instant)
        mine = find(connection, workspace.id, Query(agent=agent, sort="updated"), instant)
        open_count, total = rows.counts(connection, workspace.id)
        claims = task_refs(connection, mine.tasks, instant)
        shown = task_refs(connection, ready.tasks, instant)
    return SessionStarted(
        operation="start",
        workspace=workspace_ref(workspace),
        session=SessionOut(id=session.id, agent=agent, expires_at=moment(instant.at + LEASE_SECONDS)),
        resume=Resume(my_claims=claims or None, handoff_note=handoff),
        ready=shown,
        counts=OpenCounts(ready=ready.total, open=open_count, total=total),
        rules=len(rules.listed(room)),
        rules_uri=f"taskpilot://workspace/{workspace.id}/rules",
        unread=_unread(room),
        next_steps=[_GO_ON if claims else "Take the next task with taskpilot_claim."],
    )


def _unread(room: Tasks) -> Unread | None:
    waiting = room.neighbours.waiting()
    return Unread(review_messages=waiting["review_messages"]) if "review_messages" in waiting else None

"""`taskpilot_start`: starts a session of an agent, and shows where to continue."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import caller_name, check_workspace
from holdfast.tasks.models import Agent, Reported, Result, Scoped, TaskRef
from holdfast.tasks.store import rows
from holdfast.tasks.store.lease import LEASE_SECONDS
from holdfast.tasks.store.query import Query, find
from holdfast.tasks.store.session import open_session
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts import rules
from holdfast.tasks.toolset import WORKSPACE, tasks
from holdfast.tasks.view.results import task_refs, timestamp, workspace_ref

_TAKE_OVER_HINT = "If your other session has ended, take over its tasks with taskpilot_focus and `resume`."
_MAX_READY_SHOWN = 5
"""A judgement: enough to choose from; `taskpilot_list` has all."""


class StartSession(Scoped):
    """The workspace and the agent of a new session."""

    workspace: str = Field(
        alias="workspace_path", max_length=4096, description="Absolute path to the workspace directory"
    )
    agent: Agent = Field(default=None, description="Your name.")


class SessionOut(Result):
    """A session."""

    id: str
    agent: UntrustedText
    expires_at: str


class Resume(Result):
    """Unfinished work from earlier sessions."""

    my_claims: list[TaskRef] | None = None
    handoff_note: UntrustedText | None = None


class OpenCounts(Result):
    """Numbers of tasks: ready, unfinished, and all."""

    ready: int
    open: int
    total: int


class Unread(Result):
    """Unread items in other rooms."""

    review_messages: int = Field(description="Unread messages in the inbox.")


class SessionStarted(Reported):
    """A new session, and a summary of the workspace."""

    session: SessionOut
    resume: Resume
    ready: list[TaskRef]
    counts: OpenCounts
    rules: int = Field(description="Number of active rules; read them at `rules_uri`.")
    rules_uri: str
    unread: Unread | None = None


def _text(result: SessionStarted) -> str:
    counts = result.counts
    mine = len(result.resume.my_claims) if result.resume and result.resume.my_claims else 0
    return (
        f"Session {result.session.id} for {one_line(result.session.agent)}: {counts.ready} ready of "
        f"{counts.open} open, {mine} yours."
    )


@tasks.operation(
    "taskpilot_start",
    title="Start a session",
    effect=Effect.WRITE,
    idempotent=True,
    command="start",
    positional=("workspace",),
    example="holdfast tasks start . --agent ada",
    specified=True,
    text=_text,
    fill_in=lambda _, given: {"workspace_path": ".", **given},
    command_defaults={"workspace_path": "."},
    annotations=WORKSPACE,
)
def start(room: Tasks, arguments: StartSession) -> SessionStarted:
    """Begin work: open a session, and see which tasks you hold, which are ready, and where the rules are.

    Pass the session with later calls; each renews your claims. Other sessions stay open.
    """
    check_workspace(room, arguments)
    agent = caller_name(room, arguments.agent)
    session, handoff = open_session(room, agent)
    with room.reading() as transaction:
        workspace = transaction.workspace
        ready = find(transaction, Query(ready=True, sort="ready", limit=_MAX_READY_SHOWN))
        mine = find(transaction, Query(agent=agent, sort="updated"))
        open_count, total = rows.count_tasks(transaction)
        claims = task_refs(transaction, mine.tasks)
        ready_refs = task_refs(transaction, ready.tasks)
    unread = room.neighbours.unread_counts().get("review_messages")
    return SessionStarted(
        operation="start",
        workspace=workspace_ref(workspace),
        session=SessionOut(id=session.id, agent=agent, expires_at=timestamp(transaction.now + LEASE_SECONDS)),
        resume=Resume(my_claims=claims or None, handoff_note=handoff),
        ready=ready_refs,
        counts=OpenCounts(ready=ready.total, open=open_count, total=total),
        rules=len(rules.active_rules(room)),
        rules_uri=f"taskpilot://workspace/{workspace.id}/rules",
        unread=None if unread is None else Unread(review_messages=unread),
        next_steps=[_TAKE_OVER_HINT if claims else "Begin the first ready task with taskpilot_focus."],
    )

"""`taskpilot_start`: an agent begins a session."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import Agent, Reported, Result, Scoped, TaskRef
from holdfast.tasks.store import rows, rules
from holdfast.tasks.store.lease import LEASE_SECONDS
from holdfast.tasks.store.query import Query, find
from holdfast.tasks.store.session import actor, check_workspace, open_session
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import WORKSPACE, tasks
from holdfast.tasks.view.results import moment, task_refs, workspace_ref

_GO_ON = "If your other session is over, go on with what it held: taskpilot_focus with `resume`."
_SHOWN_READY = 5


class StartSession(Scoped):
    """Who begins to work."""

    workspace: str = Field(
        alias="workspace_path", max_length=4096, description="Absolute path to the workspace directory"
    )
    agent: Agent = Field(default=None, description="Your name; over HTTP that of your token.")


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


def start_words(result: Any) -> str:
    """Return where an agent stands when it starts."""
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
    text=start_words,
    fill_in=lambda _, given: {"workspace_path": ".", **given},
    command_defaults={"workspace_path": "."},
    annotations=WORKSPACE,
)
def start(room: Tasks, arguments: StartSession) -> SessionStarted:
    """Begin to work: open a session, see what you hold, what is ready, and where the rules are.

    Pass the session with later calls; each renews your claims. Others' sessions stay open.
    """
    check_workspace(room, arguments)
    agent = actor(arguments.agent)
    session, handoff = open_session(room, agent)
    with room.reading() as transaction:
        workspace = transaction.workspace
        ready = find(transaction, Query(ready=True, sort="ready", limit=_SHOWN_READY))
        mine = find(transaction, Query(agent=agent, sort="updated"))
        open_count, total = rows.counts(transaction)
        claims = task_refs(transaction, mine.tasks)
        shown = task_refs(transaction, ready.tasks)
    unread = room.neighbours.waiting().get("review_messages")
    return SessionStarted(
        operation="start",
        workspace=workspace_ref(workspace),
        session=SessionOut(id=session.id, agent=agent, expires_at=moment(transaction.now + LEASE_SECONDS)),
        resume=Resume(my_claims=claims or None, handoff_note=handoff),
        ready=shown,
        counts=OpenCounts(ready=ready.total, open=open_count, total=total),
        rules=len(rules.listed(room)),
        rules_uri=f"taskpilot://workspace/{workspace.id}/rules",
        unread=None if unread is None else Unread(review_messages=unread),
        next_steps=[_GO_ON if claims else "Begin the first that is ready with taskpilot_focus."],
    )

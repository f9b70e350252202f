"""Results in words: short, and the same facts as the data.

Contract: stored text leaves here only through `one_line`, which also takes away what nobody can see.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.store.states import MILESTONE

if TYPE_CHECKING:
    from holdfast.tasks.models import TaskRef

_LINES = 20
_NEEDS = 8


def task_words(task: TaskRef) -> str:
    """Return a task on one line."""
    state = task.status if not task.ready else f"{task.status}, ready"
    more = f"  (held by {one_line(task.claimed_by)})" if task.claimed_by else ""
    if task.blocked_by:
        more += f"  ({held_up_words(task.blocked_by)})"
    return f"{task.id}  [{state}, {task.priority}]  {shorten(one_line(task.title), 100, tidy=True)}{more}"


def held_up_words(blocked_by: list[str]) -> str:
    """Return what holds a task up."""
    needs = [name for name in blocked_by if not name.startswith(MILESTONE)]
    closed = [one_line(name) for name in blocked_by if name.startswith(MILESTONE)]
    more = f" and {len(needs) - _NEEDS} more" if len(needs) > _NEEDS else ""
    told = [f"needs {', '.join(needs[:_NEEDS])}{more}"] if needs else []
    return "; ".join(told + [f"{name} is closed" for name in closed])


def listing_words(page: Any) -> str:
    """Return a page of tasks, one on each line."""
    shown = page.details or page.tasks
    if not shown:
        return "No tasks." if not page.total else f"No more tasks; {page.total} altogether."
    lines = [task_words(task) for task in shown]
    if page.next_cursor is not None:
        lines.append(f"{page.total} altogether; more with the cursor {page.next_cursor}")
    return "\n".join(lines)


def added_words(result: Any) -> str:
    """Return what was added, one task on each line."""
    verb = "Would add" if result.dry_run else "Added"
    lines = [f"{verb} {task.id}: {one_line(task.title)}" for task in result.tasks_created]
    lines += [f"{task} was there already." for task in result.existing or ()]
    lines += [f"{item.title} resembles {item.like}." for item in result.possible_duplicates or ()]
    return "\n".join(lines)


def created_words(result: Any) -> str:
    """Return what was created."""
    return f"Created {result.task.id}: {one_line(result.task.title)}"


def updated_words(result: Any) -> str:
    """Return what a change did."""
    if not result.changed:
        return f"{result.task.id} is like that already."
    fields = ", ".join(sorted(result.changed))
    freed = f" Ready now: {', '.join(result.unblocked)}." if result.unblocked else ""
    return f"Updated {result.task.id} ({result.task.status}, version {result.task.version}): {fields}.{freed}"


def claimed_words(result: Any) -> str:
    """Return who has what now."""
    if result.none_ready is not None:
        none = result.none_ready
        closed = f" ({none.milestone_closed} of a closed milestone)" if none.milestone_closed else ""
        return f"No task is ready: {none.blocked} blocked{closed}, {none.claimed} claimed."
    if result.claim is None:
        return f"{result.task.id} is free again."
    before = f" It was left by {one_line(result.previous_holder.agent)}." if result.previous_holder else ""
    until = result.claim.expires_at
    return f"{result.task.id} is yours until {until}: {one_line(result.task.title)}.{before}"


def init_words(result: Any) -> str:
    """Return what the specification has a first call say."""
    name = one_line(result.workspace.name)
    if result.already_initialized:
        return f'Workspace "{name}" was initialized before; its done gate is {result.done_gate}.'
    return f'Workspace "{name}" initialized with {len(result.tasks_created)} tasks.'


def start_words(result: Any) -> str:
    """Return where an agent stands when it starts."""
    counts = result.counts
    mine = len(result.resume.my_claims) if result.resume and result.resume.my_claims else 0
    return (
        f"Session {result.session.id} for {one_line(result.session.agent)}: {counts.ready} ready of "
        f"{counts.open} open, {mine} yours."
    )


def status_words(result: Any) -> str:
    """Return how a workspace stands."""
    by_status = ", ".join(f"{count} {name}" for name, count in result.counts.by_status.items() if count)
    return (
        f'Workspace "{one_line(result.workspace.name)}": {by_status or "no tasks"}; '
        f"{result.percent_done} % done, {len(result.ready)} shown as ready, {len(result.blocked)} blocked."
    )


def audit_words(result: Any) -> str:
    """Return what an audit found, the worst first."""
    lines = [
        f"[{item.severity}] {item.code}{f' {item.task_id}' if item.task_id else ''}: {one_line(item.detail)}"
        for item in result.findings
    ]
    ready = "complete" if result.completion.ready else "not complete"
    return "\n".join([*lines, f"Score {result.score} of 100; the workspace is {ready}."])


def rules_words(result: Any) -> str:
    """Return rules, one on each line."""
    lines = [
        f"{item.id}  [{item.scope}, {item.type}]  {shorten(one_line(item.text), 200, tidy=True)}"
        for item in result.rules
    ]
    lines += [
        f"Detected ({item.confidence:.2f}, {item.type}): {one_line(item.text)}"
        for item in result.detected or ()
    ]
    if result.next_cursor is not None:
        lines.append(f"{result.total} hold altogether; more with the cursor {result.next_cursor}")
    return "\n".join(lines) or "No rules."


def graph_words(found: Any) -> str:
    """Return what waits for what, a line for each task that waits."""
    needs: dict[str, list[str]] = {}
    for edge in found.edges:
        needs.setdefault(edge.task, []).append(edge.needs)
    lines = [f"{task} needs {', '.join(others)}" for task, others in list(needs.items())[:_LINES]]
    more = [f"and {len(needs) - _LINES} more that wait."] if len(needs) > _LINES else []
    head = f"{len(found.nodes)} of {found.total} tasks, {len(found.edges)} dependencies."
    return "\n".join([head, *lines, *more])


def workspaces_words(found: Any) -> str:
    """Return the workspaces, one on each line."""
    lines = [
        f"{item.id}  {item.status}, {item.task_count} tasks  {shorten(one_line(item.name), 100, tidy=True)}"
        for item in found.workspaces[:_LINES]
    ]
    return "\n".join(lines) or "No workspaces yet."


def document_words(result: Any) -> str:
    """Return what became of a document."""
    return f"{result.uri}: {result.diff_stat.added} lines added, {result.diff_stat.removed} removed."

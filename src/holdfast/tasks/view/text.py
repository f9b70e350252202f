"""Tasks as short texts, for results that people read.

Contract: untrusted text is shown only through `one_line`, which also removes invisible characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.kernel.text import one_line, shorten
from holdfast.tasks.store.states import MILESTONE_PREFIX

if TYPE_CHECKING:
    from holdfast.tasks.models import TaskRef

MAX_LINES = 20
"""Lines of a list in a text. A judgement: it fits on a screen; the data has everything."""
_MAX_BLOCKERS_SHOWN = 8
"""A judgement: their ids fit on one line."""
_MAX_TITLE_CHARACTERS = 100
"""A judgement: with id and state, a task fits on one line of a wide terminal."""


def task_line(task: TaskRef) -> str:
    """Return a task on one line: its id, state, priority, title, and holder or blockers."""
    state = f"{task.status}, ready" if task.ready else task.status
    title = shorten(one_line(task.title), _MAX_TITLE_CHARACTERS, tidy=True)
    more = f"  (held by {one_line(task.claimed_by)})" if task.claimed_by else ""
    if task.blocked_by:
        more += f"  ({blockers_text(task.blocked_by)})"
    return f"{task.id}  [{state}, {task.priority}]  {title}{more}"


def missing_lines(paths: Sequence[str] | None) -> list[str]:
    """Return a line for each file that does not exist."""
    return [f"There is no file {one_line(path)} yet." for path in (paths or ())[:MAX_LINES]]


def blockers_text(blocked_by: list[str]) -> str:
    """Return the tasks that a task needs, and the closed milestone, as text."""
    needs = [name for name in blocked_by if not name.startswith(MILESTONE_PREFIX)]
    closed = [one_line(name) for name in blocked_by if name.startswith(MILESTONE_PREFIX)]
    more = f" and {len(needs) - _MAX_BLOCKERS_SHOWN} more" if len(needs) > _MAX_BLOCKERS_SHOWN else ""
    open_tasks = [f"needs {', '.join(needs[:_MAX_BLOCKERS_SHOWN])}{more}"] if needs else []
    return "; ".join(open_tasks + [f"{name} is closed" for name in closed])

"""Files in which tasks wait for each other: the dependency that closes a circle is left out, and named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from holdfast.tasks.trackers.foreign import ForeignTask, Problem


def without_circles(found: list[ForeignTask], problems: list[Problem], file: str) -> list[ForeignTask]:
    """Return the tasks without those dependencies and parents that would make one wait for itself."""
    waits: dict[str, set[str]] = {task.origin: set() for task in found}
    kept: dict[str, str | None] = {}
    for task in found:
        kept[task.origin] = task.parent
        if task.parent is not None and not _joined(waits, task.origin, task.parent):
            kept[task.origin] = None
            problems.append(_left_out(file, task, task.parent, "its parent"))
    plain = []
    for task in found:
        needs = []
        for origin in task.depends_on:
            if _joined(waits, task.origin, origin):
                needs.append(origin)
            else:
                problems.append(_left_out(file, task, origin, "what it needs"))
        plain.append(replace(task, depends_on=tuple(needs), parent=kept[task.origin]))
    return plain


def _left_out(file: str, task: ForeignTask, other: str, what: str) -> Problem:
    message = f"'{task.origin}' and {other!a} would wait for each other; {other!a} as {what} was left out."
    return Problem(file, task.line, message)


def _joined(waits: dict[str, set[str]], task: str, other: str) -> bool:
    """Let a task wait for another, unless that one waits for it already."""
    if other in waits:
        if other == task or _reaches(waits, other, task):
            return False
        waits[task].add(other)
    return True


def _reaches(waits: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, frontier = {start}, [start]
    while frontier:
        for following in waits[frontier.pop()]:
            if following == end:
                return True
            if following not in seen:
                seen.add(following)
                frontier.append(following)
    return False

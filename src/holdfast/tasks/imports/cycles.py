"""Removes circular dependencies from imported tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.trackers.foreign import ForeignTask


def remove_cycles(tasks: list[ForeignTask], problems: list[Problem], file: str) -> list[ForeignTask]:
    """Return the tasks without the dependencies and parents that close cycles; report these in `problems`."""
    edges: dict[str, set[str]] = {task.foreign_id: set() for task in tasks}
    parents: dict[str, str | None] = {}
    for task in tasks:
        parents[task.foreign_id] = task.parent
        if task.parent is not None and not _add_edge(edges, task.foreign_id, task.parent):
            parents[task.foreign_id] = None
            problems.append(_skip_problem(file, task, task.parent, "parent"))
    acyclic = []
    for task in tasks:
        kept = []
        for foreign_id in task.depends_on:
            if _add_edge(edges, task.foreign_id, foreign_id):
                kept.append(foreign_id)
            else:
                problems.append(_skip_problem(file, task, foreign_id, "dependency"))
        acyclic.append(replace(task, depends_on=tuple(kept), parent=parents[task.foreign_id]))
    return acyclic


def _skip_problem(file: str, task: ForeignTask, target: str, relation: str) -> Problem:
    message = f"{target!a} as {relation} of '{task.foreign_id}' would close a cycle, and was skipped."
    return Problem(file, task.line, message)


def _add_edge(edges: dict[str, set[str]], task: str, target: str) -> bool:
    """Add an edge unless it would close a cycle, and return whether it is allowed.

    An edge to an unknown task is allowed, but is not added, as the task cannot lead anywhere.
    """
    if target in edges:
        if target == task or _reaches(edges, target, task):
            return False
        edges[task].add(target)
    return True


def _reaches(edges: Mapping[str, set[str]], start: str, end: str) -> bool:
    """Return whether a path leads from one task to another, by depth-first search."""
    seen, frontier = {start}, [start]
    while frontier:
        for following in edges[frontier.pop()]:
            if following == end:
                return True
            if following not in seen:
                seen.add(following)
                frontier.append(following)
    return False

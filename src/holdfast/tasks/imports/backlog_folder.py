"""Parser for folders of Backlog.md (https://github.com/MrLesk/Backlog.md), one Markdown file per task.

The files are in `tasks/`, `completed/`, `drafts/` and `archive/tasks/`, each with front matter, which has the
id. Known sections become fields; other sections stay in the description under their headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from holdfast.kernel.call import current_call
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_yaml
from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask, priority_of, status_of

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?P<head>.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^##[ \t]+(?P<name>\S.*)$", re.MULTILINE)
_MARKER = re.compile(r"^[ \t]*<!--\s*(?:SECTION|AC|DOD):[A-Z_:]*(?:BEGIN|END)\s*-->[ \t]*\n?", re.MULTILINE)
_CHECK_BOX = re.compile(r"[ \t]*[-*][ \t]+\[(?P<mark>[ xX])\][ \t]+(?:#\d+[ \t]+)?(?P<text>\S.*)")
_CRITERIA_SECTIONS = frozenset({"acceptance criteria", "definition of done"})
_FIELD_OF_SECTION = {
    "description": "description",
    "implementation plan": "plan",
    "implementation notes": "notes",
}
_FIELD_PROPERTIES = frozenset({
    "id", "title", "status", "labels", "dependencies", "parent_task_id", "parent", "priority", "milestone",
    "updated_date",
})  # fmt: skip
FOLDERS: Mapping[str, Status | None] = MappingProxyType(
    {"archive/tasks": "dropped", "completed": "done", "drafts": None, "tasks": None}
)
"""The folders of tasks, each with the status that it implies; None means that of the front matter."""


def is_task_file(path: str) -> bool:
    """Return whether a path, relative to the Backlog.md folder, is that of a task."""
    return path.endswith(".md") and any(path.startswith(f"{folder}/") for folder in FOLDERS)


def read_backlog(files: Mapping[str, str]) -> tuple[list[ForeignTask], list[Problem]]:
    """Parse the files of a folder, given by path; return its tasks, and what could not be imported."""
    problems: list[Problem] = []
    tasks: dict[str, ForeignTask] = {}
    for path, content in sorted(files.items()):
        if not is_task_file(path):
            continue
        current_call().check()
        task = _parse_task(path, content, problems)
        if task is None:
            continue
        if task.foreign_id in tasks:
            message = f"The id '{task.foreign_id}' is used twice; this file was skipped."
            problems.append(Problem(path, task.line, message))
        else:
            tasks[task.foreign_id] = task
    return list(tasks.values()), problems


def _parse_task(path: str, content: str, problems: list[Problem]) -> ForeignTask | None:
    head = _FRONT_MATTER.match(content)
    if head is None:
        problems.append(Problem(path, 1, "The file has no front matter between '---' lines and was skipped."))
        return None
    properties = _parse_front_matter(path, head["head"], problems)
    if properties is None:
        return None
    sections, preamble = _split_sections(content[head.end() :])
    extra = {name: _to_plain(value) for name, value in properties.items() if name not in _FIELD_PROPERTIES}
    fields = {"description": preamble, "plan": "", "notes": ""}
    criteria: list[ForeignCriterion] = []
    for name, body in sections:
        rest = _take_criteria(body, criteria) if name.lower() in _CRITERIA_SECTIONS else body
        target = _FIELD_OF_SECTION.get(name.lower())
        if target is None and rest:
            target, rest = "description", f"## {name}\n{rest}"
        if target is not None:
            fields[target] = "\n\n".join(filter(None, [fields[target], rest]))
    identity = str(properties["id"])
    return ForeignTask(
        foreign_id=identity.lower(),
        title=str(properties["title"]).strip(),
        status=_status(path, properties, problems, extra),
        priority=_priority(path, properties, problems, extra),
        labels=(*_to_list(properties.get("labels")), *(("draft",) if path.startswith("drafts/") else ())),
        criteria=tuple(criteria),
        depends_on=tuple(name.lower() for name in _to_list(properties.get("dependencies"))),
        parent=_parent(properties, identity),
        milestone=str(properties["milestone"]).strip() if properties.get("milestone") else None,
        updated_at=str(properties["updated_date"]) if properties.get("updated_date") else None,
        line=1,
        extra=extra,
        **fields,
    )


def _parse_front_matter(path: str, head: str, problems: list[Problem]) -> dict[str, Any] | None:
    try:
        properties = parse_yaml(head)
    except UnreadableDocument as error:
        line = None if error.line is None else error.line + 1
        problems.append(Problem(path, line, f"The front matter is invalid: {error}; the file was skipped."))
        return None
    if not isinstance(properties, dict) or not properties.get("id") or not properties.get("title"):
        problems.append(Problem(path, 2, "The front matter has no id or no title; the file was skipped."))
        return None
    return {str(name): value for name, value in properties.items()}


def _split_sections(body: str) -> tuple[list[tuple[str, str]], str]:
    """Return the sections of a text as pairs of heading and body, and the text before the first section."""
    preamble, *rest = _SECTION.split(_MARKER.sub("", body))
    texts = [text.strip() for text in rest]  # headings and bodies in turn
    return list(zip(texts[::2], texts[1::2], strict=True)), preamble.strip()


def _take_criteria(body: str, criteria: list[ForeignCriterion]) -> str:
    """Append the check boxes of a section to the criteria, and return the rest of its text."""
    rest: list[str] = []
    for line in body.splitlines():
        if found := _CHECK_BOX.fullmatch(line.rstrip()):
            criteria.append(ForeignCriterion(found["text"], checked=found["mark"] != " "))
        else:
            rest.append(line)
    return "\n".join(rest).strip()


def _status(path: str, properties: dict[str, Any], problems: list[Problem], extra: dict[str, Any]) -> Status:
    """Return the status; an unknown one is reported, and put into `extra` for the notes."""
    for folder, implied in FOLDERS.items():
        if path.startswith(f"{folder}/") and implied is not None:
            return implied
    word = str(properties.get("status") or "To Do")
    status = status_of(word)
    if status is None:
        message = f"The status {word!a} is unknown: imported as 'To Do', and added to the notes."
        problems.append(Problem(path, None, message))
        extra["status"] = word
    return status or "backlog"


def _priority(
    path: str, properties: dict[str, Any], problems: list[Problem], extra: dict[str, Any]
) -> Priority:
    word = str(properties.get("priority") or "medium")
    priority = priority_of(word)
    if priority is None:
        problems.append(Problem(path, None, f"The priority {word!a} is unknown, and was added to the notes."))
        extra["priority"] = word
    return priority or "medium"


def _parent(properties: dict[str, Any], identity: str) -> str | None:
    """Return the foreign id of the parent: the named task, or `task-1` for the id `task-1.2`."""
    named = properties.get("parent_task_id") or properties.get("parent")
    if named:
        return str(named).lower()
    whole, dot, _ = identity.rpartition(".")
    return whole.lower() if dot else None


def _to_list(value: object) -> list[str]:
    """Return the items of a list, or of a comma-separated text, without empty ones."""
    if value is None:
        return []
    items: Iterable[object] = value if isinstance(value, list) else str(value).split(",")
    return [word for item in items if (word := str(item).strip())]


def _to_plain(value: object) -> object:
    """Return a YAML value with its dates as text, so that it can be written as JSON."""
    if isinstance(value, list):
        return [_to_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value

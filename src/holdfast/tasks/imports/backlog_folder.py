"""Parser for Backlog.md (https://github.com/MrLesk/Backlog.md): a Markdown file with front matter per task.

Tasks are in `tasks/`, `completed/`, `drafts/` and `archive/tasks/`. The origin is the task's id. Known
sections become fields; all others stay in the description under their headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from holdfast.kernel.call import current_call
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_yaml
from holdfast.tasks.store.states import Status
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask, Problem, priority_of, status_of

_HEAD = re.compile(r"---[ \t]*\r?\n(?P<head>.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^##[ \t]+(?P<name>\S.*)$", re.MULTILINE)
_MARKER = re.compile(r"^[ \t]*<!--\s*(?:SECTION|AC|DOD):[A-Z_:]*(?:BEGIN|END)\s*-->[ \t]*\n?", re.MULTILINE)
_CRITERION = re.compile(r"[ \t]*[-*][ \t]+\[(?P<mark>[ xX])\][ \t]+(?:#\d+[ \t]+)?(?P<text>\S.*)")
_CRITERIA = frozenset({"acceptance criteria", "definition of done"})
_PLACES = {"description": "description", "implementation plan": "plan", "implementation notes": "notes"}
_KNOWN = frozenset({
    "id", "title", "status", "labels", "dependencies", "parent_task_id", "parent", "priority", "milestone",
    "updated_date",
})  # fmt: skip
FOLDERS: Mapping[str, Status | None] = MappingProxyType(
    {"archive/tasks": "dropped", "completed": "done", "drafts": None, "tasks": None}
)
"""The folders of tasks, and the status that a folder implies."""


def is_task_file(path: str) -> bool:
    """Return whether a path, relative to the folder, is that of a task."""
    return path.endswith(".md") and any(path.startswith(f"{folder}/") for folder in FOLDERS)


def read_backlog(files: Mapping[str, str]) -> tuple[list[ForeignTask], list[Problem]]:
    """Return the tasks of a folder, given its files' contents by path, and what could not be imported."""
    problems: list[Problem] = []
    found: dict[str, ForeignTask] = {}
    for path, content in sorted(files.items()):
        if not is_task_file(path):
            continue
        current_call().check()
        task = _task(path, content, problems)
        if task is not None and task.origin in found:
            problems.append(
                Problem(path, task.line, f"The id '{task.origin}' is used twice; this file was skipped.")
            )
        elif task is not None:
            found[task.origin] = task
    return list(found.values()), problems


def _task(path: str, content: str, problems: list[Problem]) -> ForeignTask | None:
    head = _HEAD.match(content)
    if head is None:
        problems.append(Problem(path, 1, "The file has no front matter between '---' lines and was skipped."))
        return None
    facts = _facts(path, head["head"], problems)
    if facts is None:
        return None
    sections, preamble = _sections(content[head.end() :])
    kept = {name: _plain(value) for name, value in facts.items() if name not in _KNOWN}
    places = {"description": preamble, "plan": "", "notes": ""}
    criteria: list[ForeignCriterion] = []
    for name, body in sections:
        rest = _take_criteria(body, criteria) if name.lower() in _CRITERIA else body
        place = _PLACES.get(name.lower())
        if place is not None:
            places[place] = "\n\n".join(filter(None, [places[place], rest]))
        elif rest:
            places["description"] = "\n\n".join(filter(None, [places["description"], f"## {name}\n{rest}"]))
    identity = str(facts["id"])
    return ForeignTask(
        origin=identity.lower(),
        title=str(facts["title"]).strip(),
        status=_status(path, facts, problems, kept),
        priority=_priority(path, facts, problems, kept),
        labels=(*_words(facts.get("labels")), *(("draft",) if path.startswith("drafts/") else ())),
        criteria=tuple(criteria),
        depends_on=tuple(name.lower() for name in _words(facts.get("dependencies"))),
        parent=_parent(facts, identity),
        milestone=str(facts["milestone"]).strip() if facts.get("milestone") else None,
        updated_at=str(facts["updated_date"]) if facts.get("updated_date") else None,
        line=1,
        kept=kept,
        **places,
    )


def _facts(path: str, head: str, problems: list[Problem]) -> dict[str, Any] | None:
    try:
        facts = parse_yaml(head)
    except UnreadableDocument as error:
        line = None if error.line is None else error.line + 1
        problems.append(Problem(path, line, f"The front matter is invalid: {error}; the file was skipped."))
        return None
    if not isinstance(facts, dict) or not facts.get("id") or not facts.get("title"):
        problems.append(Problem(path, 2, "The front matter has no id or no title; the file was skipped."))
        return None
    return {str(name): value for name, value in facts.items()}


def _sections(body: str) -> tuple[list[tuple[str, str]], str]:
    parts = _SECTION.split(_MARKER.sub("", body))
    texts = [part.strip() for part in parts[1:]]
    named = list(zip(texts[::2], texts[1::2], strict=True))
    return named, parts[0].strip()


def _take_criteria(body: str, criteria: list[ForeignCriterion]) -> str:
    """Append the check boxes of a section to the criteria, and return the rest of its text."""
    rest: list[str] = []
    for line in body.splitlines():
        if found := _CRITERION.fullmatch(line.rstrip()):
            criteria.append(ForeignCriterion(found["text"], checked=found["mark"] != " "))
        else:
            rest.append(line)
    return "\n".join(rest).strip()


def _status(path: str, facts: dict[str, Any], problems: list[Problem], kept: dict[str, Any]) -> Status:
    for folder, status in FOLDERS.items():
        if path.startswith(f"{folder}/") and status is not None:
            return status
    word = str(facts.get("status") or "To Do")
    found = status_of(word)
    if found is None:
        problems.append(
            Problem(
                path, None, f"The status {word!a} is unknown: imported as 'To Do', and added to the notes."
            )
        )
        kept["status"] = word
    return found or "backlog"


def _priority(path: str, facts: dict[str, Any], problems: list[Problem], kept: dict[str, Any]) -> Any:
    word = str(facts.get("priority") or "medium")
    found = priority_of(word)
    if found is None:
        problems.append(Problem(path, None, f"The priority {word!a} is unknown, and was added to the notes."))
        kept["priority"] = word
    return found or "medium"


def _parent(facts: dict[str, Any], identity: str) -> str | None:
    named = facts.get("parent_task_id") or facts.get("parent")
    if named:
        return str(named).lower()
    whole, dot, _ = identity.rpartition(".")
    return whole.lower() if dot else None


def _words(value: object) -> list[str]:
    if value is None:
        return []
    given: Iterable[object] = value if isinstance(value, list) else str(value).split(",")
    return [word for item in given if (word := str(item).strip())]


def _plain(value: object) -> object:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value

"""Parser for the `tasks.json` of task-master (https://github.com/eyaltoledano/claude-task-master).

Without tags the document is `{"tasks": [...]}`; with tags it has one such object per tag. The foreign id of a
task is its id in task-master, such as `12` or, for a subtask, `12.3`, after its tag, if any (`feature/12.3`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.kernel.errors import Invalid
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of

_WHITESPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_FIELD_PROPERTIES = frozenset({
    "id", "title", "description", "status", "priority", "dependencies", "details", "testStrategy", "subtasks",
})  # fmt: skip
_UNTAGGED = ""
"""The tag of tasks in a document without tags."""


def _elements(text: str, start: int) -> Iterator[tuple[str | None, int, Any]]:
    """Yield the name, if any, offset and value of each element of an array or object in valid JSON."""
    at = _skip_space(text, start + 1)
    while text[at] not in "]}":
        name = None
        if text[start] == "{":
            name, at = _DECODER.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)  # after the colon
        value, end = _DECODER.raw_decode(text, at)
        yield name, at, value
        at = _skip_space(text, end)
        at = _skip_space(text, at + 1) if text[at] == "," else at


def _skip_space(text: str, at: int) -> int:
    match = _WHITESPACE.match(text, at)
    return match.end() if match else at


class _Located(NamedTuple):
    """A value of the file, and the line where it starts."""

    value: Any
    line: int


def read_task_master(content: str, file: str) -> tuple[list[ForeignTask], list[Problem]]:
    """Parse a file; return its tasks, parents before subtasks, and what could not be imported."""
    try:
        document = parse_json(content)
    except UnreadableDocument as error:
        raise Invalid(
            f"'{file}' is not valid JSON: {error}.",
            hint="Fix that and import again; nothing was changed.",
            line=error.line,
        ) from None
    if not isinstance(document, dict):
        raise Invalid(f"'{file}' is not an object with tasks.", hint="Give a tasks.json of task-master.")
    parser = _TaskMasterParser(file)
    tasks = [task for tag, found in _locate_tasks(content) for task in parser.parse(found, tag)]
    if not tasks and not parser.problems and not _has_task_list(document):
        raise Invalid(f"'{file}' has no list called 'tasks'.", hint="Give a tasks.json of task-master.")
    return tasks, parser.problems


def _has_task_list(document: dict[str, Any]) -> bool:
    parts = [document, *(part for part in document.values() if isinstance(part, dict))]
    return any(isinstance(part.get("tasks"), list) for part in parts)


def _locate_tasks(content: str) -> Iterator[tuple[str, _Located]]:
    """Yield the tag, value and line of each task.

    The text is scanned again after it was parsed as JSON, because only its offsets give the lines.
    """
    for name, start, value in _elements(content, content.index("{")):
        lists = []
        if name == "tasks" and isinstance(value, list):
            lists = [(_UNTAGGED, start)]
        elif isinstance(value, dict) and isinstance(value.get("tasks"), list):
            lists = [(name or "", begin) for inner, begin, _ in _elements(content, start) if inner == "tasks"]
        for tag, begin in lists:
            for _, at, item in _elements(content, begin):
                yield tag, _Located(item, content.count("\n", 0, at) + 1)


class _TaskMasterParser:
    """Turns the objects of one file into tasks, and collects problems."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._seen: set[str] = set()

    def parse(self, found: _Located, tag: str) -> Iterator[ForeignTask]:
        """Yield a task and its subtasks."""
        prefix = f"{tag}/" if tag else ""
        parent = self._task(found, prefix, None)
        if parent is None:
            return
        yield parent
        subtasks = found.value.get("subtasks") or []
        if not isinstance(subtasks, list):
            message = f"The subtasks of '{parent.foreign_id}' are not a list, and were added to the notes."
            self._report(found.line, message)
            return
        for value in subtasks:
            subtask = self._task(_Located(value, found.line), prefix, parent.foreign_id)
            if subtask is not None:
                yield subtask

    def _task(self, found: _Located, prefix: str, parent: str | None) -> ForeignTask | None:
        """Return a task or subtask; without a title or a unique id, report a problem and return None."""
        number = self._task_id(found)
        if number is None:
            return None
        foreign_id = f"{prefix}{number}"
        if parent is not None and not foreign_id.startswith(f"{parent}."):
            foreign_id = f"{parent}.{number}"
        if foreign_id in self._seen:
            what = "task" if parent is None else "subtask"
            self._report(found.line, f"The id '{foreign_id}' was used above; this {what} was skipped.")
            return None
        self._seen.add(foreign_id)
        return self._convert(found, foreign_id, prefix, parent)

    def _task_id(self, found: _Located) -> str | None:
        value = found.value
        number = value.get("id") if isinstance(value, dict) else None
        if isinstance(number, bool) or not isinstance(number, int | str) or not str(number).strip():
            self._report(found.line, "The task is not an object with an id, and was skipped.")
            return None
        if not isinstance(value.get("title"), str) or not value["title"].strip():
            self._report(found.line, f"The task '{number}' has no title, and was skipped.")
            return None
        return str(number).strip()

    def _convert(self, found: _Located, foreign_id: str, prefix: str, parent: str | None) -> ForeignTask:
        value: dict[str, Any] = found.value
        extra = {name: part for name, part in value.items() if name not in _FIELD_PROPERTIES}
        status = status_of(str(value.get("status", "pending")))
        if status is None:
            message = f"The status {value['status']!a} of '{foreign_id}' is unknown; imported as pending."
            self._report(found.line, message)
            extra["status"] = value["status"]
        priority = priority_of(str(value.get("priority") or "medium"))
        if priority is None:
            self._report(found.line, f"The priority {value['priority']!a} of '{foreign_id}' is unknown.")
            extra["priority"] = value["priority"]
        if parent is None and not isinstance(value.get("subtasks") or [], list):
            extra["subtasks"] = value["subtasks"]
        texts = {name: _to_text(value.get(name)) for name in ("description", "details", "testStrategy")}
        return ForeignTask(
            foreign_id=foreign_id,
            title=value["title"].strip(),
            description=_join_texts(texts),
            status=status or "backlog",
            priority=priority or "medium",
            labels=(prefix.rstrip("/"),) if prefix and prefix != "master/" else (),
            depends_on=tuple(self._dependencies(found, prefix, f"{parent}." if parent else prefix)),
            parent=parent,
            line=found.line,
            extra=extra,
        )

    def _dependencies(self, found: _Located, prefix: str, siblings: str) -> Iterator[str]:
        """Yield the foreign ids of a task's dependencies; in a subtask, a bare number refers to a sibling."""
        given = found.value.get("dependencies") or []
        for item in given if isinstance(given, list) else [given]:
            if isinstance(item, int | str) and not isinstance(item, bool) and str(item).strip():
                name = str(item).strip()
                yield f"{prefix}{name}" if "." in name else f"{siblings}{name}"
            else:
                self._report(found.line, f"The dependency {item!a} is not an id, and was skipped.")

    def _report(self, line: int, message: str) -> None:
        self.problems.append(Problem(self._file, line, message))


def _to_text(value: object) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _join_texts(texts: dict[str, str]) -> str:
    strategy = f"Test strategy: {texts['testStrategy']}" if texts["testStrategy"] else ""
    return "\n\n".join(filter(None, [texts["description"], texts["details"], strategy]))

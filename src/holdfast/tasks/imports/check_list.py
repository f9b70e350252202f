"""Parser for Markdown check lists such as `todo.md`.

Contract:
- A line `- [ ] text` is a task. The character between the brackets is its state: `x` means done, `/` in
  progress, `-` and `~` dropped, `!` high priority, `>` later, `?` a question. Below a heading that names a
  state ("In progress"), an unchecked item has that state, and a top-level item without brackets is a task
  too.
- A nested item is a subtask of the item above it. Other indented text is the description of the item above.
- `#word` and `@name` become labels; `!high`, `!medium` and `!low` set the priority. The rest is the title.
- The foreign id of a task is its path of titles, or an explicit id in the line (`^id`, `<!-- id: … -->`).
  Importing the list again therefore finds the same tasks, even if it was reordered or states changed.
- Nothing inside a fenced code block is a task.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignTask, priority_of, status_of

_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?P<mark>.)\](?:[ \t]+|$))?(?P<text>.*)"
)
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.+?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TAG = re.compile(r"(?:(?<=\s)|^)(?:#(?P<label>[^\W\d][\w/-]*)|(?P<person>@[\w.-]+))(?=\s|$|[,.;])")
_PRIORITY = re.compile(r"(?:(?<=\s)|^)!(?P<word>high|medium|low)(?=\s|$)", re.IGNORECASE)
_EXPLICIT_ID = re.compile(r"[ \t]*(?:<!--\s*id:\s*(?P<comment>[\w.:/-]+)\s*-->|\^(?P<block>[\w-]+))[ \t]*$")
_MARKS: dict[str, Status] = {
    " ": "backlog", "x": "done", "X": "done", "✓": "done", "/": "in-progress", "-": "dropped", "~": "dropped",
    ">": "backlog", "!": "backlog", "?": "backlog",
}  # fmt: skip
_TAB_WIDTH = 4
"""Width of a tab in an indent, as CommonMark defines it (https://spec.commonmark.org/0.31.2/#tabs)."""


@dataclass
class _OpenItem:
    """An item that later lines may still belong to."""

    indent: int
    task: ForeignTask
    text: list[str] = field(default_factory=list)


def read_check_list(content: str, file: str) -> tuple[list[ForeignTask], list[Problem]]:
    """Parse a check list; return its tasks, parents before subtasks, and what could not be imported."""
    parser = _CheckListParser(file)
    for number, line in enumerate(content.splitlines(), start=1):
        parser.feed(line, number)
    return parser.finish(), parser.problems


class _CheckListParser:
    """Parses a check list line by line, with a stack of the items that are still open."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._section_status: Status | None = None
        self._section = ""
        self._open: list[_OpenItem] = []
        self._found: dict[str, ForeignTask] = {}
        self._numbers: Counter[str] = Counter()
        self._fence: str | None = None

    def feed(self, line: str, number: int) -> None:
        if self._is_in_code(line):
            self._add_text(line)
        elif heading := _HEADING.fullmatch(line):
            self._close_items(-1)
            self._section = heading["text"]
            self._section_status = status_of(heading["text"])
        elif (item := _ITEM.fullmatch(line)) and self._is_task(item):
            self._start_item(item, number)
        else:
            self._add_text(line)

    def finish(self) -> list[ForeignTask]:
        self._close_items(-1)
        return list(self._found.values())

    def _is_in_code(self, line: str) -> bool:
        """Return whether a line belongs to a fenced code block, and update the open fence."""
        found = _FENCE.match(line)
        if self._fence is None:
            self._fence = found[1] if found else None
            return found is not None
        if found and found[1].startswith(self._fence) and not line.strip().strip(found[1][0]):
            self._fence = None
        return True

    def _is_task(self, item: re.Match[str]) -> bool:
        """Return whether a list item is a task; one without brackets needs a heading that names a state."""
        if item["mark"] is not None:
            return True
        return self._section_status is not None and not item["indent"] and bool(item["text"].strip())

    def _start_item(self, item: re.Match[str], number: int) -> None:
        indent = len(item["indent"].expandtabs(_TAB_WIDTH))
        self._close_items(indent)
        parent = self._open[-1].task if self._open else None
        title, labels, priority, explicit_id = _parse_title(item["text"])
        if not title:
            self.problems.append(Problem(self._file, number, "The item has no text and was skipped."))
            return
        task = ForeignTask(
            foreign_id=explicit_id or self._title_path(parent, title),
            title=title,
            status=self._status(item["mark"], number),
            priority="high" if item["mark"] == "!" else priority,
            labels=(*labels, "question") if item["mark"] == "?" else labels,
            parent=parent.foreign_id if parent else None,
            line=number,
            extra={"section": self._section} if self._section and self._section_status is None else {},
        )
        if explicit_id and explicit_id in self._found:
            message = f"The id '{explicit_id}' was used above; this item is identified by its text instead."
            self.problems.append(Problem(self._file, number, message))
            task = replace(task, foreign_id=self._title_path(parent, title))
        self._found[task.foreign_id] = task
        self._open.append(_OpenItem(indent, task))

    def _title_path(self, parent: ForeignTask | None, title: str) -> str:
        """Return the path of titles, such as `Parent > Title`; a repeated path gets a number."""
        path = " > ".join(filter(None, [parent.foreign_id if parent else "", " ".join(title.split())]))
        count = self._numbers[path] or 1
        while (foreign_id := path if count == 1 else f"{path} ({count})") in self._found:
            count += 1
        self._numbers[path] = count  # where the next search starts, as many equal titles would cost O(n²)
        return foreign_id

    def _status(self, mark: str | None, number: int) -> Status:
        if mark is not None and mark not in _MARKS:
            known = " ".join(f"[{known}]" for known in _MARKS)
            message = f"The state [{mark}] is unknown and was imported as [ ]. Known states: {known}."
            self.problems.append(Problem(self._file, number, message))
        status = _MARKS.get(mark or " ", "backlog")
        return self._section_status if status == "backlog" and self._section_status is not None else status

    def _add_text(self, line: str) -> None:
        """Add a line to the description of the innermost open item, unless it ends that item."""
        if not self._open:
            return  # text outside any item is about the list, not about a task
        if line.strip() and not line[:1].isspace() and self._fence is None:
            self._close_items(-1)
            return
        self._open[-1].text.append(line)

    def _close_items(self, indent: int) -> None:
        """Close the open items that are indented by `indent` or more, and store their descriptions."""
        while self._open and self._open[-1].indent >= indent:
            closed = self._open.pop()
            self._found[closed.task.foreign_id] = replace(closed.task, description=_dedent(closed.text))


def _parse_title(text: str) -> tuple[str, tuple[str, ...], Priority, str | None]:
    """Return the title, labels, priority and explicit id in the text of an item."""
    explicit = _EXPLICIT_ID.search(text)
    if explicit:
        text = text[: explicit.start()]
    labels = tuple(dict.fromkeys(tag["label"] or tag["person"] for tag in _TAG.finditer(text)))
    chosen = _PRIORITY.search(text)
    title = " ".join(_PRIORITY.sub("", _TAG.sub("", text)).split())
    if not title and labels:
        title = text.strip()  # the text has only tags: they are the title
    priority = priority_of(chosen["word"]) if chosen else None
    identity = (explicit["comment"] or explicit["block"]) if explicit else None
    return title, labels, priority or "medium", identity


def _dedent(lines: list[str]) -> str:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    width = min(indents, default=0)
    return "\n".join(line[width:] for line in lines).strip("\n").rstrip()

"""Parser for Markdown check lists such as `todo.md`.

Contract:
- A line `- [ ] text` is a task; `x` means done, `/` in progress, `-` and `~` dropped, `!` high priority,
  `>` later, `?` a question. Below a heading that names a state ("In progress") an unchecked item has that
  state, and a plain top-level item is a task too.
- A nested item is a subtask of the one above it. Other indented text is the description of the item above.
- `#word` and `@name` become labels; `!high`, `!medium` and `!low` set the priority. The rest is the title.
- The origin is the path of titles, or an explicit id in the line (`^id`, `<!-- id: … -->`), so that importing
  the list again, reordered or with other states, finds the same tasks.
- Nothing inside a fenced code block is a task.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from holdfast.tasks.store.states import Priority, Status
from holdfast.tasks.trackers.foreign import ForeignTask, Problem, priority_of, status_of

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
_TAB = 4
"""Width of a tab in an indent, as CommonMark defines it (https://spec.commonmark.org/0.31.2/#tabs)."""


@dataclass
class _Open:
    """An item that is still open: later lines may belong to it."""

    indent: int
    task: ForeignTask
    text: list[str] = field(default_factory=list)


def read_check_list(content: str, file: str) -> tuple[list[ForeignTask], list[Problem]]:
    """Return the tasks of a check list, parents before subtasks, and its problems."""
    parser = _CheckListParser(file)
    for number, line in enumerate(content.splitlines(), start=1):
        parser.feed(line, number)
    return parser.finish(), parser.problems


class _CheckListParser:
    """Parses a check list line by line."""

    def __init__(self, file: str) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._state: Status | None = None
        self._section = ""
        self._open: list[_Open] = []
        self._found: dict[str, ForeignTask] = {}
        self._numbers: Counter[str] = Counter()
        self._fence: str | None = None

    def feed(self, line: str, number: int) -> None:
        """Parse one line."""
        if self._inside_fence(line):
            self._add_text(line)
        elif heading := _HEADING.fullmatch(line):
            self._close_to(-1)
            self._section = heading["text"]
            self._state = status_of(heading["text"])
        elif (item := _ITEM.fullmatch(line)) and self._is_task(item):
            self._begin(item, number)
        else:
            self._add_text(line)

    def finish(self) -> list[ForeignTask]:
        """Return the tasks in file order."""
        self._close_to(-1)
        return list(self._found.values())

    def _inside_fence(self, line: str) -> bool:
        found = _FENCE.match(line)
        if self._fence is None:
            self._fence = found[1] if found else None
            return found is not None
        if found and found[1].startswith(self._fence) and not line.strip().strip(found[1][0]):
            self._fence = None
        return True

    def _is_task(self, item: re.Match[str]) -> bool:
        if item["mark"] is not None:
            return True
        return self._state is not None and not item["indent"] and bool(item["text"].strip())

    def _begin(self, item: re.Match[str], number: int) -> None:
        indent = len(item["indent"].expandtabs(_TAB))
        self._close_to(indent)
        parent = self._open[-1].task if self._open else None
        title, labels, priority, explicit_id = _title(item["text"])
        if not title:
            self.problems.append(Problem(self._file, number, "The item has no text and was skipped."))
            return
        task = ForeignTask(
            origin=explicit_id or self._title_path(parent, title),
            title=title,
            status=self._status(item["mark"], number),
            priority="high" if item["mark"] == "!" else priority,
            labels=(*labels, "question") if item["mark"] == "?" else labels,
            parent=parent.origin if parent else None,
            line=number,
            kept={"section": self._section} if self._section and self._state is None else {},
        )
        if explicit_id and explicit_id in self._found:
            message = f"The id '{explicit_id}' was used above; this item is identified by its text instead."
            self.problems.append(Problem(self._file, number, message))
            task = replace(task, origin=self._title_path(parent, title))
        self._found[task.origin] = task
        self._open.append(_Open(indent, task))

    def _title_path(self, parent: ForeignTask | None, title: str) -> str:
        """Return an origin made of titles; repeated ones are numbered."""
        path = " > ".join(filter(None, [parent.origin if parent else "", " ".join(title.split())]))
        count = self._numbers[path] or 1
        while (origin := path if count == 1 else f"{path} ({count})") in self._found:
            count += 1
        self._numbers[path] = count  # the next search starts here, or many equal titles would cost O(n²)
        return origin

    def _status(self, mark: str | None, number: int) -> Status:
        if mark is not None and mark not in _MARKS:
            known = " ".join(f"[{known}]" for known in _MARKS)
            message = f"The state [{mark}] is unknown and was imported as [ ]. Known states: {known}."
            self.problems.append(Problem(self._file, number, message))
        status = _MARKS.get(mark or " ", "backlog")
        return self._state if status == "backlog" and self._state is not None else status

    def _add_text(self, line: str) -> None:
        if not self._open:
            return  # text outside any item describes the list, not a task
        if line.strip() and not line[:1].isspace() and self._fence is None:
            self._close_to(-1)
            return
        self._open[-1].text.append(line)

    def _close_to(self, indent: int) -> None:
        """Close the open items that are indented by `indent` or more."""
        while self._open and self._open[-1].indent >= indent:
            closed = self._open.pop()
            self._found[closed.task.origin] = replace(closed.task, description=_dedented(closed.text))


def _title(text: str) -> tuple[str, tuple[str, ...], Priority, str | None]:
    """Return title, labels, priority and explicit id of an item."""
    explicit = _EXPLICIT_ID.search(text)
    if explicit:
        text = text[: explicit.start()]
    labels = tuple(dict.fromkeys(tag["label"] or tag["person"] for tag in _TAG.finditer(text)))
    chosen = _PRIORITY.search(text)
    title = " ".join(_PRIORITY.sub("", _TAG.sub("", text)).split())
    if not title and labels:
        title = text.strip()  # only tags: keep them as the title
    priority = priority_of(chosen["word"]) if chosen else None
    identity = (explicit["comment"] or explicit["block"]) if explicit else None
    return title, labels, priority or "medium", identity


def _dedented(lines: list[str]) -> str:
    widths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    width = min(widths, default=0)
    return "\n".join(line[width:] for line in lines).strip("\n").rstrip()

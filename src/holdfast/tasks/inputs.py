"""Parts of arguments that several operations share, and what they become inside the room."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.operation import Input
from holdfast.kernel.text import shorten
from holdfast.storage.files.work_tree import RepoPath
from holdfast.tasks.models import MOST_ITEMS, Body, EvidenceKind, LinkKind, TaskId, Title, Word
from holdfast.tasks.store.records import Draft, File, Link
from holdfast.tasks.store.states import KINDS, Kind, Priority, Status

TITLE_FROM_TEXT = 50

_LINES = re.compile(r"(?P<path>.+?):(?P<first>[1-9][0-9]{0,8})(?:-(?P<last>[1-9][0-9]{0,8}))?")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


def _spelled(value: Any) -> Any:
    """Bring a word of a fixed list to the spelling of the list, whatever its case."""
    return value.strip().lower().replace("_", "-").replace(" ", "-") if isinstance(value, str) else value


AnyStatus = Annotated[Status, BeforeValidator(_spelled)]
AnyPriority = Annotated[Priority, BeforeValidator(_spelled)]
Dependencies = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=MOST_ITEMS)]
Words = Annotated[list[Word], Field(max_length=MOST_ITEMS)]
Paths = Annotated[list[Annotated[str, Field(max_length=4200)]], Field(max_length=MOST_ITEMS)]


class LinkIn(Input):
    """Something elsewhere that a task has to do with."""

    kind: LinkKind = Field(description="What it is.")
    ref: Word = Field(description="Its name there.")
    uri: Word | None = Field(default=None, description="Its address.")
    title: Word | None = Field(default=None, description="What it is called.")


class EvidenceIn(Input):
    """What shows that a task was done."""

    kind: EvidenceKind = Field(description="A commit, a test or gate that was run, or a note.")
    ref: Word = Field(description="The commit's name, the command, or the note.")
    exit_status: int | None = Field(default=None, description="How the command ended; 0 is success.")


class NewTask(Input):
    """A task to add."""

    task_description: Body | None = Field(default=None, description="What is to be done.")
    title: Title | None = Field(default=None, description="Left out, the first sentence of the description.")
    priority: AnyPriority = Field(default="medium", description="How much it matters.")
    parent_task_id: TaskId | None = Field(default=None, description="Task of which it is a part.")
    depends_on: Dependencies = Field(
        default=[],
        description="Tasks to finish first: TP-3, or related:TP-3 for another kind; #ref in a batch.",
    )
    labels: Words = Field(default=[], description="Labels.")
    criteria: Words = Field(default=[], description="What has to be true before it is done.")
    connected_files: Paths = Field(default=[], description="Files: src/a.py, or src/a.py:10-20.")
    links: list[LinkIn] = Field(default=[], max_length=MOST_ITEMS, description="Things elsewhere.")
    milestone: Word | None = Field(default=None, description="Milestone it belongs to.")
    ref: Word | None = Field(default=None, description="Name for others of the same batch, as #name.")
    client_key: Word | None = Field(default=None, description="Any name of yours: a retry adds nothing.")


def draft_of(task: NewTask) -> Draft:
    """Return what the store is to make of a task to add."""
    description = task.task_description or ""
    title = task.title or title_from(description)
    if not title:
        raise InvalidArguments(
            "A task needs a description or a title.", hint="Say in `task_description` what is to be done."
        )
    return Draft(
        title=title,
        description=description,
        priority=task.priority,
        parent=task.parent_task_id,
        depends_on=[dependency_of(text) for text in task.depends_on],
        ref=task.ref,
        labels=list(task.labels),
        criteria=list(task.criteria),
        files=files_of(task.connected_files),
        links=links_of(task.links),
        milestone=task.milestone,
        client_key=task.client_key,
    )


def title_from(description: str) -> str:
    """Return the first sentence of a text, cut where a title ends."""
    first = " ".join(_SENTENCE.split(description.strip(), maxsplit=1)[0].split())
    first = "".join(character for character in first if character.isprintable())
    if len(first) <= TITLE_FROM_TEXT:
        return first.rstrip(".")
    return shorten(first, TITLE_FROM_TEXT, tidy=True)


def dependency_of(text: str) -> tuple[str, Kind]:
    """Return the task that `TP-3` or `related:TP-3` names, and how it matters."""
    for kind in KINDS:
        if text.startswith(f"{kind}:"):
            return text.removeprefix(f"{kind}:"), kind
    if ":" in text:
        raise InvalidArguments(
            f'"{text[:40]}" is no dependency.',
            hint=f"Write TP-3, or with a kind before it: {', '.join(f'{kind}:TP-3' for kind in KINDS)}.",
        )
    return text, "blocks"


def files_of(texts: Sequence[str]) -> list[File]:
    """Return the files that `path`, `path:10` or `path:10-20` name."""
    return [_file_of(text) for text in texts]


def path_named(text: str) -> str:
    """Return the path of a file that is looked for, as tasks hold it."""
    return RepoPath.parse(text).text


def _file_of(text: str) -> File:
    found = _LINES.fullmatch(text)
    path = RepoPath.parse(text if found is None else found["path"]).text
    if found is None:
        return File(path)
    first, last = int(found["first"]), int(found["last"] or found["first"])
    if last < first:
        raise InvalidArguments(f'The lines of "{path}" end before they begin.', hint="Write FIRST-LAST.")
    return File(path, line_start=first, line_end=last)


def links_of(links: Sequence[LinkIn]) -> list[Link]:
    """Return links as the store keeps them."""
    return [Link(item.kind, item.ref, item.uri, item.title) for item in links]

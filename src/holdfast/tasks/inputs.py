"""The input models that several operations share, and their conversion to records of the store."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import Input, Integer, IntegerOrNone
from holdfast.kernel.text import shorten
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.link_targets import link_records
from holdfast.tasks.models import (
    MAX_ITEMS,
    MAX_TITLE_CHARACTERS,
    Body,
    EvidenceKind,
    LinkIn,
    ShortText,
    TaskId,
    Title,
)
from holdfast.tasks.store.records import Draft, File
from holdfast.tasks.store.states import KINDS, Kind, Priority, Status

_FILE_AND_LINES = re.compile(r"(?P<path>.+?):(?P<first>[1-9][0-9]{0,8})(?:-(?P<last>[1-9][0-9]{0,8}))?")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")


def _canonicalise(value: Any) -> Any:
    """Return the canonical spelling of a status or priority; other types are left to validation."""
    if not isinstance(value, str):
        return value
    return value.strip().lower().replace("_", "-").replace(" ", "-")


AnyStatus = Annotated[Status, BeforeValidator(_canonicalise)]
AnyPriority = Annotated[Priority, BeforeValidator(_canonicalise)]
Dependencies = Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=MAX_ITEMS)]
"""Texts for `parse_dependency`: a kind and a task, each of at most 40 characters."""
ShortTexts = Annotated[list[ShortText], Field(max_length=MAX_ITEMS)]
Criteria = Annotated[list[Integer | ShortText], Field(max_length=MAX_ITEMS)]
Paths = Annotated[list[Annotated[str, Field(max_length=4200)]], Field(max_length=MAX_ITEMS)]
"""Texts for `parse_files`: a path of at most `LIMITS.path_characters`, and a range of lines."""


class EvidenceIn(Input):
    """Evidence that a task was done."""

    kind: EvidenceKind = Field(description="A commit, a test or gate that was run, or a note.")
    ref: ShortText = Field(description="The commit, the command, or the note.")
    exit_status: IntegerOrNone = Field(default=None, description="Exit status of the command; 0 is success.")
    criterion: Integer | ShortText | None = Field(
        default=None, description="The criterion it proves, as in `check`."
    )


class NewTask(Input):
    """A task to add."""

    task_description: Body | None = Field(default=None, description="What is to be done.")
    title: Title | None = Field(default=None, description="Default: the first sentence of the description.")
    priority: AnyPriority = Field(default="medium", description="Priority.")
    parent_task_id: TaskId | None = Field(default=None, description="Parent task.")
    depends_on: Dependencies = Field(
        default=[],
        description="Tasks to finish first: TP-3, or related:TP-3 for another kind; #ref in a batch.",
    )
    labels: ShortTexts = Field(default=[], description="Labels.")
    criteria: ShortTexts = Field(default=[], description="What must be true before it is done.")
    connected_files: Paths = Field(default=[], description="Files: src/a.py, or src/a.py:10-20.")
    links: list[LinkIn] = Field(default=[], max_length=MAX_ITEMS, description="Links.")
    milestone: ShortText | None = Field(default=None, description="Milestone it belongs to.")
    ref: ShortText | None = Field(
        default=None, description="Name by which others of the batch refer to it: #name."
    )
    client_key: ShortText | None = Field(default=None, description="Idempotency key: a retry adds nothing.")


def draft_of(task: NewTask) -> Draft:
    """Return a task to add as a draft for the store; raise if it has no title and no description."""
    description = task.task_description or ""
    title = task.title or derive_title(description)
    if not title:
        raise InvalidArguments(
            "A task needs a description or a title.", hint="Describe the work in `task_description`."
        )
    return Draft(
        title=title,
        description=description,
        priority=task.priority,
        parent=task.parent_task_id,
        depends_on=[parse_dependency(text) for text in task.depends_on],
        ref=task.ref,
        labels=list(task.labels),
        criteria=list(task.criteria),
        files=parse_files(task.connected_files),
        links=link_records(task.links),
        milestone=task.milestone,
        client_key=task.client_key,
    )


def derive_title(description: str) -> str:
    """Return the first sentence of a description as a title, in full unless no title may be so long."""
    sentence = " ".join(_SENTENCE_END.split(description.strip(), maxsplit=1)[0].split())
    sentence = "".join(character for character in sentence if character.isprintable())
    if len(sentence) <= MAX_TITLE_CHARACTERS:
        return sentence.rstrip(".")
    return shorten(sentence, MAX_TITLE_CHARACTERS, tidy=True)


def parse_dependency(text: str) -> tuple[str, Kind]:
    """Return the task and the kind of dependency in a text such as `TP-3` or `related:TP-3`."""
    for kind in KINDS:
        if text.startswith(f"{kind}:"):
            return text.removeprefix(f"{kind}:"), kind
    if ":" in text:
        raise InvalidArguments(
            f'"{text[:40]}" is not a dependency.',
            hint=f"Write TP-3, or prefix a kind: {', '.join(f'{kind}:TP-3' for kind in KINDS)}.",
        )
    return text, "blocks"


def parse_files(texts: Sequence[str]) -> list[File]:
    """Return the files that texts such as `path`, `path:10` or `path:10-20` name."""
    return [_parse_file(text) for text in texts]


def parse_list(text: str) -> list[str]:
    """Return the items of a JSON list, or of a comma-separated list."""
    if not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        items = parse_json(text)
    except UnreadableDocument:
        raise InvalidArguments("`value` is not a JSON list.", hint='Write it as ["a", "b"].') from None
    return [str(item) for item in items]


def normalise_path(text: str) -> str:
    """Return the path of a file in the form in which tasks store it."""
    return RepoPath.parse(text).text


def split_lines_off(text: str) -> tuple[str, str]:
    """Return the path in a text such as `path:10-20`, and the rest of the text."""
    match = _FILE_AND_LINES.fullmatch(text)
    return (text, "") if match is None else (match["path"], text[match.end("path") :])


def _parse_file(text: str) -> File:
    match = _FILE_AND_LINES.fullmatch(text)
    if match is None:
        return File(normalise_path(text))
    path = normalise_path(match["path"])
    first, last = int(match["first"]), int(match["last"] or match["first"])
    if last < first:
        raise InvalidArguments(f'The line range of "{path}" is reversed.', hint="Write FIRST-LAST.")
    return File(path, line_start=first, line_end=last)

"""Parts of arguments that several operations share, and what they become inside the room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast
from urllib.parse import unquote

from pydantic import BeforeValidator, Field

from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError, InvalidArguments, NotFound
from holdfast.kernel.models import Input, Integer, IntegerOrNone
from holdfast.kernel.text import shorten
from holdfast.storage.files.foreign_document import UnreadableDocument, json_of
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.models import MOST_ITEMS, Body, EvidenceKind, LinkKind, TaskId, Title, Word
from holdfast.tasks.store.records import Draft, File, Link
from holdfast.tasks.store.states import KINDS, Kind, Priority, Status

if TYPE_CHECKING:
    from holdfast.tasks.neighbours import Neighbours, Remark, RemarkKind
    from holdfast.tasks.store.tasks import Tasks

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
Criteria = Annotated[list[Integer | Word], Field(max_length=MOST_ITEMS)]
Paths = Annotated[list[Annotated[str, Field(max_length=4200)]], Field(max_length=MOST_ITEMS)]


class LinkIn(Input):
    """Something elsewhere that a task has to do with."""

    kind: LinkKind | None = Field(default=None, description="What it is.")
    ref: Word | None = Field(default=None, description="Its name there.")
    uri: Word | None = Field(default=None, description="Its address.")
    title: Word | None = Field(default=None, description="What it is called.")


class EvidenceIn(Input):
    """What shows that a task was done."""

    kind: EvidenceKind = Field(description="A commit, a test or gate that was run, or a note.")
    ref: Word = Field(description="The commit's name, the command, or the note.")
    exit_status: IntegerOrNone = Field(default=None, description="How the command ended; 0 is success.")
    criterion: Integer | Word | None = Field(
        default=None, description="The criterion it shows, as in `check`."
    )


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


def list_of(text: str) -> list[str]:
    """Return the items of a JSON list, or of a list with commas."""
    if not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        items = json_of(text)
    except UnreadableDocument:
        raise InvalidArguments("`value` is not a JSON list.", hint='Write it as ["a", "b"].') from None
    return [str(item) for item in items]


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


_MESSAGE = re.compile(r"(?:lazygit://(?:messages|history)[#/])?(?P<id>m_[0-9a-f]{4,64})")
_COMMENT = re.compile(r"(?:comment://workspace/(?P<uri>.+)\.comments|(?P<path>[^#]+))#(?P<id>[\w-]{1,80})")
_ENTITY = re.compile(r"(?:git-mile://entity/|(?:issue|milestone):)(?P<id>[0-9a-f-]{4,64})")
_FORMS = "m_… for a message, FILE#c_… for a comment, or git-mile://entity/… for an issue"
_TASK = re.compile(r"taskpilot://workspace/[^/]+/tasks/(?P<id>TP-[0-9]+)")
_OWN_ISSUE = re.compile(r"(?=.*[a-f])[0-9a-f-]{4,64}")
"""What an issue of this repository is called; numbers alone, and what else there is, other trackers have."""


class Place(NamedTuple):
    """Something in another room."""

    kind: RemarkKind
    ref: str
    file: str | None = None


def place_of(text: str) -> Place:
    """Return what an address or id means, or say which forms there are."""
    text = text.strip()
    if found := _MESSAGE.fullmatch(text):
        return Place("message", found["id"])
    if found := _ENTITY.fullmatch(text):
        return Place("issue", found["id"])
    if found := _COMMENT.fullmatch(text):
        path = unquote(found["uri"]) if found["uri"] else found["path"]
        return Place("comment", found["id"], RepoPath.parse(path).text)
    raise InvalidArguments(f"{text[:100]!a} names no message, comment or issue.", hint=f"Give {_FORMS}.")


def links_of(links: Sequence[LinkIn]) -> list[Link]:
    """Return links as the store keeps them; the address alone says what it is an address of."""
    return [Link(*_meant(item), item.uri, item.title) for item in links]


def _meant(link: LinkIn) -> tuple[LinkKind, str]:
    """Return what a link leads to, and what that is called there."""
    if link.kind is not None and link.ref is not None:
        return link.kind, link.ref
    if link.uri is None:
        raise InvalidArguments("A link needs `uri`, or `kind` and `ref`.", hint=f"As `uri` give {_FORMS}.")
    if found := _TASK.fullmatch(link.uri):
        return link.kind or "task", link.ref or found["id"]
    if link.uri.startswith(("https://", "http://")):
        return link.kind or "url", link.ref or link.uri
    place = place_of(link.uri)
    name = place.ref if place.file is None else f"{place.file}#{place.ref}"
    return link.kind or cast("LinkKind", place.kind), link.ref or name


def linked(neighbours: Neighbours, kind: str, ref: str) -> Remark | None:
    """Return the comment or issue that a link leads to; None where nobody here can know it.

    Raises `NotFound` where it would be here and is not.
    """
    path, _, name = ref.rpartition("#")
    try:
        return neighbours.find(cast("RemarkKind", kind), name if kind == "comment" else ref, path)
    except NotFound:
        if kind == "comment" or _OWN_ISSUE.fullmatch(ref):
            raise NotFound(
                f"There is no {kind} {ref[:100]!a} to link to.", hint=f"Give {_FORMS}, as it is now."
            ) from None
        return None
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return None


def refuse_missing(room: Tasks, links: Iterable[Link]) -> None:
    """Raise when a link leads to a comment or an issue that is not there."""
    for link in links:
        if link.kind in ("comment", "issue"):
            linked(room.neighbours, link.kind, link.ref)

"""`taskpilot_update_resources`: writes project.md or design.md in `.task/`."""

from __future__ import annotations

import difflib
import os
from typing import Annotated

from pydantic import Field

from holdfast.kernel.errors import OutOfDate
from holdfast.kernel.models import ExpectedFormat
from holdfast.kernel.operation import Effect
from holdfast.storage.files.locks import locked
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.caller import identify_caller
from holdfast.tasks.models import InSession, Reported, Result, Stored
from holdfast.tasks.store.history import record
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.texts.documents import MAX_DOCUMENT_BYTES, PATHS, Document, read_document, sha256_of
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.view.results import workspace_ref


class UpdateResources(InSession):
    """A document and its new text."""

    resource_type: Document = Field(description="Which document.")
    content: Stored = Field(
        max_length=MAX_DOCUMENT_BYTES // 4,  # a character has up to four bytes
        description="The whole new text, in Markdown.",
    )
    reason: Stored | None = Field(default=None, max_length=1000, description="Why it changes.")
    if_sha256: Annotated[str | None, ExpectedFormat("a SHA-256 sum, 64 hexadecimal digits")] = Field(
        default=None, pattern="^[0-9a-f]{64}$", description="Write only if the current text has this SHA-256."
    )


class DiffStat(Result):
    """The numbers of added and removed lines."""

    added: int
    removed: int


class DocumentWritten(Reported):
    """The document's new hash, and how much of it changed."""

    uri: str
    sha256: str
    diff_stat: DiffStat


@tasks.operation(
    "taskpilot_update_resources",
    title="Write a project document",
    effect=Effect.WRITE,
    idempotent=True,
    command="document",
    positional=("resource_type",),
    example='holdfast tasks document project.md --content "# Kelp"',
    text=lambda result: (
        f"{result.uri}: {result.diff_stat.added} lines added, {result.diff_stat.removed} removed."
    ),
    annotations=PLANNING,
    listed=False,
)
def update_resources(room: Tasks, arguments: UpdateResources) -> DocumentWritten:
    """Write project.md or design.md in .task, which tell people and agents what the project is about."""
    who = identify_caller(room, arguments)
    workspace = room.workspace()
    room.repository.ensure_store()
    with locked(os.path.join(room.repository.store_directory, "task-documents")):
        before = read_document(room, arguments.resource_type) or ""
        if arguments.if_sha256 not in (None, sha256_of(before)):
            raise OutOfDate.found(arguments.resource_type, arguments.if_sha256 or "", sha256_of(before))
        path = PATHS[arguments.resource_type]
        tree = Tree(room.repository)
        tree.make_parents(path)
        tree.write(path, arguments.content.encode())
    with room.writing(who) as transaction:
        written = {"document": arguments.resource_type}
        record(transaction, None, "document-written", after=written, reason=arguments.reason)
    return DocumentWritten(
        operation="update_resources",
        workspace=workspace_ref(workspace),
        uri=f"taskpilot://workspace/{workspace.id}/{arguments.resource_type}",
        sha256=sha256_of(arguments.content),
        diff_stat=_diff_stat(before, arguments.content),
    )


def _diff_stat(before: str, after: str) -> DiffStat:
    diff = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))
    lines = diff[2:]  # without the two lines that name the files
    added = sum(line.startswith("+") for line in lines)
    removed = sum(line.startswith("-") for line in lines)
    return DiffStat(added=added, removed=removed)

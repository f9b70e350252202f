"""Milestones and issues in and out of files."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import rfc3339_of_seconds
from holdfast.kernel.errors import Conflict, Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.milestones import text
from holdfast.milestones.entity import KINDS, Entity
from holdfast.milestones.exchange_models import (
    ExportEntities,
    ExportFormat,
    ImportEntities,
    ImportFormat,
    MileExported,
    MileImported,
    MileSkipped,
)
from holdfast.milestones.imports import beads_drafts, github_drafts
from holdfast.milestones.index.query import Query, SortKey
from holdfast.milestones.log.entry import parse
from holdfast.milestones.models import MileDetails
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

_READERS = {"github": github_drafts, "beads": beads_drafts}


@milestones.operation(
    "git_mile.import",
    title="Import milestones and issues",
    effect=Effect.WRITE,
    idempotent=True,
    seconds=600,
    command="import",
    positional=("file",),
    example="holdfast milestones import issues.json --format github",
    text=text.imported,
    listed=False,
)
def import_entities(room: Milestones, args: ImportEntities) -> MileImported:
    """Import an export of ours, GitHub issues, or beads' issues.jsonl.

    GitHub issues are what its REST API returns, or `gh issue list --json` with fields of that meaning.
    Importing the same again changes nothing. What cannot be taken over is named with the reason.
    """
    content = _content(room, args.file)
    chosen: ImportFormat = _recognized(content) if args.format == "auto" else args.format
    skipped: list[MileSkipped] = []
    if chosen == "operations":
        return _imported_operations(room, content)
    drafts = list(
        _READERS[chosen](content, lambda item, reason: skipped.append(MileSkipped(item=item, reason=reason)))
    )
    receipts = room.bring_in(drafts)
    created = sum(receipt.changed for receipt in receipts)
    return MileImported(format=chosen, created=created, unchanged=len(receipts) - created, skipped=skipped)


@milestones.operation(
    "git_mile.export",
    title="Export milestones and issues",
    effect=Effect.WRITE,
    idempotent=False,
    seconds=600,
    command="export",
    positional=("file",),
    example="holdfast milestones export",
    text=text.exported,
    listed=False,
)
def export_entities(room: Milestones, args: ExportEntities) -> MileExported:
    """Export everything: as operations, which can be imported without loss, or as JSON to read."""
    lines = list(room.operations()) if args.format == "operations" else list(_entities(room, args.format))
    body = f"[{','.join(lines)}]\n" if args.format == "github" else "".join(f"{line}\n" for line in lines)
    if args.file is None:
        return MileExported(format=args.format, count=len(lines), text=body)
    path, tree = RepoPath.parse(args.file), Tree(room.repository)
    if tree.exists(path):
        raise Conflict(f"The file '{path.text}' exists already.", hint="Name one that does not.")
    tree.write(path, body.encode())
    return MileExported(format=args.format, count=len(lines), file=path.text)


def _content(room: Milestones, file: str) -> str:
    path = RepoPath.parse(file)
    try:
        return Tree(room.repository).read_bytes(path, LIMITS.git_output_bytes).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid(f"The file '{path.text}' is not UTF-8 text.", hint="Save it as UTF-8.") from None


def _recognized(content: str) -> ImportFormat:
    """Return the format a text has by its first line."""
    if content.lstrip().startswith("["):
        return "github"
    first = next((line for line in content.splitlines() if line.strip()), "")
    return "operations" if parse(first) is not None else "beads"


def _imported_operations(room: Milestones, content: str) -> MileImported:
    lines = [line for line in content.splitlines() if line.strip()]
    readable = [line for line in lines if parse(line) is not None]
    skipped = [
        MileSkipped(item=f"line {number}", reason="It is no operation.")
        for number, line in enumerate(lines, start=1)
        if parse(line) is None
    ]
    created = room.bring_in_operations(readable)
    return MileImported(
        format="operations", created=created, unchanged=len(readable) - created, skipped=skipped
    )


def _entities(room: Milestones, chosen: ExportFormat) -> Iterator[str]:
    for kind in KINDS if chosen == "entities" else ("issue",):
        after = None
        while True:
            current_call().check()
            order = (SortKey("created"),)
            page = room.find(
                Query(kind, include_closed=True, sort=order, after=after, limit=LIMITS.entity_largest_page)
            )
            for summary in page.items:
                yield _line(room, room.get(kind, summary.id), chosen)
            if page.next is None:
                break
            after = page.next


def _line(room: Milestones, entity: Entity, chosen: ExportFormat) -> str:
    if chosen == "entities":
        return json.dumps(MileDetails.of(entity, now=rfc3339_of_seconds(int(time.time())), hint=None).wire())
    milestone = None if entity.milestone is None else {"title": room.get("milestone", entity.milestone).title}
    body = {
        "id": entity.id,
        "title": entity.title,
        "body": entity.description,
        "state": "closed" if entity.status == "closed" else "open",
        "labels": [{"name": label} for label in entity.labels],
        "assignees": [] if entity.assignee is None else [{"login": entity.assignee}],
        "milestone": milestone,
        "user": {"login": entity.author},
        "created_at": entity.created,
        "updated_at": entity.updated,
        "comments": [
            {"user": {"login": comment.author}, "body": comment.body, "created_at": comment.time}
            for comment in entity.comments
            if not comment.deleted
        ],
    }
    return json.dumps(body)

"""`git_mile.export`: export all milestones and issues to a file or as the result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Conflict
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Output, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import KINDS, Entity
from holdfast.milestones.index.query import EntityQuery, SortKey
from holdfast.milestones.models import MileDetails
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import BULK_SECONDS, FileName, milestones
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree

_SELECT_MILESTONE_TITLES = "SELECT id, title FROM entity WHERE kind = 'milestone'"

ExportFormat = Literal["operations", "entities", "github"]


class ExportEntities(Input):
    """How to export."""

    format: ExportFormat = Field(
        default="operations",
        description="JSON lines of operations (lossless) or of entities; or GitHub issues.",
    )
    file: FileName | None = Field(
        default=None, description="A new file inside the repository; without it the text is returned."
    )


class MileExported(Output):
    """What was exported."""

    format: ExportFormat
    count: int = Field(description="Number of operations or entities.")
    file: UntrustedText | None = optional("The file that was written.")
    text: UntrustedText | None = optional("The export, if no file was given.")


def _text(result: MileExported) -> str:
    if result.file is not None:
        return f"Wrote {result.count} to {one_line(result.file)}"
    return result.text or ""


@milestones.operation(
    "git_mile.export",
    title="Export milestones and issues",
    effect=Effect.WRITE,
    idempotent=False,
    seconds=BULK_SECONDS,
    command="export",
    positional=("file",),
    example="holdfast milestones export",
    text=_text,
    listed=False,
)
def export_entities(room: Milestones, args: ExportEntities) -> MileExported:
    """Export everything: as operations, which can be imported without loss, or as readable JSON."""
    lines = list(room.operations() if args.format == "operations" else _entity_lines(room, args.format))
    if args.format == "github":
        body = f"[{','.join(lines)}]\n"
    else:
        body = "".join(f"{line}\n" for line in lines)
    if args.file is None:
        return MileExported(format=args.format, count=len(lines), text=body)
    path, tree = RepoPath.parse(args.file), Tree(room.repository)
    if tree.exists(path):
        raise Conflict(f"The file '{path.text}' exists already.", hint="Give the name of a new file.")
    tree.write(path, body.encode())
    return MileExported(format=args.format, count=len(lines), file=path.text)


def _entity_lines(room: Milestones, export_format: ExportFormat) -> Iterator[str]:
    # A lookup by id could fail: the milestone of an issue may be in a log that this clone does not have.
    titles = dict(room.read(lambda connection: connection.execute(_SELECT_MILESTONE_TITLES).fetchall()))
    for kind in KINDS if export_format == "entities" else ("issue",):
        after = None
        while True:
            current_call().check()
            query = EntityQuery(kind, include_closed=True, sort=(SortKey("created"),), after=after)
            page = room.find(query._replace(limit=LIMITS.entity_largest_page))
            yield from (
                _entity_line(room, room.get(kind, summary.id), export_format, titles)
                for summary in page.items
            )
            after = page.next
            if after is None:
                break


def _entity_line(
    room: Milestones, entity: Entity, export_format: ExportFormat, titles: dict[str, str]
) -> str:
    if export_format == "entities":
        return json.dumps(MileDetails.of(entity, now=room.now(), hint=None).wire())
    body = {
        "id": entity.id,
        "title": entity.title,
        "body": entity.description,
        "state": "closed" if entity.status == "closed" else "open",
        "labels": [{"name": label} for label in entity.labels],
        "assignees": [] if entity.assignee is None else [{"login": entity.assignee}],
        "milestone": {"title": titles[entity.milestone]} if entity.milestone in titles else None,
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

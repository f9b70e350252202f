"""Milestones and issues as MCP resources."""

from __future__ import annotations

from functools import partial

from holdfast.kernel.resource import ResourceBody
from holdfast.milestones.entity import Kind
from holdfast.milestones.index.query import EntityQuery
from holdfast.milestones.models import MileDetails, MileItem
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones

_MAX_ITEMS = 100  # two pages of `git_mile_list`, which has the rest; a resource has no pages

_json_resource = partial(milestones.resource, mime_type="application/json", topic="milestones")


@_json_resource(
    "git-mile://issues",
    name="Open issues",
    description="The most recently updated open issues, as git_mile_list shows them",
)
def open_issues(room: Milestones) -> str:
    """Return the most recently updated open issues."""
    return _newest(room, "issue")


@_json_resource(
    "git-mile://milestones",
    name="Open milestones",
    description="The most recently updated open milestones, as git_mile_list shows them",
)
def open_milestones(room: Milestones) -> str:
    """Return the most recently updated open milestones."""
    return _newest(room, "milestone")


@_json_resource(
    "git-mile://entity/{id}",
    name="Milestone or issue",
    description="One complete milestone or issue, by its id, as git_mile_show shows it",
)
def entity(room: Milestones, id: str) -> ResourceBody:  # noqa: A002 - the name in the URI
    """Return one milestone or issue."""
    found = room.get(None, id)
    details = MileDetails.of(found, now=room.now(), hint=None)
    return ResourceBody(text=details.model_dump_json(by_alias=True))


def _newest(room: Milestones, kind: Kind) -> str:
    found = room.find(EntityQuery(kind, limit=_MAX_ITEMS))
    items = (MileItem.of(summary).model_dump_json(by_alias=True) for summary in found.items)
    return f"[{','.join(items)}]"

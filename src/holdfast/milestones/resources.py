"""What of milestones and issues can be read by address."""

from __future__ import annotations

from functools import partial

from holdfast.kernel.resource import ResourceBody
from holdfast.milestones.entity import Kind
from holdfast.milestones.index.query import EntityQuery
from holdfast.milestones.models import MileDetails, MileItem
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones

_JSON = "application/json"
_ITEMS = 100


_document = partial(milestones.resource, mime_type=_JSON, topic="milestones")


@_document(
    "git-mile://issues",
    name="Open issues",
    description="The open issues that were updated last, as git_mile_list shows them",
)
def open_issues(room: Milestones) -> str:
    """Return the issues updated last."""
    return _newest(room, "issue")


@_document(
    "git-mile://milestones",
    name="Open milestones",
    description="The open milestones that were updated last, as git_mile_list shows them",
)
def open_milestones(room: Milestones) -> str:
    """Return the milestones updated last."""
    return _newest(room, "milestone")


@_document(
    "git-mile://entity/{id}",
    name="Milestone or issue",
    description="One milestone or issue whole, by its id, as git_mile_show shows it",
)
def entity(room: Milestones, id: str) -> ResourceBody:  # noqa: A002 - the name in the address
    """Return one milestone or issue."""
    found = room.get(None, id)
    details = MileDetails.of(found, now=room.now(), hint=None)
    return ResourceBody(text=details.model_dump_json(by_alias=True))


def _newest(room: Milestones, kind: Kind) -> str:
    found = room.find(EntityQuery(kind, limit=_ITEMS))
    items = (MileItem.of(summary).model_dump_json(by_alias=True) for summary in found.items)
    return f"[{','.join(items)}]"

"""`git_mile.release`: give up a claim before its lease ends."""

from __future__ import annotations

from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import EntityWrite, MileReceipt, milestones


class ReleaseEntity(EntityWrite):
    """What to release."""


@milestones.change("release", "released", title="Release a claim", listed=False)
def release_entity(room: Milestones, args: ReleaseEntity) -> MileReceipt:
    """Give up a claim before it ends, so that others can take over."""
    return MileReceipt.of(room.release(args.id, **args.attribution))

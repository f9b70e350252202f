"""`git_mile.open`: open a draft, or reopen a milestone or issue."""

from __future__ import annotations

from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import ChangeStatus, MileReceipt, milestones


@milestones.change("open", "open", title="Open a milestone or issue", listed=False)
def open_entity(room: Milestones, args: ChangeStatus) -> MileReceipt:
    """Open a draft, or reopen what was closed."""
    receipt = room.set_status(args.id, "open", comment=args.comment, **args.attribution)
    return MileReceipt.of(receipt, comment=args.comment is not None)

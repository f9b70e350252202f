"""`git_mile.comment`: add or edit a comment."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import receipt_line
from holdfast.milestones.toolset import CommentId, EntityWrite, MileReceipt, milestones


class WriteComment(EntityWrite):
    """A comment to add or edit."""

    body: str = Field(
        min_length=1, max_length=LIMITS.entity_text_characters, description="The comment, in Markdown."
    )
    replaces: CommentId | None = Field(
        default=None, description="Id of an earlier comment whose body this one replaces."
    )


@milestones.change(
    "comment",
    "commented",
    title="Comment on a milestone or issue",
    example='--body "Seen on two machines"',
    idempotent=False,
    text=lambda result: receipt_line(f"commented ({result.comment_id})", result),
    editor_argument="body",
)
def write_comment(room: Milestones, args: WriteComment) -> MileReceipt:
    """Comment on a milestone or issue, or edit an earlier comment."""
    if args.replaces is None:
        return MileReceipt.of(room.comment(args.id, args.body, **args.attribution), comment=True)
    receipt = room.edit_comment(args.id, args.replaces, args.body, **args.attribution)
    return MileReceipt.of(receipt).model_copy(update={"comment_id": args.replaces})

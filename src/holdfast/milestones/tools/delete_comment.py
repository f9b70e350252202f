"""`git_mile.delete_comment`: delete a comment in every clone."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.operation import Effect
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import CommentId, EntityWrite, MileReceipt, milestones


class DeleteComment(EntityWrite):
    """A comment to delete."""

    comment_id: CommentId = Field(alias="commentId", description="Id of the comment.")


@milestones.change(
    "delete-comment",
    "comment deleted",
    title="Delete a comment",
    example="00000000-0000-7000-8000-00000000000c",
    effect=Effect.DESTRUCTIVE,
    positional=("id", "comment_id"),
    listed=False,
)
def delete_comment(room: Milestones, args: DeleteComment) -> MileReceipt:
    """Delete a comment in every clone. Its body stays in the history of the log."""
    return MileReceipt.of(room.delete_comment(args.id, args.comment_id, **args.attribution))

"""`delete_comment`: remove a comment and its marker from the sidecar."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.models import CommentId, FilePath, OneComment
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect


class DeleteCodeComment(Input):
    """Which comment to delete."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID to delete.")


class DeletedComment(OneComment):
    """The comment that was deleted."""


@comments.operation(
    "delete_comment",
    title="Delete a comment",
    effect=Effect.DESTRUCTIVE,
    command="delete",
    positional=("file_path", "comment_id"),
    example="holdfast comments delete src/app.ts c_1730000000000",
    specified=True,
    specified_description="Delete a comment and its associated ghost marker",
    text=lambda done: f"✅ Comment deleted\n\nComment ID: {done.comment_id}\nFile: {done.file_path}",
    fill_in=arguments.resolve_paths("filePath"),
)
def delete_comment(room: Comments, args: DeleteCodeComment) -> DeletedComment:
    """Delete a comment and the marker that anchors it to its line."""
    given = source_path(args.file_path)
    path, note = CommentWriter(room).delete(given, args.comment_id)
    return DeletedComment(comment_id=note.alias, file_path=path.text)

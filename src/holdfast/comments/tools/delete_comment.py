"""`delete_comment`: take a comment and its marker out of the sidecar."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.models import CommentId, FilePath
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments, Writer
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.operation import Effect, Input, Output
from holdfast.kernel.untrusted import UntrustedText


class DeleteComment(Input):
    """Which comment to delete."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID to delete.")


class DeletedComment(Output):
    """A comment that was deleted."""

    comment_id: str = Field(serialization_alias="commentId", description="The name the comment had.")
    file_path: UntrustedText = Field(serialization_alias="filePath", description="Path of the source file.")


def deleted(result: DeletedComment) -> str:
    """Say that a comment was deleted."""
    return f"✅ Comment deleted\n\nComment ID: {result.comment_id}\nFile: {result.file_path}"


@comments.operation(
    "delete_comment",
    title="Delete a comment",
    effect=Effect.DESTRUCTIVE,
    command="delete",
    positional=("file_path", "comment_id"),
    example="holdfast comments delete src/app.ts c_1730000000000",
    specified=True,
    specified_description="Delete a comment and its associated ghost marker",
    text=deleted,
    fill_in=arguments.paths("filePath"),
)
def delete_comment(room: Comments, args: DeleteComment) -> DeletedComment:
    """Delete a comment and the marker that held it to its line."""
    path = source_path(args.file_path)
    note = Writer(room).delete(path, args.comment_id)
    return DeletedComment(comment_id=note.alias, file_path=path.text)

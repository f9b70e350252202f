"""`edit_comment`: replace the text of a comment."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.models import CommentId, CommentText, FilePath, OneComment
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect


class EditComment(Input):
    """A new text for a comment."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file containing the comment.")
    comment_id: CommentId = Field(
        alias="commentId", description="Unique comment ID (e.g., 'c_1730000000000')."
    )
    text: CommentText = Field(description="New comment text.")


class EditedComment(OneComment):
    """The comment whose text was replaced."""

    updated: str = Field(description="When the comment was changed.")


def _render(result: EditedComment) -> str:
    return (
        "✅ Comment edited successfully\n\n"
        f"Comment ID: {result.comment_id}\nFile: {result.file_path}\nUpdated: {result.updated}"
    )


@comments.operation(
    "edit_comment",
    title="Edit a comment",
    effect=Effect.WRITE,
    idempotent=True,
    command="edit",
    positional=("file_path", "comment_id", "text"),
    example='holdfast comments edit src/app.ts c_1730000000000 "Limit attempts to five a minute"',
    specified=True,
    specified_description="Edit the text content of an existing comment",
    text=_render,
    fill_in=arguments.resolve_paths("filePath"),
)
def edit_comment(room: Comments, args: EditComment) -> EditedComment:
    """Replace the text of a comment. Its tag, author and place stay as they are."""
    given = source_path(args.file_path)
    path, note = CommentWriter(room).edit(given, args.comment_id, args.text)
    return EditedComment(comment_id=note.alias, file_path=path.text, updated=note.updated)

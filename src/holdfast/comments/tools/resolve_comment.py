"""`resolve_comment`: resolve a comment, or reopen it."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.models import Author, CommentId, FilePath, OneComment
from holdfast.comments.sidecar.note import Status
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect


class ResolveComment(Input):
    """The new status of a comment."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID.")
    status: Status = Field(default="resolved", description="The status to set; open reopens it.")
    author: Author = Field(default=None, description="Who resolves it.")


class ResolvedComment(OneComment):
    """The comment with its new status."""

    status: Status = Field(description="The status of the comment now.")
    updated: str = Field(description="When the comment was changed.")


def _render(result: ResolvedComment) -> str:
    action = {"open": "reopened", "wontfix": "closed without action"}.get(result.status, "resolved")
    return (
        f"✅ Comment {action}\n\n"
        f"Comment ID: {result.comment_id}\nFile: {result.file_path}\nStatus: {result.status}"
    )


@comments.operation(
    "resolve_comment",
    title="Resolve a comment",
    effect=Effect.WRITE,
    idempotent=True,
    command="resolve",
    positional=("file_path", "comment_id"),
    example="holdfast comments resolve src/app.ts c_1730000000000 --status wontfix",
    text=_render,
    fill_in=arguments.resolve_paths("filePath"),
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT,
)
def resolve_comment(room: Comments, args: ResolveComment) -> ResolvedComment:
    """Mark a comment as resolved, as not to be acted on, or as open again. It stays in the file."""
    given = source_path(args.file_path)
    author = arguments.author_name(room, args.author)
    path, note = CommentWriter(room).resolve(given, args.comment_id, args.status, author)
    return ResolvedComment(
        comment_id=note.alias, file_path=path.text, status=args.status, updated=note.updated
    )

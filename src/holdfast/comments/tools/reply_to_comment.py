"""`reply_to_comment`: reply to a comment."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.models import Author, CommentId, CommentText, FilePath, OneComment
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect


class ReplyToComment(Input):
    """A reply to a comment."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID.")
    text: CommentText = Field(description="The text of the reply.")
    author: Author = Field(default=None, description="The author of the reply.")


class RepliedComment(OneComment):
    """The comment with the new reply."""

    replies: int = Field(description="How many replies the comment has now.")


def _render(result: RepliedComment) -> str:
    return (
        "✅ Reply added\n\n"
        f"Comment ID: {result.comment_id}\nFile: {result.file_path}\nReplies: {result.replies}"
    )


@comments.operation(
    "reply_to_comment",
    title="Reply to a comment",
    effect=Effect.WRITE,
    command="reply",
    positional=("file_path", "comment_id", "text"),
    example='holdfast comments reply src/app.ts c_1730000000000 "Done in the last commit"',
    text=_render,
    fill_in=arguments.resolve_paths("filePath"),
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT,
)
def reply_to_comment(room: Comments, args: ReplyToComment) -> RepliedComment:
    """Reply to a comment; the reply is shown with it, also in the editor."""
    given = source_path(args.file_path)
    author = arguments.author_name(room, args.author)
    path, note = CommentWriter(room).reply(given, args.comment_id, args.text, author)
    return RepliedComment(comment_id=note.alias, file_path=path.text, replies=len(note.replies))

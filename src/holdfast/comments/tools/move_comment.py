"""`move_comment`: move a comment to another line of the same or another file."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.models import CommentId, CommentResult, FilePath, LineNumber, SymbolFacts
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import anchor_label
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText


class MoveComment(Input):
    """Which comment to move, and where to."""

    source_file: FilePath = Field(alias="sourceFile", description="Current file containing the comment.")
    target_file: FilePath = Field(alias="targetFile", description="Destination file (can be same as source).")
    comment_id: CommentId = Field(alias="commentId", description="Comment ID to move.")
    target_line: LineNumber = Field(alias="targetLine", description="New line number in target file.")


class MovedComment(CommentResult):
    """The comment on its new line."""

    comment_id: str = Field(description="The id of the comment.")
    source_file: UntrustedText = Field(description="The file that the comment was in.")
    source_line: int = Field(description="The line that the comment was on.")
    target_file: UntrustedText = Field(description="The file that the comment is in.")
    target_line: int = Field(description="The line that the comment is on.")
    symbol: SymbolFacts | None = Field(description="The symbol it is about now, if the language is known.")


def _render(result: MovedComment) -> str:
    return (
        "✅ Comment moved successfully\n\n"
        f"From: {result.source_file}:{result.source_line}\n"
        f"To: {result.target_file}:{result.target_line}\n\n"
        f"Comment ID: {result.comment_id}\n"
        f"New anchor: {_describe_anchor(result)}"
    )


def _describe_anchor(result: MovedComment) -> str:
    symbol = result.symbol
    if symbol is None:
        return f"line {result.target_line}"
    return anchor_label(symbol) + (f" in {symbol.container}" if symbol.container else "")


@comments.operation(
    "move_comment",
    title="Move a comment",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    command="move",
    positional=("source_file", "comment_id", "target_file", "target_line"),
    example="holdfast comments move src/app.ts c_1730000000000 src/login.ts 25",
    specified=True,
    specified_description="Move a comment to a different file or line (e.g., after refactoring)",
    text=_render,
    fill_in=arguments.resolve_paths("sourceFile", "targetFile"),
    explain=partial(arguments.explain_line, file="targetFile", line="targetLine"),
)
def move_comment(room: Comments, args: MoveComment) -> MovedComment:
    """Move a comment to another line of the same or another file; it keeps its id and its dates."""
    source, target = source_path(args.source_file), source_path(args.target_file)
    previous_line, placed = CommentWriter(room).move(source, target, args.comment_id, args.target_line)
    return MovedComment(
        comment_id=placed.note.alias,
        source_file=source.text,
        source_line=previous_line,
        target_file=target.text,
        target_line=args.target_line,
        symbol=SymbolFacts.of(placed.symbol),
    )

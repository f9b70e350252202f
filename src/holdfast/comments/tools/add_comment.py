"""`add_comment`: write a new comment on a line of a source file."""

from __future__ import annotations

from functools import partial

from pydantic import Field

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.models import Author, CommentText, FilePath, LineNumber, OneComment, SymbolFacts
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.sidecar.note import Tag
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.call import current_call
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText

_DEFAULT_TAG: Tag = "NOTE"
"""The tag on the command line if none is given; the specification requires one of a tool's caller."""

_resolve_path = arguments.resolve_paths("filePath")


class AiMeta(Input):
    """AI metadata about a comment."""

    model: str | None = Field(default=None, max_length=200, description="Name of the model.")
    confidence: float | None = Field(
        default=None, strict=True, ge=0, le=1, description="How confident the model is."
    )
    reasoning: str | None = Field(
        default=None, max_length=LIMITS.comment_characters, description="Why the model wrote the comment."
    )


class AddComment(Input):
    """A new comment."""

    file_path: FilePath = Field(
        alias="filePath",
        description="Relative path to source file from workspace root.",
        json_schema_extra={"example": "src/app.ts"},
        examples=["src/app.ts"],
    )
    line: LineNumber = Field(description="Line number where comment should be added (1-indexed).")
    text: CommentText = Field(description="Comment text content.")
    tag: Tag = Field(description="Comment tag category.")
    author: Author = Field(default=None, description="Author name (e.g., 'claude', 'gpt-4', 'user').")
    ai_meta: AiMeta | None = Field(default=None, alias="aiMeta", description="Optional AI metadata.")


class AddedComment(OneComment):
    """The comment that was added."""

    ghost_marker_id: UntrustedText = Field(description="The id of the comment's marker.")
    line: int = Field(description="The line that the comment is on, from 1.")
    tag: Tag = Field(description="The category of the comment.")
    symbol: SymbolFacts | None = Field(description="The symbol it is about, if the language is known.")


def _render(result: AddedComment) -> str:
    symbol = result.symbol
    anchor = f"line {result.line}" if symbol is None else f"the {symbol.kind.lower()} '{symbol.name}'"
    return (
        "✅ Comment added successfully\n\n"
        f"Comment ID: {result.comment_id}\n"
        f"Ghost Marker ID: {result.ghost_marker_id}\n"
        f"File: {result.file_path}:{result.line}\n"
        f"Tag: {result.tag}\n\n"
        f"The comment has been anchored to {anchor} and will track code changes."
    )


@comments.operation(
    "add_comment",
    title="Add a comment",
    effect=Effect.WRITE,
    command="add",
    positional=("file_path", "line", "text"),
    example='holdfast comments add src/app.ts 42 "Limit the rate of attempts" --tag TODO',
    specified=True,
    specified_description="Add a new paired comment to a source file at a specific line",
    text=_render,
    fill_in=lambda room, given: _resolve_path(room, {"tag": _DEFAULT_TAG, **given}),
    command_defaults=arguments.AUTHOR_DEFAULT_TEXT | {"tag": _DEFAULT_TAG},
    explain=partial(arguments.explain_line, file="filePath", line="line"),
)
def add_comment(room: Comments, args: AddComment) -> AddedComment:
    """Add a comment to a line of a source file; it follows the code when the code changes.

    It is stored in `<source>.comments` beside the file, which is not changed.
    """
    path = source_path(args.file_path)
    ai = None if args.ai_meta is None else args.ai_meta.model_dump(exclude_none=True)
    draft = CommentDraft(args.line, args.text, arguments.author_name(room, args.author), args.tag, ai)
    # People annotate code while they edit it; only the specification refuses source with syntax errors.
    strict = current_call().is_specified and not room.lenient
    placed = CommentWriter(room).add(path, draft, strict=strict)
    return AddedComment(
        comment_id=placed.note.alias,
        ghost_marker_id=placed.marker_id,
        file_path=path.text,
        line=args.line,
        tag=args.tag,
        symbol=SymbolFacts.of(placed.symbol),
    )

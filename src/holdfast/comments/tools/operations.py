"""What can be done with the comments of a file."""

from __future__ import annotations

from functools import partial

from holdfast.comments import text
from holdfast.comments.models import (
    AddComment,
    AddedComment,
    CommentFacts,
    DeleteComment,
    DeletedComment,
    EditComment,
    EditedComment,
    FileComments,
    FileMetadata,
    GetFileComments,
    MoveComment,
    MovedComment,
    RepliedComment,
    ReplyToComment,
    ResolveComment,
    ResolvedComment,
    SymbolFacts,
)
from holdfast.comments.sidecar.change import Draft
from holdfast.comments.sidecar.paths import source_path
from holdfast.comments.sidecar.writer import Writing
from holdfast.comments.store import Comments
from holdfast.comments.tools import arguments
from holdfast.comments.tools.line_numbers import explain_line
from holdfast.comments.toolset import comments
from holdfast.kernel.operation import Effect


@comments.operation(
    "add_comment",
    title="Add a comment",
    effect=Effect.WRITE,
    command="add",
    positional=("file_path", "line", "text"),
    example='holdfast comments add src/app.ts 42 "Limit the rate of attempts" --tag TODO',
    specified=True,
    specified_description="Add a new paired comment to a source file at a specific line",
    text=text.added,
    fill_in=arguments.paths("filePath", signed=True),
    command_defaults=arguments.AUTHOR,
    explain=partial(explain_line, file="filePath", line="line"),
)
def add_comment(room: Comments, args: AddComment) -> AddedComment:
    """Add a comment to a line of a source file; it follows the code when the code changes.

    It is kept in `<source>.comments` beside the file, which itself is not changed.
    """
    path = source_path(args.file_path)
    ai = None if args.ai_meta is None else args.ai_meta.model_dump(exclude_none=True)
    draft = Draft(args.line, args.text, args.author, args.tag, ai)
    placed = Writing(room).add(path, draft, strict=not room.lenient)
    return AddedComment(
        comment_id=placed.note.alias,
        ghost_marker_id=placed.marker_id,
        file_path=path.text,
        line=args.line,
        tag=args.tag,
        symbol=SymbolFacts.of(placed.symbol),
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
    text=text.edited,
    fill_in=arguments.paths("filePath"),
)
def edit_comment(room: Comments, args: EditComment) -> EditedComment:
    """Replace the text of a comment. Its tag, author and place stay as they are."""
    path = source_path(args.file_path)
    note = Writing(room).edit(path, args.comment_id, args.text)
    return EditedComment(comment_id=note.alias, file_path=path.text, updated=note.updated)


@comments.operation(
    "delete_comment",
    title="Delete a comment",
    effect=Effect.DESTRUCTIVE,
    command="delete",
    positional=("file_path", "comment_id"),
    example="holdfast comments delete src/app.ts c_1730000000000",
    specified=True,
    specified_description="Delete a comment and its associated ghost marker",
    text=text.deleted,
    fill_in=arguments.paths("filePath"),
)
def delete_comment(room: Comments, args: DeleteComment) -> DeletedComment:
    """Delete a comment and the marker that held it to its line."""
    path = source_path(args.file_path)
    note = Writing(room).delete(path, args.comment_id)
    return DeletedComment(comment_id=note.alias, file_path=path.text)


@comments.operation(
    "get_file_comments",
    title="Show the comments of a file",
    effect=Effect.READ,
    command="show",
    positional=("file_path",),
    example="holdfast comments show src/app.ts",
    specified=True,
    specified_description="Retrieve all comments and ghost markers for a file",
    text=text.summary_of_file,
    fill_in=arguments.paths("filePath"),
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
def get_file_comments(room: Comments, args: GetFileComments) -> FileComments:
    """Retrieve all comments of a file, each on the line where its code is now.

    A comment whose code is gone is orphaned and says why; it comes back by itself when the code does.
    """
    path = source_path(args.file_path)
    notes = room.load_named(path.text).comments
    shown = [note for note in notes if args.include_orphaned or not note.orphaned]
    return FileComments(
        metadata=FileMetadata(
            file_path=path.text,
            comment_count=len(shown),
            orphaned_count=sum(note.orphaned for note in shown),
        ),
        comments=[CommentFacts.of(note) for note in shown],
    )


@comments.operation(
    "move_comment",
    title="Move a comment",
    effect=Effect.WRITE,
    idempotent=True,
    command="move",
    positional=("source_file", "comment_id", "target_file", "target_line"),
    example="holdfast comments move src/app.ts c_1730000000000 src/login.ts 25",
    specified=True,
    specified_description="Move a comment to a different file or line (e.g., after refactoring)",
    text=text.moved,
    fill_in=arguments.paths("sourceFile", "targetFile"),
    explain=partial(explain_line, file="targetFile", line="targetLine"),
)
def move_comment(room: Comments, args: MoveComment) -> MovedComment:
    """Move a comment to another line, of the same file or of another; it keeps its name and its dates."""
    source, target = source_path(args.source_file), source_path(args.target_file)
    before, placed = Writing(room).move(source, target, args.comment_id, args.target_line)
    return MovedComment(
        comment_id=placed.note.alias,
        source_file=source.text,
        source_line=before,
        target_file=target.text,
        target_line=args.target_line,
        symbol=SymbolFacts.of(placed.symbol),
    )


@comments.operation(
    "resolve_comment",
    title="Settle a comment",
    effect=Effect.WRITE,
    idempotent=True,
    command="resolve",
    positional=("file_path", "comment_id"),
    example="holdfast comments resolve src/app.ts c_1730000000000 --status wontfix",
    text=text.resolved,
    fill_in=arguments.paths("filePath", signed=True),
    command_defaults=arguments.AUTHOR,
)
def resolve_comment(room: Comments, args: ResolveComment) -> ResolvedComment:
    """Say that a comment is resolved, will not be acted on, or is open again. It stays in the file."""
    path = source_path(args.file_path)
    note = Writing(room).resolve(path, args.comment_id, args.status, args.author)
    return ResolvedComment(
        comment_id=note.alias, file_path=path.text, status=args.status, updated=note.updated
    )


@comments.operation(
    "reply_to_comment",
    title="Reply to a comment",
    effect=Effect.WRITE,
    command="reply",
    positional=("file_path", "comment_id", "text"),
    example='holdfast comments reply src/app.ts c_1730000000000 "Done in the last commit"',
    text=text.replied,
    fill_in=arguments.paths("filePath", signed=True),
    command_defaults=arguments.AUTHOR,
)
def reply_to_comment(room: Comments, args: ReplyToComment) -> RepliedComment:
    """Answer a comment; the answer is shown with it, also in the editor."""
    path = source_path(args.file_path)
    note = Writing(room).reply(path, args.comment_id, args.text, args.author)
    return RepliedComment(comment_id=note.alias, file_path=path.text, replies=len(note.replies))

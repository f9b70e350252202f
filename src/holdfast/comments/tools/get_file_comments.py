"""`get_file_comments`: the comments of one file, each with its current line."""

from __future__ import annotations

from collections import Counter
from functools import partial

from pydantic import Field, StrictBool

from holdfast.comments.anchors.orphans import attach_candidates
from holdfast.comments.models import CommentFacts, CommentResult, FilePath
from holdfast.comments.sidecar.note import MOVED_REASON
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import UNTAGGED, anchor_label, line_label, order_tags, strip_tag
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.garbage_collection import without_garbage_collection


class GetFileComments(Input):
    """Which file's comments to show."""

    file_path: FilePath = Field(alias="filePath", description="Path to source file.")
    include_orphaned: StrictBool = Field(
        default=True,
        alias="includeOrphaned",
        description="Include orphaned comments (anchors no longer exist).",
    )


class FileMetadata(CommentResult):
    """The metadata that the specification puts beside the content."""

    file_path: UntrustedText = Field(description="Path of the source file.")
    comment_count: int = Field(description="Number of comments shown.")
    orphaned_count: int = Field(description="How many of them are orphaned.")


class FileComments(CommentResult):
    """The comments of one file."""

    metadata: FileMetadata
    comments: list[CommentFacts] = Field(description="The comments, in the order of the file's sidecar.")


def render_file_comments(result: FileComments, move_tool: str = "move_comment") -> str:
    """Format the comments of a file and, if one is orphaned, how to move it."""
    shown = result.comments
    counts = Counter(comment.tag or UNTAGGED for comment in shown)
    head = [f"Comments for {result.metadata.file_path}", "", "📊 Summary:"]
    head.append(f"- Total comments: {result.metadata.comment_count}")
    head += [f"- {tag}: {counts[tag]}" for tag in order_tags(counts)]
    head += [f"- Orphaned: {result.metadata.orphaned_count}", "", "---"]
    entries = [_render_comment(number, comment) for number, comment in enumerate(shown, 1)]
    are_lost = any(comment.orphaned and comment.reason != MOVED_REASON for comment in shown)
    next_step = [f"`{move_tool}` moves an orphaned comment to the right place."] if are_lost else []
    return "\n\n".join(["\n".join(head), *entries, *next_step])


def _render_comment(number: int, comment: CommentFacts) -> str:
    tag, place = one_line(comment.tag or UNTAGGED), line_label(comment.line, comment.end_line)
    anchor = f"line {comment.line}" if comment.symbol is None else anchor_label(comment.symbol)
    lines = [
        f"{number}. {tag} ({place}) - {comment.id}",
        f'   "{_indent_continuation(strip_tag(comment.shown_text or comment.text, comment.tag))}"',
        f"   Author: {one_line(comment.author)} | Anchored to: {anchor}",
    ]
    if comment.status != "open":
        lines.append(f"   Status: {comment.status}")
    lines += [
        f'   Reply from {one_line(reply.author)}: "{_indent_continuation(reply.text)}"'
        for reply in comment.replies
    ]
    if comment.needs_review or comment.orphaned:
        lines += _render_doubts(comment)
    return "\n".join(lines)


def _indent_continuation(text: str) -> str:
    """Indent the lines of a text after the first, so that they cannot be mistaken for list entries."""
    return text.replace("\n", "\n    ")


def _render_doubts(comment: CommentFacts) -> list[str]:
    if comment.reason == MOVED_REASON:
        return [
            f"   Its file moved: it is shown with {candidate.file_path}:{candidate.line}"
            for candidate in comment.candidates
        ]
    reason = (comment.reason or "uncertain").replace("_", " ")
    state = f"Orphaned: {reason}" if comment.orphaned else f"Needs review: {reason}"
    places = ", ".join(
        (f"{candidate.file_path}:{candidate.line}" if candidate.file_path else f"line {candidate.line}")
        for candidate in comment.candidates[:3]
    )
    return [f"   {state}" + (f" (perhaps {places})" if places else "")]


@comments.operation(
    "get_file_comments",
    title="Show the comments of a file",
    effect=Effect.READ,
    command="show",
    positional=("file_path",),
    example="holdfast comments show src/app.ts",
    specified=True,
    specified_description="Retrieve all comments and ghost markers for a file",
    text=render_file_comments,
    command_text=partial(render_file_comments, move_tool="holdfast comments move"),
    fill_in=arguments.resolve_paths("filePath"),
    result_fields=lambda result: {"metadata": result.metadata.wire()},
)
@without_garbage_collection()
def get_file_comments(room: Comments, args: GetFileComments) -> FileComments:
    """Retrieve all comments of a file, each on the line where its code is now.

    A comment whose code is gone is orphaned, with the reason; it is restored automatically when the code
    returns.
    """
    path = source_path(args.file_path)
    notes = room.load_with_symbols(path.text).comments
    shown = [note for note in notes if args.include_orphaned or not note.orphaned]
    attach_candidates(room, path.text, shown)
    return FileComments(
        metadata=FileMetadata(
            file_path=path.text, comment_count=len(shown), orphaned_count=sum(note.orphaned for note in shown)
        ),
        comments=[CommentFacts.of(note) for note in shown],
    )

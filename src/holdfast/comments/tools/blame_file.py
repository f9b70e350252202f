"""`blame_file`: a source file with its comments in the margin."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.anchors.snippets import is_text, lines_of_file
from holdfast.comments.errors import SourceNotFound
from holdfast.comments.models import CommentFacts, CommentResult, FilePath
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import UNLIMITED_COLUMNS, UNTAGGED, strip_tag, wrap_text
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import display_width, fit_to_width, one_line
from holdfast.kernel.untrusted import UntrustedText

_MIN_SOURCE_COLUMNS = 20
"""Columns that source keeps beside comments. A judgement: fewer are unreadable."""

_MIN_COLUMNS = 10
"""Columns of source or comments, even if they exceed the terminal. A judgement: two short words."""

_MAX_SOURCE_SHARE = 0.55
"""Share of the width that source may take. A judgement: source is cut, while comments are wrapped."""

_TAB_COLUMNS = 4
"""Columns of a tab. A judgement: eight would leave little of deeply indented lines."""

_FRAME_COLUMNS = 5
"""Columns of the bar and the spaces around it."""

_MIN_WIDE_COLUMNS = 50
"""With fewer columns, comments are below their lines. A judgement: two columns of less than 25 read badly."""


class BlameFile(Input):
    """Which file to show."""

    file: FilePath = Field(description="The source file.")


class AnnotatedLine(CommentResult):
    """A line of source and the comments on it."""

    line: int = Field(description="The number of the line, from 1.")
    source: UntrustedText = Field(description="The text of the line.")
    comments: list[str] = Field(description="The ids of the comments that begin here.")
    covered_by: list[str] = Field(description="The ids of the ranges that continue here.")


class AnnotatedFile(CommentResult):
    """A source file with its comments in the margin."""

    file_path: UntrustedText = Field(description="The source file.")
    is_text: bool = Field(
        default=True, description="Whether the file is text; the lines of a binary file are not shown."
    )
    lines: list[AnnotatedLine] = Field(description="All lines of the file.")
    comments: list[CommentFacts] = Field(description="The file's comments; orphaned ones are on no line.")


def render_annotated(result: AnnotatedFile, width: int = UNLIMITED_COLUMNS) -> str:
    """Format a file with its comments in the margin: long lines of source are cut, long comments wrapped.

    On a narrow terminal the comments are below their lines.
    """
    comments_by_id = {comment.id: comment for comment in result.comments}
    sources = [_replace_control_characters(line.source) for line in result.lines]
    digits = len(str(len(sources) or 1))
    available = width - digits - _FRAME_COLUMNS
    is_narrow = available < _MIN_WIDE_COLUMNS
    if is_narrow:
        source_columns = comment_columns = max(_MIN_COLUMNS, available)
    else:
        source_columns = _source_width(sources, available, has_comments=bool(comments_by_id))
        comment_columns = max(_MIN_COLUMNS, available - source_columns)
    output: list[str] = []
    for line, source in zip(result.lines, sources, strict=True):
        comment_lines: list[str] = []
        for comment_id in line.comments:
            comment_lines += wrap_text(_render_comment(comments_by_id[comment_id]), comment_columns)
        bar = "┃" if line.comments or line.covered_by else "│"
        beside = "" if is_narrow or not comment_lines else comment_lines.pop(0)
        output.append(f"{line.line:>{digits}} {bar} {fit_to_width(source, source_columns)} {beside}".rstrip())
        gap = " " if is_narrow else " " * (source_columns + 1)
        output += [f"{'':>{digits}} ┃ {gap}{comment_line}" for comment_line in comment_lines]
    return "\n".join([*output, *_render_unplaced(result, width)]) or "The file is empty."


def _replace_control_characters(source: str) -> str:
    """Expand tabs, and replace characters that would move a terminal's cursor with a dot."""
    text = source.expandtabs(_TAB_COLUMNS).rstrip()
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "·" for character in text)


def _render_unplaced(result: AnnotatedFile, width: int) -> list[str]:
    """Return the lines for comments that are beside no line: orphaned ones, and all of a binary file."""
    output = [] if result.is_text else ["This is not a text file; its lines are not shown."]
    for comment in result.comments:
        if comment.orphaned or not result.is_text:
            place = f"{'orphaned, last on line' if comment.orphaned else 'line'} {comment.line}"
            text = f"{place}: {_render_comment(comment)}"
            output += wrap_text(text, max(_MIN_SOURCE_COLUMNS, width))
    return output


def _source_width(sources: list[str], width: int, *, has_comments: bool) -> int:
    """Return the columns for source: those of its longest line, as far as the width allows."""
    longest = max(map(display_width, sources), default=0)
    if not has_comments:
        return min(longest, width) if width < UNLIMITED_COLUMNS // 2 else longest
    return min(longest, max(_MIN_SOURCE_COLUMNS, int(width * _MAX_SOURCE_SHARE)))


def _render_comment(comment: CommentFacts) -> str:
    doubt = " (needs review)" if comment.needs_review else ""
    status = "" if comment.status == "open" else f" [{comment.status}]"
    content = one_line(strip_tag(comment.shown_text or comment.text, comment.tag))
    author = one_line(comment.author)
    return f"{one_line(comment.tag or UNTAGGED)} {author}: {content}{status}{doubt}"


@comments.operation(
    "blame_file",
    title="Show a file with its comments in the margin",
    effect=Effect.READ,
    command="blame",
    positional=("file",),
    example="holdfast comments blame src/app.ts",
    command_only=True,
    text=render_annotated,
    table=render_annotated,
    fill_in=arguments.resolve_paths("file"),
)
def blame_file(room: Comments, args: BlameFile) -> AnnotatedFile:
    """Show a source file with the comments on each line beside it."""
    path = source_path(args.file).text
    notes = room.load(path).comments
    placed = [note for note in notes if not note.orphaned]
    try:
        source = room.text_of(path)
    except SourceNotFound:
        source = ""  # only the sidecar exists, and all comments in it are orphaned
    lines = lines_of_file(source) if source and is_text(source) else []
    return AnnotatedFile(
        file_path=path,
        is_text=is_text(source),
        lines=[_annotate(number, line, placed) for number, line in enumerate(lines, 1)],
        comments=[CommentFacts.of(note) for note in notes],
    )


def _annotate(number: int, line: str, notes: list[Note]) -> AnnotatedLine:
    return AnnotatedLine(
        line=number,
        source=line,
        comments=[note.alias for note in notes if note.line == number],
        covered_by=[note.alias for note in notes if note.line < number <= (note.end_line or note.line)],
    )

"""`blame_file`: a source file with its comments in the margin."""

from __future__ import annotations

from pydantic import Field

from holdfast.comments.anchors.snippets import is_text, lines_of_file
from holdfast.comments.errors import SourceNotFound
from holdfast.comments.models import CommentFacts, CommentResult, FilePath
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.text import UNLIMITED, UNTAGGED, without_tag, wrapped
from holdfast.comments.tools import arguments
from holdfast.comments.toolset import comments
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import display_width, fit_to_width, one_line
from holdfast.kernel.untrusted import UntrustedText

_MIN_SOURCE = 20
_LEAST = 10
_SHARE_OF_SOURCE = 0.55
"""Share of the width that source may take beside comments. A judgement."""

_TAB = 4
_FRAME = 5
_NARROW = 50
"""Columns beside the line numbers below which comments are shown below their lines. A judgement."""


class BlameFile(Input):
    """Which file to show."""

    file: FilePath = Field(description="The source file.")


class AnnotatedLine(CommentResult):
    """A line of source and the comments on it."""

    line: int = Field(description="Its number, from 1.")
    source: UntrustedText = Field(description="The line.")
    comments: list[str] = Field(description="The ids of the comments that begin here.")
    covered_by: list[str] = Field(description="The ids of the ranges that continue here.")


class AnnotatedFile(CommentResult):
    """A source file with its comments in the margin."""

    file_path: UntrustedText = Field(description="The source file.")
    is_text: bool = Field(
        default=True, description="Whether it is text; the lines of a binary file are not shown."
    )
    lines: list[AnnotatedLine] = Field(description="All of its lines.")
    comments: list[CommentFacts] = Field(description="Its comments; orphaned ones are on no line.")


def annotated(result: AnnotatedFile, width: int) -> str:
    """Show a file with its comments in the margin; a long line of source is cut, a long comment wrapped.

    On a narrow terminal the comments are shown below their lines.
    """
    known = {comment.id: comment for comment in result.comments}
    sources = [_clean(line.source) for line in result.lines]
    digits = len(str(len(sources) or 1))
    left = width - digits - _FRAME
    is_narrow = left < _NARROW
    column = max(_LEAST, left) if is_narrow else _source_width(sources, left, has_comments=bool(known))
    room = column if is_narrow else max(_LEAST, left - column)
    shown: list[str] = []
    for line, source in zip(result.lines, sources, strict=True):
        notes = [piece for name in line.comments for piece in wrapped(_remark(known[name]), room)]
        bar = "┃" if line.comments or line.covered_by else "│"
        first = "" if is_narrow or not notes else notes.pop(0)
        shown.append(f"{line.line:>{digits}} {bar} {fit_to_width(source, column)} {first}".rstrip())
        gap = " " if is_narrow else " " * (column + 1)
        shown += [f"{'':>{digits}} ┃ {gap}{piece}" for piece in notes]
    return "\n".join([*shown, *_on_no_line(result, width)]) or "The file is empty."


def _clean(source: str) -> str:
    """Return a line of source without characters that would move a terminal's cursor."""
    text = source.expandtabs(_TAB).rstrip()
    return text if text.isprintable() else "".join(one if one.isprintable() else "·" for one in text)


def _on_no_line(result: AnnotatedFile, width: int) -> list[str]:
    """Return the comments that are on no line of the file."""
    rest = [comment for comment in result.comments if comment.orphaned or not result.is_text]
    content = [
        f"{'orphaned, last on line' if comment.orphaned else 'line'} {comment.line}: {_remark(comment)}"
        for comment in rest
    ]
    pieces = [piece for one in content for piece in wrapped(one, max(_MIN_SOURCE, width))]
    return pieces if result.is_text else ["This is not a text file; its lines are not shown.", *pieces]


def _source_width(sources: list[str], width: int, *, has_comments: bool) -> int:
    longest = max(map(display_width, sources), default=0)
    if not has_comments:
        return min(longest, width) if width < UNLIMITED // 2 else longest
    return min(longest, max(_MIN_SOURCE, int(width * _SHARE_OF_SOURCE)))


def _remark(comment: CommentFacts) -> str:
    doubt = " (needs review)" if comment.needs_review else ""
    status = "" if comment.status == "open" else f" [{comment.status}]"
    content = one_line(without_tag(comment.shown_text or comment.text, comment.tag))
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
    text=lambda result: annotated(result, UNLIMITED),
    table=annotated,
    fill_in=arguments.paths("file"),
)
def blame_file(room: Comments, args: BlameFile) -> AnnotatedFile:
    """Show a source file with the comments on each line beside it."""
    path = source_path(args.file).text
    notes = room.load(path).comments
    placed = [note for note in notes if not note.orphaned]
    try:
        source = room.text_of(path)
    except SourceNotFound:
        source = ""  # only its sidecar exists, and all its comments are orphaned
    lines = lines_of_file(source) if source and is_text(source) else []
    return AnnotatedFile(
        file_path=path,
        is_text=is_text(source),
        lines=[_annotated(number, line, placed) for number, line in enumerate(lines, 1)],
        comments=[CommentFacts.of(note) for note in notes],
    )


def _annotated(number: int, line: str, notes: list[Note]) -> AnnotatedLine:
    return AnnotatedLine(
        line=number,
        source=line,
        comments=[note.alias for note in notes if note.line == number],
        covered_by=[note.alias for note in notes if note.line < number <= (note.end_line or note.line)],
    )

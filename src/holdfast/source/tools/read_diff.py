"""`read_diff`: the differences between two states of the repository, by file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field, StrictBool

from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted, printable_path
from holdfast.kernel.untrusted import UntrustedText, visible
from holdfast.source.diff.comparison import ComparedLine, Comparison, LineKey, LineKind, displayed_text
from holdfast.source.diff.review import Details, Selection
from holdfast.source.room import Source
from holdfast.source.toolset import source
from holdfast.storage.git.history.changed_files import ChangedFile
from holdfast.syntax.highlighting import TokenStyle

FileKind = Literal["added", "deleted", "renamed", "changed"]
LineNote = Literal["hidden characters", "CRLF", "CR", "no line end"]
Revision = Annotated[str | None, Field(max_length=LIMITS.name_characters)]
_NOTE_CONDITIONS: tuple[tuple[LineNote, Callable[[bytes, str], bool]], ...] = (
    ("hidden characters", lambda line, text: text != line.rstrip(b"\r\n").decode("utf-8", "replace")),
    ("CRLF", lambda line, _: line.endswith(b"\r\n")),
    ("CR", lambda line, _: line.endswith(b"\r")),
    ("no line end", lambda line, _: not line.endswith(b"\n")),
)
"""Notes on a line, each with a condition on its bytes and its displayed text; the first to hold is shown."""

LineRange = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}-[1-9][0-9]{0,8}$")]
_MAX_RANGES = 100
"""A judgement: somebody who asks for more reads the whole file."""
_VERSION_DIGITS = 16
"""Hexadecimal digits of a version: 64 bits, which do not collide among the states of one file."""

_MAX_FILES = 10_000
"""A judgement: listing them takes two megabytes, and nobody reviews more."""

Moves = Mapping[LineKey, LineKey]
_NO_DETAILS = Details({}, {}, {})
_LINE_PREFIXES = {"same": " ", "added": "+", "removed": "-"}


class ReadDiff(Input):
    """Which two states to compare, and optionally the file whose lines to show."""

    what: Selection = Field(
        default="worktree",
        description="`worktree`: all uncommitted changes; `unstaged` or `staged`: a part of them; `commit`:"
        " the changes of a commit; `range`: from base to revision; `branch`: since it left its base.",
    )
    revision: Revision = Field(default=None, description="A commit, branch or tag; HEAD if left out.")
    base: Revision = Field(
        default=None, description="The start of a range, or the branch that this one was created from."
    )
    file: str | None = Field(
        default=None, max_length=LIMITS.path_characters, description="Show the lines of this file."
    )
    highlight: StrictBool = Field(default=False, description="Also return the syntax styles of the lines.")
    context: Integer = Field(default=3, ge=0, le=LIMITS.review_lines, description="Lines around each change.")
    shown: list[LineRange] = Field(
        default=[],
        max_length=_MAX_RANGES,
        description="Further lines of the new version to show, such as 40-60.",
    )
    limit: Integer = Field(
        default=LIMITS.review_files, ge=1, le=_MAX_FILES, description="Maximum number of files to list."
    )
    quick: StrictBool = Field(
        default=False,
        description="Leave out what takes long when much differs, unless it is known already: counts of"
        " lines, and moved blocks.",
    )


class DiffLine(Output):
    """One line, with its number in each version that has it."""

    kind: LineKind
    old: int | None = Field(description="The line's number in the old version, from 1.")
    new: int | None = Field(description="The line's number in the new version, from 1.")
    text: UntrustedText
    changed: list[tuple[int, int]] = Field(
        description="The words that differ, as start and end offsets in the text."
    )
    styles: list[tuple[int, int, TokenStyle]] | None = optional(
        "If `highlight` is set, the parts with a style, as start and end offsets in the text."
    )
    moved: UntrustedText | None = Field(description="Where a moved block came from or went to, as file:line.")
    note: LineNote | None = Field(description="A property of the line that its text does not show.")


class DiffFile(Output):
    """A file that differs."""

    path: UntrustedText
    former: UntrustedText | None = Field(description="Its former path, if it was renamed.")
    kind: FileKind
    mode: str | None = Field(description="How its file mode changed, if it did.")
    added: int | None = Field(description="The number of added lines; null if they are not counted.")
    removed: int | None = Field(description="The number of removed lines; null if they are not counted.")
    version: str = Field(description="Identifies the difference; unchanged as long as it is the same.")
    lines: int | None = Field(
        description="The number of lines of the new version, if this file was requested."
    )
    note: str | None = Field(description="Why lines are not counted or shown, or only some of them.")
    hunks: list[list[DiffLine]] | None = Field(description="Its lines, if this file was requested.")


class Diff(Output):
    """The differences, by path."""

    what: Selection
    old: str = Field(description="The old commit or tree.")
    new: str | None = Field(description="The new commit; null for the work tree or index.")
    subject: UntrustedText | None = Field(description="The subject line of the commit.")
    files: list[DiffFile]
    total_files: int
    total_added: int | None = Field(
        description="The added lines of all files, listed or not; null if `quick` leaves it out."
    )
    total_removed: int | None = Field(
        description="The removed lines of all files, listed or not; null if `quick` leaves it out."
    )
    uncounted_files: int | None = Field(
        description="Files that the totals leave out: binary or not compared; null if `quick` leaves it out."
    )
    note: str | None = Field(description="What was left out, if anything.")


def _render(result: Diff) -> str:
    rows = [line for file in result.files for line in _render_file(file)]
    if result.total_files > 1:
        rows.append(_totals(result))
    return "\n".join([*(rows or ["Nothing differs."]), *filter(None, [result.note])])


def _totals(result: Diff) -> str:
    if result.total_added is None:
        return f"{result.total_files} files"
    uncounted = f", without {counted(result.uncounted_files, 'file')}" if result.uncounted_files else ""
    return f"{result.total_files} files: +{result.total_added} -{result.total_removed}{uncounted}"


def _render_file(file: DiffFile) -> Iterator[str]:
    counts = "" if file.added is None else f" +{file.added} -{file.removed}"
    former = f" (was {file.former})" if file.former else ""
    yield f"{file.kind:<8}{counts} {file.path}{former}{f' {file.note}' if file.note else ''}"
    for lines in file.hunks or ():
        yield "@@"
        yield from (_LINE_PREFIXES[line.kind] + visible(line.text) for line in lines)


@source.operation(
    "read_diff",
    title="Read a diff",
    effect=Effect.READ,
    command="diff",
    positional=("what",),
    example="holdfast source diff branch --file src/main.py",
    listed=False,
    text=_render,
)
def read_diff(room: Source, args: ReadDiff) -> Diff:
    """Show which files differ, or the lines of one file, with changed words and moved blocks marked.

    Never runs a filter, text conversion or other program that the repository configures.
    """
    review = room.reviews.review(args.what, args.revision, args.base)
    files = review.files[: args.limit]
    if args.file is not None:
        files = [change for change in review.files if visible(printable_path(change.path)) == args.file]
        if not files:
            hint = "Omit the file to list those that differ."
            raise NotFound(f"'{args.file}' does not differ here.", hint=hint)
    details = review.known_details if args.quick else review.details
    counts = None if details is None else details.counts
    omitted = 0 if args.file is not None else len(review.files) - len(files)
    return Diff(
        what=args.what,
        old=review.ends.old,
        new=review.ends.new,
        subject=review.ends.subject,
        files=[_file(room, details or _NO_DETAILS, change, args) for change in files],
        total_files=len(review.files),
        total_added=None if counts is None else sum(added for added, _ in counts.values()),
        total_removed=None if counts is None else sum(removed for _, removed in counts.values()),
        uncounted_files=None if counts is None else sum(change.path not in counts for change in review.files),
        note=f"{omitted} more files differ; list them with a higher limit." if omitted else None,
    )


def _file(room: Source, details: Details, change: ChangedFile, args: ReadDiff) -> DiffFile:
    result = details.compared.get(change.path)
    if args.file is not None and not isinstance(result, Comparison):
        result = room.reviews.compare(change)
    hunks, note = None, result if isinstance(result, str) else None
    if args.file is not None and isinstance(result, Comparison):
        styles = _Styles(room, change, result) if args.highlight else None
        hunks = _hunks(details.moved, change.path, result.hunks(args.context, _spans(args.shown)), styles)
        if sum(map(len, hunks)) == LIMITS.review_lines:
            note = f"Only the first {LIMITS.review_lines} lines are shown."
    old, new, former = change.old, change.new, change.former
    counts = details.counts.get(change.path)
    if counts is None and isinstance(result, Comparison):
        counts = result.line_counts
    return DiffFile(
        path=printable_path(change.path),
        former=None if former is None else printable_path(former),
        kind=_file_kind(change),
        mode=f"{old.mode} → {new.mode}" if old and new and old.mode != new.mode else None,
        added=None if counts is None else counts[0],
        removed=None if counts is None else counts[1],
        # A path that is not UTF-8 has surrogates from git's bytes.
        version=sha256(repr(change).encode("utf-8", "surrogateescape")).hexdigest()[:_VERSION_DIGITS],
        lines=len(result.new) if hunks is not None and isinstance(result, Comparison) else None,
        note=note,
        hunks=hunks,
    )


def _file_kind(change: ChangedFile) -> FileKind:
    if change.old is None:
        return "added"
    if change.new is None:
        return "deleted"
    return "renamed" if change.former else "changed"


class _Styles:
    """The syntax styles of both versions of a file."""

    def __init__(self, room: Source, change: ChangedFile, comparison: Comparison) -> None:
        self._lines = []
        for side, lines in ((change.old, comparison.old), (change.new, comparison.new)):
            text = "".join(f"{displayed_text(line)}\n" for line in lines)
            highlighted = room.highlighted(change.path, side.id if side else "", text)
            self._lines.append(list(highlighted.lines(1)))

    def of(self, line: ComparedLine) -> list[tuple[int, int, TokenStyle]]:
        """Return the parts of a line that have a style, in the old version if the new one lacks it."""
        old, new = self._lines
        pieces = new[line.new] if line.new is not None else old[line.old or 0]
        styles: list[tuple[int, int, TokenStyle]] = []
        start = 0
        for style, text in pieces:
            if style:
                styles.append((start, start + len(text), style))
            start += len(text)
        return styles


def _spans(ranges: Iterable[str]) -> Iterator[tuple[int, int]]:
    for first, last in (text.split("-") for text in ranges):
        yield int(first) - 1, int(last)


def _hunks(
    moves: Moves, path: str, compared: Iterable[Iterable[ComparedLine]], styles: _Styles | None
) -> list[list[DiffLine]]:
    """Return the lines of a file by hunk, up to the limit of lines."""
    lines_left = LIMITS.review_lines
    hunks: list[list[DiffLine]] = []
    for lines in compared:
        hunks.append([_line(moves, path, line, styles) for line in islice(lines, lines_left)])
        lines_left -= len(hunks[-1])
        if not lines_left:
            break
    return hunks


def _line(moves: Moves, path: str, compared: ComparedLine, styles: _Styles | None) -> DiffLine:
    kind, line, old, new, marks = compared
    text = displayed_text(line)
    index = old if new is None else new
    moved = None if index is None else moves.get(LineKey(path, kind, index))
    return DiffLine(
        kind=kind,
        old=None if old is None else old + 1,
        new=None if new is None else new + 1,
        text=text,
        changed=marks,
        styles=None if styles is None else styles.of(compared),
        moved=moved and f"{printable_path(moved.path)}:{moved.position + 1}",
        note=next((note for note, has in _NOTE_CONDITIONS if has(line, text)), None),
    )

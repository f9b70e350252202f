"""`read_diff`: what differs between two states of the repository, file by file and line by line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import printable_path
from holdfast.kernel.untrusted import UntrustedText, visible
from holdfast.source.diff.comparison import ComparedLine, Comparison, Kind, shown
from holdfast.source.diff.review import Review, What
from holdfast.source.room import Source
from holdfast.source.toolset import source
from holdfast.storage.git.history.changed_files import ChangedFile

FileKind = Literal["added", "deleted", "renamed", "changed"]
LineNote = Literal["hidden characters", "CRLF", "CR", "no line end"]
Revision = Annotated[str | None, Field(max_length=LIMITS.name_characters)]
_NOTES: tuple[tuple[LineNote, Callable[[bytes, str], bool]], ...] = (
    ("hidden characters", lambda line, text: text != line.rstrip(b"\r\n").decode("utf-8", "replace")),
    ("CRLF", lambda line, _: line.endswith(b"\r\n")),
    ("CR", lambda line, _: line.endswith(b"\r")),
    ("no line end", lambda line, _: not line.endswith(b"\n")),
)
_SIGNS = {"same": " ", "added": "+", "removed": "-"}


class ReadDiff(Input):
    """Which two states to compare, and of which file to show the lines."""

    what: What = Field(
        default="worktree",
        description="`worktree`: all that is not committed; `unstaged` or `staged`: one half of it; `commit`:"
        " what a commit changed; `range`: from base to revision; `branch`: since it left its base.",
    )
    revision: Revision = Field(default=None, description="A commit, branch or tag; HEAD if left out.")
    base: Revision = Field(default=None, description="Where a range begins, or which branch this one left.")
    file: str | None = Field(default=None, max_length=LIMITS.path_characters, description="Show its lines.")
    context: Integer = Field(default=3, ge=0, le=LIMITS.review_lines, description="Lines around each change.")


class DiffLine(Output):
    """One line, with its number on each side that has it."""

    kind: Kind
    old: int | None
    new: int | None
    text: UntrustedText
    changed: list[tuple[int, int]] = Field(description="Words that differ, from and to in the text.")
    moved: UntrustedText | None = Field(description="Where a block came from or went to, as file:line.")
    note: LineNote | None = Field(description="What the text does not show.")


class DiffFile(Output):
    """A file that differs."""

    path: UntrustedText
    former: UntrustedText | None = Field(description="Where it was, if it was renamed.")
    kind: FileKind
    mode: str | None = Field(description="How its mode changed, if it did.")
    added: int | None
    removed: int | None
    version: str = Field(description="The same as long as the difference is the same.")
    note: str | None = Field(description="Why lines are not counted or shown, or not all of them.")
    hunks: list[list[DiffLine]] | None = Field(description="Its lines, where the file was asked for.")


class Diff(Output):
    """What differs, by path."""

    what: What
    old: str = Field(description="The commit or tree that is compared.")
    new: str | None = Field(description="The one it is compared with; null for the work tree or index.")
    subject: UntrustedText | None = Field(description="What a commit says it does.")
    files: list[DiffFile]
    total_files: int
    note: str | None = Field(description="What was left out, if anything was.")


def _words(result: Diff) -> str:
    rows = [line for file in result.files for line in _file_words(file)]
    return "\n".join([*(rows or ["Nothing differs."]), *filter(None, [result.note])])


def _file_words(file: DiffFile) -> Iterator[str]:
    counts = "" if file.added is None else f" +{file.added} -{file.removed}"
    former = f" (was {file.former})" if file.former else ""
    yield f"{file.kind:<8}{counts} {file.path}{former}{f' {file.note}' if file.note else ''}"
    for lines in file.hunks or ():
        yield "@@"
        yield from (_SIGNS[line.kind] + visible(line.text) for line in lines)


@source.operation(
    "read_diff",
    title="Read a diff",
    effect=Effect.READ,
    command="diff",
    positional=("what",),
    example="holdfast source diff branch --file src/main.py",
    listed=False,
    text=_words,
)
def read_diff(room: Source, args: ReadDiff) -> Diff:
    """Show which files differ, or the lines of one of them: words that differ and blocks that moved marked.

    Runs no filter, text conversion or other program that a repository configures.
    """
    review = room.reviews.of(args.what, args.revision, args.base)
    files = review.files[: LIMITS.review_files]
    if args.file is not None:
        files = [change for change in review.files if visible(printable_path(change.path)) == args.file]
        if not files:
            hint = "Ask without a file for those that do."
            raise NotFound(f"'{args.file}' does not differ here.", hint=hint)
    left = 0 if args.file is not None else len(review.files) - len(files)
    return Diff(
        what=args.what,
        old=review.ends[0],
        new=review.ends[1],
        subject=review.ends[2],
        files=[_file(room, review, change, args) for change in files],
        total_files=len(review.files),
        note=f"{left} more files differ; ask for them by name." if left else None,
    )


def _file(room: Source, review: Review, change: ChangedFile, args: ReadDiff) -> DiffFile:
    found = review.compared.get(change.path)
    if args.file is not None and not isinstance(found, Comparison):
        found = room.reviews.compare(change)
    hunks, note = None, found if isinstance(found, str) else None
    if args.file is not None and isinstance(found, Comparison):
        hunks = _hunks(review, change.path, found, args.context)
        if sum(map(len, hunks)) == LIMITS.review_lines:
            note = f"Only the first {LIMITS.review_lines} lines are shown."
    old, new, former = change.old, change.new, change.former
    changes = found.changes if isinstance(found, Comparison) else None
    return DiffFile(
        path=printable_path(change.path),
        former=None if former is None else printable_path(former),
        kind="added" if old is None else "deleted" if new is None else "renamed" if former else "changed",
        mode=f"{old.mode} → {new.mode}" if old and new and old.mode != new.mode else None,
        added=None if changes is None else sum(end - start for _, _, start, end in changes),
        removed=None if changes is None else sum(end - start for start, end, _, _ in changes),
        version=hashlib.sha256(repr(change).encode("utf-8", "surrogateescape")).hexdigest()[:16],
        note=note,
        hunks=hunks,
    )


def _hunks(review: Review, path: str, found: Comparison, context: int) -> list[list[DiffLine]]:
    left = LIMITS.review_lines
    hunks: list[list[DiffLine]] = []
    for lines in found.hunks(context):
        hunks.append([_line(review, path, line) for line in islice(lines, left)])
        left -= len(hunks[-1])
        if not left:
            break
    return hunks


def _line(review: Review, path: str, compared: ComparedLine) -> DiffLine:
    kind, line, old, new, marks = compared
    text, moved = shown(line), review.moved.get((path, kind, (old if new is None else new) or 0))
    return DiffLine(
        kind=kind,
        old=None if old is None else old + 1,
        new=None if new is None else new + 1,
        text=text,
        changed=marks,
        moved=moved and f"{printable_path(moved[0])}:{moved[2] + 1}",
        note=next((note for note, has in _NOTES if has(line, text)), None),
    )

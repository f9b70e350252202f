"""What is exported of each comment, in whatever format.

Contract: files come one at a time and are forgotten once they were written, so that memory does not grow with
the number of comments. Everything somebody wrote is without invisible characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.comments.anchors.snippets import Snippet, around, as_it_was
from holdfast.comments.errors import CommentFileCorrupted, SourceNotFound
from holdfast.comments.sidecar.note import Note
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.untrusted import visible, visible_in

if TYPE_CHECKING:
    from holdfast.comments.store import Comments


@dataclass
class Tally:
    """What an export has written so far."""

    comments: int = 0
    files: int = 0
    damaged: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Exported:
    """One comment with its surroundings."""

    path: str
    note: Note
    context: Snippet | None

    @property
    def text(self) -> str:
        """What it says."""
        return visible(self.note.text)

    @property
    def author(self) -> str:
        """Who wrote it, by their own account."""
        return visible(self.note.author)

    @property
    def tag(self) -> str | None:
        """Its category, if it has one."""
        return None if self.note.tag is None else visible(self.note.tag)

    @property
    def created(self) -> str:
        """When it was written."""
        return visible(self.note.created)

    @property
    def updated(self) -> str:
        """When it was last changed."""
        return visible(self.note.updated)

    @property
    def ai(self) -> dict[str, Any] | None:
        """What a model said about it."""
        return None if self.note.ai is None else visible_in(dict(self.note.ai))

    @property
    def anchor(self) -> str | None:
        """The name of what it is about, with that of what contains it."""
        symbol = self.note.symbol
        if symbol is None:
            return None
        return visible(f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name)


@dataclass(frozen=True)
class ExportedFile:
    """The comments of one file."""

    path: str
    comments: Sequence[Exported]


def exported_files(
    room: Comments, paths: Iterable[str], margin: int | None, tally: Tally, *, total: int | None
) -> Iterator[ExportedFile]:
    """Yield the files with their comments, and count them; `margin`: with so many lines of source around."""
    call = current_call()
    for number, path in enumerate(paths, 1):
        call.progress(number, total, "Exporting comments")
        try:
            notes = room.load(path).comments
        except (CommentFileCorrupted, SourceNotFound):
            tally.damaged.append(visible(path))
            continue
        if notes:
            tally.files += 1
            tally.comments += len(notes)
            yield ExportedFile(visible(path), _exported(room, path, notes, margin))


def _exported(room: Comments, path: str, notes: list[Note], margin: int | None) -> list[Exported]:
    ordered = sorted(notes, key=lambda note: (note.line, note.alias))
    source = None if margin is None else _source(room, path)
    return [Exported(visible(path), note, _context(room, path, note, source, margin)) for note in ordered]


def _source(room: Comments, path: str) -> str | None:
    try:
        return room.text_of(path)
    except HoldfastError:
        return None  # gone or unreadable: its comments are exported all the same


def _context(room: Comments, path: str, note: Note, source: str | None, margin: int | None) -> Snippet | None:
    if margin is None:
        return None
    if source is None or note.orphaned:
        found = as_it_was(room, note, path, margin)
    else:
        found = around(path, source, note.line, note.end_line, margin)
    if found is None:
        return None
    return Snippet(visible(found.path), found.start, tuple(map(visible, found.lines)))

"""Reads what is exported of each comment, in any format.

Contract: files are read one at a time and released after they are written, so memory does not grow with the
number of comments. Invisible characters are removed from all texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.comments.anchors.snippets import Snippet, original_snippet, snippet_around
from holdfast.comments.errors import CommentFileCorrupted, FileAccessDenied, SourceNotFound
from holdfast.comments.sidecar.note import Note
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.untrusted import visible, visible_in

if TYPE_CHECKING:
    from holdfast.comments.store import Comments


@dataclass
class ExportTally:
    """Counts of what an export has written so far."""

    comments: int = 0
    files: int = 0
    damaged: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ExportedComment:
    """One comment with its context; its texts have no invisible characters."""

    path: str
    note: Note
    context: Snippet | None
    text: str
    author: str
    tag: str | None
    created: str
    updated: str
    ai: dict[str, Any] | None
    """AI metadata."""
    anchor: str | None
    """The qualified name of its symbol."""

    @classmethod
    def of(cls, path: str, note: Note, context: Snippet | None) -> ExportedComment:
        symbol = note.symbol
        container = f"{symbol.container}." if symbol is not None and symbol.container else ""
        return cls(
            visible(path),
            note,
            context,
            text=visible(note.text),
            author=visible(note.author),
            tag=visible_in(note.tag),
            created=visible(note.created),
            updated=visible(note.updated),
            ai=visible_in(note.ai),
            anchor=None if symbol is None else visible(container + symbol.name),
        )


@dataclass(frozen=True)
class ExportedFile:
    """The comments of one file."""

    path: str
    comments: Sequence[ExportedComment]


def read_files(
    room: Comments, paths: Sequence[str], margin: int | None, tally: ExportTally
) -> Iterator[ExportedFile]:
    """Yield files with their comments, and count them in `tally`.

    `margin` is the number of source lines before and after each comment, or None for no source.
    """
    call, moves = current_call(), room.moves()
    for number, path in enumerate(paths, 1):
        call.progress(number, len(paths), "Exporting comments")
        try:
            notes = room.load_owned(path, moves).comments
        except (CommentFileCorrupted, FileAccessDenied, SourceNotFound):
            tally.damaged.append(visible(path))
            continue
        if notes:
            tally.files += 1
            tally.comments += len(notes)
            yield ExportedFile(visible(path), _export_comments(room, path, notes, margin))


def _export_comments(
    room: Comments, path: str, notes: list[Note], margin: int | None
) -> list[ExportedComment]:
    ordered = sorted(notes, key=lambda note: (note.line, note.alias))
    source = None if margin is None else _readable_source(room, path)
    return [ExportedComment.of(path, note, _context(room, path, note, source, margin)) for note in ordered]


def _readable_source(room: Comments, path: str) -> str | None:
    try:
        return room.text_of(path)
    except HoldfastError:
        return None  # the comments of a missing or unreadable file are still exported


def _context(room: Comments, path: str, note: Note, source: str | None, margin: int | None) -> Snippet | None:
    """Return the code around a comment; for an orphaned one, the code that it was written for."""
    if margin is None:
        return None
    if source is None or note.orphaned:
        snippet = original_snippet(room, note, path, margin)
    else:
        snippet = snippet_around(path, source, note.line, note.end_line, margin)
    if snippet is None:
        return None
    return Snippet(visible(snippet.path), snippet.start, tuple(map(visible, snippet.lines)))

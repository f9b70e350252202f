"""Lines of code around a comment, as they are now or as they were when it was written.

Example: `snippet_around(path, text, 42, None, 3)` is lines 39 to 45 with line 42 marked; `original_snippet`
reads the same lines from the version the comment was written for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.note import Note, as_line_number
from holdfast.comments.sidecar.source import BLANK_LINE, split_lines
from holdfast.kernel.text import shorten

if TYPE_CHECKING:
    from holdfast.comments.store import Comments


_MAX_LINE_CHARACTERS = 1000
"""Characters of a line that are returned. A judgement: enough to recognise a line of generated code."""

_CHECKED_CHARACTERS = 8000
"""Characters that are checked for NUL. git checks as many bytes (`FIRST_FEW_BYTES` in xdiff-interface.c)."""


@dataclass(frozen=True)
class Snippet:
    """Consecutive lines of a file."""

    path: str
    start: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    own: range = range(0)
    """The numbers of the lines that the comment is on."""

    @property
    def text(self) -> str:
        """The lines as one text, without a final line break."""
        return "\n".join(self.lines)

    def line(self, number: int) -> str:
        """Return the line with a number, or an empty string outside the snippet."""
        index = number - self.start
        return self.lines[index] if 0 <= index < len(self.lines) else ""


def number_lines(lines: Sequence[str], start: int, marked: range = range(0)) -> str:
    """Prefix lines with their numbers from `start`; those in `marked` also get an angle bracket."""
    width = len(str(start + len(lines)))
    return "\n".join(
        f"{number:>{width}}{'>' if number in marked else ' '} {shorten_line(line)}"
        for number, line in enumerate(lines, start)
    )


def shorten_line(line: str) -> str:
    """Cut a line that is too long to read, such as one of generated code."""
    return shorten(line, _MAX_LINE_CHARACTERS)


def is_text(text: str) -> bool:
    """Return whether a file is text: like git, checks its beginning for NUL characters."""
    return "\0" not in text[:_CHECKED_CHARACTERS]


def lines_of_file(text: str) -> list[str]:
    """Return the lines of a file, without the empty line after a final line break."""
    lines = split_lines(text)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def snippet_around(path: str, text: str, line: int, end_line: int | None, margin: int) -> Snippet:
    """Return a comment's own lines with up to `margin` lines before and after."""
    lines = lines_of_file(text)
    start = max(1, line - margin)
    end = min(len(lines), (end_line or line) + margin)
    return Snippet(path, start, tuple(lines[start - 1 : end]), range(line, (end_line or line) + 1))


def original_snippet(room: Comments, note: Note, path: str, margin: int) -> Snippet | None:
    """Return the lines a comment was written for, from its version or else from its marker, if known."""
    version = room.annotated_version(note)
    if version is None or as_line_number((note.evidence or {}).get("line")) is None:
        return _snippet_from_marker(note, path, margin)
    anchor = note.original_anchor
    return snippet_around(version.path or path, version.text, anchor.line, anchor.end_line, margin)


def _snippet_from_marker(note: Note, path: str, margin: int) -> Snippet | None:
    """Return a comment's line and, with any margin, its neighbours as the marker stores them: trimmed."""
    marker = note.marker or {}
    stored = [marker.get(name) for name in ("prevLineText", "lineText", "nextLineText")]
    before, own, after = (value if isinstance(value, str) else "" for value in stored)
    if not own:
        return None
    line = as_line_number(marker.get("line")) or note.line
    lines = ["" if own == BLANK_LINE else own]
    start = line
    if margin and after:
        lines.append(after)
    if margin and before:
        lines.insert(0, before)
        start = max(1, line - 1)
    return Snippet(path, start, tuple(lines), range(line, line + 1))

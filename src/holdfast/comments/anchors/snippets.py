"""Lines of code around a comment: as they are now, or as they were when it was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.document import whole_line
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import BLANK, split_lines
from holdfast.kernel.text import shorten

if TYPE_CHECKING:
    from holdfast.comments.store import Comments


@dataclass(frozen=True)
class Snippet:
    """Some lines of a file."""

    path: str
    start: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    own: range = range(0)
    """The numbers of the lines that a comment is on."""

    @property
    def text(self) -> str:
        """The lines as one text, without a line break at the end."""
        return "\n".join(self.lines)

    def line(self, number: int) -> str:
        """Return the line with a number, or nothing where that is outside."""
        index = number - self.start
        return self.lines[index] if 0 <= index < len(self.lines) else ""


LONGEST = 1000
"""Characters of a line that are shown where lines are there to be recognised."""


def numbered(lines: Sequence[str], start: int, marked: range = range(0)) -> str:
    """Return lines with their numbers before them, some marked by an angle bracket."""
    width = len(str(start + len(lines)))
    return "\n".join(
        f"{number:>{width}}{'>' if number in marked else ' '} {shortened(line)}"
        for number, line in enumerate(lines, start)
    )


def shortened(line: str) -> str:
    """Return a line, or its beginning where nobody would read all of it."""
    return shorten(line, LONGEST)


def is_text(text: str) -> bool:
    """Return whether a file is meant to be read: what is not has NUL characters at its beginning."""
    return "\0" not in text[:8192]


def lines_of_file(text: str) -> list[str]:
    """Return the lines of a file; what follows the last line break is one only when it holds something."""
    lines = split_lines(text)
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def around(path: str, text: str, line: int, end_line: int | None, margin: int) -> Snippet:
    """Return a comment's own lines with `margin` lines before and after, as far as the file goes."""
    lines = lines_of_file(text)
    start = max(1, line - margin)
    end = min(len(lines), (end_line or line) + margin)
    return Snippet(path, start, tuple(lines[start - 1 : end]), range(line, (end_line or line) + 1))


def as_it_was(room: Comments, note: Note, path: str, margin: int) -> Snippet | None:
    """Return the lines that a comment was written for, as far as anybody kept them."""
    facts = note.evidence or {}
    line = whole_line(facts.get("line"))
    version = room.annotated_version(note.marker)
    if version is not None and line is not None:
        return around(version.path or path, version.text, line, whole_line(facts.get("endLine")), margin)
    return _from_marker(note, path, margin)


def _from_marker(note: Note, path: str, margin: int) -> Snippet | None:
    """Return the three lines that a marker keeps, without their indentation."""
    marker = note.marker or {}
    kept = [marker.get(name) for name in ("prevLineText", "lineText", "nextLineText")]
    before, own, after = (value if isinstance(value, str) else "" for value in kept)
    if not own:
        return None
    line = whole_line(marker.get("line")) or note.line
    own = "" if own == BLANK else own
    if not margin:
        return Snippet(path, line, (own,), range(line, line + 1))
    lines = ((before,) if before else ()) + (own,) + ((after,) if after else ())
    start = line - 1 if before and line > 1 else line
    return Snippet(path, start, lines, range(line, line + 1))

"""Entries in plain text: lines between two marker comments, and whole files that belong to Holdfast."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.installation.formats.entry import (
    CannotEdit,
    DamagedText,
    EntryState,
    end_with_newline,
    lines_of,
    newline_of,
)

HASH = ("# holdfast: ", "")
MARKDOWN = ("<!-- holdfast: ", " -->")
"""How a line with a comment begins and ends."""


@dataclass(frozen=True)
class MarkedLines:
    """`lines` at the end of a file, between markers with a name."""

    name: str
    lines: tuple[str, ...]
    style: tuple[str, str] = HASH
    stays_if_customised: bool = False

    @property
    def snippet(self) -> str:
        return "\n".join([self._marker("begin"), *self.lines, self._marker("end")]) + "\n"

    def state(self, text: str) -> EntryState:
        line_range = self._range(text)
        if line_range is None:
            return EntryState.ABSENT
        start, end = line_range
        current = end_with_newline("".join(lines_of(text)[start:end])).replace("\r\n", "\n")
        return EntryState.PRESENT if current == self.snippet else EntryState.CHANGED

    def add(self, text: str) -> str:
        """Return the text with the lines and their markers at its end, or unchanged if there are no lines."""
        if not self.lines:
            return text
        return end_with_newline(text) + self.snippet.replace("\n", newline_of(text))

    def remove(self, text: str, _original: str) -> str:
        line_range = self._range(text)
        assert line_range is not None
        start, end = line_range
        lines = lines_of(text)
        return "".join(lines[:start] + lines[end:])

    def _marker(self, which: str) -> str:
        before, after = self.style
        return f"{before}{which} {self.name}{after}"

    def _range(self, text: str) -> tuple[int, int] | None:
        """Return the index of the first marker, and that after the last one; None if there are none."""
        lines = [line.rstrip() for line in lines_of(text)]
        start_marker, end_marker = self._marker("begin"), self._marker("end")
        if start_marker not in lines:
            return None
        start = lines.index(start_marker)
        if end_marker not in lines[start:]:
            raise DamagedText(start + 1, f"the marker {start_marker!r} has no {end_marker!r} after it")
        return start, lines.index(end_marker, start) + 1


@dataclass(frozen=True)
class WholeFile:
    """A file that belongs to Holdfast as a whole, with the content `snippet`, recognised by `mark`."""

    snippet: str
    mark: str
    stays_if_customised: bool = True

    def state(self, text: str) -> EntryState:
        """Return whether the file exists; refuse if another file has its name."""
        if not text.strip():
            return EntryState.ABSENT
        if text == self.snippet:
            return EntryState.PRESENT
        if self.mark not in text:
            raise CannotEdit(1, "another file has this name")
        return EntryState.CHANGED

    def add(self, _text: str) -> str:
        return self.snippet

    def remove(self, _text: str, original: str) -> str:
        return original

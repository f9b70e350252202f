"""Lines between two marker comments, and files that belong to Holdfast as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.installation.formats.entry import (
    CannotEdit,
    DamagedText,
    EntryState,
    lines_of,
    newline_of,
    terminated,
)

_BEGIN = "# holdfast: begin"
_END = "# holdfast: end"


@dataclass(frozen=True)
class MarkedLines:
    """`lines` at the end of a file, between markers with a name."""

    name: str
    lines: tuple[str, ...]
    stays_if_customised: bool = False

    @property
    def snippet(self) -> str:
        """Return the lines between their markers."""
        return "\n".join([f"{_BEGIN} {self.name}", *self.lines, f"{_END} {self.name}"]) + "\n"

    def state(self, text: str) -> EntryState:
        """Return whether the lines are in the text."""
        found_range = self._range(text)
        if found_range is None:
            return EntryState.ABSENT
        found = terminated("".join(lines_of(text)[found_range[0] : found_range[1]])).replace("\r\n", "\n")
        return EntryState.PRESENT if found == self.snippet else EntryState.CHANGED

    def added(self, text: str) -> str:
        """Return the text with the lines and their markers at its end; unchanged if there are none."""
        if not self.lines:
            return text
        return terminated(text) + self.snippet.replace("\n", newline_of(text))

    def removed(self, text: str, original: str) -> str:
        """Return the text without the lines and their markers."""
        del original  # the lines have no container
        found_range = self._range(text)
        assert found_range is not None
        lines = lines_of(text)
        return "".join(lines[: found_range[0]] + lines[found_range[1] :])

    def _range(self, text: str) -> tuple[int, int] | None:
        lines = [line.rstrip() for line in lines_of(text)]
        begin, end = f"{_BEGIN} {self.name}", f"{_END} {self.name}"
        if begin not in lines:
            return None
        start = lines.index(begin)
        if end not in lines[start:]:
            raise DamagedText(start + 1, f"the marker {begin!r} has no {end!r} after it")
        return start, lines.index(end, start) + 1


@dataclass(frozen=True)
class WholeFile:
    """A file whose whole content is `snippet`, recognised by `mark`."""

    snippet: str
    mark: str
    stays_if_customised: bool = True

    def state(self, text: str) -> EntryState:
        """Return whether the file exists; a foreign one of the same name is refused."""
        if not text.strip():
            return EntryState.ABSENT
        if text == self.snippet:
            return EntryState.PRESENT
        if self.mark not in text:
            raise CannotEdit(1, "another file has this name")
        return EntryState.CHANGED

    def added(self, text: str) -> str:
        """Return the content of the file."""
        del text
        return self.snippet

    def removed(self, text: str, original: str) -> str:
        """Return the earlier content."""
        del text
        return original

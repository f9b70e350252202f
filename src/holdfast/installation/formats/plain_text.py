"""Lines between two comments that say whose they are, and files that are Holdfast's altogether."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.installation.formats.part import (
    DamagedText,
    EntryState,
    NoRoom,
    ending_with_newline,
    lines_of,
    newline_of,
)

_BEGIN = "# holdfast: begin"
_END = "# holdfast: end"


@dataclass(frozen=True)
class MarkedLines:
    """`lines` at the end of a file, under a name of their own."""

    name: str
    lines: tuple[str, ...]
    belongs_to_others_once_changed: bool = False

    @property
    def snippet(self) -> str:
        """Return the lines between their marks."""
        return "\n".join([f"{_BEGIN} {self.name}", *self.lines, f"{_END} {self.name}"]) + "\n"

    def state(self, text: str) -> EntryState:
        """Return whether the lines are there."""
        place = self._place(text)
        if place is None:
            return EntryState.ABSENT
        found = "".join(lines_of(text)[place[0] : place[1]])
        return (
            EntryState.PRESENT
            if ending_with_newline(found).replace("\r\n", "\n") == self.snippet
            else EntryState.CHANGED
        )

    def added(self, text: str) -> str:
        """Return the text with the lines at its end; without lines there is nothing to mark."""
        if not self.lines:
            return text
        return ending_with_newline(text) + self.snippet.replace("\n", newline_of(text))

    def removed(self, text: str, original: str) -> str:
        """Return the text without the lines between the marks."""
        del original  # nothing is made around the lines
        place = self._place(text)
        assert place is not None
        lines = lines_of(text)
        return "".join(lines[: place[0]] + lines[place[1] :])

    def _place(self, text: str) -> tuple[int, int] | None:
        lines = [line.rstrip() for line in lines_of(text)]
        begin, end = f"{_BEGIN} {self.name}", f"{_END} {self.name}"
        if begin not in lines:
            return None
        start = lines.index(begin)
        if end not in lines[start:]:
            raise DamagedText(start + 1, f"the mark {begin!r} has no {end!r} after it")
        return start, lines.index(end, start) + 1


@dataclass(frozen=True)
class WholeFile:
    """A file that holds exactly `snippet`, recognised as ours by `mark`."""

    snippet: str
    mark: str
    belongs_to_others_once_changed: bool = True

    def state(self, text: str) -> EntryState:
        """Return whether the file is there; another of the same name is refused."""
        if not text.strip():
            return EntryState.ABSENT
        if text == self.snippet:
            return EntryState.PRESENT
        if self.mark not in text:
            raise NoRoom(1, "there is another file of this name")
        return EntryState.CHANGED

    def added(self, text: str) -> str:
        """Return the file."""
        del text
        return self.snippet

    def removed(self, text: str, original: str) -> str:
        """Return what was there before."""
        del text
        return original

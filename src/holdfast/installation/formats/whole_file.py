"""A file that is Holdfast's from the first byte to the last."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.installation.formats.part import State, Unsuitable


@dataclass(frozen=True)
class WholeFile:
    """A file that holds exactly `snippet`, recognised as ours by `mark`."""

    snippet: str
    mark: str
    belongs_to_others_once_changed: bool = True

    def state(self, text: str) -> State:
        """Return whether the file is there; another of the same name is refused."""
        if not text.strip():
            return State.ABSENT
        if text == self.snippet:
            return State.PRESENT
        if self.mark not in text:
            raise Unsuitable(1, "there is another file of this name")
        return State.CHANGED

    def added(self, text: str) -> str:
        """Return the file."""
        del text
        return self.snippet

    def removed(self, text: str, original: str) -> str:
        """Return what was there before."""
        del text
        return original

"""A field that remembers everything nobody has replaced."""

from __future__ import annotations

from holdfast.milestones.entity import Candidate
from holdfast.milestones.log.entry import Entry


class Register:
    """The values of one field by the operations that wrote them, in order, and what was replaced."""

    __slots__ = ("_replaced", "_written")

    def __init__(self) -> None:
        self._written: dict[str, tuple[str | None, Entry]] = {}
        self._replaced: set[str] = set()

    def write(self, value: str | None, entry: Entry) -> None:
        """Take a value, and what its writer saw and replaced."""
        self._written[entry.id] = (value, entry)
        self._replaced.update(entry.over)

    def holders(self) -> tuple[str, ...]:
        """Return the operations that nobody replaced; all of them when they claim to replace each other."""
        live = tuple(name for name in self._written if name not in self._replaced)
        return live or tuple(self._written)

    def winner(self) -> str | None:
        """Return the value that counts: the last of those nobody replaced."""
        if len(self._written) == 1:
            ((value, _),) = self._written.values()
            return value
        return self._written[self.holders()[-1]][0]

    def candidates(self) -> tuple[Candidate, ...]:
        """Return the values that nobody replaced, the winning one last."""
        held = (self._written[name] for name in self.holders())
        return tuple(Candidate(value, entry.id, entry.actor, entry.time) for value, entry in held)

    def losers(self) -> tuple[Candidate, ...]:
        """Return the candidates that say something else than the winner."""
        if len(self._written) == 1:
            return ()
        *others, winner = self.candidates()
        return tuple(other for other in others if other.value != winner.value)

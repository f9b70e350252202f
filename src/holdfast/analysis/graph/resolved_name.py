"""The result of name resolution: definitions of the project, an external package, or unknown."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.analysis.graph.imports.target import Certainty


class DefinitionRef(NamedTuple):
    """A definition by its index in a file, or the file itself if the index is MODULE."""

    path: str
    definition: int


class ResolvedName(NamedTuple):
    """The definitions or the package that a name refers to."""

    places: tuple[DefinitionRef, ...] = ()
    """The definitions in the project, several if the name is defined several times."""
    package: str = ""
    """The external package that the name comes from, or empty."""
    certainty: Certainty = "unknown"

    def through(self, certainty: Certainty) -> ResolvedName:
        """Return this, found exactly in a name of that certainty, with that certainty; else unchanged."""
        return self._replace(certainty=certainty) if self.certainty == "exact" else self


UNKNOWN = ResolvedName()
"""A name that was not found, or is ambiguous."""
BUILT_IN = ResolvedName((), "builtins", "exact")
"""A function or type of the language."""
LOCAL = ResolvedName((), certainty="exact")
"""A parameter or local variable."""

"""The result of name resolution: definitions of the project, an external package, or unknown."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.analysis.graph.imports.target import Certainty


class DefinitionRef(NamedTuple):
    """A definition by its index in a file, or the file itself if the index is MODULE."""

    path: str
    definition: int


class ResolvedName(NamedTuple):
    """What a name refers to."""

    places: tuple[DefinitionRef, ...] = ()
    package: str = ""
    """The external package that the name comes from, or empty."""
    certainty: Certainty = "unknown"


UNKNOWN = ResolvedName()
BUILT_IN = ResolvedName((), "builtins", "exact")
LOCAL = ResolvedName((), "", "exact")
"""A parameter or local variable."""

"""What a name means: definitions of the project, something outside of it, or nothing that is known."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.analysis.graph.imports.target import Certainty


class Place(NamedTuple):
    """A definition of a file, or the file itself where `definition` is MODULE."""

    path: str
    definition: int


class Meaning(NamedTuple):
    """What a name means."""

    places: tuple[Place, ...] = ()
    package: str = ""
    """What it comes from where that is none of the project's."""
    certainty: Certainty = "unknown"


UNKNOWN = Meaning()
BUILT_IN = Meaning((), "builtins", "exact")
LOCAL = Meaning((), "", "exact")
"""A parameter or a variable of a function."""

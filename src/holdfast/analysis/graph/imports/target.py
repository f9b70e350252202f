"""Where an import leads: to files of the project, out of it, or nowhere that is known."""

from __future__ import annotations

from typing import Literal, NamedTuple

from holdfast.analysis.graph.imports.layout import Layout
from holdfast.syntax.record import Import

Certainty = Literal["exact", "likely", "guess", "unknown"]
"""Exact follows from the rules of the language, likely from a convention, a guess from a name."""


class Target(NamedTuple):
    """What an import means."""

    files: tuple[str, ...] = ()
    """Files of the project; several where a package is a folder of files."""
    symbol: str = ""
    """What of these files, joined by dots; empty for all of it, `*` for everything it offers."""
    package: str = ""
    """What it is called where it is none of the project's."""
    certainty: Certainty = "unknown"


UNRESOLVED = Target()


def outside(package: str) -> Target:
    """Return a target that is none of the project's."""
    return Target(package=package, certainty="exact")


class Finder:
    """Finds what the imports of one family of languages mean; of one without rules, all lead outside."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def resolve(self, _path: str, imported: Import, /) -> Target:
        """Return what an import in a file means."""
        return outside(imported.module)

    def member(self, path: str, name: str) -> str | None:
        """Return the file that is a part of another one by its place, such as a module of a package."""

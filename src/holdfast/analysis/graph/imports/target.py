"""The result of import resolution: files of the project, an external package, or unresolved."""

from __future__ import annotations

from typing import Literal, NamedTuple

from holdfast.analysis.graph.imports.layout import Layout
from holdfast.syntax.record import ImportedName

Certainty = Literal["exact", "likely", "guess", "unknown"]
"""`exact` follows from language rules, `likely` from a convention, `guess` from a name alone."""


class Target(NamedTuple):
    """What an import refers to."""

    files: tuple[str, ...] = ()
    """Files of the project; several if a package is a folder of files."""
    symbol: str = ""
    """The dotted name in these files; empty for the module itself, `*` for all its exports."""
    package: str = ""
    """The name of an external package, or empty."""
    certainty: Certainty = "unknown"


UNRESOLVED = Target()


def outside(package: str) -> Target:
    """Return a target outside the project."""
    return Target(package=package, certainty="exact")


class ImportResolver:
    """Resolves the imports of one family of languages; this base class treats all as external."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def resolve(self, _path: str, imported: ImportedName, /) -> Target:
        """Resolve an import in a file."""
        return outside(imported.module)

    def member(self, path: str, name: str) -> str | None:
        """Return the file of a submodule, by its location relative to that of the parent."""

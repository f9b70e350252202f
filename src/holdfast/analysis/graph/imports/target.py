"""The result of import resolution: files of the project, an external package, or unresolved."""

from __future__ import annotations

from typing import Literal, NamedTuple

from holdfast.analysis.graph.imports.layout import Layout
from holdfast.syntax.record import ImportedName, Record

Certainty = Literal["exact", "likely", "guess", "unknown"]
"""`exact` follows from the rules of a language, `likely` from a convention, `guess` from a name alone."""


class Target(NamedTuple):
    """The files or the package that an import refers to."""

    files: tuple[str, ...] = ()
    """Files of the project; several if a package is a folder of files."""
    symbol: str = ""
    """The dotted name in these files; empty for the module itself, `*` for all its exports."""
    package: str = ""
    """The name of an external package, or empty."""
    certainty: Certainty = "unknown"


UNRESOLVED = Target()
"""An import whose target was not found, or is ambiguous."""


def external_target(package: str) -> Target:
    """Return a target outside the project."""
    return Target(package=package, certainty="exact")


class ImportResolver:
    """Resolves the imports of one family of languages; this base class resolves all to external packages."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def renew(self, layout: Layout) -> None:
        """Go on with other contents of the same files, whose interfaces are equal."""
        self._layout = layout

    def interface(self, _path: str, record: Record, /) -> object:
        """Return all that the results of this resolver depend on in the content of a file."""
        names = record.names
        return names.package, [
            (item.name, item.path, item.kind, item.container) for item in names.definitions
        ]

    def resolve(self, _path: str, imported: ImportedName, /) -> Target:
        return external_target(imported.module)

    def submodule(self, path: str, name: str) -> str | None:
        """Return the file of a submodule of the module in a file; None if modules have none."""

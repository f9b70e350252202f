"""What the search for dead code needs of each file, computed from its record alone and kept by content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from holdfast.syntax.record import ImportedName, Record


class FileImports(NamedTuple):
    """The import statements of a file, as far as they bind names."""

    by_name: dict[str, list[ImportedName]]
    """The imports by the name that they bind."""
    stars: list[ImportedName]
    """The imports of everything in a module, without a name of their own or to export it again."""


class FileFacts(NamedTuple):
    """What follows from the record of one file."""

    imports: FileImports
    names: frozenset[str]
    """All names that the file uses."""
    attributes: frozenset[str]
    """All names that it uses after a dot."""


def file_facts(_: str, record: Record) -> FileFacts:
    """Return the facts of a file."""
    uses = record.names.uses
    return FileFacts(
        _imports_of(record),
        frozenset().union(*(used.names for used in uses)),
        frozenset().union(*(used.attributes for used in uses)),
    )


def facts_by_file(records: Mapping[str, Record]) -> dict[str, FileFacts]:
    """Return the facts of several files, by path."""
    return {path: file_facts(path, record) for path, record in records.items()}


def _imports_of(record: Record) -> FileImports:
    imports = FileImports({}, [])
    for imported in record.names.imports:
        if imported.alias:
            imports.by_name.setdefault(imported.alias, []).append(imported)
        if imported.name == "*" and (not imported.alias or imported.reexported):
            imports.stars.append(imported)
    return imports

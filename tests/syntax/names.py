"""Short forms of the rows of a record, for tests that write them down."""

from __future__ import annotations

from textwrap import dedent

from holdfast.syntax.record import MODULE, Names, read_record


def names_of(path: str, text: str) -> Names:
    """Return the names of a text, which may be indented."""
    record = read_record(path, dedent(text).encode())
    assert record is not None
    return record.names


def imports_of(path: str, text: str) -> list[tuple[str, str, str]]:
    """Return (module, name, alias) of every import."""
    return [(row.module, row.name, row.alias) for row in names_of(path, text).imports]


def used(names: Names, definition: str = "") -> set[str]:
    """Return the plain names that a definition uses, or the module."""
    return {name for row in names.uses if _path(names, row.definition) == definition for name in row.names}


def attributes(names: Names, definition: str = "") -> set[str]:
    """Return the members that a definition uses, or the module."""
    return {
        name for row in names.uses if _path(names, row.definition) == definition for name in row.attributes
    }


def bound(names: Names, definition: str) -> set[str]:
    """Return the names that a definition declares for itself."""
    return {name for row in names.uses if _path(names, row.definition) == definition for name in row.bound}


def calls(names: Names) -> list[tuple[str, str]]:
    """Return the definition and what it calls."""
    return [(_path(names, row.definition), row.callee) for row in names.calls]


def exported(names: Names) -> set[str]:
    """Return the paths of what other files may use."""
    return {row.path for row in names.definitions if row.exported}


def unused(names: Names) -> list[tuple[str, str, int]]:
    """Return kind, name and line of what is without use."""
    return [(row.kind, row.name, row.line) for row in names.unused]


def _path(names: Names, definition: int) -> str:
    return "" if definition == MODULE else names.definitions[definition].path

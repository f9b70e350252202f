"""Short forms of the rows of a record, for tests that write them down."""

from __future__ import annotations

from textwrap import dedent

from holdfast.syntax.record import MODULE, Definition, Names, read_record


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


def described(names: Names) -> list[str]:
    """Return the names of a file as lines to be read."""
    lines = [_definition(row) for row in names.definitions]
    for row in names.uses:
        bound_ = f" | binds {' '.join(row.bound)}" if row.bound else ""
        attributes_ = "".join(f" .{name}" for name in row.attributes)
        lines.append(
            f"{_path(names, row.definition) or '(file)'} uses {' '.join(row.names)}{attributes_}{bound_}"
        )
    for imported in names.imports:
        marks = [f"level {imported.level}"] if imported.level else []
        marks += ["offered"] if imported.reexported else []
        marks += ["for types"] if imported.typing_only else []
        what = f"{imported.module} | {imported.name} | {imported.alias}"
        lines.append(" ".join([f"{imported.line} import {what}", *marks]))
    lines += [
        f"{call.line} {_path(names, call.definition) or '(file)'} calls {call.callee}" for call in names.calls
    ]
    lines += [f"{row.line}-{row.end_line} unused {row.kind} {row.name}".rstrip() for row in names.unused]
    lines.append(f"exports {' '.join(names.exports)}".rstrip())
    lines.append(f"words {' '.join(names.words)}".rstrip())
    lines.append(f"package {names.package}, {'an entry' if names.is_entry else 'no entry'}")
    return lines


def _definition(row: Definition) -> str:
    marks = "".join(f" @{name}" for name in row.decorators)
    bases = f" < {', '.join(row.bases)}" if row.bases else ""
    return f"{row.line} {'public' if row.exported else 'hidden'} {row.kind} {row.path}{bases}{marks}"

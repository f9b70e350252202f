"""What a file itself shows to be without use: imports, local variables, parameters, statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from holdfast.analysis.dead_code.convention import conventions
from holdfast.analysis.dead_code.evidence import KEPT, TEST_DATA, Doubt, is_kept
from holdfast.analysis.dead_code.interfaces import Interfaces
from holdfast.analysis.dead_code.namespace import Namespace
from holdfast.analysis.dead_code.roots import last_word
from holdfast.analysis.dead_code.unused_code import Kind, UnusedCode
from holdfast.syntax.record import Record, Unused

_SAYS_SO = re.compile(r"_.*|unused\d*|ignored?\d*|dummy\d*", re.IGNORECASE)
_KINDS: dict[str, tuple[Kind, float, str]] = {
    "import": ("import", 0.95, "The file never uses the name that it imports"),
    "variable": ("local", 0.92, "It gets a value that nothing in its function reads"),
    "parameter": ("parameter", 0.5, "Its function never reads it, but callers may have to pass it"),
    "unreachable": ("unreachable", 0.97, "The statement before it always leaves the block"),
}


def unused_in_files(interfaces: Interfaces) -> Iterator[UnusedCode]:
    """Yield what the files show to be without use, of imports only what no other file takes from here."""
    space = interfaces.space
    taken = _taken(space)
    for number, (path, record) in enumerate(zip(space.paths, space.records, strict=True)):
        for row in record.names.unused:
            if row.kind not in _KINDS or (row.kind == "import" and (number, row.name) in taken):
                continue
            kind, confidence, reason = _KINDS[row.kind]
            first = _opening(record, row) if kind == "import" else row.line
            kept = is_kept(record, first, row.line) or (kind != "import" and _SAYS_SO.fullmatch(row.name))
            doubt = Doubt(0.3, KEPT) if kept else None
            if doubt is None and row.kind == "import":
                doubt = _doubt(space, number, row.name, row.line)
            if doubt is None and interfaces.is_test_data(number):
                doubt = TEST_DATA
            if doubt is not None:
                confidence, reason = doubt.confidence, f"{reason}; but {doubt.words}"
            name = row.name or (record.names.definitions[row.definition].path if row.definition >= 0 else "")
            yield UnusedCode(kind, name, path, row.line, row.end_line, confidence, f"{reason}.")


def _opening(record: Record, row: Unused) -> int:
    """Return on which line the statement of an import opens, where its names stand on lines of their own."""
    lines = {one.line: one.module for one in record.names.imports}
    first = row.line
    while first - 1 in lines and lines[first - 1] == lines.get(row.line):
        first -= 1
    return first if first - 1 in lines else first - 1


def _taken(space: Namespace) -> set[tuple[int, str]]:
    """Return the names of unused imports that other files import from there or ask the module for."""
    unused: dict[str, set[int]] = {}
    for number, record in enumerate(space.records):
        for row in record.names.unused:
            if row.kind == "import":
                unused.setdefault(row.name, set()).add(number)
    wanted = set(unused)
    taken: set[tuple[int, str]] = set()
    for number, record in enumerate(space.records):
        for imported in record.names.imports:
            if imported.name in unused:
                taken.update((file, imported.name) for file in space.files_of(number, imported))
        for used in record.names.uses:
            for name in wanted.intersection(used.attributes):
                taken.update(
                    (file, name)
                    for file in unused[name]
                    if file != number and space.has_as_module(number, file)
                )
    return taken


def _doubt(space: Namespace, number: int, name: str, line: int) -> Doubt | None:
    """Return why an import that its file does not use may be there on purpose."""
    path = space.paths[number]
    if basename(path).startswith(("__init__.", "conftest.")):
        return Doubt(0.3, "such a file imports for others")
    rules = conventions(space.records[number].language)
    for row in space.imports(number)[0].get(name, ()):
        if row.line != line:
            continue
        brought = list(space.imported(number, row))
        decorators = [text for one in brought for text in space.definitions[one].decorators]
        if any(last_word(text) in rules.decorators for text in decorators):
            return Doubt(0.2, "what it brings in registers itself, such as a fixture")
        if not brought and space.files_of(number, row):
            return Doubt(0.5, "loading that module of the project may be the purpose")
    return None

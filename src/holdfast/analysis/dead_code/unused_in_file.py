"""Unused code that can be found within one file: imports, locals, parameters and unreachable statements.

An unused import is not reported if another file imports the name from there, and gets a lower confidence if
the import alone may have an effect: `import plugins.csv` may register something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from holdfast.analysis.dead_code.convention import conventions
from holdfast.analysis.dead_code.doubt import (
    BUILT,
    INTENTIONAL,
    MEANT_TO_STAY,
    RARE_USE,
    TEST_INPUT,
    UNIMPORTED_TEST_FILE,
    Doubt,
    is_marked_intentional,
    seen_by_readers,
)
from holdfast.analysis.dead_code.public_api import PublicApi
from holdfast.analysis.dead_code.roots import last_word
from holdfast.analysis.dead_code.symbol_table import SymbolTable
from holdfast.analysis.dead_code.unused_code import Kind, UnusedCode
from holdfast.kernel.call import current_call
from holdfast.syntax.record import Record, Unused

_UNUSED_BY_NAME = re.compile(r"_.*|unused\d*|ignored?\d*|dummy\d*", re.IGNORECASE)
_MAX_LINES_BETWEEN_NAMES = 3
"""Lines from one imported name to the next in a statement of Python: a judgement."""
_NAMED_IN_STRING = 0.7
"""The confidence for an import or local variable whose name is in a string: a judgement, as in `doubt.py`."""
_FINDINGS: dict[str, tuple[Kind, float, str]] = {
    "import": ("import", 0.95, "The file imports this name but never uses it"),
    "variable": ("local", 0.92, "Its function assigns it but never reads it"),
    "parameter": ("parameter", 0.5, "Its function never reads it, but callers may have to pass it"),
    "unreachable": ("unreachable", 0.97, "The statement before it always leaves the block"),
}
"""The finding on each kind of unused code; its confidence is a judgement, as in `doubt.py`."""


def unused_in_files(public_api: PublicApi) -> Iterator[UnusedCode]:
    """Yield the unused code within files, without imports that another file uses from there."""
    symbols = public_api.symbols
    imported_elsewhere = _imported_elsewhere(symbols)
    for file, (path, record) in enumerate(zip(symbols.paths, symbols.records, strict=True)):
        current_call().check()
        first_lines = _first_lines(record)
        for unused in record.names.unused:
            is_imported_elsewhere = unused.kind == "import" and (file, unused.name) in imported_elsewhere
            if unused.kind not in _FINDINGS or is_imported_elsewhere:
                continue
            kind, confidence, reason = _FINDINGS[unused.kind]
            before = unused.line if unused.line - 1 in first_lines else unused.line - 1
            first_line = first_lines.get(unused.line, before)
            doubt = _doubt(public_api, file, unused, first_line)
            if doubt is not None:
                confidence, reason = doubt.confidence, f"{reason}; but {doubt.reason}"
            name = unused.name
            if not name and unused.definition >= 0:
                name = record.names.definitions[unused.definition].path
            yield UnusedCode(kind, name, path, unused.line, unused.end_line, confidence, f"{reason}.")


def _doubt(public_api: PublicApi, file: int, unused: Unused, first_import_line: int) -> Doubt | None:
    """Return why unused code may be intentional."""
    symbols = public_api.symbols
    record, first_line = symbols.records[file], unused.line
    is_intentional = False
    if unused.kind == "import":
        first_line = first_import_line
    else:
        is_intentional = _UNUSED_BY_NAME.fullmatch(unused.name) is not None
    if is_intentional or is_marked_intentional(record, first_line, unused.line):
        return INTENTIONAL
    if public_api.is_test_input(file):
        return TEST_INPUT
    if public_api.is_built(file):
        return BUILT
    if unused.kind == "import" and (doubt := _import_doubt(symbols, file, unused)) is not None:
        return doubt
    if unused.kind != "unreachable" and record.language == "python" and unused.name in record.names.words:
        return Doubt(_NAMED_IN_STRING, "its name is in a string, which may be evaluated")
    if unused.kind == "variable" and (doubt := seen_by_readers(symbols.paths[file], record)) is not None:
        return doubt
    return UNIMPORTED_TEST_FILE if public_api.may_be_test_input(file) else None


def _first_lines(record: Record) -> dict[int, int]:
    """Return, for each line that imports, the first line of an import statement that spans several lines.

    Names of a module may start on the line after `import (`, so that is the line before, unless it imports.
    """
    modules = {imported.line: imported.module for imported in record.names.imports}
    first_lines: dict[int, int] = {}
    previous = -1
    most = _MAX_LINES_BETWEEN_NAMES if record.language == "python" else 1  # there may be comments between
    for line in sorted(modules):
        if modules.get(previous) == modules[line] and line - previous <= most:
            first_lines[line] = first_lines[previous]
        else:
            first_lines[line] = line if line - 1 in modules else line - 1
        previous = line
    return first_lines


def _imported_elsewhere(symbols: SymbolTable) -> set[tuple[int, str]]:
    """Return the file and name of each unused import that other files import or access from there."""
    files_by_name: dict[str, set[int]] = {}
    for file, record in enumerate(symbols.records):
        for unused in record.names.unused:
            if unused.kind == "import":
                files_by_name.setdefault(unused.name, set()).add(file)
    elsewhere: set[tuple[int, str]] = set()
    for file, record in enumerate(symbols.records):
        for imported in record.names.imports:
            if imported.name in files_by_name:
                elsewhere.update((module, imported.name) for module in symbols.imported_files(file, imported))
        for name in files_by_name.keys() & symbols.facts[file].attributes:
            others = (module for module in files_by_name[name] if module != file)
            elsewhere.update((module, name) for module in others if symbols.imports_module(file, module))
    return elsewhere


def _import_doubt(symbols: SymbolTable, file: int, unused: Unused) -> Doubt | None:
    path = symbols.paths[file]
    if basename(path).startswith(("__init__.", "conftest.")):
        return Doubt(MEANT_TO_STAY, "such a file imports names for other files")
    if path.endswith(".d.ts"):
        return Doubt(RARE_USE, "an import makes a file of declarations a module")
    names = symbols.records[file].names
    passes_on = (not names.definitions and not names.uses) or any(
        imported.name == "*" for imported in names.imports if symbols.families[file] == "python"
    )
    rules = conventions(symbols.records[file].language)
    for imported in symbols.facts[file].imports.by_name.get(unused.name, ()):
        if imported.line != unused.line:
            continue
        if passes_on and symbols.imported_files(file, imported):
            return Doubt(MEANT_TO_STAY, "its file passes names on to other files")
        imported_symbols = list(symbols.resolve_import(file, imported))
        decorators = [text for symbol in imported_symbols for text in symbols.definitions[symbol].decorators]
        if any(last_word(text) in rules.decorators for text in decorators):
            return Doubt(0.2, "it may register itself, as a fixture does")
        if not imported_symbols and symbols.imported_files(file, imported):
            return Doubt(0.5, "the import may only be there to load that module")
    return None

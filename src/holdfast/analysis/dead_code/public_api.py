"""The public API of a project: code that other projects may use, so that no search here proves it dead.

Names are PUBLIC by the following rules. Other names that code of other projects can import are ACCESSIBLE.
- Python: names in `__all__`, and what an `__init__.py` defines or imports. Other public names of a published
  project are accessible: with `lib/__init__.py` containing `from lib.core import run`, `run` is public, and
  `helper` in `lib/core.py` is accessible.
- JavaScript, TypeScript: what the files named in `package.json` export or re-export. Other exports are
  accessible.
- Go: exported names of packages other than `main` and outside `internal`.
- Rust: `pub` items of a crate with a `lib.rs`.
- Other languages: public names, unless a file of the language has a `main`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from posixpath import basename, dirname

from holdfast.analysis.dead_code.entry_points import EntryPoints
from holdfast.analysis.dead_code.symbol_table import BY_IMPORT, SymbolTable
from holdfast.analysis.engine.test_files import IN_TESTS
from holdfast.analysis.graph.file_scope import NAMESPACES
from holdfast.syntax.record import MODULE
from holdfast.syntax.symbols import CLASSES

_LOADED_WITHOUT_IMPORT = re.compile(
    r"(^|/)(test_[^/]*|[^/]*_tests?|tests)\.py$|\.(test|spec|stories)\.\w+$|(^|/)pages/"
)
_TEST_INPUT = re.compile(
    r"(^|/)_*(fixtures?|playgrounds?|snapshots?|test[-_]?(data|fixtures?|inputs?|cases)|goldens?|golden[-_]?files?|cassettes)"
    r"_*/"
    r"|(^|/)_*(tests?|specs?|testing|e2e)_*/(.*/)?(data|inputs?|outputs?|cases|samples?|corpus|resources)/"
)
"""Folders of files that tests read, rather than of tests."""

PUBLIC = "public"
"""Declared to be used by other projects."""
ACCESSIBLE = "accessible"
"""Not declared public, but other projects can import it."""


class PublicApi:
    """Which definitions of a scan other projects may use."""

    def __init__(self, symbols: SymbolTable, entries: EntryPoints) -> None:
        self.symbols = symbols
        self.entries = entries
        self.programs = {
            (family, _source_root(path))
            for path, family, record in zip(symbols.paths, symbols.families, symbols.records, strict=True)
            if record.names.is_entry and not IN_TESTS.search(path)
        }
        """The language families that have an executable, each with the part of the project it is in."""
        self.libraries = tuple(
            f"{dirname(path)}/" for path in symbols.paths if path == "lib.rs" or path.endswith("/lib.rs")
        )
        self.declared_public = set(self._with_bases(self._declared_public()))

    def _declared_public(self) -> Iterator[int]:
        """Yield what export lists, packages and `package.json` declare public."""
        for file, path in enumerate(self.symbols.paths):
            names, family = self.symbols.records[file].names, self.symbols.families[file]
            if family == "python":
                if basename(path).startswith("__init__."):
                    yield from self._exported_by(file)
                for name in names.exports:
                    yield from self.symbols.resolve_export(file, name)
            elif family == "script" and path in self.entries.package_files:
                yield from self._exported_by(file)

    def _with_bases(self, public: Iterable[int]) -> Iterator[int]:
        """Yield public definitions and the base classes that they inherit members from."""
        symbols, worklist, seen = self.symbols, list(public), set[int]()
        while worklist:
            symbol = worklist.pop()
            if symbol not in seen:
                seen.add(symbol)
                yield symbol
                for base in symbols.definitions[symbol].bases:
                    worklist += symbols.resolve_export(symbols.file_of[symbol], base.rpartition(".")[2])

    @cached_property
    def _imported(self) -> set[int]:
        imported: set[int] = set()
        for file in range(len(self.symbols.paths)):
            imported |= self.symbols.imported_modules(file).files - {file}
        return imported

    def is_unimported(self, file: int) -> bool:
        """Return whether no file imports a file, although it is not an executable, test or page either."""
        if self.symbols.families[file] not in BY_IMPORT or self.symbols.records[file].names.is_entry:
            return False
        is_loaded_otherwise = _LOADED_WITHOUT_IMPORT.search(self.symbols.paths[file]) is not None
        return not is_loaded_otherwise and file not in self._imported

    def is_test_input(self, file: int) -> bool:
        """Return whether a file is in a folder of files that tests read."""
        path = self.symbols.paths[file]
        return _TEST_INPUT.search(path) is not None and not (
            _LOADED_WITHOUT_IMPORT.search(path) and "fixture" not in path
        )

    def is_built(self, file: int) -> bool:
        """Return whether a file is in a folder of files that were built from others."""
        return self.symbols.families[file] == "script" and "/dist/" in f"/{self.symbols.paths[file]}"

    def may_be_test_input(self, file: int) -> bool:
        """Return whether nothing imports a file among tests, so that they may read it."""
        if IN_TESTS.search(self.symbols.paths[file]) is None:
            return False
        if self.symbols.families[file] == "go":
            return dirname(self.symbols.paths[file]) not in self._used_packages
        return self.is_unimported(file)

    @cached_property
    def _used_packages(self) -> set[str]:
        """The folders of packages in Go that another one imports, or that are programs or have tests."""
        symbols = self.symbols
        own = {
            dirname(path)
            for path, family, record in zip(symbols.paths, symbols.families, symbols.records, strict=True)
            if family == "go" and (record.names.is_entry or path.endswith("_test.go"))
        }
        return own | {dirname(symbols.paths[file]) for file in self._imported}

    def _exported_by(self, file: int, seen: frozenset[int] = frozenset()) -> Iterator[int]:
        symbols, names = self.symbols, self.symbols.records[file].names
        for symbol, definition in enumerate(names.definitions, symbols.starts[file]):
            if definition.container == MODULE and definition.exported:
                yield symbol
        for name in names.exports:
            yield from symbols.resolve_export(file, name)
        for imported in names.imports:
            is_reexported = imported.reexported or symbols.families[file] == "python"
            if imported.definition != MODULE or not is_reexported:
                continue
            if imported.name != "*":
                yield from symbols.resolve_import(file, imported)
                continue
            for module in symbols.imported_files(file, imported):
                if module not in seen:
                    yield from self._exported_by(module, seen | {file})

    def visibility(self, symbol: int) -> str | None:
        """Return PUBLIC, ACCESSIBLE, or None for a definition that is internal to the project."""
        symbols = self.symbols
        definition, file = symbols.definitions[symbol], symbols.file_of[symbol]
        container = symbols.containers[symbol]
        family = symbols.families[file]
        if not definition.exported:
            return None
        is_in_namespace = container != MODULE and symbols.definitions[container].kind in NAMESPACES
        if container != MODULE and not symbols.is_member[symbol] and not is_in_namespace:
            return None  # a nested function
        if symbol in self.declared_public:
            return PUBLIC
        if container != MODULE and not is_in_namespace and family in ("python", "script"):
            visibility = self.visibility(container)
            is_object = family == "python" and symbols.definitions[container].kind in CLASSES
            if visibility is not None or not is_object:
                return visibility
            # Other projects can get an object of a private class.
        return self._visibility_by_language(family, symbols.paths[file], file)

    def _visibility_by_language(self, family: str, path: str, file: int) -> str | None:
        if family == "python":
            if IN_TESTS.search(path):
                return None
            has_export_list = bool(self.symbols.records[file].names.exports)
            if has_export_list or "/_" in f"/{path}":
                return None
            return ACCESSIBLE if self.entries.is_published(path) else None
        if family == "script":
            return ACCESSIBLE
        if family == "go":
            is_main = self.symbols.records[file].names.package == "main"
            is_internal = is_main or "internal/" in path or path.endswith("_test.go")
            return None if is_internal else PUBLIC
        if family == "rust":
            is_binary = basename(path) == "main.rs" or "/bin/" in path
            return PUBLIC if path.startswith(self.libraries) and not is_binary else ACCESSIBLE
        if IN_TESTS.search(path):
            return None
        return ACCESSIBLE if (family, _source_root(path)) in self.programs else PUBLIC


def _source_root(path: str) -> str:
    """Return the folder of the part of a project that a source file belongs to."""
    return path.partition("/src/")[0] if "/src/" in path else ""

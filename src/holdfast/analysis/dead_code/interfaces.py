"""What a project offers others: code outside of it may use it, so that no search here proves it dead.

The rule, by language:
- Python: what `__all__` names, what an `__init__.py` defines or brings in. Other public names of a project
  that is built for others may be imported too, but nobody says so.
- JavaScript, TypeScript: what the files that `package.json` names export, and what they pass on. Other
  exports are for the project's own files.
- Go: exported names of packages other than `main` and not below `internal`.
- Rust: what is `pub` in a crate with a `lib.rs`.
- Other languages: what is public, where no file of the language has a `main`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from posixpath import basename, dirname

from holdfast.analysis.dead_code.entry_points import EntryPoints
from holdfast.analysis.dead_code.namespace import BY_IMPORT, Namespace
from holdfast.syntax.record import MODULE

IN_TESTS = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|specs?|examples?|docs?|benchmarks?)/"
    r"|(^|/)(test_[^/]*|conftest)\.py$|(_tests?|\.test|\.spec|Tests?|IT)\.\w+$"
)
"""Paths of tests, examples and documents, which nobody gets with a package."""
_RUN_BY_ITSELF = re.compile(
    r"(^|/)(test_[^/]*|[^/]*_tests?|tests)\.py$|\.(test|spec|stories)\.\w+$|(^|/)pages/"
)
_DATA = re.compile(r"(^|/)_*(fixtures?|snapshots?|testdata|test[-_]data)_*/")

OFFERED = "offered"
"""Said to be for others."""
OPEN = "open"
"""Not said to be for others, but they can get at it."""


class Interfaces:
    """Which definitions of a scan others may use."""

    def __init__(self, space: Namespace, entries: EntryPoints) -> None:
        self.space = space
        self.entries = entries
        self.programs = {
            (family, _part(path))
            for path, family, record in zip(space.paths, space.families, space.records, strict=True)
            if record.names.is_entry and not IN_TESTS.search(path)
        }
        """Families of languages in which something is made to be run, and in which parts of the project."""
        self.libraries = tuple(
            f"{dirname(path)}/" for path in space.paths if path == "lib.rs" or path.endswith("/lib.rs")
        )
        self.listed = set(self._with_bases(self._listed()))

    def _listed(self) -> Iterator[int]:
        """Yield what lists of exports and the files of an interface name."""
        for number, path in enumerate(self.space.paths):
            names, family = self.space.records[number].names, self.space.families[number]
            if family == "python":
                if basename(path).startswith("__init__."):
                    yield from self._passed_on(number)
                for name in names.exports:
                    yield from self.space.offered(number, name)
            elif family == "script" and path in self.entries.interfaces:
                yield from self._passed_on(number)

    def _with_bases(self, offered: Iterable[int]) -> Iterator[int]:
        """Yield what is offered, and the classes from which what is offered has its members."""
        space, left, seen = self.space, list(offered), set[int]()
        while left:
            one = left.pop()
            if one not in seen:
                seen.add(one)
                yield one
                for base in space.definitions[one].bases:
                    left += space.offered(space.homes[one], base.rpartition(".")[2])

    @cached_property
    def _imported(self) -> set[int]:
        return {file for number in range(len(self.space.paths)) for file in self.space.modules(number)[0]}

    def is_unimported(self, number: int) -> bool:
        """Return whether something else must load a file: none imports it, and it is not run by itself."""
        by_import = self.space.families[number] in BY_IMPORT and not self.space.records[number].names.is_entry
        return (
            by_import and not _RUN_BY_ITSELF.search(self.space.paths[number]) and number not in self._imported
        )

    def is_test_data(self, number: int) -> bool:
        """Return whether a file is what tests read, and no part of them."""
        path = self.space.paths[number]
        return bool(_DATA.search(path) or (IN_TESTS.search(path) and self.is_unimported(number)))

    def _passed_on(self, number: int, seen: frozenset[int] = frozenset()) -> Iterator[int]:
        """Yield what a file defines for others and what it has from elsewhere and passes on."""
        space, names = self.space, self.space.records[number].names
        start, python = space.starts[number], space.families[number] == "python"
        for index, row in enumerate(names.definitions):
            if row.container == MODULE and row.exported:
                yield start + index
        for name in names.exports:
            yield from space.offered(number, name)
        for imported in names.imports:
            if imported.definition == MODULE and (imported.reexported or python):
                if imported.name == "*":
                    for file in space.files_of(number, imported):
                        if file not in seen:
                            yield from self._passed_on(file, seen | {number})
                else:
                    yield from space.imported(number, imported)

    def kind(self, one: int) -> str | None:
        """Return how far a definition is open to others, or None where it is the project's own."""
        space = self.space
        row, number = space.definitions[one], space.homes[one]
        around = space.containers[one]
        if not row.exported:
            return None
        if around != MODULE and not space.is_member[one]:
            return None  # a function within a function
        if one in self.listed:
            return OFFERED
        if around != MODULE and space.families[number] in ("python", "script"):
            return self.kind(around)
        return self._by_language(space.families[number], space.paths[number], number)

    def _by_language(self, family: str, path: str, number: int) -> str | None:
        if family == "python":
            if IN_TESTS.search(path):
                return None
            unlisted = bool(self.space.records[number].names.exports) or "/_" in f"/{path}"
            return OPEN if self.entries.is_published(path) and not unlisted else None
        if family == "script":
            return OPEN
        if family == "go":
            own = self.space.records[number].names.package == "main" or "internal/" in path
            return None if own or path.endswith("_test.go") else OFFERED
        if family == "rust":
            binary = basename(path) == "main.rs" or "/bin/" in path
            return OFFERED if path.startswith(self.libraries) and not binary else OPEN
        if IN_TESTS.search(path):
            return None
        return OPEN if (family, _part(path)) in self.programs else OFFERED


def _part(path: str) -> str:
    """Return the folder that holds the sources of one part of a project."""
    return path.partition("/src/")[0] if "/src/" in path else ""

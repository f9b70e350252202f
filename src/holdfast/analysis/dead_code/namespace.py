"""Every definition of a scan by number, and which of them a name means where it stands.

Definitions are numbered through all files. How far a plain name reaches depends on the language: to the file
and its imports, to the files of the folder, or, where only a compiler could say more, to all files of related
languages. Members of classes are found by their names alone, whatever object they are asked of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname

from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import MODULE, Definition, Import, Record, Uses

OWNERS = frozenset(
    {"Class", "Interface", "Struct", "Enum", "Object", "Variable", "Constant", "Property", "Field"}
)
"""Kinds of definitions whose inner definitions are members, reached through them."""
MEMBERS = frozenset({"Method", "Constructor", "Field", "Property", "EnumMember"})
SPACES = frozenset({"Module", "Namespace"})
CLASSES = frozenset({"Class", "Interface", "Struct", "Enum", "Object"})

_LAST = re.compile(r"\W+")

FAMILIES = {
    "javascript": "script",
    "typescript": "script",
    "tsx": "script",
    "c": "c",
    "cpp": "c",
    "java": "jvm",
    "kotlin": "jvm",
}
"""Languages whose files name each other's definitions; any other is a family of its own."""
BY_IMPORT = frozenset({"python", "script"})
"""Families in which a plain name means something of the same file or of an import."""


def family_of(language: str) -> str:
    """Return the family of a language."""
    return FAMILIES.get(language, language)


class Namespace:
    """The definitions of a scan."""

    def __init__(self, resolution: Resolution) -> None:
        self.paths = list(resolution.records)
        self.records = list(resolution.records.values())
        self.numbers = {path: number for number, path in enumerate(self.paths)}
        self.families = [family_of(record.language) for record in self.records]
        self.resolution = resolution
        self.definitions: list[Definition] = []
        self.containers: list[int] = []
        """The definition around each one, or MODULE."""
        self.is_member = bytearray()
        """Whether each is reached through the class or object that it belongs to."""
        self.homes: list[int] = []
        self.starts: list[int] = []
        self.members: dict[str, list[int]] = {}
        self.named: dict[str, list[int]] = {}
        """What is no member, by name, and of that what stands in no function."""
        self.top: dict[str, list[int]] = {}
        self.local: list[dict[str, list[int]]] = []
        self.children: dict[int, list[int]] = {}
        self.used: dict[int, Uses] = {}
        """What the own text of each definition uses; what a file itself does is under its `~number`."""
        for record in self.records:
            self._add(record)
        self.aliases = self._aliases()
        known = {*self.named, "default"}
        self.renamed = {alias for (_, alias), meant in self.aliases.items() if meant & known}
        """Names that imports give to what has another one."""
        self._imports: list[tuple[dict[str, list[Import]], list[Import]] | None] = [None] * len(self.paths)
        self._offers: dict[tuple[int, str], tuple[int, ...]] = {}
        self._modules: dict[int, tuple[frozenset[int], tuple[str, ...]]] = {}

    def _add(self, record: Record) -> None:
        rows, start, number = record.names.definitions, len(self.definitions), len(self.starts)
        self.starts.append(start)
        self.definitions += rows
        self.homes += [number] * len(rows)
        for used in record.names.uses:
            self.used[~number if used.definition == MODULE else start + used.definition] = used
        local: dict[str, list[int]] = {}
        for one, row in enumerate(rows, start):
            owner, around, name = "Module", row.container, row.name
            if around == MODULE and row.kind == "Method":
                around = self._receiver(rows, row)
            if around != MODULE:
                owner = rows[around].kind
                around += start
                self.children.setdefault(around, []).append(one)
            self.containers.append(around)
            member = row.kind in MEMBERS or owner in OWNERS
            self.is_member.append(member)
            if member:
                self.members.setdefault(name, []).append(one)
                continue
            if " for " in name:  # an implementation of a trait goes with its type
                name = name.rpartition(" for ")[2]
            local.setdefault(name, []).append(one)
            self.named.setdefault(name, []).append(one)
            if owner in SPACES:
                self.top.setdefault(name, []).append(one)
        self.local.append(local)

    def _aliases(self) -> dict[tuple[str, str], set[str]]:
        """Return the names behind those that imports give, by family."""
        found: dict[tuple[str, str], set[str]] = {}
        for family, record in zip(self.families, self.records, strict=True):
            for row in record.names.imports:
                if row.alias != row.name or family not in BY_IMPORT:
                    # Of `import static a.B.c` the class is used where `c` is; a default may be anything.
                    meant = {row.name, "" if family in BY_IMPORT else _LAST.split(row.module)[-1]}
                    found.setdefault((family, row.alias), set()).update(meant - {row.alias, "", "*"})
        return found

    @staticmethod
    def _receiver(rows: Sequence[Definition], method: Definition) -> int:
        """Return the type of the file that a method written outside of it belongs to, or MODULE."""
        owner = method.path.rpartition(".")[0]
        named = (index for index, row in enumerate(rows) if row.path == owner and row.kind in CLASSES)
        return next(named, MODULE) if owner else MODULE

    def around(self, one: int) -> Iterator[int]:
        """Yield the definitions around a definition, from the inside out."""
        while one != MODULE and (one := self.containers[one]) != MODULE:
            yield one

    def imports(self, number: int) -> tuple[dict[str, list[Import]], list[Import]]:
        """Return the imports of a file by the name they give, and those that bring in everything."""
        found = self._imports[number]
        if found is None:
            named: dict[str, list[Import]] = {}
            stars = []
            for row in self.records[number].names.imports:
                if row.alias:
                    named.setdefault(row.alias, []).append(row)
                if row.name == "*" and (not row.alias or row.reexported):
                    stars.append(row)
            found = self._imports[number] = named, stars
        return found

    def files_of(self, number: int, imported: Import) -> list[int]:
        """Return the files of the project that an import of a file may mean."""
        found = self.resolution.target(self.paths[number], imported).files
        return [self.numbers[path] for path in found if path in self.numbers]

    def offered(self, number: int, name: str) -> tuple[int, ...]:
        """Return what a file offers under a name: its own definitions, or what it has from elsewhere."""
        key = number, name
        found = self._offers.get(key)
        if found is None:
            self._offers[key] = ()  # a circle of imports offers nothing
            found = self._offers[key] = tuple(dict.fromkeys(self._look_up(number, name)))
        return found

    def _look_up(self, number: int, name: str) -> Iterator[int]:
        if name == "default":
            yield from self._default(number)
        local = [one for one in self.local[number].get(name, ()) if self.containers[one] == MODULE]
        yield from local
        named, stars = self.imports(number)
        for row in named.get(name, ()):
            yield from self.imported(number, row)
        if not local and name in self.records[number].names.exports:  # under another name than its own
            yield from self._default(number)
        if not local and name not in named:
            for row in stars:
                for file in self.files_of(number, row):
                    yield from self.offered(file, name)

    def _default(self, number: int) -> Iterator[int]:
        """Yield what a file may export as its default: what its list of exports names, and all it exports."""
        start, names = self.starts[number], self.records[number].names
        listed = [name for name in names.exports if name != "default"]
        rows = [
            (start + index, row) for index, row in enumerate(names.definitions) if row.container == MODULE
        ]
        yield from (one for one, row in rows if row.name in listed or row.exported)

    def imported(self, number: int, row: Import) -> Iterator[int]:
        """Yield the definitions that an import brings in."""
        target = self.resolution.target(self.paths[number], row)
        if target.symbol not in ("", "*"):
            for path in target.files:
                if path in self.numbers:  # others, such as pictures, define nothing
                    file = self.numbers[path]
                    # A default that is imported under the name of something exported is most likely that.
                    own = row.alias if target.symbol == "default" and row.alias in self.local[file] else ""
                    yield from self.offered(file, own or target.symbol)

    def modules(self, number: int) -> tuple[frozenset[int], tuple[str, ...]]:
        """Return the files that a file has as modules, and the folders of the packages among them."""
        found = self._modules.get(number)
        if found is None:
            files: set[int] = set()
            for row in self.records[number].names.imports:
                # What is taken from a package may itself be a module of it.
                files.update(self.files_of(number, row))
            folders = {dirname(self.paths[file]) for file in files if "/__init__." in "/" + self.paths[file]}
            found = self._modules[number] = (
                frozenset(files),
                tuple(f"{folder}/" for folder in sorted(folders)),
            )
        return found

    def related(self, number: int, name: str) -> Iterator[int]:
        """Yield what a name may mean where it reaches beyond the file without an import."""
        family = self.families[number]
        for known in (name, *self.aliases.get((family, name), ())):
            yield from (one for one in self.top.get(known, ()) if self.families[self.homes[one]] == family)

    def has_as_module(self, number: int, other: int) -> bool:
        """Return whether a file has another one, or a package that it belongs to, at hand as a module."""
        files, folders = self.modules(number)
        return other in files or self.paths[other].startswith(folders)

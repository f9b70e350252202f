"""A symbol table over all files of a scan: every definition, and which definitions a name may refer to.

Files and definitions are identified by their index. With `b.py` (file 1) containing `from a import f` and
`f()`, `resolve_export(1, "f")` follows the import and yields the index of `def f` in `a.py`.

In Python, JavaScript and TypeScript a plain name refers to the file itself or its imports. In other languages
only a compiler could say, so it may refer to any definition of that name in the same language family. Members
of classes are matched by name alone, because types are not inferred: `x.save()` may call every method `save`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import dirname

from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import MODULE, Definition, ImportedName, Record, Uses

OWNERS = frozenset(
    {"Class", "Interface", "Struct", "Enum", "Object", "Variable", "Constant", "Property", "Field"}
)
"""Kinds of definitions whose inner definitions are members, accessed through them."""
MEMBERS = frozenset({"Method", "Constructor", "Field", "Property", "EnumMember"})
SCOPES = frozenset({"Module", "Namespace"})
CLASSES = frozenset({"Class", "Interface", "Struct", "Enum", "Object"})

_LAST = re.compile(r"\W+")

FAMILIES = {
    "javascript": "script", "typescript": "script", "tsx": "script", "cpp": "c",
    "java": "jvm", "kotlin": "jvm",
}  # fmt: skip
"""Languages whose files can refer to each other's definitions; any other language is its own family."""
BY_IMPORT = frozenset({"python", "script"})
"""Families in which a plain name refers to the same file or an import."""


class SymbolTable:
    """The definitions of a scan, and name resolution among them."""

    def __init__(self, resolution: Resolution) -> None:
        self.paths = list(resolution.records)
        self.records = list(resolution.records.values())
        self.file_numbers = {path: file for file, path in enumerate(self.paths)}
        self.families = [FAMILIES.get(record.language, record.language) for record in self.records]
        self.resolution = resolution
        self.definitions: list[Definition] = []
        self.containers: list[int] = []
        """The enclosing definition of each definition, or MODULE."""
        self.is_member = bytearray()
        """Whether each definition is accessed through the class or object it belongs to."""
        self.file_of: list[int] = []
        self.starts: list[int] = []
        """The index of the first definition of each file."""
        self.members: dict[str, list[int]] = {}
        self.named: dict[str, list[int]] = {}
        """Definitions that are not members, by name."""
        self.top: dict[str, list[int]] = {}
        """Those of them that are outside classes and functions, by name."""
        self.local: list[dict[str, list[int]]] = []
        self.children: dict[int, list[int]] = {}
        self.used: dict[int, Uses] = {}
        """The names each definition uses in its own text; module-level code of a file is under `~file`."""
        for record in self.records:
            self._add(record)
        self.aliases = self._aliases()
        known = {*self.named, "default"}
        self.renamed = {alias for (_, alias), meant in self.aliases.items() if meant & known}
        """Aliases that imports give to definitions with another name."""
        self._imports: list[tuple[dict[str, list[ImportedName]], list[ImportedName]] | None] = [None] * len(
            self.paths
        )
        self._exports: dict[tuple[int, str], tuple[int, ...]] = {}
        self._modules: dict[int, tuple[frozenset[int], tuple[str, ...]]] = {}

    def _add(self, record: Record) -> None:
        rows, start, file = record.names.definitions, len(self.definitions), len(self.starts)
        self.starts.append(start)
        self.definitions += rows
        self.file_of += [file] * len(rows)
        for used in record.names.uses:
            self.used[~file if used.definition == MODULE else start + used.definition] = used
        local: dict[str, list[int]] = {}
        for symbol, row in enumerate(rows, start):
            owner, container, name = "Module", row.container, row.name
            if container == MODULE and row.kind == "Method":
                container = self._receiver(rows, row)
            if container != MODULE:
                owner = rows[container].kind
                container += start
                self.children.setdefault(container, []).append(symbol)
            self.containers.append(container)
            member = row.kind in MEMBERS or owner in OWNERS
            self.is_member.append(member)
            if member:
                self.members.setdefault(name, []).append(symbol)
                continue
            if " for " in name:  # `impl Trait for Type` is found by its type
                name = name.rpartition(" for ")[2]
            local.setdefault(name, []).append(symbol)
            self.named.setdefault(name, []).append(symbol)
            if owner in SCOPES:
                self.top.setdefault(name, []).append(symbol)
        self.local.append(local)

    def _aliases(self) -> dict[tuple[str, str], set[str]]:
        """Return the original names behind import aliases, by family."""
        found: dict[tuple[str, str], set[str]] = {}
        for family, record in zip(self.families, self.records, strict=True):
            for row in record.names.imports:
                if row.alias != row.name or family not in BY_IMPORT:
                    # `import static a.B.c` also uses the class; a default export may be anything.
                    meant = {row.name, "" if family in BY_IMPORT else _LAST.split(row.module)[-1]}
                    found.setdefault((family, row.alias), set()).update(meant - {row.alias, "", "*"})
        return found

    @staticmethod
    def _receiver(rows: Sequence[Definition], method: Definition) -> int:
        """Return the type that a method declared outside it belongs to, as in Go, or MODULE."""
        owner = method.path.rpartition(".")[0]
        named = (index for index, row in enumerate(rows) if row.path == owner and row.kind in CLASSES)
        return next(named, MODULE) if owner else MODULE

    def enclosing(self, symbol: int) -> Iterator[int]:
        """Yield the enclosing definitions, from the inside out."""
        while symbol != MODULE and (symbol := self.containers[symbol]) != MODULE:
            yield symbol

    def imports(self, file: int) -> tuple[dict[str, list[ImportedName]], list[ImportedName]]:
        """Return the imports of a file by the name they bind, and its star imports."""
        found = self._imports[file]
        if found is None:
            named: dict[str, list[ImportedName]] = {}
            stars = []
            for row in self.records[file].names.imports:
                if row.alias:
                    named.setdefault(row.alias, []).append(row)
                if row.name == "*" and (not row.alias or row.reexported):
                    stars.append(row)
            found = self._imports[file] = named, stars
        return found

    def imported_files(self, file: int, imported: ImportedName) -> list[int]:
        """Return the project files that an import may refer to."""
        found = self.resolution.target(self.paths[file], imported).files
        return [self.file_numbers[path] for path in found if path in self.file_numbers]

    def resolve_export(self, file: int, name: str) -> tuple[int, ...]:
        """Return what importing a name from a file may yield: its own definitions, or re-exported ones."""
        key = file, name
        found = self._exports.get(key)
        if found is None:
            self._exports[key] = ()  # an import cycle yields nothing
            found = self._exports[key] = tuple(dict.fromkeys(self._resolve_export(file, name)))
        return found

    def _resolve_export(self, file: int, name: str) -> Iterator[int]:
        if name == "default":
            yield from self._default(file)
        local = [symbol for symbol in self.local[file].get(name, ()) if self.containers[symbol] == MODULE]
        yield from local
        named, stars = self.imports(file)
        for row in named.get(name, ()):
            yield from self.resolve_import(file, row)
        if not local and name in self.records[file].names.exports:  # exported under another name
            yield from self._default(file)
        if not local and name not in named:
            for row in stars:
                for module in self.imported_files(file, row):
                    yield from self.resolve_export(module, name)

    def _default(self, file: int) -> Iterator[int]:
        """Yield the candidates for a default export: everything in the export list or exported."""
        start, names = self.starts[file], self.records[file].names
        listed = [name for name in names.exports if name != "default"]
        rows = [
            (start + index, row) for index, row in enumerate(names.definitions) if row.container == MODULE
        ]
        yield from (symbol for symbol, row in rows if row.name in listed or row.exported)

    def resolve_import(self, file: int, row: ImportedName) -> Iterator[int]:
        """Yield the definitions that an import may bind."""
        target = self.resolution.target(self.paths[file], row)
        if target.symbol not in ("", "*"):
            for path in target.files:
                if path in self.file_numbers:  # other files, such as images, define nothing
                    module = self.file_numbers[path]
                    # A default import named like one of the file's definitions most likely binds that one.
                    own = row.alias if target.symbol == "default" and row.alias in self.local[module] else ""
                    yield from self.resolve_export(module, own or target.symbol)

    def imported_modules(self, file: int) -> tuple[frozenset[int], tuple[str, ...]]:
        """Return the files that a file imports from, and the folders of the packages among them."""
        found = self._modules.get(file)
        if found is None:
            files: set[int] = set()
            for row in self.records[file].names.imports:
                # A name imported from a package may be one of its modules.
                files.update(self.imported_files(file, row))
            folders = {
                dirname(self.paths[module]) for module in files if "/__init__." in "/" + self.paths[module]
            }
            found = self._modules[file] = (
                frozenset(files),
                tuple(f"{folder}/" for folder in sorted(folders)),
            )
        return found

    def visible_in_family(self, file: int, name: str) -> Iterator[int]:
        """Yield the definitions a name may refer to in a language that needs no import for it."""
        family = self.families[file]
        for known in (name, *self.aliases.get((family, name), ())):
            yield from (
                symbol for symbol in self.top.get(known, ()) if self.families[self.file_of[symbol]] == family
            )

    def imports_module(self, file: int, other: int) -> bool:
        """Return whether a file imports from another file, or from a package that contains it."""
        files, folders = self.imported_modules(file)
        return other in files or self.paths[other].startswith(folders)

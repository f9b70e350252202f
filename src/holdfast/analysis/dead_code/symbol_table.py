"""A symbol table over all files of a scan: every definition, and which definitions a name may refer to.

Files and definitions are identified by their index. With `b.py` (file 1) containing `from a import f` and
`f()`, `resolve_export(1, "f")` follows the import and yields the index of `def f` in `a.py`.

In Python, JavaScript and TypeScript a plain name refers to the file itself or its imports. In other languages
only a compiler could say, so it may refer to any definition of that name in the same language family. Members
of classes are matched by name alone, because types are not inferred: `x.save()` may call every method `save`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname
from typing import NamedTuple

from holdfast.analysis.dead_code.file_facts import FileFacts
from holdfast.analysis.dead_code.unused_code import Kind
from holdfast.analysis.graph.file_scope import NAMESPACES
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import MODULE, Definition, ImportedName, Record, Uses
from holdfast.syntax.symbols import CLASSES, VARIABLES

OWNERS = frozenset(
    {"Class", "Interface", "Struct", "Enum", "Object", "Variable", "Constant", "Property", "Field"}
)
"""Kinds of definitions that have members: definitions inside them, accessed with a dot."""
MEMBERS = frozenset({"Method", "Constructor", "Field", "Property", "EnumMember"})

FUNCTIONS = frozenset({"Function", "Method"})
"""Kinds that are reported; a constructor is alive with its class."""
_PRIVATE_FIELDS = frozenset({"java", "csharp", "kotlin", "rust"})
"""Languages in which a field or constant is reported if only its class can access it."""

_NOT_WORD = re.compile(r"\W+")

FAMILIES = {
    "javascript": "script", "typescript": "script", "tsx": "script", "cpp": "c",
    "java": "jvm", "kotlin": "jvm",
}  # fmt: skip
"""Families of languages that can use each other's definitions; any other language is a family by itself."""
BY_IMPORT = frozenset({"python", "script"})
"""Families in which a plain name refers to the same file or an import."""


class ImportedModules(NamedTuple):
    """What a file imports from."""

    files: frozenset[int]
    package_folders: tuple[str, ...]
    """The folders of the Python packages among the files, each with a slash at the end."""


class SymbolTable:
    """The definitions of a scan, and name resolution among them."""

    def __init__(self, resolution: Resolution, facts: Mapping[str, FileFacts]) -> None:
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
        """Definitions that are members, by name."""
        self.non_members: dict[str, list[int]] = {}
        """Definitions that are not members, by name."""
        self.top_level: dict[str, list[int]] = {}
        """Definitions that are not members and outside functions, by name."""
        self.local: list[dict[str, list[int]]] = []
        """For each file, its definitions that are not members, by name."""
        self.children: dict[int, list[int]] = {}
        """The definitions directly inside each definition."""
        self.used: dict[int, Uses] = {}
        """The names that each definition uses in its own text."""
        self.module_uses: dict[int, Uses] = {}
        """The names that the module-level code of each file uses."""
        for record in self.records:
            self._add(record)
        self.aliases = self._aliases()
        """The original names behind each alias in a language family."""
        known_names = {*self.non_members, "default"}
        self.renaming_aliases = {alias for (_, alias), names in self.aliases.items() if names & known_names}
        """Aliases that imports give to definitions with another name."""
        self.facts = [facts[path] for path in self.paths]
        """The facts of each file."""
        self._exports: dict[tuple[int, str], tuple[int, ...]] = {}
        """The results of `resolve_export`, which other exports lead to again and again."""
        self._imported_modules: dict[int, ImportedModules] = {}
        """The results of `imported_modules`, which is needed for each name of a file."""

    def _add(self, record: Record) -> None:
        definitions, start, file = record.names.definitions, len(self.definitions), len(self.starts)
        self.starts.append(start)
        self.definitions += definitions
        self.file_of += [file] * len(definitions)
        for used in record.names.uses:
            if used.definition == MODULE:
                self.module_uses[file] = used
            else:
                self.used[start + used.definition] = used
        local: dict[str, list[int]] = {}
        for symbol, definition in enumerate(definitions, start):
            container_kind, container, name = "Module", definition.container, definition.name
            if container == MODULE and definition.kind == "Method":
                container = self._receiver(definitions, definition)
            if container != MODULE:
                container_kind = definitions[container].kind
                container += start
                self.children.setdefault(container, []).append(symbol)
            self.containers.append(container)
            # In a variable's value a function is in a callback: `const Form = memo(() => { const f = … })`.
            is_in_callback = definition.kind == "Function" and container_kind in VARIABLES
            is_member = definition.kind in MEMBERS or (container_kind in OWNERS and not is_in_callback)
            self.is_member.append(is_member)
            if is_member:
                self.members.setdefault(name, []).append(symbol)
                continue
            if " for " in name:  # `impl Trait for Type` is found by its type
                name = name.rpartition(" for ")[2]
            local.setdefault(name, []).append(symbol)
            self.non_members.setdefault(name, []).append(symbol)
            if container_kind in NAMESPACES:
                self.top_level.setdefault(name, []).append(symbol)
        self.local.append(local)

    def _aliases(self) -> dict[tuple[str, str], set[str]]:
        """Return the original names behind import aliases, by family and alias."""
        aliases: dict[tuple[str, str], set[str]] = {}
        for family, record in zip(self.families, self.records, strict=True):
            for imported in record.names.imports:
                if imported.alias == imported.name and family in BY_IMPORT:
                    continue
                originals = {imported.name}
                if family not in BY_IMPORT:  # `import static a.B.c` also uses the class, and those around it
                    *outer, last = _NOT_WORD.split(imported.module)
                    originals.update((last, *(part for part in outer if part[:1].isupper())))
                originals -= {imported.alias, "", "*"}
                aliases.setdefault((family, imported.alias), set()).update(originals)
        return aliases

    @staticmethod
    def _receiver(definitions: Sequence[Definition], method: Definition) -> int:
        """Return the type of a method that is declared outside its type, as in Go; MODULE if it has none."""
        type_path = method.path.rpartition(".")[0]
        if not type_path:
            return MODULE
        for index, definition in enumerate(definitions):
            if definition.path == type_path and definition.kind in CLASSES:
                return index
        return MODULE

    def enclosing(self, symbol: int) -> Iterator[int]:
        """Yield the definitions around a definition, the innermost first."""
        while symbol != MODULE:
            symbol = self.containers[symbol]
            if symbol != MODULE:
                yield symbol

    def imported_files(self, file: int, imported: ImportedName) -> list[int]:
        """Return the project files that an import may refer to."""
        paths = self.resolution.imports.target(self.paths[file], imported).files
        return [self.file_numbers[path] for path in paths if path in self.file_numbers]

    def resolve_export(self, file: int, name: str) -> tuple[int, ...]:
        """Return the definitions that a name may mean to files that import it from this one."""
        key = file, name
        symbols = self._exports.get(key)
        if symbols is None:
            self._exports[key] = ()  # if an import cycle leads here again
            symbols = self._exports[key] = tuple(dict.fromkeys(self._resolve_export(file, name)))
        return symbols

    def _resolve_export(self, file: int, name: str) -> Iterator[int]:
        if name == "default" and self.families[file] == "script":
            yield from self._default_export(file)
        local = [symbol for symbol in self.local[file].get(name, ()) if self.containers[symbol] == MODULE]
        yield from local
        imports, stars = self.facts[file].imports
        for imported in imports.get(name, ()):
            yield from self.resolve_import(file, imported)
        if not local and name in self.records[file].names.exports:  # exported under another name
            yield from self._default_export(file)
        if not local and name not in imports:
            for star in stars:
                for module in self.imported_files(file, star):
                    yield from self.resolve_export(module, name)

    def _default_export(self, file: int) -> Iterator[int]:
        """Yield the candidates for a default export: everything in the export list or exported."""
        names = self.records[file].names
        listed = {name for name in names.exports if name != "default"}
        for symbol, definition in enumerate(names.definitions, self.starts[file]):
            is_exported = definition.exported or definition.name in listed
            if is_exported and definition.container == MODULE:
                yield symbol

    def resolve_import(self, file: int, imported: ImportedName) -> Iterator[int]:
        """Yield the definitions that an import may bind."""
        target = self.resolution.imports.target(self.paths[file], imported)
        if target.symbol in ("", "*"):
            return
        for path in target.files:
            if path not in self.file_numbers:
                continue  # an image, for example, defines nothing
            module, name = self.file_numbers[path], target.symbol
            if name == "default" and imported.alias in self.local[module]:
                name = imported.alias  # most likely the default export has the same name
            yield from self.resolve_export(module, name)

    def imported_modules(self, file: int) -> ImportedModules:
        """Return the files that a file imports from, and the folders of the packages among them."""
        modules = self._imported_modules.get(file)
        if modules is None:
            paths = self.resolution.imports.paths(self.paths[file])
            folders = {f"{dirname(path)}/" for path in paths if "/__init__." in f"/{path}"}
            files = frozenset(map(self.file_numbers.__getitem__, paths))
            modules = self._imported_modules[file] = ImportedModules(files, tuple(sorted(folders)))
        return modules

    def visible_in_family(self, file: int, name: str) -> Iterator[int]:
        """Yield the definitions a name may refer to in a language that needs no import for it."""
        family = self.families[file]
        for original in (name, *sorted(self.aliases.get((family, name), ()))):
            classes = self.members.get(original, ()) if original != name else ()  # of `import static a.B.c`
            for symbol in (*self.top_level.get(original, ()), *classes):
                is_class = self.definitions[symbol].kind in CLASSES
                if self.families[self.file_of[symbol]] == family and (is_class or not self.is_member[symbol]):
                    yield symbol

    def imports_module(self, file: int, other: int) -> bool:
        """Return whether a file imports from another file, or from a package that contains it.

        A name imported from a package may be one of its modules.
        """
        modules = self.imported_modules(file)
        return other in modules.files or self.paths[other].startswith(modules.package_folders)


def reported_kind(symbols: SymbolTable, symbol: int) -> Kind | None:
    """Return the kind of finding for a definition, or None if it is never reported."""
    definition, container = symbols.definitions[symbol], symbols.containers[symbol]
    file = symbols.file_of[symbol]
    language, family = symbols.records[file].language, symbols.families[file]
    container_kind = "" if container == MODULE else symbols.definitions[container].kind
    if definition.kind in FUNCTIONS:
        if family == "script" and symbols.is_member[symbol] and container_kind not in CLASSES:
            return None  # a function in an object literal, used through the object
        return "method" if symbols.is_member[symbol] else "function"
    if definition.kind in CLASSES:
        return None if definition.kind == "Object" and language == "rust" else "class"
    if definition.kind not in VARIABLES or container_kind == "EnumMember":
        return None
    if container == MODULE or container_kind in NAMESPACES:
        return "variable" if definition.kind in ("Variable", "Constant") else None
    # Serialisers and any holder of an object may read its fields, so only private ones are reported.
    return "variable" if language in _PRIVATE_FIELDS and not definition.exported else None

"""The scope of one file, and the scoping rules of each language."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

from holdfast.syntax.record import MODULE, Definition, ImportedName, Record
from holdfast.syntax.symbols import FUNCTIONS

TYPES = frozenset({"Class", "Interface", "Struct", "Enum", "Object"})
CONSTRUCTOR = "constructor"
SPACES = frozenset({"Namespace", "Module"})


class Rules(NamedTuple):
    """The scoping rules of a language."""

    family: str
    own: frozenset[str] = frozenset({"this"})
    """Keywords or names for the current object."""
    inherited: frozenset[str] = frozenset({"super"})
    """Keywords for the base class."""
    implicit_owner: bool = False
    """Whether members are visible in their class by their unqualified names."""
    package: Literal["folder", "package", "project"] | None = None
    """Which files share names without an import: those of a folder, a package, or all."""
    package_is_scope: bool = True
    """Whether the language defines this, and not just the way its programs are linked."""
    named_receiver: bool = False
    written_paths: bool = False
    """Whether a full path may be used in an expression instead of an import."""
    built_in: frozenset[str] = frozenset()
    """Functions and types that need no import."""
    bodies_elsewhere: bool = False
    """Whether a function may be declared in one file and defined in another."""


_SELF = frozenset({"self", "Self"})
_NONE: frozenset[str] = frozenset()
_SCRIPT_GLOBALS = (
    "Array Boolean Date Error JSON Map Math Number Object Promise RegExp Set String Symbol TypeError URL "
    "console document fetch isNaN parseFloat parseInt process require setInterval setTimeout window"
)
_GO_BUILT_IN = "append cap clear close complex copy delete len make max min new panic print println recover"
_RUST_PRELUDE = (
    "Box Err None Ok Option Result Some String Vec assert assert_eq assert_ne dbg debug_assert drop eprintln "
    "format matches panic print println todo unimplemented unreachable vec write writeln"
)
_SPACED = frozenset({"csharp", "php"})
_JAVASCRIPT = Rules("javascript", built_in=frozenset(_SCRIPT_GLOBALS.split()))
_JAVA = Rules("java", implicit_owner=True, package="package")
_C = Rules("c", implicit_owner=True, package="project", package_is_scope=False, bodies_elsewhere=True)
_RULES: Mapping[str, Rules] = MappingProxyType(
    {
        "python": Rules("python", frozenset({"self", "cls"}), built_in=frozenset(dir(builtins))),
        "javascript": _JAVASCRIPT,
        "typescript": _JAVASCRIPT,
        "tsx": _JAVASCRIPT,
        "java": _JAVA,
        "kotlin": _JAVA,
        "go": Rules(
            "go",
            _NONE,
            _NONE,
            package="folder",
            named_receiver=True,
            built_in=frozenset(_GO_BUILT_IN.split()),
        ),
        "rust": Rules("rust", _SELF, _NONE, written_paths=True, built_in=frozenset(_RUST_PRELUDE.split())),
        "c": _C,
        "cpp": _C,
        "csharp": Rules("csharp", inherited=frozenset({"base"}), implicit_owner=True, package="package"),
        "php": Rules(
            "php", frozenset({"$this", "this", "self", "static"}), frozenset({"parent"}), package="package"
        ),
        "ruby": Rules("ruby", _SELF, implicit_owner=True, package="project", package_is_scope=False),
        "swift": Rules("swift", _SELF, implicit_owner=True, package="project", package_is_scope=False),
        "bash": Rules("bash", _NONE, _NONE),
    }
)


def rules_of(language: str) -> Rules:
    """Return the rules of a language; by default names resolve within their own file only."""
    return _RULES.get(language) or Rules(language)


def function_of(definitions: Sequence[Definition], index: int) -> int:
    """Return the function in whose scope an import binds its name, or MODULE."""
    while index != MODULE and definitions[index].kind not in FUNCTIONS:
        index = definitions[index].container
    return index


class EnclosingScope(NamedTuple):
    """A definition around some code."""

    definition: int
    path: str
    visible: bool
    """Whether that code sees the names defined in it."""


class FileScope:
    """The names of one file, by scope."""

    def __init__(self, record: Record) -> None:
        names = record.names
        self.rules = rules_of(record.language)
        self.definitions: tuple[Definition, ...] = names.definitions
        self.top: list[int] = []
        self.methods: list[int] = []
        self.members: dict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
        self.imports: dict[str, ImportedName] = {}
        self.inner_imports: dict[int, dict[str, ImportedName]] = defaultdict(dict)
        self.stars: list[ImportedName] = []
        self.bound = {use.definition: use.bound for use in names.uses if use.bound}
        self.used = {use.definition: use.names for use in names.uses}
        self.paths = self._plain_paths(names.package)
        self._record = record
        self._owners: dict[int, int | None] = {}
        for index, definition in enumerate(names.definitions):
            self._add(index, definition)
        for imported in names.imports:
            self._add_import(imported)

    def _add(self, index: int, definition: Definition) -> None:
        owner = self.paths[index][: -len(definition.name) - 1]
        if definition.container == MODULE and not owner:
            self.top.append(index)
        here = self.members[owner]
        same = definition.kind == "Constructor" and definition.name == owner.rpartition(".")[2]
        name = CONSTRUCTOR if same else definition.name  # inside the class its name means the class
        here[name] = (*here.get(name, ()), index)
        if owner and definition.kind in FUNCTIONS:
            around = definition.container
            if around == MODULE or self.definitions[around].kind in TYPES:
                self.methods.append(index)

    def _plain_paths(self, package: str) -> list[str]:
        """Return the paths by which other code refers to definitions: by type, without the package."""
        paths = [definition.path for definition in self.definitions]
        if self.rules.family == "rust":
            return [path.rpartition(" for ")[2] for path in paths]
        if self.rules.family == "ruby":
            return [path.replace(".self.", ".") for path in paths]
        return [path.removeprefix(f"{package}.") for path in paths] if self.rules.family in _SPACED else paths

    def is_solid(self, index: int) -> bool:
        """Return whether a definition is a function, a type, or has members."""
        definition = self.definitions[index]
        return definition.kind in FUNCTIONS or definition.kind in TYPES or self.paths[index] in self.members

    def bases(self, index: int) -> tuple[str, ...]:
        """Return the base types as written; in Rust also the traits implemented elsewhere in the file."""
        found = self.definitions[index].bases
        if self.rules.family == "rust":
            same = [
                item.bases
                for item, path in zip(self.definitions, self.paths, strict=True)
                if item.kind == "Object" and path == self.paths[index]
            ]
            found = tuple(dict.fromkeys((*found, *(base for bases in same for base in bases))))
        return found

    def _add_import(self, imported: ImportedName) -> None:
        alias = imported.alias or (imported.name if imported.name != "*" else "")
        inner = function_of(self.definitions, imported.definition)
        if imported.name == "*" and not imported.alias:
            self.stars.append(imported)
        elif not alias:
            return
        elif inner == MODULE:
            self.imports.setdefault(alias, imported)
        else:
            self.inner_imports[inner][alias] = imported

    def runs_in(self, index: int) -> int:
        """Return the innermost function or type around a definition, itself included, or MODULE."""
        while index != MODULE and self.definitions[index].kind not in FUNCTIONS | TYPES:
            index = self.definitions[index].container
        return index

    def around(self, definition: int) -> Iterator[EnclosingScope]:
        """Yield the definitions from this one outwards, without the file."""
        inner = definition
        while definition != MODULE:
            found = self.definitions[definition]
            visible = found.kind not in TYPES or definition == inner or self.rules.implicit_owner
            yield EnclosingScope(definition, self.paths[definition], visible)
            definition = found.container

    def owner(self, definition: int) -> int | None:
        """Return the innermost class around a definition, itself included."""
        if definition not in self._owners:
            self._owners[definition] = self._owner(definition)
        return self._owners[definition]

    def _owner(self, definition: int) -> int | None:
        start = definition
        while definition != MODULE:
            if self.definitions[definition].kind in TYPES:
                return definition
            definition = self.definitions[definition].container
        path = self.paths[start].rpartition(".")[0] if start != MODULE else ""
        owner, _, name = path.rpartition(".")
        return next(iter(self.members.get(owner, {}).get(name, ())), None) if path else None

    @cached_property
    def _inner_names(self) -> frozenset[str]:
        """Names that some definition may shadow."""
        found = {name for names in self.bound.values() for name in names}
        found.update(name for names in self.inner_imports.values() for name in names)
        return frozenset(found).union(*(names for owner, names in self.members.items() if owner))

    def viewpoint(self, definition: int, head: str) -> int:
        """Return the outermost definition from which a name resolves the same, so that results are shared."""
        if head in self.rules.own or head in self.rules.inherited:
            owner = self.owner(definition)
            return definition if owner is None else owner
        if head in self._inner_names:
            return definition
        owner = self.owner(definition) if self.rules.implicit_owner else None
        if owner is not None:
            return owner
        return definition if self.rules.package is not None and self._is_deep(definition) else MODULE

    def _is_deep(self, definition: int) -> bool:
        inside = definition != MODULE
        return inside and ("." in self.paths[definition] or self.definitions[definition].kind in SPACES)

    @cached_property
    def _bodies(self) -> frozenset[tuple[str, int]]:
        return frozenset((function.name, function.line) for function in self._record.functions)

    def has_body(self, index: int) -> bool:
        """Return whether a function is defined here, not only declared."""
        definition = self.definitions[index]
        return definition.kind not in FUNCTIONS or any(
            (definition.path, line) in self._bodies for line in (definition.line, definition.start_line)
        )

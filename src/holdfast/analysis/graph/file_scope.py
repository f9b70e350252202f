"""The scope of one file, and the scoping rules of each language."""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache, cached_property
from types import MappingProxyType
from typing import Literal, NamedTuple

from holdfast.syntax.record import MODULE, Definition, ImportedName, Record
from holdfast.syntax.symbols import CLASSES, FUNCTIONS

CONSTRUCTOR = "constructor"
"""The name of a constructor that is declared with the name of its class."""
NAMESPACES = frozenset({"Namespace", "Module"})


class ScopingRules(NamedTuple):
    """The scoping rules of a language."""

    family: str
    """Languages of one family can refer to each other's definitions."""
    self_names: frozenset[str] = frozenset({"this"})
    """Keywords or names for the current object."""
    super_names: frozenset[str] = frozenset({"super"})
    """Keywords for the base class."""
    has_implicit_owner: bool = False
    """Whether members are visible in their class by their unqualified names."""
    package: Literal["folder", "package", "project"] | None = None
    """The files that share names without an import: those of a folder, of a package, or of the project."""
    package_is_scope: bool = True
    """Whether the language defines that these files share names, and not only how its programs are linked."""
    names_receiver: bool = False
    """Whether each method declares a name for the current object, as in Go."""
    allows_written_paths: bool = False
    """Whether a full path may be used in an expression instead of an import."""
    built_in_names: frozenset[str] = frozenset()
    """Functions and types that need no import."""
    allows_separate_bodies: bool = False
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
_NAMESPACED = frozenset({"csharp", "php"})
"""Families whose definitions have paths that start with their namespace."""
_JAVASCRIPT = ScopingRules("javascript", built_in_names=frozenset(_SCRIPT_GLOBALS.split()))
_JAVA = ScopingRules("java", has_implicit_owner=True, package="package")
_C = ScopingRules(
    "c", has_implicit_owner=True, package="project", package_is_scope=False, allows_separate_bodies=True
)
_RULES: Mapping[str, ScopingRules] = MappingProxyType(
    {
        "python": ScopingRules(
            "python", self_names=frozenset({"self", "cls"}), built_in_names=frozenset(dir(builtins))
        ),
        "javascript": _JAVASCRIPT,
        "typescript": _JAVASCRIPT,
        "tsx": _JAVASCRIPT,
        "java": _JAVA,
        "kotlin": _JAVA,
        "go": ScopingRules(
            "go",
            self_names=_NONE,
            super_names=_NONE,
            package="folder",
            names_receiver=True,
            built_in_names=frozenset(_GO_BUILT_IN.split()),
        ),
        "rust": ScopingRules(
            "rust",
            self_names=_SELF,
            super_names=_NONE,
            allows_written_paths=True,
            built_in_names=frozenset(_RUST_PRELUDE.split()),
        ),
        "c": _C,
        "cpp": _C,
        "csharp": ScopingRules(
            "csharp", super_names=frozenset({"base"}), has_implicit_owner=True, package="package"
        ),
        "php": ScopingRules(
            "php",
            self_names=frozenset({"$this", "this", "self", "static"}),
            super_names=frozenset({"parent"}),
            package="package",
        ),
        "ruby": ScopingRules(
            "ruby", self_names=_SELF, has_implicit_owner=True, package="project", package_is_scope=False
        ),
        "swift": ScopingRules(
            "swift", self_names=_SELF, has_implicit_owner=True, package="project", package_is_scope=False
        ),
        "bash": ScopingRules("bash", self_names=_NONE, super_names=_NONE),
    }
)


def scoping_rules(language: str) -> ScopingRules:
    """Return the rules of a language; by default names resolve within their own file only."""
    return _RULES.get(language) or ScopingRules(language)


def innermost(definitions: Sequence[Definition], index: int, kinds: Container[str]) -> int:
    """Return the innermost definition of some kinds around a definition, itself included, or MODULE."""
    while index != MODULE and definitions[index].kind not in kinds:
        index = definitions[index].container
    return index


class EnclosingScope(NamedTuple):
    """A definition that encloses some code."""

    definition: int
    path: str
    is_visible: bool
    """Whether the code can use the names defined in it without qualification."""


class FileScope:
    """The names of one file, by scope; definitions are identified by their index in the file."""

    def __init__(self, record: Record) -> None:
        names = record.names
        self.rules = scoping_rules(record.language)
        self.definitions: tuple[Definition, ...] = names.definitions
        self.top_level: list[int] = []
        self.methods: list[int] = []
        self.members: dict[str, dict[str, tuple[int, ...]]] = defaultdict(dict)
        """By path of the container, "" for the file itself: its definitions by name."""
        self.imports: dict[str, ImportedName] = {}
        """The imports at the top level, by the name they bind."""
        self.inner_imports: dict[int, dict[str, ImportedName]] = defaultdict(dict)
        """The imports inside each function, by the name they bind."""
        self.star_imports: list[ImportedName] = []
        self.bound = {use.definition: use.bound for use in names.uses if use.bound}
        """The parameters and local variables of each function."""
        self.used = {use.definition: use.names for use in names.uses}
        """The names that each definition uses."""
        self.paths = self._plain_paths(names.package)
        """The path by which other code refers to each definition."""
        self._record = record
        self.owner = cache(self._find_owner)
        for index, definition in enumerate(names.definitions):
            self._add(index, definition)
        for imported in names.imports:
            self._add_import(imported)

    def _add(self, index: int, definition: Definition) -> None:
        owner = self.paths[index][: -len(definition.name) - 1]
        container = definition.container
        if container == MODULE and not owner:
            self.top_level.append(index)
        name = definition.name
        if definition.kind == "Constructor" and name == owner.rpartition(".")[2]:
            name = CONSTRUCTOR  # inside the class, the name refers to the class
        members = self.members[owner]
        members[name] = (*members.get(name, ()), index)
        is_in_type = container == MODULE or self.definitions[container].kind in CLASSES
        if owner and definition.kind in FUNCTIONS and is_in_type:
            self.methods.append(index)

    def _plain_paths(self, package: str) -> list[str]:
        """Return the paths by which other code refers to definitions: by type, without the package."""
        paths = [definition.path for definition in self.definitions]
        if self.rules.family == "rust":
            return [path.rpartition(" for ")[2] for path in paths]
        if self.rules.family == "ruby":
            return [path.replace(".self.", ".") for path in paths]
        if self.rules.family in _NAMESPACED:
            return [path.removeprefix(f"{package}.") for path in paths]
        return paths

    def is_callable_or_container(self, index: int) -> bool:
        """Return whether a definition is a function, a type, or has members."""
        definition = self.definitions[index]
        return definition.kind in FUNCTIONS or definition.kind in CLASSES or self.paths[index] in self.members

    def bases(self, index: int) -> tuple[str, ...]:
        """Return the base types as written; in Rust also the traits implemented elsewhere in the file."""
        bases = self.definitions[index].bases
        if self.rules.family != "rust":
            return bases
        traits = [
            trait
            for item, path in zip(self.definitions, self.paths, strict=True)
            if item.kind == "Object" and path == self.paths[index]
            for trait in item.bases
        ]
        return tuple(dict.fromkeys((*bases, *traits)))

    def _add_import(self, imported: ImportedName) -> None:
        alias = imported.alias or (imported.name if imported.name != "*" else "")
        function = innermost(self.definitions, imported.definition, FUNCTIONS)
        if imported.name == "*" and not imported.alias:
            self.star_imports.append(imported)
        elif not alias:
            return
        elif function == MODULE:
            self.imports.setdefault(alias, imported)
        else:
            self.inner_imports[function][alias] = imported

    def enclosing_scopes(self, definition: int) -> Iterator[EnclosingScope]:
        """Yield a definition and those around it, the innermost first, without the file."""
        innermost = definition
        while definition != MODULE:
            is_type = self.definitions[definition].kind in CLASSES
            is_visible = not is_type or definition == innermost or self.rules.has_implicit_owner
            yield EnclosingScope(definition, self.paths[definition], is_visible)
            definition = self.definitions[definition].container

    def _find_owner(self, definition: int) -> int | None:
        """Return the innermost class around a definition, itself included, or that a method belongs to."""
        if definition == MODULE:
            return None
        owner = innermost(self.definitions, definition, CLASSES)
        if owner != MODULE:
            return owner
        # A method may be defined outside its class; then its path has the class.
        owner_path = self.paths[definition].rpartition(".")[0]
        if not owner_path:
            return None
        outer_path, _, owner_name = owner_path.rpartition(".")
        candidates = self.members.get(outer_path, {}).get(owner_name, ())
        return candidates[0] if candidates else None

    @cached_property
    def _inner_names(self) -> frozenset[str]:
        """The names that some definition binds, so that they may refer to something else inside it."""
        names = {name for bound in self.bound.values() for name in bound}
        names.update(name for imports in self.inner_imports.values() for name in imports)
        return frozenset(names).union(*(members for owner, members in self.members.items() if owner))

    def equivalent_scope(self, definition: int, head: str) -> int:
        """Return the outermost definition in which a name refers to the same, so that results are shared."""
        if head in self.rules.self_names or head in self.rules.super_names:
            owner = self.owner(definition)
            return definition if owner is None else owner
        if head in self._inner_names:
            return definition
        owner = self.owner(definition) if self.rules.has_implicit_owner else None
        if owner is not None:
            return owner
        may_be_in_namespace = self.rules.package is not None and self._is_nested(definition)
        return definition if may_be_in_namespace else MODULE

    def _is_nested(self, definition: int) -> bool:
        if definition == MODULE:
            return False
        return "." in self.paths[definition] or self.definitions[definition].kind in NAMESPACES

    @cached_property
    def _bodies(self) -> frozenset[tuple[str, int]]:
        """The path and line of each function that has a body."""
        return frozenset((function.name, function.line) for function in self._record.functions)

    def has_body(self, index: int) -> bool:
        """Return whether a definition is more than the declaration of a function."""
        definition = self.definitions[index]
        if definition.kind not in FUNCTIONS:
            return True
        lines = (definition.line, definition.start_line)
        return any((definition.path, line) in self._bodies for line in lines)

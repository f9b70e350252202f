"""Name resolution across the files of a project: which definition a name, an attribute or a call refers to.

A name is looked up by the rules of its language: in the enclosing definitions, the file, its imports and what
they re-export, and its package. An attribute is looked up in the module or class before the dot, and in the
base classes.

Contract:
- An ambiguous name is unknown, and a local variable refers to no definition.
- If nothing else is found, a method name that occurs once in the project, and in no built-in type, is a
  guess, and has that certainty.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.file_scope import NAMESPACES, FileScope
from holdfast.analysis.graph.imports.layout import ReadOther
from holdfast.analysis.graph.imports.target import Target
from holdfast.analysis.graph.project_imports import ProjectImports
from holdfast.analysis.graph.project_index import ProjectIndex
from holdfast.analysis.graph.resolved_name import BUILT_IN, LOCAL, UNKNOWN, DefinitionRef, ResolvedName
from holdfast.syntax.record import MODULE, ImportedName, Record
from holdfast.syntax.symbols import CLASSES, FUNCTIONS

_MAX_NESTED_LOOKUPS = 40
"""Lookups that may be nested: a judgement. Chains of re-exports and base classes are shorter."""
_RUST_STANDARD_CRATES = frozenset({"std", "core", "alloc"})


class _ActiveLookups(threading.local):
    """The lookups in progress in this thread, to detect cycles."""

    def __init__(self) -> None:
        self.keys: set[object] = set()


class Resolution:
    """Resolves the imports and names of one scan."""

    def __init__(self, scan: Scan, read_other: ReadOther, former: Resolution | None = None) -> None:
        """`former` is the resolution of an earlier scan, whose imports are kept as far as they are valid."""
        self.records: Mapping[str, Record] = scan.files
        self.imports: ProjectImports = ProjectImports(
            scan, read_other, None if former is None else former.imports
        )
        self.layout = self.imports.layout
        self.scope = cache(self._make_scope)
        """Returns the scope of a file."""
        self.bases = cache(self._resolve_bases)
        """Returns the base types of a class, in source order."""
        self._exports_and_members: dict[tuple[str | DefinitionRef, str], ResolvedName] = {}
        self._resolved: dict[str, dict[tuple[int, str], ResolvedName]] = defaultdict(dict)
        self._active = _ActiveLookups()
        self._index = ProjectIndex(scan.files, self.scope)

    @property
    def damaged_settings(self) -> dict[str, str]:
        """Settings files that could not be read, with the reasons."""
        return dict(sorted(self.layout.damaged.items()))

    def _make_scope(self, path: str) -> FileScope:
        return FileScope(self.records[path])

    def resolve_name(self, path: str, definition: int, name: str) -> ResolvedName:
        """Resolve a name, with attributes joined by dots, as seen from a definition of a file."""
        scope = self.scope(path)
        definition = scope.equivalent_scope(definition, name.partition(".")[0])
        cache = self._resolved[path]
        resolved = cache.get((definition, name))
        if resolved is None:
            resolved = cache[definition, name] = self._resolve(scope, path, definition, name)
        return resolved

    def resolve_call(
        self, path: str, definition: int, callee: str, receivers: tuple[str, ...] = ()
    ) -> ResolvedName:
        """Resolve a call.

        The callee `.purr` is a method of the result of another call, as in `Cat().purr()`. `receivers` are
        the calls that it may be, here `Cat`.
        """
        if not callee.startswith("."):
            return self.resolve_name(path, definition, callee)
        method = callee[1:]
        if "." not in method:
            for receiver in receivers:
                if receiver in self.scope(path).rules.super_names:
                    return self.resolve_name(path, definition, receiver + callee)
                for place in self.resolve_name(path, definition, receiver).places:
                    resolved = self.resolve_member(place, method) if self._is_class(place) else UNKNOWN
                    if resolved.places:
                        return resolved._replace(certainty="likely")
        return self._index.guess(callee.rpartition(".")[2])

    def _is_class(self, place: DefinitionRef) -> bool:
        index = place.definition
        return index != MODULE and self.scope(place.path).definitions[index].kind in CLASSES

    def _resolve(self, scope: FileScope, path: str, definition: int, name: str) -> ResolvedName:
        head, *rest = name.split(".")
        is_super = head in scope.rules.super_names
        is_self_or_super = is_super or head in scope.rules.self_names
        owner = scope.owner(definition) if is_self_or_super else None
        if owner is not None and (rest or head not in scope.rules.built_in_names):
            resolved = self._resolve_in_own_class(DefinitionRef(path, owner), rest, inherited=is_super)
        else:
            resolved = self._resolve_plain(scope, path, definition, head)
            for part in rest:
                if resolved.package or not resolved.places:
                    break
                resolved = self._resolve_attribute(resolved, part)
        if rest and not resolved.package and not resolved.places:
            resolved = (
                self._resolve_written_path(scope, path, definition, [head, *rest])
                or self._resolve_on_receiver(scope, path, definition, rest)
                or self._index.guess(rest[-1])
            )
        return resolved

    def _resolve_in_own_class(
        self, owner: DefinitionRef, rest: list[str], *, inherited: bool
    ) -> ResolvedName:
        """Resolve the attributes `rest` of `self` (or, if inherited, of `super`), or that name alone."""
        if not rest:
            places = [place for base in self.bases(owner) for place in base.places] if inherited else [owner]
            return ResolvedName(tuple(places), certainty="exact") if places else UNKNOWN
        resolve_member = self._inherited_member if inherited else self.resolve_member
        resolved = resolve_member(owner, rest[0])
        for part in rest[1:]:
            resolved = self._resolve_attribute(resolved, part)
        return resolved

    def _resolve_written_path(
        self, scope: FileScope, path: str, definition: int, parts: list[str]
    ) -> ResolvedName | None:
        """Resolve a path that is written out in an expression instead of imported, as Rust allows."""
        if not scope.rules.allows_written_paths or parts[0] in scope.bound.get(definition, ()):
            return None
        equivalent = ImportedName("::".join(parts[:-1]), parts[-1], parts[-1], 0, 0, definition, False, False)
        resolved = self._resolve_import(path, equivalent)
        if resolved.places:
            return resolved
        imported_crates = (item.module.partition("::")[0] for item in self.records[path].names.imports)
        is_known_crate = resolved.package in _RUST_STANDARD_CRATES or resolved.package in imported_crates
        return resolved if resolved.package and is_known_crate else None

    def _resolve_on_receiver(
        self, scope: FileScope, path: str, definition: int, rest: list[str]
    ) -> ResolvedName | None:
        """Resolve a method call on the receiver, if methods declare a name for it, as in Go."""
        if not scope.rules.names_receiver or len(rest) > 1 or definition == MODULE:
            return None
        owner, _, _ = scope.paths[definition].rpartition(".")
        resolved = self._index.in_package(path, f"{owner}.{rest[0]}") if owner else UNKNOWN
        return resolved._replace(certainty="likely") if resolved.places else None

    def _resolve_plain(self, scope: FileScope, path: str, definition: int, name: str) -> ResolvedName:
        resolved = self._resolve_enclosing(scope, path, definition, name) or self._resolve_implicit_member(
            scope, path, definition, name
        )
        if resolved is not None:
            return resolved
        resolved = self.resolve_export(path, name)
        if not resolved.places and not resolved.package:
            resolved = self._index.in_package(path, name)
        elif scope.rules.allows_separate_bodies:
            resolved = self._prefer_body(path, name, resolved)
        return BUILT_IN if resolved is UNKNOWN and name in scope.rules.built_in_names else resolved

    def _resolve_enclosing(
        self, scope: FileScope, path: str, definition: int, name: str
    ) -> ResolvedName | None:
        """Resolve a name in the enclosing definitions, from the innermost outwards."""
        for outer in scope.enclosing_scopes(definition):
            indices = scope.members.get(outer.path, {}).get(name) if outer.is_visible else None
            if indices:
                return ResolvedName(tuple(DefinitionRef(path, index) for index in indices), certainty="exact")
            imported = scope.inner_imports.get(outer.definition, {}).get(name)
            if imported is not None:
                return self._resolve_import(path, imported)
            if name in scope.bound.get(outer.definition, ()):
                return LOCAL
            if scope.definitions[outer.definition].kind in NAMESPACES:  # other files may extend a namespace
                resolved = self._index.in_package(path, f"{outer.path}.{name}")
                if resolved.places:
                    return resolved
        return None

    def _resolve_implicit_member(
        self, scope: FileScope, path: str, definition: int, name: str
    ) -> ResolvedName | None:
        """Resolve a name as a member of the enclosing class, in languages where `this` is implicit."""
        if not scope.rules.has_implicit_owner or definition == MODULE:
            return None
        owner = scope.owner(definition)
        if owner is not None:
            resolved = self.resolve_member(DefinitionRef(path, owner), name)
        else:  # a method defined outside its class
            class_path = scope.paths[definition].rpartition(".")[0]
            resolved = self._index.in_package(path, f"{class_path}.{name}")
        return resolved if resolved.places else None

    def _prefer_body(self, path: str, name: str, declared: ResolvedName) -> ResolvedName:
        """Return the definition of a function of which only a declaration was included."""
        if any(self.scope(place.path).has_body(place.definition) for place in declared.places):
            return declared
        resolved = self._index.in_package(path, name)
        return resolved if resolved.places else declared

    def resolve_export(self, path: str, name: str) -> ResolvedName:
        """Resolve a name at the top level of a file: defined, imported or re-exported there."""
        return self._resolve_once((path, name), lambda: self._resolve_export(path, name))

    def _resolve_once(
        self, key: tuple[str | DefinitionRef, str], resolve: Callable[[], ResolvedName]
    ) -> ResolvedName:
        """Return what is resolved for a key, unknown while that is in progress or too many lookups nest."""
        resolved = self._exports_and_members.get(key)
        if resolved is None:
            active = self._active.keys
            if key in active or len(active) > _MAX_NESTED_LOOKUPS:
                return UNKNOWN
            active.add(key)
            resolved = self._exports_and_members[key] = resolve()
            active.discard(key)
        return resolved

    def _resolve_export(self, path: str, name: str) -> ResolvedName:
        scope = self.scope(path)
        indices = scope.members.get("", {}).get(name, ())
        imported = scope.imports.get(name)
        if imported is not None and not any(scope.is_callable_or_container(index) for index in indices):
            return self._resolve_import(path, imported)  # before a variable, as in `const x = require("x")`
        if indices:
            return ResolvedName(tuple(DefinitionRef(path, index) for index in indices), certainty="exact")
        for imported in scope.star_imports:
            target = self.imports.target(path, imported)
            if target.symbol not in ("*", ""):
                resolved = self._resolve_in_target(target, target.symbol.removesuffix("*") + name)
            else:
                resolved = self._first_export(target, name, path)
            if resolved.places:
                return resolved
        submodule = self.imports.resolver(path).submodule(path, name)
        if submodule is not None:
            return ResolvedName((DefinitionRef(submodule, MODULE),), certainty="exact")
        return self._default_export(path) if name == "default" else UNKNOWN

    def _first_export(self, target: Target, name: str, path: str) -> ResolvedName:
        """Resolve a name at the top level of the files of a target, except the importing file."""
        for file in target.files:
            if file != path and file in self.records:
                resolved = self.resolve_export(file, name)
                if resolved.places:
                    return resolved
        return UNKNOWN

    def _default_export(self, path: str) -> ResolvedName:
        """Return the default export of a JavaScript module, if it is unambiguous."""
        scope = self.scope(path)
        names = self.records[path].names
        declared = [use.definition for use in names.uses if use.definition >= 0 and "default" in use.names]
        if declared:
            return ResolvedName((DefinitionRef(path, declared[0]),), certainty="exact")
        candidates = [index for index in scope.top_level if names.definitions[index].exported]
        if len(names.exports) == 1:
            only_export = scope.members.get("", {}).get(names.exports[0])
            candidates = list(only_export) if only_export else candidates
        if len(candidates) != 1:
            return UNKNOWN
        return ResolvedName((DefinitionRef(path, candidates[0]),), certainty="likely")

    def _resolve_import(self, path: str, imported: ImportedName) -> ResolvedName:
        if imported.name == "" and imported.alias and imported.module.startswith(imported.alias + "."):
            imported = imported._replace(module=imported.alias)  # `import a.b` binds a
        target = self.imports.target(path, imported)
        if target.package or not target.files:
            return ResolvedName((), target.package, target.certainty) if target.package else UNKNOWN
        if target.symbol in ("", "*"):
            places = tuple(DefinitionRef(file, MODULE) for file in target.files if file in self.records)
            return ResolvedName(places, "", target.certainty)
        return self._resolve_in_target(target, target.symbol)

    def _resolve_in_target(self, target: Target, symbol: str) -> ResolvedName:
        for file in target.files:
            if file not in self.records:
                continue
            head, *rest = symbol.split(".")
            resolved = self.resolve_export(file, head)
            for part in rest:
                resolved = self._resolve_attribute(resolved, part)
            if resolved.places or resolved.package:
                return resolved.through(target.certainty)
        return UNKNOWN

    def _resolve_attribute(self, owner: ResolvedName, name: str) -> ResolvedName:
        for place in owner.places:
            if place.definition == MODULE:
                resolved = self.resolve_export(place.path, name)
            elif name == "new" and self.scope(place.path).rules.family == "ruby" and self._is_class(place):
                resolved = ResolvedName((place,), certainty="exact")
            else:
                resolved = self.resolve_member(place, name)
                if not resolved.places and not resolved.package:
                    resolved = self._resolve_by_declared_type(place, name)
            if resolved.places or resolved.package:
                return resolved.through(owner.certainty)
        return UNKNOWN

    def _resolve_by_declared_type(self, place: DefinitionRef, name: str) -> ResolvedName:
        """Resolve a member through the type in the declaration of a field or variable."""
        scope = self.scope(place.path)
        definition = scope.definitions[place.definition]
        if definition.kind in FUNCTIONS or definition.kind in CLASSES:
            return UNKNOWN
        for word in scope.used.get(place.definition, ()):
            for candidate in self.resolve_name(place.path, definition.container, word).places:
                if candidate == place or not self._is_class(candidate):
                    continue
                resolved = self.resolve_member(candidate, name)
                if resolved.places:
                    return resolved._replace(certainty="likely")
        return UNKNOWN

    def resolve_member(self, owner: DefinitionRef, name: str) -> ResolvedName:
        """Resolve a name in a class or namespace and its base types."""
        return self._resolve_once((owner, name), lambda: self._own_or_inherited_member(owner, name))

    def _own_or_inherited_member(self, owner: DefinitionRef, name: str) -> ResolvedName:
        own = self._own_member(owner, name)
        return own if own.places else self._inherited_member(owner, name)

    def _own_member(self, owner: DefinitionRef, name: str) -> ResolvedName:
        scope = self.scope(owner.path)
        path = scope.paths[owner.definition]
        indices = scope.members.get(path, {}).get(name, ())
        declared = bool(indices) and scope.rules.allows_separate_bodies and not scope.has_body(indices[-1])
        if declared or not indices:
            resolved = self._index.in_package(owner.path, f"{path}.{name}")
            if resolved.places:
                return resolved
        places = tuple(DefinitionRef(owner.path, index) for index in indices)
        return ResolvedName(places, certainty="exact") if places else UNKNOWN

    def _inherited_member(self, owner: DefinitionRef, name: str) -> ResolvedName:
        package = ""
        for base in self.bases(owner):
            for place in base.places:
                resolved = self.resolve_member(place, name) if place.definition != MODULE else UNKNOWN
                if resolved.places:
                    return (
                        resolved if base.certainty == "exact" else resolved._replace(certainty=base.certainty)
                    )
                package = package or resolved.package
            package = package or base.package
        return ResolvedName((), package, "likely") if package else UNKNOWN

    def _resolve_bases(self, owner: DefinitionRef) -> list[ResolvedName]:
        scope = self.scope(owner.path)
        definition = scope.definitions[owner.definition]
        bases = []
        for written in scope.bases(owner.definition):
            name = written.replace("::", ".").replace("\\", ".").lstrip(".")
            if name:
                base = self.resolve_name(owner.path, definition.container, name)
                other_places = tuple(place for place in base.places if place != owner)
                bases.append(base._replace(places=other_places))
        return bases

"""Which definition a name, an attribute or a call means, across the files of a project.

A name is looked for as its language does: in the definitions around it, in the file, among what the file
imports, through re-exports, in its package. An attribute is looked for in the module or class before the dot,
and in the classes that this one extends.

Contract
- Nothing is invented: what several rules could mean is unknown, and a local variable means no definition.
- A guess is a method that exists once in the project under a name that no built-in type has; it is marked so.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.file_scope import SPACES, TYPES, FileScope, rules_of
from holdfast.analysis.graph.imports.included_files import IncludedFiles
from holdfast.analysis.graph.imports.javascript_modules import JavaScriptModules
from holdfast.analysis.graph.imports.layout import Layout, ReadOther
from holdfast.analysis.graph.imports.named_packages import GoModules, NamedPackages
from holdfast.analysis.graph.imports.python_modules import PythonModules
from holdfast.analysis.graph.imports.rust_crates import RustCrates
from holdfast.analysis.graph.imports.target import Finder, Target
from holdfast.analysis.graph.meaning import BUILT_IN, LOCAL, UNKNOWN, Meaning, Place
from holdfast.analysis.graph.project_index import ProjectIndex
from holdfast.syntax.record import MODULE, Import, Record
from holdfast.syntax.symbols import FUNCTIONS

_DEEPEST = 40
_STANDARD = frozenset({"std", "core", "alloc"})
_FINDERS: Mapping[str, Callable[[Layout], Finder]] = {
    "python": PythonModules,
    "javascript": JavaScriptModules,
    "rust": RustCrates,
    "go": GoModules,
    "java": lambda layout: NamedPackages(layout, "java", "kotlin"),
    "csharp": lambda layout: NamedPackages(layout, "csharp"),
    "php": lambda layout: NamedPackages(layout, "php"),
    **dict.fromkeys(("c", "ruby", "bash"), IncludedFiles),
}
"""What finds the imports of each family of languages."""


class _Search(threading.local):
    """What one thread is looking for, so that it does not go in circles; others may look for the same."""

    def __init__(self) -> None:
        self.busy: set[object] = set()


class Resolution:
    """What the imports and names of one scan mean."""

    def __init__(self, scan: Scan, read_other: ReadOther) -> None:
        self.records: Mapping[str, Record] = scan.files
        self.layout = Layout(scan.files, scan.other_files, read_other)
        self._finders: dict[str, Finder] = {}
        self._scopes: dict[str, FileScope] = {}
        self._offers: dict[tuple[str, str], Meaning] = {}
        self._members: dict[tuple[Place, str], Meaning] = {}
        self._bases: dict[Place, list[Meaning]] = {}
        self._known: dict[str, dict[tuple[int, str], Meaning]] = defaultdict(dict)
        self._search = _Search()
        self._index = ProjectIndex(scan.files, self.scope)

    @property
    def damaged_settings(self) -> dict[str, str]:
        """Settings files that could not be read, with the reasons."""
        return dict(sorted(self.layout.damaged.items()))

    def target(self, path: str, imported: Import) -> Target:
        """Return which files of the project an import in a file means, or which package outside."""
        return self._finder(path).resolve(path, imported)

    def _finder(self, path: str) -> Finder:
        language = self.records[path].language
        found = self._finders.get(language)
        if found is None:
            family = rules_of(language).family
            found = self._finders.get(family) or _FINDERS.get(family, Finder)(self.layout)
            self._finders[family] = self._finders[language] = found
        return found

    def scope(self, path: str) -> FileScope:
        """Return what the names of a file stand for within it."""
        found = self._scopes.get(path)
        if found is None:
            found = self._scopes[path] = FileScope(self.records[path])
        return found

    def meaning(self, path: str, definition: int, name: str) -> Meaning:
        """Return what a name means in a definition of a file; attributes are joined to it by dots."""
        scope = self._scopes.get(path) or self.scope(path)
        definition = scope.viewpoint(definition, name.partition(".")[0])
        known = self._known[path]
        found = known.get((definition, name))
        if found is None:
            found = known[definition, name] = self._meaning(scope, path, definition, name)
        return found

    def called(self, path: str, definition: int, callee: str, receivers: tuple[str, ...] = ()) -> Meaning:
        """Return what a call means; `receivers` are calls on whose result it may be, as in `Cat().purr()`."""
        if not callee.startswith("."):
            return self.meaning(path, definition, callee)
        for receiver in receivers if "." not in callee[1:] else ():
            if receiver in self.scope(path).rules.inherited:
                return self.meaning(path, definition, receiver + callee)
            for place in self.meaning(path, definition, receiver).places:
                found = self.member(place, callee[1:]) if self._is_type(place) else UNKNOWN
                if found.places:
                    return found._replace(certainty="likely")
        return self._index.guess(callee.rpartition(".")[2])

    def _is_type(self, place: Place) -> bool:
        index = place.definition
        return index != MODULE and self.scope(place.path).definitions[index].kind in TYPES

    def _meaning(self, scope: FileScope, path: str, definition: int, name: str) -> Meaning:
        head, *rest = name.split(".")
        owner = scope.owner(definition) if head in scope.rules.own or head in scope.rules.inherited else None
        if owner is not None and (rest or head not in scope.rules.built_in):
            found = self._of_own_class(Place(path, owner), rest, inherited=head in scope.rules.inherited)
        else:
            found = self._plain(scope, path, definition, head)
            for part in rest:
                if found.package or not found.places:
                    break
                found = self._step(found, part)
        if rest and not found.package and not found.places:
            found = (
                self._by_path(scope, path, definition, [head, *rest])
                or self._by_receiver(scope, path, definition, rest)
                or self._index.guess(rest[-1])
            )
        return found

    def _of_own_class(self, owner: Place, rest: list[str], *, inherited: bool) -> Meaning:
        """Return what is behind a word for the object itself, or for what its class extends."""
        if not rest:
            places = [place for base in self.bases(owner) for place in base.places] if inherited else [owner]
            return Meaning(tuple(places), "", "exact") if places else UNKNOWN
        found = self._inherited(owner, rest[0]) if inherited else self.member(owner, rest[0])
        for part in rest[1:]:
            found = self._step(found, part)
        return found

    def _by_path(self, scope: FileScope, path: str, definition: int, parts: list[str]) -> Meaning | None:
        """Return what a path means that is written out where others are imported, as Rust allows."""
        if not scope.rules.written_paths or parts[0] in scope.bound.get(definition, ()):
            return None
        named = Import("::".join(parts[:-1]), parts[-1], parts[-1], 0, 0, definition, False, False)
        found = self._bound_by(path, named)
        known = found.package in _STANDARD or any(
            item.module.partition("::")[0] == found.package for item in self.records[path].names.imports
        )
        return found if found.places or (found.package and known) else None

    def _by_receiver(self, scope: FileScope, path: str, definition: int, rest: list[str]) -> Meaning | None:
        """Return a method of the type whose method this is, where a language has no word for the receiver."""
        if not scope.rules.named_receiver or len(rest) > 1 or definition == MODULE:
            return None
        owner, _, _ = scope.paths[definition].rpartition(".")
        found = self._index.in_package(path, f"{owner}.{rest[0]}") if owner else UNKNOWN
        return found._replace(certainty="likely") if found.places else None

    def _plain(self, scope: FileScope, path: str, definition: int, name: str) -> Meaning:
        """Return what a name without dots means."""
        found = self._around(scope, path, definition, name) or self._implied(scope, path, definition, name)
        if found is not None:
            return found
        found = self.offered(path, name)
        if not found.places and not found.package:
            found = self._index.in_package(path, name)
        elif scope.rules.bodies_elsewhere:
            found = self._written(path, name, found)
        return BUILT_IN if found is UNKNOWN and name in scope.rules.built_in else found

    def _around(self, scope: FileScope, path: str, definition: int, name: str) -> Meaning | None:
        """Return what a name means in the definitions around it, up to the file."""
        for home in scope.around(definition):
            indices = scope.members.get(home.path, {}).get(name) if home.visible else None
            if indices:
                return Meaning(tuple(Place(path, index) for index in indices), "", "exact")
            if (imported := scope.inner_imports.get(home.definition, {}).get(name)) is not None:
                return self._bound_by(path, imported)
            if name in scope.bound.get(home.definition, ()):
                return LOCAL
            if scope.definitions[home.definition].kind in SPACES:  # others may add to a namespace
                found = self._index.in_package(path, f"{home.path}.{name}")
                if found.places:
                    return found
        return None

    def _implied(self, scope: FileScope, path: str, definition: int, name: str) -> Meaning | None:
        """Return a member of the class that a name stands in, where a language needs no word for that."""
        if not scope.rules.implicit_owner or definition == MODULE:
            return None
        owner = scope.owner(definition)
        if owner is not None:
            found = self.member(Place(path, owner), name)
        else:  # a method apart from its class
            found = self._index.in_package(path, f"{scope.paths[definition].rpartition('.')[0]}.{name}")
        return found if found.places else None

    def _written(self, path: str, name: str, declared: Meaning) -> Meaning:
        """Return where a function is written that is only declared in what a file includes."""
        if any(self.scope(place.path).has_body(place.definition) for place in declared.places):
            return declared
        found = self._index.in_package(path, name)
        return found if found.places else declared

    def offered(self, path: str, name: str) -> Meaning:
        """Return what a name means at the top of a file: defined there, imported, or passed on."""
        key = (path, name)
        found = self._offers.get(key)
        if found is None:
            busy = self._search.busy
            if key in busy or len(busy) > _DEEPEST:
                return UNKNOWN
            busy.add(key)
            found = self._offered(path, name)
            busy.discard(key)
            self._offers[key] = found
        return found

    def _offered(self, path: str, name: str) -> Meaning:
        scope = self.scope(path)
        indices = scope.members.get("", {}).get(name, ())
        imported = scope.imports.get(name)
        if imported is not None and not any(scope.is_solid(index) for index in indices):
            return self._bound_by(path, imported)  # before a variable, as in `const x = require("x")`
        if indices:
            return Meaning(tuple(Place(path, index) for index in indices), "", "exact")
        for imported in scope.stars:
            target = self.target(path, imported)
            if target.symbol not in ("*", ""):
                found = self._path_in(target, target.symbol.removesuffix("*") + name)
            else:
                found = self._first_offer(target, name, path)
            if found.places:
                return found
        if (inner := self._part(path, name)) is not None:
            return Meaning((Place(inner, MODULE),), "", "exact")
        return self._default(path) if name == "default" else UNKNOWN

    def _first_offer(self, target: Target, name: str, path: str) -> Meaning:
        for file in target.files:
            if file != path and file in self.records and (found := self.offered(file, name)).places:
                return found
        return UNKNOWN

    def _default(self, path: str) -> Meaning:
        """Return the one thing that a module of JavaScript can be said to export, where that is plain."""
        scope = self.scope(path)
        names = self.records[path].names
        marked = [use.definition for use in names.uses if use.definition >= 0 and "default" in use.names]
        if marked:
            return Meaning((Place(path, marked[0]),), "", "exact")
        chosen = [index for index in scope.top if names.definitions[index].exported]
        if len(names.exports) == 1 and (listed := scope.members.get("", {}).get(names.exports[0])):
            chosen = list(listed)
        return Meaning((Place(path, chosen[0]),), "", "likely") if len(chosen) == 1 else UNKNOWN

    def _part(self, path: str, name: str) -> str | None:
        return self._finder(path).member(path, name)

    def _bound_by(self, path: str, imported: Import) -> Meaning:
        """Return what the name that an import binds means."""
        if imported.name == "" and imported.alias and imported.module.startswith(imported.alias + "."):
            imported = imported._replace(module=imported.alias)  # `import a.b` binds a
        target = self.target(path, imported)
        if target.package or not target.files:
            return Meaning((), target.package, target.certainty) if target.package else UNKNOWN
        if target.symbol in ("", "*"):
            places = tuple(Place(file, MODULE) for file in target.files if file in self.records)
            return Meaning(places, "", target.certainty)
        return self._path_in(target, target.symbol)

    def _path_in(self, target: Target, symbol: str) -> Meaning:
        """Return what a dotted path means in the files of a target."""
        for file in target.files:
            if file not in self.records:
                continue
            head, *rest = symbol.split(".")
            found = self.offered(file, head)
            for part in rest:
                found = self._step(found, part)
            if found.places or found.package:
                weaker = target.certainty if found.certainty == "exact" else found.certainty
                return found._replace(certainty=weaker)
        return UNKNOWN

    def _step(self, before: Meaning, name: str) -> Meaning:
        """Return what an attribute of something means."""
        for place in before.places:
            if place.definition == MODULE:
                found = self.offered(place.path, name)
            elif name == "new" and self.scope(place.path).rules.family == "ruby" and self._is_type(place):
                found = Meaning((place,), "", "exact")
            else:
                found = self.member(place, name)
                if not found.places and not found.package:
                    found = self._by_type(place, name)
            if found.places or found.package:
                return found._replace(certainty=before.certainty) if found.certainty == "exact" else found
        return UNKNOWN

    def _by_type(self, place: Place, name: str) -> Meaning:
        """Return a member of the type that a field or variable is declared with or made of."""
        scope = self.scope(place.path)
        definition = scope.definitions[place.definition]
        if definition.kind in FUNCTIONS or definition.kind in TYPES:
            return UNKNOWN
        for word in scope.used.get(place.definition, ()):
            for kind in self.meaning(place.path, definition.container, word).places:
                found = self.member(kind, name) if kind != place and self._is_type(kind) else UNKNOWN
                if found.places:
                    return found._replace(certainty="likely")
        return UNKNOWN

    def member(self, owner: Place, name: str) -> Meaning:
        """Return what a name means in a class, a namespace or what these extend."""
        key = (owner, name)
        found = self._members.get(key)
        if found is None:
            busy = self._search.busy
            if key in busy or len(busy) > _DEEPEST:
                return UNKNOWN
            busy.add(key)
            found = self._own_member(owner, name)
            if not found.places:
                found = self._inherited(owner, name)
            busy.discard(key)
            self._members[key] = found
        return found

    def _own_member(self, owner: Place, name: str) -> Meaning:
        scope = self.scope(owner.path)
        path = scope.paths[owner.definition]
        indices = scope.members.get(path, {}).get(name, ())
        declared = bool(indices) and scope.rules.bodies_elsewhere and not scope.has_body(indices[-1])
        if declared or not indices:
            found = self._index.in_package(owner.path, f"{path}.{name}")
            if found.places:
                return found
        places = tuple(Place(owner.path, index) for index in indices)
        return Meaning(places, "", "exact") if places else UNKNOWN

    def _inherited(self, owner: Place, name: str) -> Meaning:
        """Return what a name means in the types that a class extends."""
        package = ""
        for base in self.bases(owner):
            for place in base.places:
                found = self.member(place, name) if place.definition != MODULE else UNKNOWN
                if found.places:
                    return found if base.certainty == "exact" else found._replace(certainty=base.certainty)
                package = package or found.package
            package = package or base.package
        return Meaning((), package, "likely") if package else UNKNOWN

    def bases(self, owner: Place) -> list[Meaning]:
        """Return what the types mean that a class extends or implements, in the order of the text."""
        found = self._bases.get(owner)
        if found is None:
            scope = self.scope(owner.path)
            definition = scope.definitions[owner.definition]
            named = [
                base.replace("::", ".").replace("\\", ".").lstrip(".")
                for base in scope.bases(owner.definition)
            ]
            found = [self.meaning(owner.path, definition.container, base) for base in named if base]
            own = [[place for place in base.places if place != owner] for base in found]
            found = [base._replace(places=tuple(kept)) for base, kept in zip(found, own, strict=True)]
            self._bases[owner] = found
        return found

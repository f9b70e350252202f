"""An index of a project's definitions: those visible without an import, and all methods, by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property
from posixpath import dirname

from holdfast.analysis.graph.file_scope import FileScope, ScopingRules, scoping_rules
from holdfast.analysis.graph.resolved_name import UNKNOWN, DefinitionRef, ResolvedName
from holdfast.syntax.record import Record

_MAX_DEFINING_FILES = 4
"""Files of a package that may define a name: a judgement, as one in each of many plug-ins says nothing."""
_COMMON_METHODS = (
    "add all any apply call catch close concat contains create delete each entries equals exec "
    "execute fetch filter find finally first flush forEach get getName getValue has hashCode includes "
    "init isEmpty last len length load log lock map match max merge min name next new of on open "
    "parse path post push put query read reduce remove render replace reset resolve run save search "
    "send set setUp shift show size slice some sort splice start stop submit tearDown test then "
    "toString trim unlock unwrap update url validate value values write"
)
_UNSPECIFIC_METHODS = frozenset(_COMMON_METHODS.split()).union(
    *(dir(kind) for kind in (str, bytes, list, dict, set, tuple, int, float, object))
)
"""Method names that are common outside the project, so that a name alone is not even a guess."""


class ProjectIndex:
    """The definitions of a project by name, for `Resolution`."""

    def __init__(self, records: Mapping[str, Record], scope: Callable[[str], FileScope]) -> None:
        self._records = records
        self._scope = scope

    def in_package(self, path: str, name: str) -> ResolvedName:
        """Resolve a name among the files of the same package, which need no import."""
        rules = self._scope(path).rules
        if rules.package is None:
            return UNKNOWN
        places = self._packages.get((rules.family, self._package_key(path, rules), name), [])
        if rules.allows_separate_bodies and len(places) > 1:
            with_body = [place for place in places if self._scope(place.path).has_body(place.definition)]
            places = with_body or places
        file_count = len({place.path for place in places})
        max_files = _MAX_DEFINING_FILES if rules.package_is_scope else 1
        if not places or file_count > max_files:
            return UNKNOWN
        return ResolvedName(tuple(places), "", "exact" if rules.package_is_scope else "likely")

    def _package_key(self, path: str, rules: ScopingRules) -> str:
        package = self._records[path].names.package
        if rules.package == "folder":
            return f"{dirname(path)} {package.removesuffix('_test')}"
        return package if rules.package == "package" else ""

    @cached_property
    def _packages(self) -> dict[tuple[str, str, str], list[DefinitionRef]]:
        """The definitions by language family, package and path."""
        places: dict[tuple[str, str, str], list[DefinitionRef]] = defaultdict(list)
        for path, record in self._records.items():
            rules = scoping_rules(record.language)
            if rules.package is None:
                continue
            package = self._package_key(path, rules)
            for owner, names in self._scope(path).members.items():
                for name, indices in names.items():
                    key = (rules.family, package, f"{owner}.{name}" if owner else name)
                    places[key] += [DefinitionRef(path, index) for index in indices]
        return dict(places)

    def guess(self, name: str) -> ResolvedName:
        """Return the only method with this name in the project, unless the name is common elsewhere."""
        places = self.methods.get(name, [])
        if name in _UNSPECIFIC_METHODS or len(places) != 1:
            return UNKNOWN
        return ResolvedName(tuple(places), certainty="guess")

    @cached_property
    def methods(self) -> dict[str, list[DefinitionRef]]:
        """All methods of classes, by name."""
        methods: dict[str, list[DefinitionRef]] = defaultdict(list)
        for path in self._records:
            scope = self._scope(path)
            for index in scope.methods:
                methods[scope.definitions[index].name].append(DefinitionRef(path, index))
        return dict(methods)

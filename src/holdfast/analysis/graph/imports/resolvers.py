"""Selects the import resolver of each language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from holdfast.analysis.graph.file_scope import scoping_rules
from holdfast.analysis.graph.imports.included_files import IncludedFiles
from holdfast.analysis.graph.imports.javascript_modules import JavaScriptModules
from holdfast.analysis.graph.imports.layout import Layout
from holdfast.analysis.graph.imports.named_packages import GoModules, NamedPackages
from holdfast.analysis.graph.imports.python_modules import PythonModules
from holdfast.analysis.graph.imports.rust_crates import RustCrates
from holdfast.analysis.graph.imports.target import ImportResolver
from holdfast.syntax.record import Record

_RESOLVERS: Mapping[str, Callable[[Layout], ImportResolver]] = {
    "python": PythonModules,
    "javascript": JavaScriptModules,
    "rust": RustCrates,
    "go": GoModules,
    "java": lambda layout: NamedPackages(layout, "java", "kotlin"),
    "csharp": lambda layout: NamedPackages(layout, "csharp"),
    "php": lambda layout: NamedPackages(layout, "php"),
    **dict.fromkeys(("c", "ruby", "bash"), IncludedFiles),
}
"""The import resolver of each family of languages; imports of any other language are external."""


class ImportResolvers:
    """The import resolvers of one project, created when first used."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._made: list[ImportResolver] = []
        self._of_family = cache(self._make_resolver)

    def renewed(self, records: Mapping[str, Record]) -> ImportResolvers | None:
        """Return the resolvers for other contents of the same files; None if another result is possible."""
        for path, record in records.items():
            former = self.layout.records[path]
            if former is record:
                continue
            resolver = self.for_language(record.language)
            if former.language != record.language or (
                resolver.interface(path, former) != resolver.interface(path, record)
            ):
                return None
        self.layout = self.layout.renewed(records)
        for resolver in self._made:
            resolver.renew(self.layout)
        return self

    def for_language(self, language: str) -> ImportResolver:
        """Return the resolver of a language, which the languages of its family share."""
        return self._of_family(scoping_rules(language).family)

    def _make_resolver(self, family: str) -> ImportResolver:
        resolver = _RESOLVERS.get(family, ImportResolver)(self.layout)
        self._made.append(resolver)
        return resolver

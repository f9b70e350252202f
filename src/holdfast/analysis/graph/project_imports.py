"""The targets of a project's imports, and what follows from them for each file.

Contract: after a scan in which only contents changed, resolvers and results of unchanged files are kept if no
changed file has another interface (`ImportResolver.interface`). Then every import still has the same target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.imports.layout import Layout, ReadOther
from holdfast.analysis.graph.imports.resolvers import ImportResolvers
from holdfast.analysis.graph.imports.target import ImportResolver, Target
from holdfast.syntax.record import ImportedName, Record

Result = TypeVar("Result")


class ProjectImports:
    """Resolves the imports of one scan."""

    def __init__(self, scan: Scan, read_other: ReadOther, former: ProjectImports | None = None) -> None:
        """`former` are the imports of an earlier scan."""
        self.records: Mapping[str, Record] = scan.files
        self._others_version = scan.others_version
        self._resolvers: ImportResolvers
        self._results: dict[str, dict[str, tuple[Record, Any]]]
        """By key of `by_file` and path: a record, and the result computed from it."""
        resolvers = former and former._renewed_resolvers(scan)
        self.is_renewed = bool(former and resolvers)
        """Whether all imports of unchanged files have the same targets as in the earlier scan."""
        if former and resolvers:
            self._resolvers, self._results = resolvers, former._results
        else:
            layout = Layout(scan.files, scan.other_files, read_other, scan.skipped_files)
            self._resolvers, self._results = ImportResolvers(layout), {}
        self.layout = self._resolvers.layout

    def _renewed_resolvers(self, scan: Scan) -> ImportResolvers | None:
        """Return resolvers for a later scan, if imports of unchanged files have the same targets there."""
        has_same_others = scan.others_version is not None and scan.others_version == self._others_version
        if not has_same_others or scan.files.keys() != self.records.keys():
            return None
        return self._resolvers.renewed(scan.files)

    def resolver(self, path: str) -> ImportResolver:
        """Return the resolver for the language of a file."""
        return self._resolvers.for_language(self.records[path].language)

    def target(self, path: str, imported: ImportedName) -> Target:
        """Resolve an import to files of the project or to an external package."""
        return self.resolver(path).resolve(path, imported)

    def by_file(self, key: str, path: str, compute: Callable[[], Result]) -> Result:
        """Return what follows from one file and the targets of its imports; computed again if they change."""
        record, results = self.records[path], self._results.setdefault(key, {})
        former_record, result = results.get(path, (None, None))
        if former_record is not record:
            result = compute()
            results[path] = record, result
        return cast("Result", result)

    def paths(self, path: str) -> tuple[str, ...]:
        """Return the files of the project that a file imports from."""
        return self.by_file("paths", path, lambda: self._paths(path))

    def _paths(self, path: str) -> tuple[str, ...]:
        targets = (self.target(path, imported) for imported in self.records[path].names.imports)
        return tuple(
            dict.fromkeys(file for target in targets for file in target.files if file in self.records)
        )

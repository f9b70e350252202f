"""Python modules and packages: relative and absolute imports, namespace packages, `src` layouts.

An absolute import is searched where Python would find it when the importing file runs or is installed: next
to the outermost package around the file, in folders with project settings, and in their `src` folders. A
module found in exactly one other folder has certainty `likely`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from functools import cache
from posixpath import dirname, join

from holdfast.analysis.graph.imports.layout import Layout, folder_and_ancestors, join_path, top_level_names
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, external_target
from holdfast.syntax.record import MODULE, ImportedName, Record

_SETTINGS_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_PACKAGE_FILE = "/__init__"


class PythonModules(ImportResolver):
    """Resolves Python imports."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._files: dict[str, str] = {}
        """The file of each module, by its location: its path without extension, for a package its folder."""
        self._folders: set[str] = {""}
        """All folders with Python files in them or deeper."""
        self._homes: dict[str, set[str]] = defaultdict(set)
        """The folders that contain a module or package with each name."""
        self._roots_of = cache(self._find_roots)
        self._bound_in = cache(self._find_bound)
        self._resolve_in = cache(self._resolve)
        for path in layout.files_in("python"):
            self._add(path)
        project_folders = [
            dirname(path)
            for name in _SETTINGS_FILES
            for path in (*layout.settings(name), *layout.with_suffix(name))
        ]
        projects = dict.fromkeys(["", *sorted(project_folders)])
        roots = [root for project in projects for root in (project, join_path(project, "src"))]
        self._declared_roots = list(dict.fromkeys(roots))
        """The folders from which absolute imports are resolved by convention."""

    def _add(self, path: str) -> None:
        location = _location(path)
        if path.endswith(".pyi"):  # a stub is used only if there is no module
            self._files.setdefault(location, path)
        else:
            self._files[location] = path
        if location:
            self._homes[location.rpartition("/")[2]].add(dirname(location))
        for folder in folder_and_ancestors(dirname(path)):
            if folder in self._folders:
                break
            self._folders.add(folder)
            self._homes[folder.rpartition("/")[2]].add(dirname(folder))

    def interface(self, path: str, record: Record, /) -> object:
        """Return the names that the file of a package binds, which may hide submodules."""
        location = _location(path)
        return _bound_names(record) if location in self._folders else None

    def resolve(self, path: str, imported: ImportedName) -> Target:
        return self._resolve_in(dirname(path), imported.module, imported.name, imported.level)

    def _resolve(self, folder: str, module: str, name: str, level: int) -> Target:
        """Resolve an import in the files of a folder; `level` is the number of dots before the module."""
        location = module.replace(".", "/")
        if level:
            return self._resolve_relative(folder, location, name, level)
        first = module.partition(".")[0]
        homes = self._homes.get(first, set())
        for root in self._roots_of(folder):
            if root in homes and (target := self._target_at(join(root, location), name)):
                return target
        if not homes or first in sys.stdlib_module_names:
            return external_target(first)
        # Any other folder may be on the search path, but not one that is itself a package.
        other_roots = sorted(home for home in homes if home not in self._files)
        candidates = [self._target_at(join(root, location), name) for root in other_roots]
        targets = [target for target in candidates if target]
        if len(targets) == 1:
            return targets[0]._replace(certainty="likely")
        is_in_project = any(
            join(home, first) in self._files for home in homes if home in self._declared_roots
        )
        return UNRESOLVED if targets or is_in_project else external_target(first)

    def _resolve_relative(self, folder: str, location: str, name: str, level: int) -> Target:
        for _ in range(level - 1):
            if not folder:
                return UNRESOLVED
            folder = dirname(folder)
        return self._target_at(join_path(folder, location), name) or UNRESOLVED

    def _find_roots(self, folder: str) -> list[str]:
        """Return the root folders for absolute imports of the files in a folder, the likeliest first."""
        outside_packages = folder
        while outside_packages in self._files and outside_packages:
            outside_packages = dirname(outside_packages)
        return list(dict.fromkeys([outside_packages, *self._declared_roots]))

    def _target_at(self, location: str, name: str) -> Target | None:
        """Return the module at a location, or the submodule or name imported from it."""
        module = self._files.get(location)
        if name and name != "*":
            submodule = self._files.get(join(location, name))
            if submodule is not None and (module is None or name not in self._bound_in(module)):
                return Target((submodule,), certainty="exact")
        if module is not None:
            return Target((module,), name, certainty="exact")
        if not name and location in self._folders:  # a namespace package has no file of its own
            return Target((), certainty="exact")
        return None

    def _find_bound(self, module: str) -> frozenset[str]:
        """Return the names that a package binds itself, which shadow its submodules."""
        return _bound_names(self._layout.records[module])

    def submodule(self, path: str, name: str) -> str | None:
        """Return the submodule with that name, if `path` is the file of a package."""
        folder = dirname(path)
        return self._files.get(join(folder, name)) if self._files.get(folder) == path else None


def _location(path: str) -> str:
    """Return the path of a module without extension, of a package its folder."""
    location = path.rpartition(".")[0]
    if not ("/" + location).endswith(_PACKAGE_FILE):
        return location
    return location[: -len(_PACKAGE_FILE)] if "/" in location else ""


def _bound_names(record: Record) -> frozenset[str]:
    imports = record.names.imports
    imported = (item.alias for item in imports if item.name and item.definition == MODULE and item.module)
    return top_level_names(record).union(imported)

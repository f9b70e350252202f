"""Python modules and packages: relative and absolute imports, namespace packages, `src` layouts.

An absolute import is searched where Python would find it when the importing file runs or is installed:
beside the outermost package around the file, in folders with project settings, and in `src` below them. A
module found in exactly one other folder is `likely`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from posixpath import dirname, join

from holdfast.analysis.graph.imports.layout import Layout, below, upwards
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, outside
from holdfast.syntax.record import MODULE, ImportedName

_SETTINGS = ("pyproject.toml", "setup.py", "setup.cfg")
_PACKAGE = "/__init__"


class PythonModules(ImportResolver):
    """Resolves Python imports."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._files: dict[str, str] = {}
        self._folders: set[str] = {""}
        self._homes: dict[str, set[str]] = defaultdict(set)
        self._roots: dict[str, list[str]] = {}
        self._bound: dict[str, frozenset[str]] = {}
        self._known: dict[tuple[str, str, str, int], Target] = {}
        for path in layout.of("python"):
            self._add(path)
        marked = [
            dirname(path)
            for name in _SETTINGS
            for path in (*layout.settings(name), *layout.with_suffix(name))
        ]
        homes = dict.fromkeys(["", *sorted(marked)])
        self._declared = list(dict.fromkeys(place for home in homes for place in (home, below(home, "src"))))

    def _add(self, path: str) -> None:
        location = path.rpartition(".")[0]
        package = ("/" + location).endswith(_PACKAGE)
        if package:
            location = location[: -len(_PACKAGE)] if "/" in location else ""
        if path.endswith(".pyi"):  # a stub counts only if there is no module
            self._files.setdefault(location, path)
        else:
            self._files[location] = path
        if location:
            self._homes[location.rpartition("/")[2]].add(dirname(location))
        for folder in upwards(dirname(path)):
            if folder in self._folders:
                break
            self._folders.add(folder)
            self._homes[folder.rpartition("/")[2]].add(dirname(folder))

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Resolve an import."""
        folder = path.rpartition("/")[0]
        key = (folder, imported.module, imported.name, imported.level)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(folder, imported)
        return found

    def _resolve(self, folder: str, imported: ImportedName) -> Target:
        parts = imported.module.replace(".", "/")
        if imported.level:
            for _ in range(imported.level - 1):
                if not folder:
                    return UNRESOLVED
                folder = dirname(folder)
            return self._at(below(folder, parts), imported.name) or UNRESOLVED
        first = imported.module.partition(".")[0]
        homes = self._homes.get(first, set())
        for root in self._roots_of(folder):
            if root in homes and (target := self._at(join(root, parts), imported.name)):
                return target
        if not homes or first in sys.stdlib_module_names:
            return outside(first)
        apart = sorted(home for home in homes if home not in self._files)  # not inside packages
        others = [target for home in apart if (target := self._at(join(home, parts), imported.name))]
        if len(others) == 1:
            return others[0]._replace(certainty="likely")
        regular = any(join(home, first) in self._files for home in homes if home in self._declared)
        return UNRESOLVED if others or regular else outside(first)

    def _roots_of(self, folder: str) -> list[str]:
        """Return the root folders for absolute imports of the files in a folder, the likeliest first."""
        found = self._roots.get(folder)
        if found is None:
            own = folder
            while own in self._files and own:
                own = dirname(own)
            found = self._roots[folder] = list(dict.fromkeys([own, *self._declared]))
        return found

    def _at(self, location: str, name: str) -> Target | None:
        """Return the module at a location, or the submodule or name imported from it."""
        module = self._files.get(location)
        if name and name != "*":
            inner = self._files.get(join(location, name))
            if inner is not None and (module is None or name not in self._bound_in(module)):
                return Target((inner,), "", "", "exact")
        if module is not None:
            return Target((module,), name, "", "exact")
        if not name and location in self._folders:  # a namespace package has no file of its own
            return Target((), "", "", "exact")
        return None

    def _bound_in(self, module: str) -> frozenset[str]:
        """Return the names that a package binds itself and that thus shadow its submodules."""
        found = self._bound.get(module)
        if found is None:
            imports = self._layout.records[module].names.imports
            imported = (
                item.alias for item in imports if item.name and item.definition == MODULE and item.module
            )
            found = self._bound[module] = self._layout.top_names(module).union(imported)
        return found

    def member(self, path: str, name: str) -> str | None:
        """Return the submodule with that name, if `path` is the file of a package."""
        folder = dirname(path)
        return self._files.get(join(folder, name)) if self._files.get(folder) == path else None

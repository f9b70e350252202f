"""Rust crates and modules: `crate::`, `self::`, `super::`, `mod x;`, and crates of the workspace."""

from __future__ import annotations

from posixpath import basename, dirname, join
from typing import Any

from holdfast.analysis.graph.imports.layout import Layout, folder_and_ancestors, join_path
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, external_target
from holdfast.syntax.record import MODULE, ImportedName

_FOLDER_MODULES = frozenset({"lib.rs", "main.rs", "mod.rs", "build.rs"})
"""Files whose child modules are in the same folder, not in a folder of their name."""
_TARGETS = ("bin", "test", "example", "bench")
"""The tables of Cargo.toml that list targets with a `path`."""
_CRATE_FOLDERS = frozenset({"bin", "examples", "tests", "benches"})
"""Folders in which every file is the root of a crate."""


class RustCrates(ImportResolver):
    """Resolves Rust paths."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._libraries: dict[str, str] = {}
        """The root file of each library crate, by its name."""
        self._roots: dict[str, list[str]] = {}
        """The root files of the crates of each package, by its folder."""
        for path in layout.settings("Cargo.toml"):
            self._add_package(dirname(path), layout.toml(path))
        self._all_roots = frozenset(root for roots in self._roots.values() for root in roots)

    def _add_package(self, home: str, manifest: dict[str, Any]) -> None:
        library, package = _table(manifest.get("lib")), _table(manifest.get("package"))
        targets = [library, *(target for kind in _TARGETS for target in _tables(manifest.get(kind)))]
        listed = [target["path"] for target in targets if isinstance(target.get("path"), str)]
        library_path = library.get("path")
        root = join_path(home, library_path if isinstance(library_path, str) else "src/lib.rs")
        main = join_path(home, "src/main.rs")
        candidates = dict.fromkeys([root, main, *(join_path(home, path) for path in listed)])
        self._roots[home] = [file for file in candidates if file in self._layout.records]
        name = library.get("name") or package.get("name")
        if isinstance(name, str) and root in self._layout.records:
            self._libraries.setdefault(name.replace("-", "_"), root)

    def resolve(self, path: str, imported: ImportedName) -> Target:
        parts = [part for part in imported.module.split("::") if part]
        name = imported.name
        inline_modules = self._inline_modules(path, imported.definition)
        if not parts:
            if name in ("", "*"):
                return UNRESOLVED
            parts, name = [name], ""
        first = parts[0]
        if first not in ("crate", "self", "super"):
            return self._resolve_named(path, parts, name, inline_modules)
        module: str | None = self._root_of(path) if first == "crate" else path
        while parts and parts[0] in ("crate", "self", "super"):
            if parts[0] == "super":
                if inline_modules:
                    inline_modules = inline_modules[:-1]
                else:
                    module = self._parent(module) if module else None
            parts = parts[1:]
        if module is None:
            return UNRESOLVED
        if first != "crate":
            parts = [*inline_modules, *parts]
        return self._walk(module, parts, name)

    def _resolve_named(self, path: str, parts: list[str], name: str, inline_modules: list[str]) -> Target:
        """Resolve a path that starts with the name of a child module or of a crate."""
        first = parts[0]
        is_defined_here = not inline_modules and first in self._layout.top_level_names(path)
        if is_defined_here or self.submodule(path, first):
            return self._walk(path, parts, name)
        library = self._libraries.get(first)
        return self._walk(library, parts[1:], name) if library else external_target(first)

    def _walk(self, module: str, parts: list[str], name: str) -> Target:
        """Follow the path through modules that are files; the rest is a symbol in the last one."""
        names = [*parts, name] if name and name != "*" else parts
        for done, part in enumerate(names):
            child = self.submodule(module, part)
            if child is None:
                symbol = ".".join(names[done:])
                return Target((module,), f"{symbol}.*" if name == "*" else symbol, certainty="exact")
            module = child
        return Target((module,), name if name == "*" else "", certainty="exact")

    def submodule(self, path: str, name: str) -> str | None:
        home = self._child_folder(path)
        candidates = (join(home, name + ".rs"), join(home, name, "mod.rs"))
        return next((file for file in candidates if file in self._layout.records and file != path), None)

    def _child_folder(self, path: str) -> str:
        folder = dirname(path)
        return (
            folder
            if basename(path) in _FOLDER_MODULES or self._is_crate_root(path)
            else path.removesuffix(".rs")
        )

    def _is_crate_root(self, path: str) -> bool:
        """Return whether a file is the root of a crate, by Cargo.toml or by its folder."""
        folder = dirname(path)
        package = dirname(folder)
        if basename(folder) == "bin":  # src/bin
            package = dirname(package)
        return path in self._all_roots or (basename(folder) in _CRATE_FOLDERS and package in self._roots)

    def _parent(self, path: str) -> str | None:
        folder = dirname(path)
        if basename(path) == "mod.rs":
            folder = dirname(folder)
        candidates = (join(folder, "lib.rs"), join(folder, "main.rs"), join(folder, "mod.rs"), folder + ".rs")
        sources = self._layout.records
        return next((file for file in candidates if file in sources and file != path), None)

    def _root_of(self, path: str) -> str | None:
        """Return the root of the crate that a file belongs to."""
        if self._is_crate_root(path) or basename(path) in ("main.rs", "lib.rs"):
            return path
        home = next((folder for folder in folder_and_ancestors(dirname(path)) if folder in self._roots), None)
        if home is None:
            return None
        roots = self._roots[home]
        enclosing = [root for root in roots if path.startswith(dirname(root) + "/")]
        return max(enclosing or roots, key=lambda root: len(dirname(root)), default=None)

    def _inline_modules(self, path: str, definition: int) -> list[str]:
        """Return the names of the inline modules around an import, the outermost first."""
        names: list[str] = []
        definitions = self._layout.records[path].names.definitions
        while definition != MODULE:
            if definitions[definition].kind == "Module":
                names.insert(0, definitions[definition].name)
            definition = definitions[definition].container
        return names


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []

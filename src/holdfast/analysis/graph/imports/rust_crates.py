"""Rust crates and modules: `crate::`, `self::`, `super::`, `mod x;`, and crates of the workspace."""

from __future__ import annotations

from posixpath import basename, dirname, join
from typing import Any

from holdfast.analysis.graph.imports.layout import Layout, below, upwards
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, outside
from holdfast.syntax.record import MODULE, ImportedName

_ROOTS = frozenset({"lib.rs", "main.rs", "mod.rs", "build.rs"})
_TARGETS = ("bin", "test", "example", "bench")
_OWN_CRATES = frozenset({"bin", "examples", "tests", "benches"})


class RustCrates(ImportResolver):
    """Resolves Rust paths."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._libraries: dict[str, str] = {}
        self._roots: dict[str, list[str]] = {}
        for path in layout.settings("Cargo.toml"):
            self._add(dirname(path), layout.toml(path))
        self._all_roots = frozenset(root for roots in self._roots.values() for root in roots)

    def _add(self, home: str, manifest: dict[str, Any]) -> None:
        library = manifest.get("lib") if isinstance(manifest.get("lib"), dict) else {}
        package = manifest.get("package") if isinstance(manifest.get("package"), dict) else {}
        listed = [entry for kind in _TARGETS for entry in _tables(manifest.get(kind))]
        places = [entry.get("path") for entry in (library or {}, *listed)]
        root = below(home, places[0] if isinstance(places[0], str) else "src/lib.rs")
        named = [below(home, place) for place in places if isinstance(place, str)]
        found = dict.fromkeys([root, below(home, "src/main.rs"), *named])
        self._roots[home] = [file for file in found if file in self._layout.records]
        name = (library or {}).get("name") or (package or {}).get("name")
        if isinstance(name, str) and root in self._layout.records:
            self._libraries.setdefault(name.replace("-", "_"), root)

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Resolve a `use` or `mod`."""
        parts = [part for part in imported.module.split("::") if part]
        name = imported.name
        inner = self._inline_modules(path, imported.definition)
        if not parts:
            parts, name = ([name], "") if name not in ("", "*") else ([], name)
        if not parts:
            return UNRESOLVED
        first = parts[0]
        if first not in ("crate", "self", "super"):
            return self._named(path, parts, name, inner)
        module: str | None = self._root_of(path) if first == "crate" else path
        while parts and parts[0] in ("crate", "self", "super"):
            if parts[0] == "super":
                if inner:
                    inner = inner[:-1]
                else:
                    module = self._parent(module) if module else None
            parts = parts[1:]
        if module is None:
            return UNRESOLVED
        return self._walk(module, [*(inner if first != "crate" else []), *parts], name)

    def _named(self, path: str, parts: list[str], name: str, inner: list[str]) -> Target:
        """Resolve a path that begins with the name of a sibling module or of a crate."""
        first = parts[0]
        if self.member(path, first) or (not inner and first in self._layout.top_names(path)):
            return self._walk(path, parts, name)
        library = self._libraries.get(first)
        return self._walk(library, parts[1:], name) if library else outside(first)

    def _walk(self, module: str, parts: list[str], name: str) -> Target:
        """Follow the path through modules that are files; the rest is a symbol in the last one."""
        wanted = [*parts, name] if name and name != "*" else parts
        for done, part in enumerate(wanted):
            following = self.member(module, part)
            if following is None:
                rest = ".".join(wanted[done:])
                return Target((module,), f"{rest}.*" if name == "*" else rest, "", "exact")
            module = following
        return Target((module,), name if name == "*" else "", "", "exact")

    def member(self, path: str, name: str) -> str | None:
        """Return the file of a child module."""
        home = self._inside(path)
        candidates = (join(home, name + ".rs"), join(home, name, "mod.rs"))
        return next((file for file in candidates if file in self._layout.records and file != path), None)

    def _inside(self, path: str) -> str:
        """Return the folder of a file's child modules."""
        folder = dirname(path)
        return folder if basename(path) in _ROOTS or self._is_crate(path) else path.removesuffix(".rs")

    def _is_crate(self, path: str) -> bool:
        folder = dirname(path)
        crate = dirname(dirname(folder)) if basename(folder) == "bin" else dirname(folder)
        return path in self._all_roots or (basename(folder) in _OWN_CRATES and crate in self._roots)

    def _parent(self, path: str) -> str | None:
        """Return the file of the parent module."""
        folder = dirname(path)
        if basename(path) == "mod.rs":
            folder = dirname(folder)
        known = self._layout.records
        around = (join(folder, "lib.rs"), join(folder, "main.rs"), join(folder, "mod.rs"), folder + ".rs")
        return next((file for file in around if file in known and file != path), None)

    def _root_of(self, path: str) -> str | None:
        """Return the root of the crate that a file belongs to."""
        if self._is_crate(path) or basename(path) in ("main.rs", "lib.rs"):
            return path
        home = next((folder for folder in upwards(dirname(path)) if folder in self._roots), None)
        roots = [] if home is None else self._roots[home]
        around = [root for root in roots if path.startswith(dirname(root) + "/")] or roots
        return max(around, key=lambda root: len(dirname(root)), default=None)

    def _inline_modules(self, path: str, definition: int) -> list[str]:
        """Return the names of the inline modules around an import, the outermost first."""
        found: list[str] = []
        definitions = self._layout.records[path].names.definitions
        while definition != MODULE:
            if definitions[definition].kind == "Module":
                found.insert(0, definitions[definition].name)
            definition = definitions[definition].container
        return found


def _tables(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []

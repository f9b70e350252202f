"""JavaScript and TypeScript modules: relative paths, `paths` of tsconfig, packages of a workspace.

Extensions and index files are tried as bundlers do; `.js` also finds the `.ts` it is compiled from. If the
`exports` or `main` of a package names build output, the result is the source of that, with certainty
`likely`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from posixpath import dirname, join
from typing import Any, NamedTuple

from holdfast.analysis.graph.imports.layout import Layout, folder_and_ancestors, join_path
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, external_target
from holdfast.syntax.record import ImportedName, Record

_EXTENSIONS_TO_TRY = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_SOURCE_EXTENSIONS = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}
"""The extensions of the TypeScript that each extension may be compiled from."""
_BUILD_FOLDERS = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "es"})
_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node", "browser")
"""Conditions of `exports` and `imports`, in the order in which they are tried: source code first."""
_MAX_EXTENDED_CONFIGS = 8
"""How many `extends` of a tsconfig are followed: a judgement. Real chains are shorter, and a cycle ends."""


class _PathMapping(NamedTuple):
    """The module mapping of a tsconfig."""

    base: str
    """The folder that the paths are relative to."""
    patterns: dict[str, list[str]]
    """`paths`: for each pattern of module names, the paths to try."""
    has_base_url: bool
    """Whether other module names are relative to the base folder, too."""


class JavaScriptModules(ImportResolver):
    """Resolves JavaScript and TypeScript imports."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._compiler_configs = {
            dirname(path): path
            for name in ("jsconfig.json", "tsconfig.base.json", "tsconfig.json")
            for path in layout.settings(name)
        }
        """The compiler settings in each folder; tsconfig.json is preferred."""
        self._path_mapping = cache(self._read_path_mapping)
        self._manifests: dict[str, dict[str, Any]] = {}
        """The package.json in each folder."""
        self._packages: dict[str, str] = {}
        """The folder of each package of the workspace, by its name."""
        for path in layout.settings("package.json"):
            manifest = self._manifests[dirname(path)] = layout.json(path)
            if isinstance(name := manifest.get("name"), str):
                self._packages.setdefault(name, dirname(path))
        self._resolve_module = cache(self._find_module)

    def interface(self, _path: str, _record: Record, /) -> object:
        """Return nothing: only the paths of files and settings matter."""

    def resolve(self, path: str, imported: ImportedName) -> Target:
        target = self._resolve_module(dirname(path), imported.module)
        return target._replace(symbol=imported.name) if target.files else target

    def _find_module(self, folder: str, module: str) -> Target:
        module = module.partition("?")[0]
        if module.startswith((".", "/")):
            file = self._find_file(join_path(folder, module.lstrip("/") if module[0] == "/" else module))
            return Target((file,), certainty="exact") if file else UNRESOLVED
        target = (
            self._resolve_mapped(folder, module)
            or self._resolve_subpath(folder, module)
            or self._resolve_workspace_package(module)
        )
        return target or external_target(_package_name(module))

    def _find_file(self, path: str) -> str | None:
        """Return the file for a module path: exact, with an extension added, or a folder's index file."""
        sources = self._layout.records
        if path in sources:
            return path
        stem, dot, extension = path.rpartition(".")
        candidates = [stem + other for other in _SOURCE_EXTENSIONS.get(dot + extension, ())]
        candidates += [path + other for other in _EXTENSIONS_TO_TRY]
        candidates += [join(path, "index" + other) for other in _EXTENSIONS_TO_TRY]
        for candidate in candidates:
            if candidate in sources:
                return candidate
        return path if path in self._layout.others else None

    def _resolve_mapped(self, folder: str, module: str) -> Target | None:
        """Resolve a module through `paths` and `baseUrl` of the nearest compiler settings."""
        home = next((home for home in folder_and_ancestors(folder) if home in self._compiler_configs), None)
        if home is None:
            return None
        mapping = self._path_mapping(self._compiler_configs[home])
        candidates = []
        for pattern in sorted(mapping.patterns, key=lambda text: -len(text.partition("*")[0])):
            wildcard = _match_wildcard(pattern, module)
            if wildcard is not None:
                candidates += [path.replace("*", wildcard) for path in mapping.patterns[pattern]]
        if mapping.has_base_url:
            candidates.append(module)
        for candidate in candidates:
            if file := self._find_file(join_path(mapping.base, candidate)):
                return Target((file,), certainty="exact")
        return None

    def _read_path_mapping(self, config: str) -> _PathMapping:
        """Return the mapping of a tsconfig, or of the first one it extends that has any."""
        for _ in range(_MAX_EXTENDED_CONFIGS):
            settings = self._layout.json(config)
            options = settings.get("compilerOptions")
            if isinstance(options, dict):
                base, paths = options.get("baseUrl"), options.get("paths")
                if isinstance(base, str) or isinstance(paths, dict):
                    base_folder = join_path(dirname(config), base if isinstance(base, str) else "")
                    patterns = _lists_of_texts(paths) if isinstance(paths, dict) else {}
                    return _PathMapping(base_folder, patterns, isinstance(base, str))
            extended = settings.get("extends")
            if not isinstance(extended, str) or not extended.startswith("."):
                break
            config = join_path(
                dirname(config), extended if extended.endswith(".json") else extended + ".json"
            )
        return _PathMapping("", {}, False)

    def _resolve_subpath(self, folder: str, module: str) -> Target | None:
        """Resolve a subpath import, which starts with `#`, in the `imports` of the file's package."""
        if not module.startswith("#"):
            return None
        home = next((home for home in folder_and_ancestors(folder) if home in self._manifests), None)
        if home is None:
            return None
        paths = _listed_paths(self._manifests[home].get("imports"), module)
        return self._first_existing(home, paths) or UNRESOLVED

    def _resolve_workspace_package(self, module: str) -> Target | None:
        name = _package_name(module)
        home = self._packages.get(name)
        if home is None:
            return None
        manifest, subpath = self._manifests[home], "." + module[len(name) :]
        paths: list[Any] = list(_listed_paths(manifest.get("exports"), subpath))
        if subpath == ".":
            paths += [manifest[key] for key in ("source", "types", "module", "main") if key in manifest]
            paths += ["src/index", "index"]
        return self._first_existing(home, [*paths, subpath, join("src", subpath)]) or UNRESOLVED

    def _first_existing(self, home: str, paths: Iterable[Any]) -> Target | None:
        """Return the first of a package's paths that exists, or the source it is built from."""
        for path in paths:
            if not isinstance(path, str):
                continue
            if file := self._find_file(join_path(home, path)):
                return Target((file,), certainty="exact")
            parts = [part for part in path.split("/") if part != "."]
            while parts and parts[0] in _BUILD_FOLDERS:
                parts = parts[1:]
                stem = "/".join(parts).removesuffix(".d.ts").removesuffix(".js")
                for folder in (join_path(home, "src"), home):
                    if file := self._find_file(join_path(folder, stem)):
                        return Target((file,), certainty="likely")
        return None


def _match_wildcard(pattern: str, text: str) -> str | None:
    """Return what the `*` of a pattern stands for, "" if it has none; None if the pattern does not match."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if text == pattern else None
    if text.startswith(head) and text.endswith(tail):
        return text[len(head) : len(text) - len(tail)]
    return None


def _lists_of_texts(table: dict[Any, Any]) -> dict[str, list[str]]:
    return {
        str(key): [item for item in value if isinstance(item, str)]
        for key, value in table.items()
        if isinstance(value, list)
    }


def _package_name(module: str) -> str:
    """Return the package name of a module path: two parts if it is scoped."""
    parts = module.split("/")
    return "/".join(parts[:2]) if module.startswith("@") else parts[0]


def _listed_paths(table: Any, name: str) -> Iterator[str]:
    """Yield the paths for a name in an `exports` or `imports` table, under all conditions."""
    if isinstance(table, str):
        table = {".": table}
    if not isinstance(table, dict):
        return
    if not any(key[:1] in ".#" for key in table):
        table = {".": table}  # the conditions of the package itself
    for key, value in table.items():
        wildcard = _match_wildcard(key, name)
        if wildcard is not None:
            yield from (path.replace("*", wildcard) for path in _conditional_paths(value))


def _conditional_paths(value: Any) -> Iterator[str]:
    """Yield the paths in a value: a text, a list of alternatives, or a table by condition."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _conditional_paths(item)
    elif isinstance(value, dict):
        for condition in sorted(value, key=lambda key: _CONDITIONS.index(key) if key in _CONDITIONS else 99):
            yield from _conditional_paths(value[condition])

"""JavaScript and TypeScript modules: relative paths, `paths` of tsconfig, packages of a workspace.

Extensions and index files are tried as bundlers do; `.js` also finds the `.ts` it is compiled from. If the
`exports` or `main` of a package names build output, its source is searched for, with certainty `likely`.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join
from typing import Any

from holdfast.analysis.graph.imports.layout import Layout, below, upwards
from holdfast.analysis.graph.imports.target import UNRESOLVED, ImportResolver, Target, outside
from holdfast.syntax.record import ImportedName

_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_COMPILED = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_BUILT = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "es"})
_CONDITIONS = ("source", "types", "import", "module", "default", "require", "node", "browser")
_EXTENDED = 8
"""How many `extends` of a tsconfig are followed; a judgement that also ends cycles."""


class JavaScriptModules(ImportResolver):
    """Resolves JavaScript and TypeScript imports."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._compilers = {
            dirname(path): path
            for name in ("jsconfig.json", "tsconfig.base.json", "tsconfig.json")
            for path in layout.settings(name)
        }
        self._paths: dict[str, tuple[str, dict[str, list[str]], bool]] = {}
        self._manifests: dict[str, dict[str, Any]] = {}
        self._packages: dict[str, str] = {}
        for path in layout.settings("package.json"):
            manifest = self._manifests[dirname(path)] = layout.json(path)
            if isinstance(name := manifest.get("name"), str):
                self._packages.setdefault(name, dirname(path))
        self._known: dict[tuple[str, str], Target] = {}

    def resolve(self, path: str, imported: ImportedName) -> Target:
        """Resolve an import."""
        key = (dirname(path), imported.module)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(*key)
        return found._replace(symbol=imported.name) if found.files else found

    def _resolve(self, folder: str, module: str) -> Target:
        module = module.partition("?")[0]
        if module.startswith((".", "/")):
            found = self._file(below(folder, module.lstrip("/") if module[0] == "/" else module))
            return Target((found,), "", "", "exact") if found else UNRESOLVED
        mapped = self._by_paths(folder, module) or self._own(folder, module) or self._by_package(module)
        return mapped or outside(_package_name(module))

    def _file(self, place: str) -> str | None:
        """Return the file for a module path: exact, with an extension added, or a folder's index file."""
        known = self._layout.records
        if place in known:
            return place
        stem, dot, extension = place.rpartition(".")
        candidates = [stem + other for other in _COMPILED.get(dot + extension, ())]
        candidates += [place + other for other in _EXTENSIONS]
        candidates += [join(place, "index" + other) for other in _EXTENSIONS]
        found = next((candidate for candidate in candidates if candidate in known), None)
        return found or (place if place in self._layout.others else None)

    def _by_paths(self, folder: str, module: str) -> Target | None:
        """Resolve a module through `paths` and `baseUrl` of the nearest compiler settings."""
        place = next((home for home in upwards(folder) if home in self._compilers), None)
        if place is None:
            return None
        if place not in self._paths:
            self._paths[place] = self._compiler_paths(self._compilers[place])
        base, paths, based = self._paths[place]
        for pattern in sorted(paths, key=lambda text: -len(text.partition("*")[0])):
            head, star, tail = pattern.partition("*")
            fits = module.startswith(head) and module.endswith(tail) if star else module == pattern
            middle = module[len(head) : len(module) - len(tail)] if star else ""
            for goal in paths[pattern] if fits else ():
                if found := self._file(below(base, goal.replace("*", middle))):
                    return Target((found,), "", "", "exact")
        found = self._file(below(base, module)) if based else None
        return Target((found,), "", "", "exact") if found else None

    def _compiler_paths(self, path: str) -> tuple[str, dict[str, list[str]], bool]:
        """Return the base folder, `paths`, and whether bare names are relative to the base folder."""
        for _ in range(_EXTENDED):
            settings = self._layout.json(path)
            options = settings.get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            base, paths = options.get("baseUrl"), options.get("paths")
            if isinstance(base, str) or isinstance(paths, dict):
                mappings = {
                    str(key): [goal for goal in value if isinstance(goal, str)]
                    for key, value in (paths if isinstance(paths, dict) else {}).items()
                    if isinstance(value, list)
                }
                return (
                    below(dirname(path), base if isinstance(base, str) else ""),
                    mappings,
                    isinstance(base, str),
                )
            extended = settings.get("extends")
            if not isinstance(extended, str) or not extended.startswith("."):
                break
            path = below(dirname(path), extended if extended.endswith(".json") else extended + ".json")
        return "", {}, False

    def _own(self, folder: str, module: str) -> Target | None:
        """Resolve a subpath import, which begins with `#`, in the `imports` of the file's own package."""
        if not module.startswith("#"):
            return None
        home = next((home for home in upwards(folder) if home in self._manifests), None)
        if home is None:
            return None
        return self._first(home, _goals(self._manifests[home].get("imports"), module)) or UNRESOLVED

    def _by_package(self, module: str) -> Target | None:
        """Resolve a module of a package in the same workspace."""
        name = _package_name(module)
        home = self._packages.get(name)
        if home is None:
            return None
        manifest, inner = self._manifests[home], "." + module[len(name) :]
        goals = list(_goals(manifest.get("exports"), inner))
        if inner == ".":
            goals += [manifest[key] for key in ("source", "types", "module", "main") if key in manifest]
            goals += ["src/index", "index"]
        return self._first(home, iter([*goals, inner, join("src", inner)])) or UNRESOLVED

    def _first(self, home: str, goals: Iterator[Any]) -> Target | None:
        """Return the first of a package's paths that exists, or the source it is built from."""
        for goal in goals:
            if not isinstance(goal, str):
                continue
            if found := self._file(below(home, goal)):
                return Target((found,), "", "", "exact")
            parts = [part for part in goal.split("/") if part != "."]
            while parts and parts[0] in _BUILT:
                parts = parts[1:]
                stem = "/".join(parts).removesuffix(".d.ts").removesuffix(".js")
                if found := self._file(below(home, "src", stem)) or self._file(below(home, stem)):
                    return Target((found,), "", "", "likely")
        return None


def _package_name(module: str) -> str:
    """Return the package name of a module path: two parts if it is scoped."""
    parts = module.split("/")
    return "/".join(parts[:2]) if module.startswith("@") else parts[0]


def _goals(table: Any, name: str) -> Iterator[Any]:
    """Yield the paths for a name in an `exports` or `imports` table, under all conditions."""
    if isinstance(table, str) or (isinstance(table, dict) and not any(key[:1] in ".#" for key in table)):
        table = {".": table}
    for key, value in table.items() if isinstance(table, dict) else ():
        head, star, tail = key.partition("*")
        if key == name or (star and name.startswith(head) and name.endswith(tail)):
            middle = name[len(head) : len(name) - len(tail)] if star else ""
            yield from (goal.replace("*", middle) for goal in _conditional(value))


def _conditional(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _conditional(item)
    elif isinstance(value, dict):
        for condition in sorted(value, key=lambda key: _CONDITIONS.index(key) if key in _CONDITIONS else 99):
            yield from _conditional(value[condition])

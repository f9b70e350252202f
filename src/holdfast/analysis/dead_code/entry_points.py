"""The entry points and published files that a project's configuration declares.

- `pyproject.toml`, `setup.cfg` and similar files declare entry points as `package.module:function`.
- `package.json` lists the files that other packages import, and those that its scripts run.
- A Python project with a build configuration counts as published: other projects may import its modules.

For example, `holdfast = "holdfast.cli:main"` makes `main` in `holdfast/cli.py` a root.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath, splitext
from typing import Any

from holdfast.analysis.graph.imports.layout import Layout

_OBJECT = re.compile(r"(?<![\w./])([A-Za-z_][\w.]*):([A-Za-z_]\w*)(?![\w/])")
_DECLARING = re.compile(
    r"(^|/)(pyproject\.toml|setup\.cfg|tox\.ini|Procfile|[^/]*Dockerfile[^/]*|[^/]*\.ya?ml)$"
)
_BUILT = re.compile(r"^(\./)?(dist|build|lib|out|esm|cjs|es|umd|target|types)/")
_SUFFIX = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")
_FILE_KEYS = ("main", "module", "types", "typings", "browser", "exports", "bin", "scripts")
_STEMS = ("index", "src/index", "src/main", "main", "mod", "src/mod", "src/lib", "server", "app", "cli")


@dataclass(frozen=True)
class EntryPoints:
    """The declared entry points of a project."""

    functions: frozenset[tuple[str, str]] = frozenset()
    """Module and name, as in `package.module:function`."""
    published: tuple[str, ...] = ()
    """Folders of Python projects that have a build configuration."""
    package_files: frozenset[str] = frozenset()
    """JavaScript and TypeScript files that a `package.json` exposes."""

    def is_published(self, path: str) -> bool:
        """Return whether a Python file belongs to a published project."""
        return any(not folder or path.startswith(f"{folder}/") for folder in self.published)


def entry_points(layout: Layout) -> EntryPoints:
    """Read the entry points from the configuration files of a project."""
    functions: set[tuple[str, str]] = set()
    published = {dirname(path) for path in layout.with_suffix("setup.py")}
    package_files: set[str] = set()
    for path in layout.with_suffix("setup.py"):
        functions.update(_OBJECT.findall(layout.text(path) or ""))
    for path in sorted(layout.others):
        if _DECLARING.search(path):
            text = layout.text(path) or ""
            functions.update(_OBJECT.findall(text))
            if _is_built(layout, path, text):
                published.add(dirname(path))
        elif basename(path) == "package.json":
            package_files.update(_package_files(layout, path))
    return EntryPoints(frozenset(functions), tuple(sorted(published)), frozenset(package_files))


def _is_built(layout: Layout, path: str, text: str) -> bool:
    if basename(path) != "pyproject.toml":
        return basename(path) == "setup.cfg" and "[metadata]" in text
    settings = layout.toml(path)
    return "build-system" in settings and ("project" in settings or "poetry" in settings.get("tool", {}))


def _package_files(layout: Layout, path: str) -> Iterator[str]:
    """Yield the source files behind the (possibly built) files that `package.json` names."""
    settings, folder = layout.json(path), dirname(path)
    named = [word for key in _FILE_KEYS for word in _strings(settings.get(key))]
    for name in (*named, *_STEMS):
        stem = _SUFFIX.sub("", _BUILT.sub("", name))
        for place in (stem, f"src/{stem}", f"{stem}/index", f"src/{stem}/index"):
            near = normpath(join(folder, place))
            yield from (file for file in layout.by_folder.get(dirname(near), ()) if splitext(file)[0] == near)


def _strings(value: Any) -> Iterator[str]:
    """Yield the words of all strings in a JSON value."""
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)

"""What the settings of a project say about where it begins and what it offers others.

- `pyproject.toml`, `setup.cfg` and the like name functions to begin with as `package.module:function`.
- `package.json` names the files that other packages get, and those that its scripts run.
- A Python project that says how to build it is published: other projects may import its modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath, splitext
from typing import Any

from holdfast.analysis.graph.imports.layout import Layout

_OBJECT = re.compile(r"(?<![\w./])([A-Za-z_][\w.]*):([A-Za-z_]\w*)(?![\w/])")
_NAMING = re.compile(
    r"(^|/)(pyproject\.toml|setup\.cfg|tox\.ini|Procfile|[^/]*Dockerfile[^/]*|[^/]*\.ya?ml)$"
)
_BUILT = re.compile(r"^(\./)?(dist|build|lib|out|esm|cjs|es|umd|target|types)/")
_SUFFIX = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")
_OFFERS = ("main", "module", "types", "typings", "browser", "exports", "bin", "scripts")
_USUAL = ("index", "src/index", "src/main", "main", "mod", "src/mod", "src/lib", "server", "app", "cli")


@dataclass(frozen=True)
class EntryPoints:
    """Where a project begins, as its settings say."""

    functions: frozenset[tuple[str, str]] = frozenset()
    """Module and name, as in `package.module:function`."""
    published: tuple[str, ...] = ()
    """Folders of Python projects that are built for others."""
    interfaces: frozenset[str] = frozenset()
    """Script files that make up what a package offers."""

    def is_published(self, path: str) -> bool:
        """Return whether a Python file is in a project that is built for others."""
        return any(not folder or path.startswith(f"{folder}/") for folder in self.published)


def entry_points(layout: Layout) -> EntryPoints:
    """Return what the settings among the other files say."""
    functions: set[tuple[str, str]] = set()
    published = {dirname(path) for path in layout.with_suffix("setup.py")}
    interfaces: set[str] = set()
    for path in layout.with_suffix("setup.py"):
        functions.update(_OBJECT.findall(layout.text(path) or ""))
    for path in sorted(layout.others):
        if _NAMING.search(path):
            text = layout.text(path) or ""
            functions.update(_OBJECT.findall(text))
            if _is_built(layout, path, text):
                published.add(dirname(path))
        elif basename(path) == "package.json":
            interfaces.update(_interfaces(layout, path))
    return EntryPoints(frozenset(functions), tuple(sorted(published)), frozenset(interfaces))


def _is_built(layout: Layout, path: str, text: str) -> bool:
    if basename(path) != "pyproject.toml":
        return basename(path) == "setup.cfg" and "[metadata]" in text
    settings = layout.toml(path)
    return "build-system" in settings and ("project" in settings or "poetry" in settings.get("tool", {}))


def _interfaces(layout: Layout, path: str) -> Iterator[str]:
    """Yield the source files that the parts of `package.json` mean, whatever they are built into."""
    settings, folder = layout.json(path), dirname(path)
    named = [word for key in _OFFERS for word in _words(settings.get(key))]
    for name in (*named, *_USUAL):
        stem = _SUFFIX.sub("", _BUILT.sub("", name))
        for place in (stem, f"src/{stem}", f"{stem}/index", f"src/{stem}/index"):
            near = normpath(join(folder, place))
            yield from (file for file in layout.by_folder.get(dirname(near), ()) if splitext(file)[0] == near)


def _words(value: Any) -> Iterator[str]:
    """Yield the words of all texts in a part of the settings."""
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _words(inner)

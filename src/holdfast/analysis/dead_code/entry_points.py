"""The entry points and published files that a project's configuration declares.

- `pyproject.toml`, `setup.cfg` and similar files declare entry points as `package.module:function`.
- `package.json` lists the files that other packages import, and those that its scripts run.
- A Python project with a build configuration is treated as published: other projects may import its modules.

For example, `holdfast = "holdfast.cli:main"` makes `main` in `holdfast/cli.py` a root.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, dirname, join, normpath, splitext
from typing import Any

from holdfast.analysis.graph.imports.layout import Layout

_OBJECT_REFERENCE = re.compile(r"(?<![\w./])([A-Za-z_][\w.]*):([A-Za-z_]\w*)(?![\w/])")
_CONFIGURATION_FILES = re.compile(
    r"(^|/)(pyproject\.toml|setup\.cfg|tox\.ini|Procfile|[^/]*Dockerfile[^/]*|[^/]*\.ya?ml)$"
)
_BUILD_FOLDER = re.compile(r"^(\./)?(dist|build|lib|out|esm|cjs|es|umd|target|types)/")
_EXTENSION = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")
_FILE_KEYS = ("main", "module", "types", "typings", "browser", "exports", "bin", "scripts")
"""Keys of `package.json` whose values contain file names."""
_DEFAULT_STEMS = ("index", "main", "mod", "src/lib", "server", "app", "cli")
"""Files that are treated as named in every `package.json`: without extension, and also tried in `src`."""


@dataclass(frozen=True)
class EntryPoints:
    """The declared entry points of a project."""

    functions: frozenset[tuple[str, str]] = frozenset()
    """Module and name of each function, as in `package.module:function`."""
    published: tuple[str, ...] = ()
    """Folders of Python projects that have a build configuration."""
    package_files: frozenset[str] = frozenset()
    """JavaScript and TypeScript files that a `package.json` exposes."""

    def is_published(self, path: str) -> bool:
        return any(not folder or path.startswith(f"{folder}/") for folder in self.published)


def entry_points(layout: Layout) -> EntryPoints:
    """Read the entry points from the configuration files of a project."""
    setup_scripts = layout.with_suffix("setup.py")
    functions: set[tuple[str, str]] = set()
    published = {dirname(path) for path in setup_scripts}
    package_files: set[str] = set()
    for path in setup_scripts:
        functions.update(_OBJECT_REFERENCE.findall(layout.text(path) or ""))
    for path in sorted(layout.others):
        if _CONFIGURATION_FILES.search(path):
            text = layout.text(path) or ""
            functions.update(_OBJECT_REFERENCE.findall(text))
            if _has_build_configuration(layout, path, text):
                published.add(dirname(path))
        elif basename(path) == "package.json":
            package_files.update(_package_files(layout, path))
    return EntryPoints(frozenset(functions), tuple(sorted(published)), frozenset(package_files))


def _has_build_configuration(layout: Layout, path: str, text: str) -> bool:
    if basename(path) != "pyproject.toml":
        return basename(path) == "setup.cfg" and "[metadata]" in text
    settings = layout.toml(path)
    return "build-system" in settings and ("project" in settings or "poetry" in settings.get("tool", {}))


def _package_files(layout: Layout, path: str) -> Iterator[str]:
    """Yield the source files behind the (possibly built) files that `package.json` names."""
    settings, folder = layout.json(path), dirname(path)
    words = [word for key in _FILE_KEYS for word in _words_of_strings(settings.get(key))]
    for word in (*words, *_DEFAULT_STEMS):
        stem = _EXTENSION.sub("", _BUILD_FOLDER.sub("", word))
        for candidate in (stem, f"src/{stem}", f"{stem}/index", f"src/{stem}/index"):
            path_stem = normpath(join(folder, candidate))
            for file in layout.by_folder.get(dirname(path_stem), ()):
                if splitext(file)[0] == path_stem:
                    yield file


def _words_of_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, dict):
        for item in value.values():
            yield from _words_of_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words_of_strings(item)

"""Toolchains: names for groups of languages, by which tools select files, and the files that identify them in
a project."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.kernel.errors import InvalidArguments
from holdfast.syntax.languages import LANGUAGES

AUTO = "auto"
"""Stands for all languages."""
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
TOOLCHAINS = {
    "rust": frozenset({"rust"}),
    "deno": _SCRIPTS,
    "python-uv": frozenset({"python"}),
    "go": frozenset({"go"}),
    "node": _SCRIPTS,
} | {
    language.name: frozenset({language.name}) for language in LANGUAGES if language.name not in ("rust", "go")
}
TOOLCHAINS["typescript"] = frozenset({"typescript", "tsx"})
"""The languages of each toolchain; the name of a language is also the toolchain of that language alone."""

_TOOLCHAINS_BY_MARKER_FILE = {
    "Cargo.toml": "rust",
    "deno.json": "deno",
    "deno.jsonc": "deno",
    "pyproject.toml": "python-uv",
    "requirements.txt": "python-uv",
    "setup.py": "python-uv",
    "go.mod": "go",
    "package.json": "node",
}


def languages_of(toolchain: str) -> frozenset[str]:
    """Return the languages of a toolchain; the empty set stands for all languages."""
    if toolchain == AUTO:
        return frozenset()
    languages = TOOLCHAINS.get(toolchain)
    if languages is None:
        raise InvalidArguments(
            f"Unknown toolchain {toolchain!a}.", hint=f"Use one of: {', '.join((AUTO, *TOOLCHAINS))}."
        )
    return languages


def detect_toolchains(project: str, files: Iterable[str]) -> list[str]:
    """Return the toolchains that have a marker file in the project folder, sorted."""
    prefix = f"{project}/" if project else ""
    names = (path.removeprefix(prefix) for path in files)
    return sorted({_TOOLCHAINS_BY_MARKER_FILE[name] for name in names if name in _TOOLCHAINS_BY_MARKER_FILE})

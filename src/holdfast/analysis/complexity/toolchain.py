"""Toolchains: which languages a question about a project means."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.kernel.errors import InvalidArguments
from holdfast.syntax.languages import LANGUAGES

AUTO = "auto"
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

_MARKS = {
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
    """Return the languages of a toolchain; none, for all of them, where it is to be found out."""
    if toolchain == AUTO:
        return frozenset()
    found = TOOLCHAINS.get(toolchain)
    if found is None:
        raise InvalidArguments(
            f"There is no toolchain {toolchain!a}.", hint=f"Give one of: {', '.join((AUTO, *TOOLCHAINS))}."
        )
    return found


def detected(project: str, files: Iterable[str]) -> list[str]:
    """Return the toolchains whose files lie in a project's own folder, sorted."""
    prefix = f"{project}/" if project else ""
    return sorted({_MARKS[path[len(prefix) :]] for path in files if path.removeprefix(prefix) in _MARKS})

"""Which files a project has: candidates for reading, what is left out by name, and what is no source.

Contract: what is decided here follows from names, sizes and attributes alone; nothing is opened. A folder
that somebody names as the project is never left out for its own name, nor for those above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from posixpath import basename

from holdfast.analysis.records.reading import TOO_LARGE
from holdfast.analysis.records.source import GENERATED, MINIFIED, VENDORED, may_be_source
from holdfast.analysis.survey import Project, Skipped
from holdfast.kernel.errors import InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import printable_path
from holdfast.storage.files.globs import matcher
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.project_files import FileStat
from holdfast.syntax.languages import language_of

UNUSUAL_NAME = "unusual name"

_VENDORED_FOLDERS = frozenset((
    "node_modules", "bower_components", "jspm_packages", "vendor", "_vendor", "vendored", "third_party",
    "third-party", "thirdparty", "site-packages", "dist-packages", "venv", ".venv", "Pods", "Carthage",
    ".yarn",
))  # fmt: skip
_MINIFIED_NAME = re.compile(r".*[.-]min\.\w+")
_GENERATED_NAME = re.compile(
    r".*(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.pb-c\.[ch]|_grpc\.pb\.go|\.g\.cs|\.designer\.cs"
    r"|\.generated\.\w+|_generated\.(?:go|rs|ts|js|py)|\.gen\.\w+|_string\.go|zz_generated\..*)",
    re.IGNORECASE,
)
_HEADER = ".h"
_NAME = r"[A-Za-z0-9_](?:[\w@+=.-]*[\w@+=-])?"
_ORDINARY = re.compile(rf"(?:{_NAME}/)*{_NAME}", re.ASCII)


@dataclass
class Discovered:
    """The files of a project, by what is to be done with them."""

    candidates: dict[str, FileStat] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def selected(project: Project, paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths that the project's own rules take in: its folder, its patterns and its depth."""
    prefix = f"{project.path}/" if project.path else ""
    included = _either(project.include, prefix) if project.include else None
    excluded = _either(project.exclude, prefix) if project.exclude else None
    for path in paths:
        if not path.startswith(prefix) and path != project.path:
            continue
        if project.languages and not _may_be_in(project.languages, path):
            continue
        if project.max_depth is not None and path.count("/", len(prefix)) > project.max_depth:
            continue
        if (included is None or included(path)) and (excluded is None or not excluded(path)):
            yield path


def sort_out(
    project: Project, seen: Mapping[str, FileStat | str], attributes: Mapping[str, str]
) -> Discovered:
    """Return what is to be read, what is skipped and what is no source, each in order of the paths."""
    found = Discovered()
    for path, sight in seen.items():
        is_source = may_be_source(path)
        if is_source and (reason := _reason(project, path, sight, attributes)) is not None:
            found.skipped.append(Skipped(printable_path(path), reason))
        elif is_source or (is_source is None and isinstance(sight, FileStat) and _is_nameable(path)):
            assert isinstance(sight, FileStat)
            found.candidates[path] = sight
        elif isinstance(sight, FileStat) and _is_nameable(path):
            found.others.append(path)
    return found


def _reason(project: Project, path: str, sight: FileStat | str, attributes: Mapping[str, str]) -> str | None:
    if isinstance(sight, str):
        return sight
    name = basename(path)
    below = path[len(project.path) :].split("/")[:-1]
    if not _is_nameable(path):
        return UNUSUAL_NAME
    if not _VENDORED_FOLDERS.isdisjoint(below):
        return VENDORED
    if (said := attributes.get(path)) is not None:
        return said
    if _MINIFIED_NAME.fullmatch(name):
        return MINIFIED
    if _GENERATED_NAME.fullmatch(name):
        return GENERATED
    return TOO_LARGE if sight.size > LIMITS.source_file_bytes else None


def _may_be_in(languages: frozenset[str], path: str) -> bool:
    """Tell by its name whether a file may be in one of the languages, or is no source at all."""
    language = None if path.endswith(_HEADER) else language_of(path)
    return language is None or language.name in languages


def _is_nameable(path: str) -> bool:
    if len(path) <= LIMITS.path_segment_bytes and _ORDINARY.fullmatch(path):
        return True  # what nearly all are is told without taking them apart
    try:
        RepoPath.parse(path)
    except InvalidPath:
        return False
    return True


def _either(patterns: tuple[str, ...], prefix: str) -> Callable[[str], bool]:
    """Match a path from the project's folder on, or from the root: results show the latter."""
    matches = matcher(patterns)
    return lambda path: matches(path[len(prefix) :]) or (bool(prefix) and matches(path))

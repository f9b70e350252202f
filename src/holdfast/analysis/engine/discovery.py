"""Classifies the files of a project: files to read, files skipped by name or git attribute, and files that
are no source.

Contract: decisions depend on names, sizes and git attributes alone; no file is opened. A folder that is given
as the project is analysed, even if its own name or that of a parent would exclude it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import basename

from holdfast.analysis.engine.file_reader import TOO_LARGE
from holdfast.analysis.engine.scan import Project, Skipped
from holdfast.analysis.engine.source_text import GENERATED, MINIFIED, VENDORED, may_be_source
from holdfast.kernel.errors import InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import printable_path
from holdfast.storage.files.globs import matcher
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.project_files import FileStat
from holdfast.syntax.languages import language_of

UNUSUAL_NAME = "unusual name"
"""The reason to skip a file with a name that results cannot show or tools cannot take, such as one with
control characters."""

# The conventions of package managers and code generators, which usually leave out `linguist-` attributes.
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
_AMBIGUOUS_EXTENSION = ".h"
"""The extension of headers of C and of C++: only the content decides the language."""


@dataclass
class Discovered:
    """The files of a project, classified."""

    candidates: dict[str, FileStat] = field(default_factory=dict)
    """The files to read, with their stats."""
    skipped: list[Skipped] = field(default_factory=list)
    other_files: list[str] = field(default_factory=list)
    """Files in no supported language."""


def select_paths(project: Project, paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths that the project's folder, patterns, depth and languages select."""
    prefix = f"{project.path}/" if project.path else ""
    is_included = _project_matcher(project.include, prefix) if project.include else None
    is_excluded = _project_matcher(project.exclude, prefix) if project.exclude else None
    for path in paths:
        if not path.startswith(prefix) and path != project.path:
            continue
        if project.languages and not _may_be_in(project.languages, path):
            continue
        if project.max_depth is not None and path.count("/", len(prefix)) > project.max_depth:
            continue
        if is_included is not None and not is_included(path):
            continue
        if is_excluded is None or not is_excluded(path):
            yield path


def classify_files(
    project: Project, stats: Mapping[str, FileStat | str], attributes: Mapping[str, str]
) -> Discovered:
    """Classify files, given the stat of each, or why it has none, and the files that git attributes exclude.

    A file that is no source and has no stat, or a name that tools cannot take, is left out.
    """
    discovered = Discovered()
    for path, stat in stats.items():
        is_source = may_be_source(path)
        if is_source and (reason := _reason_to_skip(project, path, stat, attributes)) is not None:
            discovered.skipped.append(Skipped(printable_path(path), reason))
        elif is_source or (is_source is None and isinstance(stat, FileStat) and _is_nameable(path)):
            assert isinstance(stat, FileStat)
            discovered.candidates[path] = stat
        elif isinstance(stat, FileStat) and _is_nameable(path):
            discovered.other_files.append(path)
    return discovered


def _reason_to_skip(
    project: Project, path: str, stat: FileStat | str, attributes: Mapping[str, str]
) -> str | None:
    if isinstance(stat, str):
        return stat
    name = basename(path)
    folders = path[len(project.path) :].split("/")[:-1]
    if not _is_nameable(path):
        return UNUSUAL_NAME
    if not _VENDORED_FOLDERS.isdisjoint(folders):
        return VENDORED
    if (excluded := attributes.get(path)) is not None:
        return excluded
    if _MINIFIED_NAME.fullmatch(name):
        return MINIFIED
    if _GENERATED_NAME.fullmatch(name):
        return GENERATED
    return TOO_LARGE if stat.size > LIMITS.source_file_bytes else None


def _may_be_in(languages: frozenset[str], path: str) -> bool:
    """Return whether a file's name allows one of the languages, or does not determine the language."""
    language = None if path.endswith(_AMBIGUOUS_EXTENSION) else language_of(path)
    return language is None or language.name in languages


@lru_cache(maxsize=65_536)
def _is_nameable(path: str) -> bool:
    """Return whether tools accept the path as an argument."""
    try:
        RepoPath.parse(path)
    except InvalidPath:
        return False
    return True


def _project_matcher(patterns: tuple[str, ...], prefix: str) -> Callable[[str], bool]:
    """Return a function that matches paths as they are from the project's folder, or from the root."""
    matches = matcher(patterns)
    return lambda path: matches(path[len(prefix) :]) or (bool(prefix) and matches(path))

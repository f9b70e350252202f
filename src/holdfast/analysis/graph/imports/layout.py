"""The files, folders and settings of a project, as needed to resolve imports.

Contract: a settings file that cannot be parsed is listed in `damaged` with the reason, and ignored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from functools import cache, cached_property
from posixpath import basename, commonpath, dirname, join, normpath
from typing import Any

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json, parse_toml
from holdfast.syntax.record import MODULE, Record

ReadOther = Callable[[str], str | None]
"""Returns the text of a file that is not source code, or None if it does not exist."""

_JSON_COMMENTS = re.compile(
    r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[\]}])', re.DOTALL
)
"""A string, which is kept, or a comment or trailing comma, which strict JSON does not allow."""


def join_path(folder: str, *parts: str) -> str:
    """Join and normalize a path relative to a folder; a path outside the root starts with `..`."""
    path = normpath(join(folder, *parts))
    return "" if path == "." else path


def folder_and_ancestors(folder: str) -> Iterator[str]:
    """Yield a folder and its ancestors, up to the root of the repository."""
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""


def top_level_names(record: Record) -> frozenset[str]:
    """Return the names that a file defines at the top level or in a namespace."""
    definitions = record.names.definitions
    outer = {MODULE, *(index for index, item in enumerate(definitions) if item.kind == "Namespace")}
    return frozenset(item.name for item in definitions if item.container in outer)


class Layout:
    """The files of a project, their folders and settings."""

    def __init__(
        self,
        records: Mapping[str, Record],
        others: Iterable[str],
        read_other: ReadOther,
        skipped: Iterable[str] = (),
    ) -> None:
        self.records = records
        self.others = frozenset(others)
        """The files that are not source code."""
        self.unparsed = self.others | frozenset(skipped)
        """The files that are not source code, or were not analysed, such as generated code."""
        self.damaged: dict[str, str] = {}
        """The settings files that could not be parsed, with the reason."""
        self._read_other = read_other
        self.top_level_names = cache(self._find_top_level_names)

    def files_in(self, *languages: str) -> list[str]:
        """Return the files in the given languages, in order."""
        return [path for path, record in self.records.items() if record.language in languages]

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """The source files by the folder that directly contains them."""
        return self._group_files(dirname)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        return self._group_files(basename)

    def _group_files(self, key: Callable[[str], str]) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = defaultdict(list)
        for path in self.records:
            groups[key(path)].append(path)
        return dict(groups)

    def with_suffix(self, suffix: str) -> list[str]:
        """Return the source files whose paths end with this path, at a folder boundary."""
        candidates = self.by_name.get(basename(suffix), [])
        return [path for path in candidates if path == suffix or path.endswith("/" + suffix)]

    def renewed(self, records: Mapping[str, Record]) -> Layout:
        """Return a layout of other contents of the same files, with the same settings."""
        layout = copy(self)
        layout.records = records
        layout.top_level_names = cache(layout._find_top_level_names)
        return layout

    def _find_top_level_names(self, path: str) -> frozenset[str]:
        return top_level_names(self.records[path])

    def settings(self, name: str) -> list[str]:
        """Return the settings files with a name, in the project and its parent folders."""
        paths = {path for path in self.others if basename(path) == name}
        folders = [dirname(path) for path in self.records]
        project = commonpath(folders) if folders and all(folders) else ""
        in_parents = [join(folder, name) for folder in folder_and_ancestors(project)]
        paths.update(path for path in in_parents if self.text(path))
        return sorted(paths)

    def text(self, path: str) -> str | None:
        """Return the text of a file that is not source code, or None."""
        return self._read_other(path)

    def json(self, path: str) -> dict[str, Any]:
        """Return a JSON document, which may have comments and trailing commas as tsconfig allows."""
        return self._parse(
            path, lambda text: parse_json(_JSON_COMMENTS.sub(lambda match: match[1] or "", text))
        )

    def toml(self, path: str) -> dict[str, Any]:
        return self._parse(path, parse_toml)

    def _parse(self, path: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        """Return the table in a settings file; empty if there is none."""
        text = self.text(path)
        if text is None:
            return {}
        try:
            document = parse(text)
        except UnreadableDocument as error:
            self.damaged[path] = str(error)
            return {}
        return document if isinstance(document, dict) else {}

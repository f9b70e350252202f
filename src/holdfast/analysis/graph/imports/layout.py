"""The files, folders and settings of a project, as needed to resolve imports.

Contract: a settings file that cannot be parsed is listed in `damaged` with the reason, and ignored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import basename, commonpath, dirname, join, normpath
from typing import Any

from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json, parse_toml
from holdfast.syntax.record import MODULE, Record

ReadOther = Callable[[str], str | None]
"""Returns the text of a file that is not source code, or None if it does not exist."""

_IN_JSON = re.compile(
    r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[\]}])', re.DOTALL
)


def below(folder: str, *parts: str) -> str:
    """Join and normalize a path relative to a folder; one outside the root begins with `..`."""
    found = normpath(join(folder, *parts))
    return "" if found == "." else found


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and its ancestors, up to the root of the repository."""
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""


class Layout:
    """The files of a project, their folders and settings."""

    def __init__(self, records: Mapping[str, Record], others: Iterable[str], read_other: ReadOther) -> None:
        self.records = records
        self.others = frozenset(others)
        self.damaged: dict[str, str] = {}
        self._read_other = read_other
        self._tops: dict[str, frozenset[str]] = {}

    def of(self, *languages: str) -> list[str]:
        """Return the files in the given languages, in order."""
        return [path for path, record in self.records.items() if record.language in languages]

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """The source files by the folder that directly contains them."""
        return self._grouped(dirname)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The source files by base name."""
        return self._grouped(basename)

    def _grouped(self, part: Callable[[str], str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.records:
            found[part(path)].append(path)
        return dict(found)

    def with_suffix(self, suffix: str) -> list[str]:
        """Return the source files whose paths end with this path, at a folder boundary."""
        named = self.by_name.get(basename(suffix), [])
        return [path for path in named if path == suffix or path.endswith("/" + suffix)]

    def top_names(self, path: str) -> frozenset[str]:
        """Return the names that a file defines at the top level."""
        found = self._tops.get(path)
        if found is None:
            definitions = self.records[path].names.definitions
            spaces = {index for index, item in enumerate(definitions) if item.kind == "Namespace"} | {MODULE}
            found = frozenset(item.name for item in definitions if item.container in spaces)
            self._tops[path] = found
        return found

    def settings(self, name: str) -> list[str]:
        """Return the settings files with a name, in the project and its parent folders."""
        found = {path for path in self.others if basename(path) == name}
        folders = [dirname(path) for path in self.records]
        around = commonpath(folders) if folders and all(folders) else ""
        found.update(join(folder, name) for folder in upwards(around) if self.text(join(folder, name)))
        return sorted(found)

    def text(self, path: str) -> str | None:
        """Return the text of a file that is not source code, or None."""
        return self._read_other(path)

    def json(self, path: str) -> dict[str, Any]:
        """Return a JSON document, which may have comments and trailing commas as tsconfig allows."""
        return self._document(path, lambda text: parse_json(_IN_JSON.sub(lambda found: found[1] or "", text)))

    def toml(self, path: str) -> dict[str, Any]:
        """Return a TOML document."""
        return self._document(path, parse_toml)

    def _document(self, path: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        text = self.text(path)
        if text is None:
            return {}
        try:
            found = parse(text)
        except UnreadableDocument as error:
            self.damaged[path] = str(error)
            return {}
        return found if isinstance(found, dict) else {}

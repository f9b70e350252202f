"""The files of a project as imports look at them: folders, and the settings that say what names mean.

Contract: settings are read at most once, and one that cannot be read is in `damaged` with the reason; the
rest is resolved without it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import basename, commonpath, dirname, join, normpath
from typing import Any

from holdfast.storage.files.foreign_document import UnreadableDocument, json_of, toml_of
from holdfast.syntax.record import MODULE, Record

ReadOther = Callable[[str], str | None]
"""Returns the text of a file that is no source, or None where there is none."""

_IN_JSON = re.compile(
    r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[\]}])', re.DOTALL
)


def below(folder: str, *parts: str) -> str:
    """Return a path counted from a folder, in normal form; one out of the root begins with `..`."""
    found = normpath(join(folder, *parts))
    return "" if found == "." else found


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and all that hold it, the root of the repository last."""
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
        """Return the files in some languages, in order."""
        return [path for path, record in self.records.items() if record.language in languages]

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """The source files directly in each folder."""
        return self._grouped(dirname)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The source files by their last name."""
        return self._grouped(basename)

    def _grouped(self, part: Callable[[str], str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.records:
            found[part(path)].append(path)
        return dict(found)

    def with_suffix(self, suffix: str) -> list[str]:
        """Return the source files whose paths end with all of these names."""
        named = self.by_name.get(basename(suffix), [])
        return [path for path in named if path == suffix or path.endswith("/" + suffix)]

    def top_names(self, path: str) -> frozenset[str]:
        """Return what a file defines at its top."""
        found = self._tops.get(path)
        if found is None:
            all_of_it = self.records[path].names.definitions
            spaces = {index for index, item in enumerate(all_of_it) if item.kind == "Namespace"} | {MODULE}
            found = frozenset(item.name for item in all_of_it if item.container in spaces)
            self._tops[path] = found
        return found

    def settings(self, name: str) -> list[str]:
        """Return the settings files of a name in the project and in the folders around it."""
        found = {path for path in self.others if basename(path) == name}
        folders = [dirname(path) for path in self.records]
        around = commonpath(folders) if folders and all(folders) else ""
        found.update(join(folder, name) for folder in upwards(around) if self.text(join(folder, name)))
        return sorted(found)

    def text(self, path: str) -> str | None:
        """Return the text of a file that is no source, or None."""
        return self._read_other(path)

    def json(self, path: str) -> dict[str, Any]:
        """Return a JSON document, with the comments and commas that settings of TypeScript have."""
        return self._document(path, lambda text: json_of(_IN_JSON.sub(lambda found: found[1] or "", text)))

    def toml(self, path: str) -> dict[str, Any]:
        """Return a TOML document."""
        return self._document(path, toml_of)

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

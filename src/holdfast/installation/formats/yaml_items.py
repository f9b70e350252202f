"""Items of a list in a YAML file: the custom commands of lazygit.

The parser gives the positions of nodes; the text is edited by lines, which keeps comments and layout. The
result is parsed to verify that it differs only by our items.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from holdfast.installation.formats.entry import (
    CannotEdit,
    DamagedText,
    EntryState,
    line_at,
    lines_of,
    newline_of,
    terminated,
)
from holdfast.storage.files import foreign_document

_OURS = re.compile(r"""^(?:'[^']*/holdfast'|(?:\S*/)?holdfast)\s+send\s""")
_BLOCK_SCALARS = ("|", ">")


@dataclass(frozen=True)
class YamlItems:
    """The items of `snippet`, a document with only the list `name`."""

    name: str
    snippet: str
    stays_if_customised: bool = False

    def state(self, text: str) -> EntryState:
        """Return whether all items exist; a foreign command on one of the keys is refused."""
        present = self._entries(text)
        for node, item in present:
            if not _starts_holdfast(item) and self._has_our_key(item):
                raise CannotEdit(_line(node), f"{item['key']} runs another command in {item['context']!r}")
        if not any(self._is_ours(item) for _, item in present):
            return EntryState.ABSENT
        items = [item for _, item in present]
        return EntryState.PRESENT if all(item in items for item in self._wanted) else EntryState.CHANGED

    def added(self, text: str) -> str:
        """Return the text with the items after the existing ones."""
        _, node = self._list(text)
        newline = newline_of(text)
        wanted = [*(item for _, item in self._entries(text)), *self._wanted]
        if node is None:
            gap = newline if text.strip() else ""
            return self._verified(text, terminated(text) + gap + self.snippet.replace("\n", newline), wanted)
        lines = lines_of(terminated(text))
        at, column = self._insertion_point(node)
        if not _items(node):
            lines[at - 1] = _opened(lines[at - 1], node, newline)
        items = [f"{' ' * column}{line[2:]}" for line in lines_of(self.snippet)[1:]]
        lines[at:at] = [line.replace("\n", newline) for line in items]
        return self._verified(text, "".join(lines), wanted)

    def removed(self, text: str, original: str) -> str:
        """Return the text without our items, and without the list if it was created for them."""
        key, _ = self._list(text)
        lines: list[str | None] = list(lines_of(text))
        others = [item for _, item in self._entries(text) if not self._is_ours(item)]
        for node, item in self._entries(text):
            if self._is_ours(item):
                for index in range(node.start_mark.line, _last_line(node)):
                    lines[index] = None
        existed = self.name in (_data(original) or {})
        if not others:
            lines[_line(key) - 1] = _emptied(lines[_line(key) - 1] or "", key) if existed else None
        after = "".join(line for line in lines if line is not None)
        return self._verified(text, after, others if others or existed else None)

    @cached_property
    def _wanted(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = _data(self.snippet)[self.name]
        return items

    def _has_our_key(self, item: Any) -> bool:
        return any(_clashes(item, wanted) for wanted in self._wanted)

    def _is_ours(self, item: Any) -> bool:
        """Return whether an item is ours, even if edited; other keys may run Holdfast too."""
        return _starts_holdfast(item) and self._has_our_key(item)

    def _list(self, text: str) -> tuple[Any, Any]:
        """Return the nodes of the list's name and the list; null is an empty list."""
        node = _read(text, yaml.compose)
        if node is None:
            return None, None
        if not isinstance(node, yaml.MappingNode):
            raise CannotEdit(_line(node), "the document is not a mapping")
        key, found = next((pair for pair in node.value if pair[0].value == self.name), (None, None))
        if found is None or isinstance(found, yaml.SequenceNode) or found.tag.endswith(":null"):
            return key, found
        raise CannotEdit(_line(found), f"{self.name!r} is not a list")

    def _entries(self, text: str) -> list[tuple[Any, Any]]:
        """Return the items of the list, as nodes and as data."""
        _, node = self._list(text)
        return list(zip(_items(node), (_data(text) or {}).get(self.name) or [], strict=False))

    def _insertion_point(self, node: Any) -> tuple[int, int]:
        """Return the line after which to insert items, and their column."""
        if not _items(node):
            return _line(node), 2
        if node.flow_style:
            raise CannotEdit(_line(node), f"{self.name!r} is written in brackets")
        return _last_line(node), node.start_mark.column

    def _verified(self, before: str, after: str, items: list[Any] | None) -> str:
        """Return the new text if it differs from the old one only by the list items, or refuse."""
        wanted = {name: value for name, value in (_data(before) or {}).items() if name != self.name}
        if items is not None:
            wanted[self.name] = items
        try:
            is_safe = (_data(after) or {}) == wanted
        except (DamagedText, RecursionError):
            is_safe = False
        if not is_safe:
            raise CannotEdit(1, f"{self.name!r} is written in a way that cannot be edited safely")
        return after


def _data(text: str) -> Any:
    try:
        return foreign_document.check_limits(_read(text, yaml.load))
    except foreign_document.UnreadableDocument as error:
        raise DamagedText(1, str(error)) from None


def _read(text: str, read: Callable[..., Any]) -> Any:
    try:
        return read(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DamagedText(mark.line + 1 if mark else 1, error.problem or "it is not YAML") from None
    except yaml.reader.ReaderError as error:
        problem = "there is a character that YAML does not allow"
        raise DamagedText(line_at(text, error.position), problem) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise DamagedText(1, "it is not readable YAML") from None


def _items(node: Any) -> list[Any]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _starts_holdfast(item: Any) -> bool:
    return isinstance(item, dict) and bool(_OURS.match(str(item.get("command", ""))))


def _clashes(item: Any, wanted: dict[str, Any]) -> bool:
    if not isinstance(item, dict) or str(item.get("key")).lower() != wanted["key"]:
        return False
    return wanted["context"] in re.split(r"\s*,\s*", str(item.get("context")))


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _last_line(node: Any) -> int:
    """Return the last line of a node."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    if isinstance(node, yaml.ScalarNode) and node.style in _BLOCK_SCALARS:
        return int(node.end_mark.line)
    return int(node.end_mark.line) + 1


def _opened(line: str, node: Any, newline: str) -> str:
    """Return the line of an empty list, changed so that items can follow."""
    after = line[node.end_mark.column :].strip()
    return line[: node.start_mark.column].rstrip() + (f" {after}" if after else "") + newline


def _emptied(line: str, key: Any) -> str:
    """Return the line of a list's name with an empty list."""
    colon = line.index(":", key.end_mark.column) + 1
    return f"{line[:colon]} []{line[colon:]}"

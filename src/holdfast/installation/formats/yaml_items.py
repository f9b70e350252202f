"""Entries that are items of a list in a YAML file: the custom commands of lazygit.

The parser returns the positions of nodes; the text is edited line by line, which keeps comments and layout.
The result is parsed to verify that it differs only by Holdfast's items.
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
    end_with_newline,
    line_at,
    lines_of,
    newline_of,
)
from holdfast.storage.files import foreign_document

_HOLDFAST_COMMAND = re.compile(r"""^(?:'[^']*/holdfast'|(?:\S*/)?holdfast)\s+send\s""")
_INDENTATION_COLUMNS = 2
"""Of the items in the snippet, and in a list that was empty."""
_BLOCK_SCALARS = ("|", ">")


@dataclass(frozen=True)
class YamlItems:
    """The items of `snippet`, which is a document with only the list `name`."""

    name: str
    snippet: str
    stays_if_customised: bool = False

    def state(self, text: str) -> EntryState:
        """Return whether all items exist; refuse if another command has one of their keys."""
        entries = self._entries(text)
        for node, item in entries:
            if not _starts_holdfast(item) and self._has_holdfast_key(item):
                raise CannotEdit(_line(node), f"{item['key']} runs another command in {item['context']!r}")
        items = [item for _, item in entries]
        if not any(self._is_holdfast_item(item) for item in items):
            return EntryState.ABSENT
        is_complete = all(item in items for item in self._snippet_items)
        return EntryState.PRESENT if is_complete else EntryState.CHANGED

    def add(self, text: str) -> str:
        _, node = self._list(text)
        newline = newline_of(text)
        expected = [*(item for _, item in self._entries(text)), *self._snippet_items]
        if node is None:
            gap = newline if text.strip() else ""
            after = end_with_newline(text) + gap + self.snippet.replace("\n", newline)
            return self._verify(text, after, expected)
        lines = lines_of(end_with_newline(text))
        position, column = self._insertion_point(node)
        if not _items(node):
            lines[position - 1] = _open_empty_list(lines[position - 1], node, newline)
        items = [f"{' ' * column}{line[_INDENTATION_COLUMNS:]}" for line in lines_of(self.snippet)[1:]]
        lines[position:position] = [line.replace("\n", newline) for line in items]
        return self._verify(text, "".join(lines), expected)

    def remove(self, text: str, original: str) -> str:
        key, _ = self._list(text)
        lines: list[str | None] = list(lines_of(text))
        remaining = [item for _, item in self._entries(text) if not self._is_holdfast_item(item)]
        for node, item in self._entries(text):
            if self._is_holdfast_item(item):
                for index in range(node.start_mark.line, _last_line(node)):
                    lines[index] = None
        existed = self.name in (_data(original) or {})
        if not remaining:
            name_line = _line(key) - 1
            lines[name_line] = _empty_list(lines[name_line] or "", key) if existed else None
        after = "".join(line for line in lines if line is not None)
        return self._verify(text, after, remaining if remaining or existed else None)

    @cached_property
    def _snippet_items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = _data(self.snippet)[self.name]
        return items

    def _has_holdfast_key(self, item: Any) -> bool:
        return any(_has_same_key(item, holdfast_item) for holdfast_item in self._snippet_items)

    def _is_holdfast_item(self, item: Any) -> bool:
        """Return whether an item is one of the snippet's, even if edited; other keys may run Holdfast too."""
        return _starts_holdfast(item) and self._has_holdfast_key(item)

    def _list(self, text: str) -> tuple[Any, Any]:
        """Return the nodes of the list's name and of the list, or None for either; null is an empty list."""
        node = _read(text, yaml.compose)
        if node is None:
            return None, None
        if not isinstance(node, yaml.MappingNode):
            raise CannotEdit(_line(node), "the document is not a mapping")
        key, value = next((pair for pair in node.value if pair[0].value == self.name), (None, None))
        if value is None or isinstance(value, yaml.SequenceNode) or value.tag.endswith(":null"):
            return key, value
        raise CannotEdit(_line(value), f"{self.name!r} is not a list")

    def _entries(self, text: str) -> list[tuple[Any, Any]]:
        _, node = self._list(text)
        return list(zip(_items(node), (_data(text) or {}).get(self.name) or [], strict=False))

    def _insertion_point(self, node: Any) -> tuple[int, int]:
        if not _items(node):
            return _line(node), _INDENTATION_COLUMNS
        if node.flow_style:
            raise CannotEdit(_line(node), f"{self.name!r} is written in brackets")
        return _last_line(node), node.start_mark.column

    def _verify(self, before: str, after: str, items: list[Any] | None) -> str:
        """Return the new text if it differs from the old one only by the list items; refuse otherwise."""
        expected = {name: value for name, value in (_data(before) or {}).items() if name != self.name}
        if items is not None:
            expected[self.name] = items
        try:
            is_safe = (_data(after) or {}) == expected
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
    return isinstance(item, dict) and bool(_HOLDFAST_COMMAND.match(str(item.get("command", ""))))


def _has_same_key(item: Any, holdfast_item: dict[str, Any]) -> bool:
    if not isinstance(item, dict) or str(item.get("key")).lower() != holdfast_item["key"]:
        return False
    return holdfast_item["context"] in re.split(r"\s*,\s*", str(item.get("context")))


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _last_line(node: Any) -> int:
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    if isinstance(node, yaml.ScalarNode) and node.style in _BLOCK_SCALARS:
        return int(node.end_mark.line)
    return int(node.end_mark.line) + 1


def _open_empty_list(line: str, node: Any, newline: str) -> str:
    """Return the line of an empty list without its brackets, so that items can follow."""
    before = line[: node.start_mark.column].rstrip()
    comment = line[node.end_mark.column :].strip()
    return f"{before} {comment}{newline}" if comment else before + newline


def _empty_list(line: str, key: Any) -> str:
    """Return the line of a list's name with an empty list."""
    colon = line.index(":", key.end_mark.column) + 1
    return f"{line[:colon]} []{line[colon:]}"

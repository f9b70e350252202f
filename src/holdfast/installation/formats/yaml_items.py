"""Items of a list in a YAML file: the custom commands of lazygit.

The parser says where things stand; the text is edited by lines, so that comments and layout stay. What
comes out is parsed again and must differ from what went in by our items and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import yaml

from holdfast.installation.formats import part
from holdfast.installation.formats.part import DamagedText, EntryState, NoRoom, lines_of, newline_of
from holdfast.storage.files import foreign_document

_OURS = re.compile(r"""^(?:'[^']*/holdfast'|(?:\S*/)?holdfast)\s+send\s""")
_BLOCK_SCALARS = ("|", ">")


@dataclass(frozen=True)
class YamlItems:
    """The items of `snippet`, which is a document with nothing but the list `name`."""

    name: str
    snippet: str
    belongs_to_others_once_changed: bool = False

    def state(self, text: str) -> EntryState:
        """Return whether all items are there; a key that runs something else is refused."""
        present = self._entries(text)
        for node, item in present:
            if not _starts_holdfast(item) and self._is_in_our_place(item):
                raise NoRoom(_line(node), f"{item['key']} runs another command in {item['context']!r}")
        if not any(self._is_ours(item) for _, item in present):
            return EntryState.ABSENT
        items = [item for _, item in present]
        return EntryState.PRESENT if all(item in items for item in self._wanted) else EntryState.CHANGED

    def added(self, text: str) -> str:
        """Return the text with the items after those that are there."""
        _, node = self._list(text)
        newline = newline_of(text)
        wanted = [*(item for _, item in self._entries(text)), *self._wanted]
        if node is None:
            gap = newline if text.strip() else ""
            return self._proved(
                text, part.ending_with_newline(text) + gap + self.snippet.replace("\n", newline), wanted
            )
        lines = lines_of(part.ending_with_newline(text))
        at, column = self._place(node)
        if not _items(node):
            lines[at - 1] = _opened(lines[at - 1], node, newline)
        items = [f"{' ' * column}{line[2:]}" for line in lines_of(self.snippet)[1:]]
        lines[at:at] = [line.replace("\n", newline) for line in items]
        return self._proved(text, "".join(lines), wanted)

    def removed(self, text: str, original: str) -> str:
        """Return the text without our items, and without the list if it was made for them."""
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
        return self._proved(text, after, others if others or existed else None)

    @cached_property
    def _wanted(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = _data(self.snippet)[self.name]
        return items

    def _is_in_our_place(self, item: Any) -> bool:
        return any(_clashes(item, wanted) for wanted in self._wanted)

    def _is_ours(self, item: Any) -> bool:
        """Tell our items from others, be they written by hand; on other keys people send what they like."""
        return _starts_holdfast(item) and self._is_in_our_place(item)

    def _list(self, text: str) -> tuple[Any, Any]:
        """Return the nodes of the list's name and of the list; a null counts as an empty list."""
        node = _read(text, yaml.compose)
        if node is None:
            return None, None
        if not isinstance(node, yaml.MappingNode):
            raise NoRoom(_line(node), "the document is not a mapping")
        key, found = next((pair for pair in node.value if pair[0].value == self.name), (None, None))
        if found is None or isinstance(found, yaml.SequenceNode) or found.tag.endswith(":null"):
            return key, found
        raise NoRoom(_line(found), f"{self.name!r} is not a list")

    def _entries(self, text: str) -> list[tuple[Any, Any]]:
        """Return the items of the list, each as a node and as data."""
        _, node = self._list(text)
        return list(zip(_items(node), (_data(text) or {}).get(self.name) or [], strict=False))

    def _place(self, node: Any) -> tuple[int, int]:
        """Return the line after which, and the column at which, items go."""
        if not _items(node):
            return _line(node), 2
        if node.flow_style:
            raise NoRoom(_line(node), f"{self.name!r} is written in brackets")
        return _last_line(node), node.start_mark.column

    def _proved(self, before: str, after: str, items: list[Any] | None) -> str:
        """Return the new text if it says what the old one did, but for the items of the list."""
        wanted = {name: value for name, value in (_data(before) or {}).items() if name != self.name}
        if items is not None:
            wanted[self.name] = items
        try:
            sound = (_data(after) or {}) == wanted
        except (DamagedText, RecursionError):
            sound = False
        if not sound:
            raise NoRoom(1, f"{self.name!r} is written in a way that cannot be changed safely")
        return after


def _data(text: str) -> Any:
    try:
        return foreign_document.bounded(_read(text, yaml.load))
    except foreign_document.Unreadable as error:
        raise DamagedText(1, str(error)) from None


def _read(text: str, read: Callable[..., Any]) -> Any:
    try:
        return read(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise DamagedText(mark.line + 1 if mark else 1, error.problem or "it is not YAML") from None
    except yaml.reader.ReaderError as error:
        problem = "there is a character that YAML does not allow"
        raise DamagedText(part.line_at(text, error.position), problem) from None
    except (yaml.YAMLError, ValueError, RecursionError):
        raise DamagedText(1, "it is not YAML that can be read") from None


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
    """Return the last line that a node takes."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    if isinstance(node, yaml.ScalarNode) and node.style in _BLOCK_SCALARS:
        return int(node.end_mark.line)
    return int(node.end_mark.line) + 1


def _opened(line: str, node: Any, newline: str) -> str:
    """Return a line that gave an empty list, ready for items below it."""
    after = line[node.end_mark.column :].strip()
    return line[: node.start_mark.column].rstrip() + (f" {after}" if after else "") + newline


def _emptied(line: str, key: Any) -> str:
    """Return the line of a list's name, saying that the list is empty."""
    colon = line.index(":", key.end_mark.column) + 1
    return f"{line[:colon]} []{line[colon:]}"

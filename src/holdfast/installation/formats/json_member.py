"""A named entry of a JSON file, such as a server in `mcpServers`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.json_text import document, inserted, without
from holdfast.installation.formats.jsonc import Node, parse
from holdfast.installation.formats.part import State, Unsuitable, line_at, starts_holdfast


@dataclass(frozen=True)
class JsonMember:
    """`value` under `name`, inside objects named one after the other by `path`."""

    path: tuple[str, ...]
    name: str
    value: dict[str, Any]
    relaxed: bool = False
    belongs_to_others_once_changed: bool = False

    @property
    def snippet(self) -> str:
        """Return the entry in a document of its own."""
        return document(nested(self.path, {self.name: self.value}))

    def state(self, text: str) -> State:
        """Return whether the entry is there; one of that name that is not Holdfast's is refused."""
        container, missing = reached(text, self.path, relaxed=self.relaxed, objects=True)
        entry = None if container is None or missing else container.member(self.name)
        if entry is None:
            return State.ABSENT
        data = entry.node.data
        if not (isinstance(data, dict) and starts_holdfast(data.get("command"))):
            raise Unsuitable(line_at(text, entry.start), f"{self.name!r} is the name of another server there")
        return State.PRESENT if data == self.value else State.CHANGED

    def added(self, text: str) -> str:
        """Return the text with the entry as the last of its siblings."""
        container, missing = reached(text, self.path, relaxed=self.relaxed, objects=True)
        if container is None:
            return self.snippet
        if missing:
            value = nested(missing[1:], {self.name: self.value})
            return inserted(text, container, value, missing[0])
        return inserted(text, container, self.value, self.name)

    def removed(self, text: str, original: str) -> str:
        """Return the text without the entry, and without objects that were made for it."""
        container, _ = reached(text, self.path, relaxed=self.relaxed, objects=True)
        assert container is not None
        entry = container.member(self.name)
        assert entry is not None
        text = without(text, container, entry)
        return without_empty(text, original, self.path, relaxed=self.relaxed)


def nested(path: tuple[str, ...], value: Any) -> Any:
    """Return a value inside objects named by a path."""
    for name in reversed(path):
        value = {name: value}
    return value


def reached(
    text: str, path: tuple[str, ...], *, relaxed: bool, objects: bool
) -> tuple[Node | None, tuple[str, ...]]:
    """Return the innermost container of a path that exists, and the names that lead on from it.

    An empty text has no container at all. What stands in the way of the path is refused.
    """
    if not text.strip():
        return None, path
    node = parse(text, relaxed=relaxed)
    for index, name in enumerate(path):
        _demand(text, node, is_object=True, what="the document" if index == 0 else repr(path[index - 1]))
        entry = node.member(name)
        if entry is None:
            return node, path[index:]
        node = entry.node
    _demand(text, node, is_object=objects, what=repr(path[-1]) if path else "the document")
    return node, ()


def without_empty(text: str, original: str, path: tuple[str, ...], *, relaxed: bool) -> str:
    """Return a text without the containers of a path that are empty and were not there originally."""
    for depth in range(len(path), 0, -1):
        before, missing = _outline(original, path[:depth], relaxed=relaxed)
        parent = parse(text, relaxed=relaxed)
        for name in path[: depth - 1]:
            entry = parent.member(name)
            assert entry is not None
            parent = entry.node
        entry = parent.member(path[depth - 1])
        assert entry is not None
        inside = text[entry.node.start + 1 : entry.node.end - 1]
        if inside.strip() or (before is not None and not missing):
            return text
        text = without(text, parent, entry)
    return text


def _outline(original: str, path: tuple[str, ...], *, relaxed: bool) -> tuple[Node | None, tuple[str, ...]]:
    if not original.strip():
        return None, path
    node = parse(original, relaxed=relaxed)
    for index, name in enumerate(path):
        entry = node.member(name)
        if entry is None:
            return node, path[index:]
        node = entry.node
    return node, ()


def _demand(text: str, node: Node, *, is_object: bool, what: str) -> None:
    if node.entries is None or node.is_object != is_object:
        kind = "an object" if is_object else "a list"
        raise Unsuitable(line_at(text, node.start), f"{what} is not {kind}")

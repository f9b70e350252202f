"""A named entry of a JSON file, such as a server in `mcpServers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.installation.formats.json_text import document, inserted, without
from holdfast.installation.formats.jsonc import Node, parse
from holdfast.installation.formats.part import Part, State, Unsuitable, line_at, starts_holdfast


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
            after = inserted(text, container, nested(missing[1:], {self.name: self.value}), missing[0])
        else:
            after = inserted(text, container, self.value, self.name)
        return proved(self, text, after, State.PRESENT)

    def removed(self, text: str, original: str) -> str:
        """Return the text without the entry, and without objects that were made for it."""
        container, _ = reached(text, self.path, relaxed=self.relaxed, objects=True)
        assert container is not None
        entry = container.member(self.name)
        assert entry is not None
        after = without(text, container, entry)
        return proved(
            self, text, without_empty(after, original, self.path, relaxed=self.relaxed), State.ABSENT
        )

    def others(self, data: Any) -> Any:
        """Return what a document says beside the entry and the objects around it."""
        return pruned(
            data, self.path, lambda servers: {key: servers[key] for key in servers if key != self.name}
        )


class JsonPart(Part, Protocol):
    """An entry of a JSON file, which can tell what is not its own."""

    @property
    def relaxed(self) -> bool: ...

    def others(self, data: Any) -> Any: ...


def proved(part: JsonPart, before: str, after: str, state: State) -> str:
    """Return the new text if it differs from the old one by the entry alone."""
    old, new = (part.others(parse(text, relaxed=part.relaxed).data) for text in (before, after))
    if old != new or part.state(after) is not state:
        raise Unsuitable(1, "it is written in a way that cannot be changed safely")
    return after


def pruned(data: Any, path: tuple[str, ...], cleared: Callable[[Any], Any]) -> Any:
    """Return a value with the container at a path cleared, and dropped where that leaves nothing."""
    if not path:
        return cleared(data)
    if path[0] not in data:
        return data
    inside = pruned(data[path[0]], path[1:], cleared)
    return {
        name: inside if name == path[0] else value
        for name, value in data.items()
        if name != path[0] or inside
    }


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

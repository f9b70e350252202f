"""A named entry of a JSON file, such as a server in `mcpServers`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.jsonc import Node, document, inserted, parse, without
from holdfast.installation.formats.part import State, Unsuitable, line_at, starts_holdfast


class JsonEntry:
    """An entry of a JSON file: what adding it and taking it out have in common."""

    path: tuple[str, ...]
    """The names of the objects around it, from the outermost on."""
    relaxed: bool
    """Whether the file's reader knows comments."""

    @property
    def lone(self) -> Any:
        """Return the object or list that holds nothing but the entry."""
        raise NotImplementedError

    @property
    def snippet(self) -> str:
        """Return the entry in a document of its own."""
        return document(_nested(self.path, self.lone))

    def state(self, text: str) -> State:
        """Return whether the entry is there."""
        raise NotImplementedError

    def others(self, data: Any) -> Any:
        """Return what a document says beside the entry and what was made for it."""
        raise NotImplementedError

    def added(self, text: str) -> str:
        """Return the text with the entry as the last of its siblings."""
        container, missing = self.reached(text)
        if container is None:
            return self.snippet
        if missing:
            after = inserted(text, container, _nested(missing[1:], self.lone), missing[0])
        elif isinstance(self.lone, dict):
            [(name, value)] = self.lone.items()
            after = inserted(text, container, value, name)
        else:
            after = inserted(text, container, *self.lone)
        return self._proved(text, after, State.PRESENT)

    def reached(self, text: str) -> tuple[Node | None, tuple[str, ...]]:
        """Return the innermost container of the path that exists, and the names that lead on from it.

        An empty text has no container at all. What stands in the way of the path is refused.
        """
        path = self.path
        if not text.strip():
            return None, path
        node = parse(text, relaxed=self.relaxed)
        for index, name in enumerate(path):
            _demand(text, node, is_object=True, what="the document" if index == 0 else repr(path[index - 1]))
            entry = node.member(name)
            if entry is None:
                return node, path[index:]
            node = entry.node
        is_object = isinstance(self.lone, dict)
        _demand(text, node, is_object=is_object, what=repr(path[-1]) if path else "the document")
        return node, ()

    def tidied(self, text: str, after: str, original: str) -> str:
        """Return a text without the entry and without what was made for it, given one without the entry."""
        return self._proved(text, self._without_empty(after, original), State.ABSENT)

    def _proved(self, before: str, after: str, state: State) -> str:
        """Return the new text if it differs from the old one by the entry alone."""
        old, new = (self.others(parse(text, relaxed=self.relaxed).data) for text in (before, after))
        if old != new or self.state(after) is not state:
            raise Unsuitable(1, "it is written in a way that cannot be changed safely")
        return after

    def _without_empty(self, text: str, original: str) -> str:
        """Return a text without the containers of the path that are empty and were not there originally."""
        existed = parse(original, relaxed=self.relaxed).data if original.strip() else {}
        for depth in range(len(self.path), 0, -1):
            entry, parent = None, parse(text, relaxed=self.relaxed)
            for name in self.path[:depth]:
                parent = parent if entry is None else entry.node
                entry = parent.member(name)
                assert entry is not None
            assert entry is not None
            inside = text[entry.node.start + 1 : entry.node.end - 1]
            if inside.strip() or _leads_to(existed, self.path[:depth]):
                return text
            text = without(text, parent, entry)
        return text


@dataclass(frozen=True)
class JsonMember(JsonEntry):
    """`value` under `name`, inside objects named one after the other by `path`."""

    path: tuple[str, ...]
    name: str
    value: dict[str, Any]
    relaxed: bool = False
    belongs_to_others_once_changed: bool = False

    @property
    def lone(self) -> Any:
        """Return the object that holds nothing but the entry."""
        return {self.name: self.value}

    def state(self, text: str) -> State:
        """Return whether the entry is there; one of that name that is not Holdfast's is refused."""
        container, missing = self.reached(text)
        entry = None if container is None or missing else container.member(self.name)
        if entry is None:
            return State.ABSENT
        data = entry.node.data
        if not (isinstance(data, dict) and starts_holdfast(data.get("command"))):
            raise Unsuitable(line_at(text, entry.start), f"{self.name!r} is the name of another server there")
        return State.PRESENT if data == self.value else State.CHANGED

    def removed(self, text: str, original: str) -> str:
        """Return the text without the entry, and without objects that were made for it."""
        container, _ = self.reached(text)
        assert container is not None
        entry = container.member(self.name)
        assert entry is not None
        return self.tidied(text, without(text, container, entry), original)

    def others(self, data: Any) -> Any:
        """Return what a document says beside the entry and the objects around it."""
        return pruned(
            data, self.path, lambda servers: {key: servers[key] for key in servers if key != self.name}
        )


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


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _leads_to(data: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(data, dict) or name not in data:
            return False
        data = data[name]
    return True


def _demand(text: str, node: Node, *, is_object: bool, what: str) -> None:
    if node.entries is None or node.is_object != is_object:
        kind = "an object" if is_object else "a list"
        raise Unsuitable(line_at(text, node.start), f"{what} is not {kind}")

"""Entries of a JSON file: a server by name, or a command among the hooks.

The hooks of an event are a list of groups, and each group has a list of commands. From a group that also has
other commands, only ours is removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.entry import CannotEdit, EntryState, line_at, starts_holdfast
from holdfast.installation.formats.jsonc import JsonItem, JsonNode, document, inserted, parse, without

_OURS = re.compile(r"""(?:^|[\s/'"])holdfast['"]?\s+inbox\s+drain\b""")


class JsonEntry:
    """The common base of entries in a JSON file."""

    path: tuple[str, ...]
    """The names of the enclosing objects, outermost first."""
    relaxed: bool
    """Whether the client accepts comments."""

    @property
    def lone(self) -> Any:
        """Return an object or list with only the entry."""
        raise NotImplementedError

    @property
    def snippet(self) -> str:
        """Return a document with only the entry."""
        return document(_nested(self.path, self.lone))

    def state(self, text: str) -> EntryState:
        """Return whether the entry is in the text."""
        raise NotImplementedError

    def cleared(self, container: Any) -> Any:
        """Return the container without the entry."""
        raise NotImplementedError

    def added(self, text: str) -> str:
        """Return the text with the entry after its siblings."""
        container, missing = self.locate(text)
        if container is None:
            return self.snippet
        if missing:
            after = inserted(text, container, _nested(missing[1:], self.lone), missing[0])
        elif isinstance(self.lone, dict):
            [(name, value)] = self.lone.items()
            after = inserted(text, container, value, name)
        else:
            after = inserted(text, container, *self.lone)
        return self._verified(text, after, EntryState.PRESENT)

    def locate(self, text: str) -> tuple[JsonNode | None, tuple[str, ...]]:
        """Return the innermost existing container of the path, and the names missing from there.

        An empty text has no container. A value of another type in the path is refused.
        """
        path = self.path
        if not text.strip():
            return None, path
        node = parse(text, relaxed=self.relaxed)
        for index, name in enumerate(path):
            _require(text, node, is_object=True, what="the document" if index == 0 else repr(path[index - 1]))
            entry = node.member(name)
            if entry is None:
                return node, path[index:]
            node = entry.node
        is_object = isinstance(self.lone, dict)
        _require(text, node, is_object=is_object, what=repr(path[-1]) if path else "the document")
        return node, ()

    def cleaned(self, text: str, after: str, original: str) -> str:
        """Remove containers that were created for the entry from a text without it."""
        return self._verified(text, self._without_empty(after, original), EntryState.ABSENT)

    def _verified(self, before: str, after: str, state: EntryState) -> str:
        """Return the new text if it differs from the old one only by the entry, or refuse."""
        read = (parse(text, relaxed=self.relaxed).data for text in (before, after))
        old, new = (_pruned(data, self.path, self.cleared) for data in read)
        if old != new or self.state(after) is not state:
            raise CannotEdit(1, "it is written in a way that cannot be edited safely")
        return after

    def _without_empty(self, text: str, original: str) -> str:
        """Return a text without the empty containers of the path that did not exist originally."""
        existed = parse(original, relaxed=self.relaxed).data if original.strip() else {}
        for depth in range(len(self.path), 0, -1):
            entry, parent = None, parse(text, relaxed=self.relaxed)
            for name in self.path[:depth]:
                parent = parent if entry is None else entry.node
                entry = parent.member(name)
                assert entry is not None
            assert entry is not None
            inside = text[entry.node.start + 1 : entry.node.end - 1]
            if inside.strip() or _has_path(existed, self.path[:depth]):
                return text
            text = without(text, parent, entry)
        return text


@dataclass(frozen=True)
class JsonMember(JsonEntry):
    """`value` under `name`, in the object at `path`."""

    path: tuple[str, ...]
    name: str
    value: dict[str, Any]
    relaxed: bool = False
    stays_if_customised: bool = False

    @property
    def lone(self) -> Any:
        """Return an object with only the entry."""
        return {self.name: self.value}

    def state(self, text: str) -> EntryState:
        """Return whether the entry exists; a foreign one of the same name is refused."""
        container, missing = self.locate(text)
        entry = None if container is None or missing else container.member(self.name)
        if entry is None:
            return EntryState.ABSENT
        data = entry.node.data
        if not (isinstance(data, dict) and starts_holdfast(data.get("command"))):
            raise CannotEdit(line_at(text, entry.start), f"another server has the name {self.name!r} there")
        return EntryState.PRESENT if data == self.value else EntryState.CHANGED

    def removed(self, text: str, original: str) -> str:
        """Return the text without the entry and the objects created for it."""
        container, _ = self.locate(text)
        assert container is not None
        entry = container.member(self.name)
        assert entry is not None
        return self.cleaned(text, without(text, container, entry), original)

    def cleared(self, container: Any) -> Any:
        """Return the other servers."""
        return {name: server for name, server in container.items() if name != self.name}


@dataclass(frozen=True)
class JsonHook(JsonEntry):
    """A command that runs on an event."""

    event: str
    command: str
    seconds: int
    relaxed: bool = False
    stays_if_customised: bool = False

    @property
    def path(self) -> tuple[str, ...]:  # type: ignore[override]  # read only
        """Return the path of the event's groups."""
        return ("hooks", self.event)

    @property
    def group(self) -> dict[str, Any]:
        """Return a group with only the command."""
        return {"hooks": [{"type": "command", "command": self.command, "timeout": self.seconds}]}

    @property
    def lone(self) -> Any:
        """Return a list with only the group."""
        return [self.group]

    def state(self, text: str) -> EntryState:
        """Return whether our command runs on the event."""
        groups, missing = self.locate(text)
        ours = [] if groups is None or missing else [group.node.data for group, _, _ in _ours(groups)]
        if not ours:
            return EntryState.ABSENT
        return EntryState.PRESENT if ours == self.lone else EntryState.CHANGED

    def removed(self, text: str, original: str) -> str:
        """Return the text without our commands and the containers created for them."""
        after = text
        while (found := self._first(after)) is not None:
            groups, group, commands, command = found
            is_alone = len(commands.entries or ()) == 1
            after = without(after, groups, group) if is_alone else without(after, commands, command)
        return self.cleaned(text, after, original)

    def cleared(self, container: Any) -> Any:
        """Return the groups without our commands; groups with no others are dropped."""
        return [rest for group in container if (rest := _without_ours(group))]

    def _first(self, text: str) -> tuple[JsonNode, JsonItem, JsonNode, JsonItem] | None:
        groups, missing = self.locate(text)
        assert groups is not None
        found = None if missing else next(_ours(groups), None)
        return None if found is None else (groups, *found)


def _ours(groups: JsonNode) -> Iterator[tuple[JsonItem, JsonNode, JsonItem]]:
    """Yield each of our commands, preceded by its group and list."""
    for group in groups.entries or ():
        inner = group.node.member("hooks")
        for command in (inner.node.entries if inner else None) or ():
            if inner and _is_ours(command.node.data):
                yield group, inner.node, command


def _is_ours(command: Any) -> bool:
    return isinstance(command, dict) and bool(_OURS.search(str(command.get("command", ""))))


def _without_ours(group: Any) -> Any:
    """Return a group without our commands, or None if it has no others."""
    commands = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(commands, list) or not any(map(_is_ours, commands)):
        return group
    others = [command for command in commands if not _is_ours(command)]
    return {**group, "hooks": others} if others else None


def _pruned(data: Any, path: tuple[str, ...], cleared: Callable[[Any], Any]) -> Any:
    """Return a value with the container at a path cleared, and dropped if then empty."""
    if not path:
        return cleared(data)
    if path[0] not in data:
        return data
    inside = _pruned(data[path[0]], path[1:], cleared)
    changed = {**data, path[0]: inside}
    return {name: value for name, value in changed.items() if name != path[0] or inside}


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _has_path(data: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(data, dict) or name not in data:
            return False
        data = data[name]
    return True


def _require(text: str, node: JsonNode, *, is_object: bool, what: str) -> None:
    if node.entries is None or node.is_object != is_object:
        kind = "an object" if is_object else "a list"
        raise CannotEdit(line_at(text, node.start), f"{what} is not {kind}")

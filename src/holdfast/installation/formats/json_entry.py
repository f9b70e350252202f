"""An entry of a JSON file: a server under its name, or a command among the hooks.

Hooks are lists of groups, and each group is a list of commands. A group may hold somebody else's commands
beside ours; then only ours is taken out of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.jsonc import JsonItem, JsonNode, document, inserted, parse, without
from holdfast.installation.formats.part import EntryState, NoRoom, line_at, starts_holdfast

_OURS = re.compile(r"""(?:^|[\s/'"])holdfast['"]?\s+inbox\s+drain\b""")


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

    def state(self, text: str) -> EntryState:
        """Return whether the entry is there."""
        raise NotImplementedError

    def cleared(self, container: Any) -> Any:
        """Return what the object or list around the entry holds beside it."""
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
        return self._proved(text, after, EntryState.PRESENT)

    def reached(self, text: str) -> tuple[JsonNode | None, tuple[str, ...]]:
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
        return self._proved(text, self._without_empty(after, original), EntryState.ABSENT)

    def _proved(self, before: str, after: str, state: EntryState) -> str:
        """Return the new text if it differs from the old one by the entry alone."""
        read = (parse(text, relaxed=self.relaxed).data for text in (before, after))
        old, new = (_pruned(data, self.path, self.cleared) for data in read)
        if old != new or self.state(after) is not state:
            raise NoRoom(1, "it is written in a way that cannot be changed safely")
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

    def state(self, text: str) -> EntryState:
        """Return whether the entry is there; one of that name that is not Holdfast's is refused."""
        container, missing = self.reached(text)
        entry = None if container is None or missing else container.member(self.name)
        if entry is None:
            return EntryState.ABSENT
        data = entry.node.data
        if not (isinstance(data, dict) and starts_holdfast(data.get("command"))):
            raise NoRoom(line_at(text, entry.start), f"{self.name!r} is the name of another server there")
        return EntryState.PRESENT if data == self.value else EntryState.CHANGED

    def removed(self, text: str, original: str) -> str:
        """Return the text without the entry, and without objects that were made for it."""
        container, _ = self.reached(text)
        assert container is not None
        entry = container.member(self.name)
        assert entry is not None
        return self.tidied(text, without(text, container, entry), original)

    def cleared(self, container: Any) -> Any:
        """Return the other servers."""
        return {name: server for name, server in container.items() if name != self.name}


@dataclass(frozen=True)
class JsonHook(JsonEntry):
    """A command that runs at an event."""

    event: str
    command: str
    seconds: int
    relaxed: bool = False
    belongs_to_others_once_changed: bool = False

    @property
    def path(self) -> tuple[str, ...]:  # type: ignore[override]  # read only
        """Return where the groups of the event are."""
        return ("hooks", self.event)

    @property
    def group(self) -> dict[str, Any]:
        """Return the group that holds nothing but the command."""
        return {"hooks": [{"type": "command", "command": self.command, "timeout": self.seconds}]}

    @property
    def lone(self) -> Any:
        """Return the list that holds nothing but the group."""
        return [self.group]

    def state(self, text: str) -> EntryState:
        """Return whether a command of ours runs at the event."""
        groups, missing = self.reached(text)
        ours = [] if groups is None or missing else [group.node.data for group, _, _ in _ours(groups)]
        if not ours:
            return EntryState.ABSENT
        return EntryState.PRESENT if ours == self.lone else EntryState.CHANGED

    def removed(self, text: str, original: str) -> str:
        """Return the text without any command of ours, and without what was made for it."""
        after = text
        while (found := self._first(after)) is not None:
            groups, group, commands, command = found
            is_alone = len(commands.entries or ()) == 1
            after = without(after, groups, group) if is_alone else without(after, commands, command)
        return self.tidied(text, after, original)

    def cleared(self, container: Any) -> Any:
        """Return the groups without our commands, and without groups that hold nothing else."""
        return [kept for group in container if (kept := _without_ours(group))]

    def _first(self, text: str) -> tuple[JsonNode, JsonItem, JsonNode, JsonItem] | None:
        groups, missing = self.reached(text)
        assert groups is not None
        found = None if missing else next(_ours(groups), None)
        return None if found is None else (groups, *found)


def _ours(groups: JsonNode) -> Iterator[tuple[JsonItem, JsonNode, JsonItem]]:
    """Yield each command of ours, after the group and the list it is in."""
    for group in groups.entries or ():
        inner = group.node.member("hooks")
        for command in (inner.node.entries if inner else None) or ():
            if inner and _is_ours(command.node.data):
                yield group, inner.node, command


def _is_ours(command: Any) -> bool:
    return isinstance(command, dict) and bool(_OURS.search(str(command.get("command", ""))))


def _without_ours(group: Any) -> Any:
    """Return a group without our commands, or None if it holds nothing else."""
    commands = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(commands, list) or not any(map(_is_ours, commands)):
        return group
    kept = [command for command in commands if not _is_ours(command)]
    return {**group, "hooks": kept} if kept else None


def _pruned(data: Any, path: tuple[str, ...], cleared: Callable[[Any], Any]) -> Any:
    """Return a value with the container at a path cleared, and dropped where that leaves nothing."""
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


def _leads_to(data: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(data, dict) or name not in data:
            return False
        data = data[name]
    return True


def _demand(text: str, node: JsonNode, *, is_object: bool, what: str) -> None:
    if node.entries is None or node.is_object != is_object:
        kind = "an object" if is_object else "a list"
        raise NoRoom(line_at(text, node.start), f"{what} is not {kind}")

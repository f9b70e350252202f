"""Entries of a JSON file: an MCP server with a name, or a command among the hooks of an event.

The hooks of an event are a list of groups, and each group has a list of commands. From a group that also has
other commands, only Holdfast's command is removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from holdfast.installation.formats.entry import CannotEdit, EntryState, line_at, starts_holdfast
from holdfast.installation.formats.jsonc import JsonItem, JsonNode, delete, insert, parse, to_document

_HOLDFAST_HOOK = re.compile(r"""(?:^|[\s/'"])holdfast['"]?\s+(?:hook|inbox\s+drain)\b""")
"""A hook of this version, or of earlier ones."""


class JsonEntry:
    """Base class of entries in a JSON file."""

    path: tuple[str, ...]
    """The names of the enclosing objects, outermost first."""
    allows_comments: bool
    """Whether the client accepts comments and trailing commas."""

    @property
    def only_entry(self) -> Any:
        """The innermost container, an object or a list, with only the entry."""
        raise NotImplementedError

    @property
    def snippet(self) -> str:
        return to_document(_nest(self.path, self.only_entry))

    def state(self, text: str) -> EntryState:
        raise NotImplementedError

    def remove_from(self, container: Any) -> Any:
        """Return the parsed container without the entry."""
        raise NotImplementedError

    def add(self, text: str) -> str:
        container, missing = self.locate(text)
        if container is None:
            return self.snippet
        if missing:
            after = insert(text, container, _nest(missing[1:], self.only_entry), missing[0])
        elif isinstance(self.only_entry, dict):
            [(name, value)] = self.only_entry.items()
            after = insert(text, container, value, name)
        else:
            after = insert(text, container, *self.only_entry)
        return self._verify(text, after, EntryState.PRESENT)

    def locate(self, text: str) -> tuple[JsonNode | None, tuple[str, ...]]:
        """Return the innermost existing container on the path, and the rest of the path, which is missing.

        An empty text has no container. A value of another type on the path is refused.
        """
        path = self.path
        if not text.strip():
            return None, path
        node = parse(text, allows_comments=self.allows_comments)
        for index, name in enumerate(path):
            _require(text, node, is_object=True, what="the document" if index == 0 else repr(path[index - 1]))
            entry = node.member(name)
            if entry is None:
                return node, path[index:]
            node = entry.node
        is_object = isinstance(self.only_entry, dict)
        _require(text, node, is_object=is_object, what=repr(path[-1]) if path else "the document")
        return node, ()

    def remove_created_containers(self, text: str, after: str, original: str) -> str:
        """Remove the containers that were created for the entry, and verify the result.

        `text` has the entry, `after` is without it, and `original` is the text before it was added.
        """
        return self._verify(text, self._remove_empty_containers(after, original), EntryState.ABSENT)

    def _verify(self, before: str, after: str, state: EntryState) -> str:
        """Return the new text if it differs from the old one only by the entry; refuse otherwise."""
        old, new = (
            _prune(parse(text, allows_comments=self.allows_comments).data, self.path, self.remove_from)
            for text in (before, after)
        )
        if old != new or self.state(after) is not state:
            raise CannotEdit(1, "it is written in a way that cannot be edited safely")
        return after

    def _remove_empty_containers(self, text: str, original: str) -> str:
        """Return a text without the empty containers on the path that did not exist originally."""
        original_data = parse(original, allows_comments=self.allows_comments).data if original.strip() else {}
        for depth in range(len(self.path), 0, -1):
            parent = parse(text, allows_comments=self.allows_comments)
            for name in self.path[: depth - 1]:
                ancestor = parent.member(name)
                assert ancestor is not None
                parent = ancestor.node
            entry = parent.member(self.path[depth - 1])
            assert entry is not None
            inside = text[entry.node.start + 1 : entry.node.end - 1]
            if inside.strip() or _has_path(original_data, self.path[:depth]):
                return text
            text = delete(text, parent, entry)
        return text


@dataclass(frozen=True)
class JsonMember(JsonEntry):
    """The member `name` with the value `value`, in the object at `path`."""

    path: tuple[str, ...]
    name: str
    value: dict[str, Any]
    allows_comments: bool = False
    stays_if_customised: bool = False

    @property
    def only_entry(self) -> Any:
        return {self.name: self.value}

    def state(self, text: str) -> EntryState:
        container, missing = self.locate(text)
        entry = None if container is None or missing else container.member(self.name)
        if entry is None:
            return EntryState.ABSENT
        data = entry.node.data
        command = data.get("command") if isinstance(data, dict) else None
        if not starts_holdfast(command[0] if isinstance(command, list) and command else command):
            raise CannotEdit(line_at(text, entry.start), f"another server has the name {self.name!r} there")
        return EntryState.PRESENT if data == self.value else EntryState.CHANGED

    def remove(self, text: str, original: str) -> str:
        container, _ = self.locate(text)
        assert container is not None
        entry = container.member(self.name)
        assert entry is not None
        return self.remove_created_containers(text, delete(text, container, entry), original)

    def remove_from(self, container: Any) -> Any:
        return {name: server for name, server in container.items() if name != self.name}


@dataclass(frozen=True)
class JsonHook(JsonEntry):
    """A command that runs on an event."""

    event: str
    command: str
    time_limit: int = 0
    """In the unit of the client; 0 for the client's own."""
    matcher: str = ""
    is_list: bool = False
    """Whether the event has a list of commands, instead of groups of commands with a matcher each."""
    has_type: bool = True
    """Whether the client documents a type of hooks."""
    allows_comments: bool = False
    stays_if_customised: bool = False

    @property
    def path(self) -> tuple[str, ...]:  # type: ignore[override]  # read only
        return ("hooks", self.event)

    @property
    def only_entry(self) -> Any:
        kind = {"type": "command"} if self.has_type else {}
        command: dict[str, Any] = {**kind, "command": self.command}
        if self.time_limit:
            command["timeout"] = self.time_limit
        matcher = {"matcher": self.matcher} if self.matcher else {}
        return [command] if self.is_list else [{**matcher, "hooks": [command]}]

    def state(self, text: str) -> EntryState:
        groups, missing = self.locate(text)
        if groups is None or missing:
            return EntryState.ABSENT
        holdfast_groups = [found.group.node.data for found in self._commands(groups)]
        if not holdfast_groups:
            return EntryState.ABSENT
        return EntryState.PRESENT if holdfast_groups == self.only_entry else EntryState.CHANGED

    def remove(self, text: str, original: str) -> str:
        after = text
        while True:
            groups, missing = self.locate(after)
            assert groups is not None
            found = None if missing else next(self._commands(groups), None)
            if found is None:
                break
            is_alone = self.is_list or len(found.commands.entries or ()) == 1
            # The text is parsed again after each deletion, because positions have changed.
            if is_alone:
                after = delete(after, groups, found.group)
            else:
                after = delete(after, found.commands, found.command)
        return self.remove_created_containers(text, after, original)

    def remove_from(self, container: Any) -> Any:
        """Return the groups without Holdfast's commands; groups without other commands are dropped."""
        if self.is_list:
            return [command for command in container if not _is_holdfast(command)]
        remaining = (_remove_holdfast(group) for group in container)
        return [group for group in remaining if group]

    def _commands(self, groups: JsonNode) -> Iterator[_HoldfastCommand]:
        if not self.is_list:
            yield from _holdfast_commands(groups)
            return
        for command in groups.entries or ():
            if _is_holdfast(command.node.data):
                yield _HoldfastCommand(command, groups, command)


@dataclass(frozen=True)
class JsonVersion(JsonEntry):
    """The version of a file's format, which the client requires; another one that is there is left alone."""

    version: int
    allows_comments: bool = False
    stays_if_customised: bool = False
    path: tuple[str, ...] = ()

    @property
    def only_entry(self) -> Any:
        return {"version": self.version}

    def state(self, text: str) -> EntryState:
        container, _ = self.locate(text)
        is_there = container is not None and container.member("version") is not None
        return EntryState.PRESENT if is_there else EntryState.ABSENT

    def remove(self, text: str, original: str) -> str:
        """Return the text without the version, unless it was there before or the file has other hooks."""
        container, _ = self.locate(text)
        assert container is not None
        entry = container.member("version")
        assert entry is not None
        if original.strip() or len(container.entries or ()) > 1:
            return text
        return delete(text, container, entry)

    def remove_from(self, container: Any) -> Any:
        return {name: value for name, value in container.items() if name != "version"}


class _HoldfastCommand(NamedTuple):
    group: JsonItem
    commands: JsonNode
    """The list of the group's commands."""
    command: JsonItem


def _holdfast_commands(groups: JsonNode) -> Iterator[_HoldfastCommand]:
    for group in groups.entries or ():
        commands = group.node.member("hooks")
        if commands is None:
            continue
        for command in commands.node.entries or ():
            if _is_holdfast(command.node.data):
                yield _HoldfastCommand(group, commands.node, command)


def _is_holdfast(command: Any) -> bool:
    return isinstance(command, dict) and bool(_HOLDFAST_HOOK.search(str(command.get("command", ""))))


def _remove_holdfast(group: Any) -> Any:
    """Return a group without Holdfast's commands, or None if it has no others."""
    commands = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(commands, list) or not any(map(_is_holdfast, commands)):
        return group
    remaining = [command for command in commands if not _is_holdfast(command)]
    return {**group, "hooks": remaining} if remaining else None


def _prune(data: Any, path: tuple[str, ...], remove: Callable[[Any], Any]) -> Any:
    """Apply `remove` to the container at a path, and drop the containers that are then empty."""
    if not path:
        return remove(data)
    name, *rest = path
    if name not in data:
        return data
    inner = _prune(data[name], tuple(rest), remove)
    if inner:
        return {**data, name: inner}
    return {other: value for other, value in data.items() if other != name}


def _nest(path: tuple[str, ...], value: Any) -> Any:
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

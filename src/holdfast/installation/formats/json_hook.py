"""A command among the hooks of a JSON settings file.

Hooks are lists of groups, and each group is a list of commands. A group may hold somebody else's
commands beside ours; then only ours is taken out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.json_member import JsonEntry, pruned
from holdfast.installation.formats.jsonc import Entry, Node, without
from holdfast.installation.formats.part import State

_OURS = re.compile(r"""(?:^|[\s/'"])holdfast['"]?\s+inbox\s+drain\b""")


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

    def state(self, text: str) -> State:
        """Return whether a command of ours runs at the event."""
        groups, missing = self.reached(text)
        if groups is None or missing:
            return State.ABSENT
        ours = list(_ours(groups))
        if not ours:
            return State.ABSENT
        alone = len(ours) == 1 and ours[0][0].node.data == self.group
        return State.PRESENT if alone else State.CHANGED

    def removed(self, text: str, original: str) -> str:
        """Return the text without any command of ours, and without what was made for it."""
        after = text
        while (found := self._first(after)) is not None:
            groups, group, commands, command = found
            is_alone = len(commands.entries or ()) == 1
            after = without(after, groups, group) if is_alone else without(after, commands, command)
        return self.tidied(text, after, original)

    def others(self, data: Any) -> Any:
        """Return what a document says beside our commands and what holds nothing else."""
        return pruned(
            data, self.path, lambda groups: [kept for group in groups if (kept := _without_ours(group))]
        )

    def _first(self, text: str) -> tuple[Node, Entry, Node, Entry] | None:
        groups, missing = self.reached(text)
        assert groups is not None
        found = None if missing else next(_ours(groups), None)
        return None if found is None else (groups, *found)


def _ours(groups: Node) -> Iterator[tuple[Entry, Node, Entry]]:
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

"""A command among the hooks of a JSON settings file.

Hooks are lists of groups, and each group is a list of commands. A group may hold somebody else's
commands beside ours; then only ours is taken out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.installation.formats.json_member import nested, reached, without_empty
from holdfast.installation.formats.json_text import document, inserted, without
from holdfast.installation.formats.jsonc import Entry, Node
from holdfast.installation.formats.part import State

_OURS = re.compile(r"""(?:^|[\s/'"])holdfast['"]?\s+inbox\s+drain\b""")


@dataclass(frozen=True)
class JsonHook:
    """A command that runs at an event."""

    event: str
    command: str
    seconds: int
    relaxed: bool = True
    belongs_to_others_once_changed: bool = False

    @property
    def path(self) -> tuple[str, str]:
        """Return where the groups of the event are."""
        return ("hooks", self.event)

    @property
    def group(self) -> dict[str, Any]:
        """Return the group that holds nothing but the command."""
        return {"hooks": [{"type": "command", "command": self.command, "timeout": self.seconds}]}

    @property
    def snippet(self) -> str:
        """Return the hook in a document of its own."""
        return document(nested(self.path, [self.group]))

    def state(self, text: str) -> State:
        """Return whether a command of ours runs at the event."""
        groups, missing = reached(text, self.path, relaxed=self.relaxed, objects=False)
        if groups is None or missing:
            return State.ABSENT
        ours = list(_ours(groups))
        if not ours:
            return State.ABSENT
        alone = len(ours) == 1 and ours[0][0].node.data == self.group
        return State.PRESENT if alone else State.CHANGED

    def added(self, text: str) -> str:
        """Return the text with a group of ours after the others."""
        groups, missing = reached(text, self.path, relaxed=self.relaxed, objects=False)
        if groups is None:
            return self.snippet
        if missing:
            return inserted(text, groups, nested(missing[1:], [self.group]), missing[0])
        return inserted(text, groups, self.group)

    def removed(self, text: str, original: str) -> str:
        """Return the text without any command of ours, and without what was made for it."""
        while True:
            groups, _ = reached(text, self.path, relaxed=self.relaxed, objects=False)
            assert groups is not None
            found = next(_ours(groups), None)
            if found is None:
                return without_empty(text, original, self.path, relaxed=self.relaxed)
            group, commands, command = found
            assert commands.entries is not None
            if len(commands.entries) == 1:
                text = without(text, groups, group)
            else:
                text = without(text, commands, command)


def _ours(groups: Node) -> Iterator[tuple[Entry, Node, Entry]]:
    """Yield each command of ours, after the group and the list it is in."""
    for group in groups.entries or ():
        inner = group.node.member("hooks")
        for command in (inner.node.entries if inner else None) or ():
            data = command.node.data
            if inner and isinstance(data, dict) and _OURS.search(str(data.get("command", ""))):
                yield group, inner.node, command

"""Claude Desktop: a server for one repository, named by its place."""

from __future__ import annotations

from holdfast.installation.client import Client, Contributions
from holdfast.installation.formats.json_member import JsonMember
from holdfast.installation.situation import Scope, Situation, Wanted


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    del contributions
    file = situation.of_user(situation.application_support, "Claude", "claude_desktop_config.json")
    # It knows no projects, and starts servers in a directory of its own.
    arguments = ["serve", "--root", situation.root]
    value = {"command": situation.command(from_a_shell=False), "args": arguments}
    return [Wanted(file, JsonMember(("mcpServers",), situation.name, value))]


def _notes(situation: Situation) -> list[str]:
    del situation
    return [
        "Quit Claude Desktop and start it again: it reads the file only then.",
        "The entry serves this repository; for another one run the command there with --name.",
    ]


CLIENT = Client("claude-desktop", "Claude Desktop", (Scope.USER,), _wanted, _notes)

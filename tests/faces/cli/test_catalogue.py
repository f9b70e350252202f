"""The table of commands: true to the declarations, and the reason why a command loads little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.faces.cli.application import application, this_installation
from holdfast.faces.cli.catalogue import CATALOGUE, catalogue_of
from holdfast.faces.cli.git_mile import git_mile
from holdfast.faces.cli.groups import CommandGroup, first_sentence
from holdfast.faces.cli.host import Host
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

ALL = Host.of(full_registry(), Workspace.discover)

PROGRAM = """
import json, sys
from holdfast.faces.cli.application import run
run({arguments!r})
print(json.dumps([name for name in sys.modules if name.startswith("holdfast.")]), file=sys.stderr)
"""


def test_the_table_says_what_is_declared() -> None:
    assert catalogue_of(ALL.registry) == CATALOGUE, "run `python -m holdfast.faces.docs --write`"


@pytest.mark.parametrize("group", [application(this_installation()), git_mile(this_installation())])
def test_commands_written_by_hand_are_listed_with_the_first_line_of_their_page(group: CommandGroup) -> None:
    by_hand = [name for name, entry in group.entries.items() if entry.section == "The program itself"]
    assert by_hand
    for name in by_hand:
        entry = group.entries[name]
        assert entry.summary == first_sentence(entry.make(name).help or "")


@pytest.mark.parametrize(
    "arguments", [["inbox", "list"], ["comments", "list"], ["tasks", "list"], ["--help"]]
)
def test_a_command_loads_no_other_room(repository: Path, arguments: list[str]) -> None:
    command = [sys.executable, "-c", PROGRAM.format(arguments=arguments)]
    told = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    loaded = json.loads(told.stderr.splitlines()[-1])
    rooms = {toolset.name for toolset in CATALOGUE} - {arguments[0]}
    assert [name for name in loaded if name.split(".")[1] in rooms] == []

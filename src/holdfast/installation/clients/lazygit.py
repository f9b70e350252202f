"""lazygit: Ctrl-Y on a file asks for a remark and sends it."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions, Scope, Situation, Wanted
from holdfast.storage.files.configuration_file import ConfigurationFile

_LIST = "customCommands"
_OLD_FOLDER = ("jesseduffield", "lazygit")


def _wanted(situation: Situation, contributions: Contributions) -> list[Wanted]:
    # Reading YAML takes a library that nothing else needs.
    from holdfast.installation.formats.yaml_items import YamlItems

    return [Wanted(_file(situation), YamlItems(_LIST, _items(situation, contributions.lazygit)))]


def _items(situation: Situation, shipped: str) -> str:
    """Return the shipped commands without comments, started the way this machine can."""
    lines = [line for line in shipped.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    program = situation.shell_command().replace("'", "''")
    return "".join(line.replace("command: 'holdfast ", f"command: '{program} ") + "\n" for line in lines)


def _file(situation: Situation) -> ConfigurationFile:
    """Return the file lazygit reads: the one it is told, else the usual one, else the one of old."""
    named = situation.environment.get("LG_CONFIG_FILE", "").split(",")[-1]
    if named:
        return situation.of_user(named)
    folder = situation.environment.get("CONFIG_DIR")
    if folder:
        return situation.of_user(folder, "config.yml")
    # An explicit XDG_CONFIG_HOME counts on macOS too.
    base = situation.environment.get("XDG_CONFIG_HOME") or situation.application_support
    usual = os.path.join(base, "lazygit", "config.yml")
    old = os.path.join(base, *_OLD_FOLDER, "config.yml")
    return situation.of_user(old if os.path.exists(old) and not os.path.exists(usual) else usual)


def _notes(situation: Situation) -> list[str]:
    del situation
    return ["Start lazygit anew, then press Ctrl-Y on a file."]


LAZYGIT = Client("lazygit", "lazygit", (Scope.USER,), _wanted, _notes)

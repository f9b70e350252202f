"""lazygit: Ctrl-Y on a file prompts for a remark and sends it."""

from __future__ import annotations

import os

from holdfast.installation.client import Client, Contributions, FileEntry, InstallationContext, Scope
from holdfast.storage.files.configuration_file import ConfigurationFile

_CUSTOM_COMMANDS = "customCommands"
_LEGACY_FOLDER = os.path.join("jesseduffield", "lazygit")
"""Below the configuration folder; lazygit still reads a file that is there."""


def _entries(context: InstallationContext, contributions: Contributions) -> list[FileEntry]:
    # Imported here because only lazygit needs a YAML library.
    from holdfast.installation.formats.yaml_items import YamlItems

    return [FileEntry(_file(context), YamlItems(_CUSTOM_COMMANDS, _items(context, contributions.lazygit)))]


def _items(context: InstallationContext, shipped: str) -> str:
    """Return the shipped commands without comments, with the path of this machine's program."""
    lines = [line for line in shipped.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    program = context.shell_command().replace("'", "''")
    return "".join(line.replace("command: 'holdfast ", f"command: '{program} ") + "\n" for line in lines)


def _file(context: InstallationContext) -> ConfigurationFile:
    """Return the file that lazygit reads: from its environment, the default, or an existing legacy file."""
    explicit = context.environment.get("LG_CONFIG_FILE", "").split(",")[-1]  # of several, the last one wins
    if explicit:
        return context.user_file(explicit)
    folder = context.environment.get("CONFIG_DIR")
    if folder:
        return context.user_file(folder, "config.yml")
    # An explicit XDG_CONFIG_HOME applies on macOS too.
    base = context.environment.get("XDG_CONFIG_HOME") or context.application_support
    default = os.path.join(base, "lazygit", "config.yml")
    legacy = os.path.join(base, _LEGACY_FOLDER, "config.yml")
    return context.user_file(legacy if os.path.exists(legacy) and not os.path.exists(default) else default)


LAZYGIT = Client(
    "lazygit",
    "lazygit",
    (Scope.USER,),
    _entries,
    lambda _context: ["Restart lazygit, then press Ctrl-Y on a file."],
    is_found=lambda _context, find: bool(find("lazygit")),
)

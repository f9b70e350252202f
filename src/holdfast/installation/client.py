"""The model of an installation: a client, its files and entries, and the facts on which they depend.

`clients` declares one `Client` for each supported program. `plan` passes it the `InstallationContext`, which
`faces/cli/install.py` creates, and the `Contributions` of the toolsets, and receives the entries to add.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from holdfast.installation.formats.entry import SERVER_NAME, ConfigurationEntry
from holdfast.storage.files.configuration_file import ConfigurationFile


class Scope(StrEnum):
    """The users and repositories that a client is configured for."""

    PROJECT = "project"
    """Everyone who works on this repository. The files are in the repository and contain no local paths."""
    USER = "user"
    """The user, in all repositories. The files are in the home directory."""
    PLUGIN = "plugin"
    """Whoever adds the plugin that the given folder becomes."""


class Part(StrEnum):
    """What Holdfast adds to a client."""

    SERVER = "server"
    HOOKS = "hooks"
    SKILLS = "skills"
    COMMANDS = "commands"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True)
class InstallationContext:
    """The facts about the machine, the repository and the options from which a client derives its entries."""

    root: str
    """The root of the repository."""
    home: str
    platform: str
    environment: Mapping[str, str]
    scope: Scope
    program: str | None
    """The path of the `holdfast` program of this installation, if known."""
    on_search_path: bool
    """Whether the user's shell finds `holdfast` by name."""
    name: str = SERVER_NAME
    """The name of the server in the client's configuration."""
    git_directory: str | None = None
    remotes: tuple[str, ...] = ()
    """The names of the repository's remotes."""
    parts: frozenset[Part] = frozenset(Part)
    """The parts to add or to remove."""
    refuses_edits: bool = False
    """Whether an edit of a file about which there is something to know is refused once."""
    plugin_folder: str = ""

    @property
    def application_support(self) -> str:
        if self.platform == "darwin":
            return os.path.join(self.home, "Library", "Application Support")
        return self.environment.get("XDG_CONFIG_HOME") or os.path.join(self.home, ".config")

    def command(self, *, has_user_path: bool) -> str:
        """Return the command that starts Holdfast: its name, or its full path.

        Files in a repository contain the name, because they are shared. Otherwise a client that has the
        user's search path gets the name, and one that does not, such as a graphical program, the full path.
        """
        by_name = self.scope is not Scope.USER or (has_user_path and self.on_search_path)
        return SERVER_NAME if by_name or self.program is None else self.program

    def shell_command(self) -> str:
        return shlex.quote(self.command(has_user_path=True))

    def project_file(self, *parts: str) -> ConfigurationFile:
        return ConfigurationFile(os.path.join(self.root, *parts), "/".join(parts), required_parent=self.root)

    def user_file(self, *parts: str) -> ConfigurationFile:
        """Return a file of the user, which may be anywhere on the machine."""
        path = os.path.join(*parts)
        home = self.home.rstrip(os.sep) + os.sep
        label = f"~/{path.removeprefix(home)}" if path.startswith(home) else os.path.basename(path)
        return ConfigurationFile(path, label, is_private=True)


@dataclass(frozen=True)
class FileEntry:
    """An entry and the file that it belongs in."""

    file: ConfigurationFile
    entry: ConfigurationEntry
    part: Part = Part.SERVER


@dataclass(frozen=True)
class GitSettings:
    """The settings in git that a toolset needs, for this repository only."""

    name: str
    configuration: tuple[str, ...] = ()
    """Lines of a git configuration file, including section headers. `{holdfast}` in a value is replaced
    with the command that starts Holdfast."""
    attributes: tuple[str, ...] = ()
    """Lines of a gitattributes file."""
    remote_configuration: tuple[str, ...] = ()
    """Lines of a git configuration file for each remote, with `{remote}` for its name."""


@dataclass(frozen=True)
class Contributions:
    """The toolsets' contributions to the configuration of other programs."""

    lazygit: str = "customCommands: []\n"
    """A lazygit configuration with only custom commands."""
    git: tuple[GitSettings, ...] = ()


@dataclass(frozen=True)
class Client:
    """A program that can use Holdfast, with the entries that its files need."""

    name: str
    title: str
    scopes: tuple[Scope, ...]
    """The supported scopes; the first is the default."""
    entries: Callable[[InstallationContext, Contributions], list[FileEntry]]
    """Returns the entries to add, with their files."""
    notes: Callable[[InstallationContext], list[str]] = field(default=lambda _context: [])
    """Returns the steps that remain for the user."""
    is_found: Callable[[InstallationContext, Callable[[str], object]], bool] = field(
        default=lambda _context, _find: False
    )
    """Returns whether the client seems to be installed, given a function that finds programs."""

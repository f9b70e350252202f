"""The declaration of a client, the situation it is configured in, and what the rooms contribute."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from holdfast.installation.formats.entry import SERVER_NAME, ConfigurationEntry
from holdfast.storage.files.configuration_file import ConfigurationFile


class Scope(StrEnum):
    """Whom a client is configured for."""

    PROJECT = "project"
    """Everybody who works on this repository: files in it, without local paths."""
    USER = "user"
    """The user, in every repository: files in the home directory."""


@dataclass(frozen=True)
class Situation:
    """The facts from which a client derives its files and the command to start."""

    root: str
    home: str
    platform: str
    environment: Mapping[str, str]
    scope: Scope
    program: str | None
    """The path of this installation's program, if known."""
    on_search_path: bool
    """Whether the user's shell finds the program by name."""
    name: str = SERVER_NAME
    git_directory: str | None = None
    remotes: tuple[str, ...] = ()
    """The names of git's remotes."""

    @property
    def application_support(self) -> str:
        """Return the folder of graphical programs' user configuration."""
        if self.platform == "darwin":
            return os.path.join(self.home, "Library", "Application Support")
        return self.environment.get("XDG_CONFIG_HOME") or os.path.join(self.home, ".config")

    def command(self, *, from_a_shell: bool) -> str:
        """Return the program to start.

        That is its name in shared files, and for programs that have the user's search path; its full path for
        graphical programs, which have another one.
        """
        by_name = self.scope is Scope.PROJECT or (from_a_shell and self.on_search_path)
        return SERVER_NAME if by_name or self.program is None else self.program

    def shell_command(self) -> str:
        """Return the program to start, quoted for a shell."""
        return shlex.quote(self.command(from_a_shell=True))

    def in_project(self, *parts: str) -> ConfigurationFile:
        """Return a file in the repository."""
        return ConfigurationFile(os.path.join(self.root, *parts), "/".join(parts), inside=self.root)

    def of_user(self, *parts: str) -> ConfigurationFile:
        """Return a file of the user, anywhere on the machine."""
        path = os.path.join(*parts)
        home = self.home.rstrip(os.sep) + os.sep
        label = f"~/{path.removeprefix(home)}" if path.startswith(home) else os.path.basename(path)
        return ConfigurationFile(path, label, is_private=True)


@dataclass(frozen=True)
class Wanted:
    """An entry, and the file it belongs in."""

    file: ConfigurationFile
    entry: ConfigurationEntry


@dataclass(frozen=True)
class GitSettings:
    """The settings in git that a room needs, in this repository only.

    `configuration` has lines of a git configuration file, sections included, and `attributes` lines of a
    gitattributes file. `{holdfast}` in a value is replaced by the command that starts Holdfast.
    `remote_configuration` is written once for each remote, with its name for `{remote}`.
    """

    name: str
    configuration: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    remote_configuration: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contributions:
    """What the rooms contribute to other programs' configuration."""

    lazygit: str = "customCommands: []\n"
    """A lazygit configuration with only custom commands."""
    git: tuple[GitSettings, ...] = ()


@dataclass(frozen=True)
class Client:
    """A program that can use Holdfast: its files and their entries."""

    name: str
    title: str
    scopes: tuple[Scope, ...]
    """The first is the default."""
    wanted: Callable[[Situation, Contributions], list[Wanted]]
    notes: Callable[[Situation], list[str]] = field(default=lambda _situation: [])
    """Remaining steps for the user."""

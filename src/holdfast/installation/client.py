"""What a client declares, where it is configured (whose home, which program), and what rooms contribute."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from holdfast.installation.formats.part import SERVER_NAME, ConfigurationEntry
from holdfast.storage.files.configuration_file import ConfigurationFile


class Scope(StrEnum):
    """For whom a client is configured."""

    PROJECT = "project"
    """Everybody who works on this repository: files in it, without paths of this machine."""
    USER = "user"
    """The user, in every repository: files in the home directory."""


@dataclass(frozen=True)
class Situation:
    """What a client needs to know to name its files and the program to start."""

    root: str
    home: str
    platform: str
    environment: Mapping[str, str]
    scope: Scope
    program: str | None
    """Where this installation's program is, if that could be found out."""
    on_search_path: bool
    """Whether a shell of the user finds the program by its name."""
    name: str = SERVER_NAME
    git_directory: str | None = None
    remotes: tuple[str, ...] = ()
    """The other repositories that git knows here, by name."""

    @property
    def application_support(self) -> str:
        """Return where graphical programs keep a user's configuration."""
        if self.platform == "darwin":
            return os.path.join(self.home, "Library", "Application Support")
        return self.environment.get("XDG_CONFIG_HOME") or os.path.join(self.home, ".config")

    def command(self, *, from_a_shell: bool) -> str:
        """Return how to start Holdfast.

        By name in files that others share, and for programs that see the user's search path; by its
        place for a graphical program, which sees another one.
        """
        by_name = self.scope is Scope.PROJECT or (from_a_shell and self.on_search_path)
        return SERVER_NAME if by_name or self.program is None else self.program

    def shell_command(self) -> str:
        """Return how a shell starts Holdfast."""
        return shlex.quote(self.command(from_a_shell=True))

    def in_project(self, *parts: str) -> ConfigurationFile:
        """Return a file of the repository."""
        return ConfigurationFile(os.path.join(self.root, *parts), "/".join(parts), inside=self.root)

    def of_user(self, *parts: str) -> ConfigurationFile:
        """Return a file of the user."""
        path = os.path.join(*parts)
        home = self.home.rstrip(os.sep) + os.sep
        label = f"~/{path.removeprefix(home)}" if path.startswith(home) else os.path.basename(path)
        return ConfigurationFile(path, label, is_private=True)


@dataclass(frozen=True)
class Wanted:
    """An entry, and the file it goes into."""

    file: ConfigurationFile
    part: ConfigurationEntry


@dataclass(frozen=True)
class GitSettings:
    """What a room would like git to know about it, in this repository and nowhere else.

    `configuration` holds whole lines of a git configuration file, sections included, and `attributes`
    those of a gitattributes file. `{holdfast}` in a value stands for the command that starts Holdfast.
    `remote_configuration` is written once for each remote of the repository, with `{remote}` for its name.
    """

    name: str
    configuration: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    remote_configuration: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contributions:
    """What the rooms bring along for other programs."""

    lazygit: str = "customCommands: []\n"
    """A configuration of lazygit with nothing but custom commands."""
    git: tuple[GitSettings, ...] = ()


@dataclass(frozen=True)
class Client:
    """A program that can work with Holdfast: its files, and what goes into them."""

    name: str
    title: str
    scopes: tuple[Scope, ...]
    """The first is the one that is meant when none is named."""
    wanted: Callable[[Situation, Contributions], list[Wanted]]
    notes: Callable[[Situation], list[str]] = field(default=lambda _situation: [])
    """What a person still has to know or do."""

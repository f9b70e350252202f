"""What a client declares, and what rooms contribute to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from holdfast.installation.situation import Scope, Situation, Wanted


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

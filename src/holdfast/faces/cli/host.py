"""The registry that commands are generated from, and the workspace that they run in, opened on demand."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from holdfast import toolsets
from holdfast.faces.cli.catalogue import CATALOGUE, CatalogueCommand, CatalogueToolset, catalogue_of
from holdfast.kernel.errors import NotFound
from holdfast.kernel.operation import Operation
from holdfast.kernel.registry import TOOLS, Registry, Selection
from holdfast.storage.lazy import Lazy


class OpenWorkspace(Protocol):
    """The part of a workspace that running an operation needs."""

    def room(self, toolset: str) -> Any: ...

    def close(self) -> None: ...


class Host(NamedTuple):
    """The registry that commands are generated from, and a function that opens the workspace they run in."""

    registry: Registry
    discover: Callable[..., OpenWorkspace]
    """Opens the workspace, given a directory and, optionally, a database."""

    @classmethod
    def of(cls, registry: Registry, discover: Callable[..., OpenWorkspace]) -> Host:
        """Return a host for the whole registry, including toolsets that servers offer only on request."""
        names = frozenset(toolset.name for toolset in registry.toolsets)
        return cls(registry.select(Selection(toolsets=names, includes_commands=True)), discover)

    @property
    def catalogue(self) -> tuple[CatalogueToolset, ...]:
        return catalogue_of(self.registry)

    def host_of(self, _item: CatalogueCommand) -> Host:
        """Return this host, which has loaded all commands."""
        return self

    def is_in_database(self, operation: Operation) -> bool:
        return any(item.in_database for item in self.registry.toolsets if item.name == operation.toolset)


class Installation:
    """The commands of this installation, each of which imports only its own tool."""

    catalogue = CATALOGUE

    def host_of(self, item: CatalogueCommand) -> Host:
        """Return a host with the toolset of a command, or all toolsets for a command about tools."""
        from holdfast.workspace import Workspace

        own = toolsets.toolset_of_module(item.module)
        needed = toolsets.toolsets() if own.name == TOOLS else (own,)
        return Host.of(Registry(needed), Workspace.discover)


Commands = Host | Installation
"""A catalogue of commands, with a method that loads one of them."""


class StoreLocation(NamedTuple):
    """The directory and the database that were given on the command line, if any."""

    root: str | None = None
    database: str | None = None


class LazyWorkspace:
    """Opens the workspace at the first access to a room, because validating arguments needs none."""

    def __init__(self, host: Host, location: StoreLocation) -> None:
        self._host = host
        self._location = location
        self._workspace = Lazy(self._open)

    def room(self, toolset: str) -> Any:
        room = self._workspace.get().room(toolset)
        toolsets.resume_garbage_collection()
        return room

    def close(self) -> None:
        self._workspace.close()

    def _open(self) -> OpenWorkspace:
        database = [] if self._location.database is None else [self._location.database]
        return self._host.discover(starting_directory(self._location.root), *database)


def starting_directory(root: str | None) -> Path:
    """Return the directory from which to search for the repository."""
    if root is None:
        try:
            return Path.cwd()
        except FileNotFoundError:
            raise NotFound(
                "The current directory no longer exists.", hint="Change to another one, or pass --root."
            ) from None
    if not os.path.isdir(root):
        raise NotFound("The directory given as --root does not exist.", hint="Pass an existing one.")
    return Path(root)

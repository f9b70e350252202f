"""Run one operation for the command line: open, dispatch, write, settle."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from holdfast.faces.cli import output
from holdfast.faces.cli.catalogue import CATALOGUE, CatalogueCommand, CatalogueToolset, catalogue_of
from holdfast.faces.cli.output import ProgressLine, is_terminal, width_of, write, write_words
from holdfast.faces.render.json_text import json_text
from holdfast.kernel import garbage
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch import Dispatcher, guarded
from holdfast.kernel.errors import HoldfastError, NotFound
from holdfast.kernel.operation import Operation, Output
from holdfast.kernel.registry import Registry, Selection


class OpenWorkspace(Protocol):
    """What running an operation needs of a workspace."""

    def room(self, toolset: str) -> Any: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Host:
    """What commands are generated from, and how the workspace they run in is found."""

    registry: Registry
    discover: Callable[..., OpenWorkspace]
    """Given a directory, and where one is named a database, opens the workspace."""

    @classmethod
    def of(cls, registry: Registry, discover: Callable[..., OpenWorkspace]) -> Host:
        """Return a host for all of the registry: what servers leave out unasked is typed by name here."""
        names = frozenset(toolset.name for toolset in registry.toolsets)
        return cls(registry.select(Selection(toolsets=names, commands=True)), discover)

    @property
    def catalogue(self) -> tuple[CatalogueToolset, ...]:
        """Return the commands of the registry."""
        return catalogue_of(self.registry)

    def host_of(self, item: CatalogueCommand) -> Host:
        """Return where a command runs: here, where all are loaded."""
        del item
        return self

    def is_in_database(self, operation: Operation) -> bool:
        """Return whether what an operation works on can be in a database that a team shares."""
        return any(item.in_database for item in self.registry.toolsets if item.name == operation.toolset)


class Installation:
    """The commands of this installation: each imports the tool that it runs, and no other."""

    catalogue = CATALOGUE

    def host_of(self, item: CatalogueCommand) -> Host:
        """Return where a command runs, with nothing but the module that declares its operation."""
        from holdfast.toolsets import toolset_declared_in
        from holdfast.workspace import Workspace

        return Host.of(Registry((toolset_declared_in(item.module),)), Workspace.discover)


Commands = Host | Installation
"""A catalogue of commands, and how one of them is loaded."""


@dataclass(frozen=True)
class Place:
    """Where what is asked for is kept, as far as somebody said."""

    root: str | None = None
    database: str | None = None


@dataclass
class LazyWorkspace:
    """Opens the workspace when the first room is asked for, so that bad arguments need no repository."""

    host: Host
    place: Place
    _opened: list[OpenWorkspace] = field(default_factory=list)

    def room(self, toolset: str) -> Any:
        """Return the room a toolset works in."""
        if not self._opened:
            database = [] if self.place.database is None else [self.place.database]
            self._opened.append(self.host.discover(starting_directory(self.place.root), *database))
        room = self._opened[0].room(toolset)
        garbage.done()
        return room

    def close(self) -> None:
        """Close the workspace, if it was needed at all."""
        for workspace in self._opened:
            workspace.close()


def perform(
    host: Host, operation: Operation, arguments: Mapping[str, Any], *, place: Place, as_json: bool
) -> int:
    """Run an operation, write its result and return the exit status.

    What the operation left to do after its answer is done once the answer was written, and undone
    when it was not.
    """
    workspace = LazyWorkspace(host, place)
    with closing(workspace), closing(Dispatcher(host.registry, workspace.room)) as dispatcher:
        progress = ProgressLine(sys.stderr)
        call = dispatcher.new_call(operation, listener=progress)
        with _given_back_on_failure(call):
            with progress:
                filled = guarded(_filled_in, workspace, operation, dict(arguments))
                result = dispatcher.run(operation, filled, call)
            _write_result(operation, result, as_json=as_json)
        return _settled(call) or output.of_result(result)


@contextmanager
def _given_back_on_failure(call: Call) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # The failure that came first is the one to tell.
        with suppress(HoldfastError):
            guarded(lambda: call.settle(answered=False))
        raise


def _settled(call: Call) -> int:
    """Do what follows the answer. The answer is out, so that a failure is told in words alone."""
    try:
        guarded(lambda: call.settle(answered=True))
    except HoldfastError as error:
        from holdfast.faces.cli import failures

        return failures.report(error, as_json=False)
    return output.SUCCESS


def _filled_in(workspace: LazyWorkspace, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    if operation.fill_in is None:
        return arguments
    return operation.fill_in(workspace.room(operation.toolset), arguments)


def _write_result(operation: Operation, result: Output, *, as_json: bool) -> None:
    if not as_json and operation.table is not None:
        write_words(operation.table(result, width_of(sys.stdout)))
        return
    words = None if as_json else operation.terminal_words
    if words is None:
        write(json_text(result.wire(), for_a_person=is_terminal(sys.stdout)))
    else:
        write_words(words(result))


def starting_directory(root: str | None) -> Path:
    """Return the directory from which the repository is looked for."""
    if root is None:
        try:
            return Path.cwd()
        except FileNotFoundError:
            raise NotFound(
                "The current directory no longer exists.", hint="Change to one that does, or pass --root."
            ) from None
    if not os.path.isdir(root):
        raise NotFound("The directory given as --root does not exist.", hint="Pass one that does.")
    return Path(root)

"""The command generated from an operation, and its execution: open, dispatch, write the result, settle."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import click

from holdfast import toolsets
from holdfast.faces.cli import failures, output
from holdfast.faces.cli.arguments import (
    command_arguments,
    command_names,
    path_completion,
    wire_arguments,
    with_commands,
    with_options,
)
from holdfast.faces.cli.catalogue import CATALOGUE, CatalogueCommand, CatalogueToolset, catalogue_of
from holdfast.faces.cli.groups import PageContext, PageFormatter, help_option, option_rows
from holdfast.faces.cli.output import is_terminal, width_of, write, write_text
from holdfast.faces.cli.progress import ProgressLine
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import Denied, HoldfastError, Invalid, InvalidArguments, NotFound
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import TOOLS, Registry, Selection
from holdfast.kernel.untrusted import json_text
from holdfast.storage.lazy import Lazy

_VARIABLES = "GIT_MILE_EDITOR, VISUAL or EDITOR"
_SUGGESTION = " Did you mean "


class OpenWorkspace(Protocol):
    """The part of a workspace that running an operation needs."""

    def room(self, toolset: str) -> Any: ...

    def close(self) -> None: ...


class Host(NamedTuple):
    """The registry that commands are generated from, and how to find the workspace they run in."""

    registry: Registry
    discover: Callable[..., OpenWorkspace]
    """Opens the workspace, given a directory and, if one was named, a database."""

    @classmethod
    def of(cls, registry: Registry, discover: Callable[..., OpenWorkspace]) -> Host:
        """Return a host for the whole registry, including toolsets that servers offer only on request."""
        names = frozenset(toolset.name for toolset in registry.toolsets)
        return cls(registry.select(Selection(toolsets=names, commands=True)), discover)

    @property
    def catalogue(self) -> tuple[CatalogueToolset, ...]:
        """Return the commands of the registry."""
        return catalogue_of(self.registry)

    def host_of(self, item: CatalogueCommand) -> Host:
        """Return this host, where all commands are loaded."""
        del item
        return self

    def is_in_database(self, operation: Operation) -> bool:
        """Return whether an operation's data can be in a database that a team shares."""
        return any(item.in_database for item in self.registry.toolsets if item.name == operation.toolset)


class Installation:
    """The commands of this installation, each of which imports only its own tool."""

    catalogue = CATALOGUE

    def host_of(self, item: CatalogueCommand) -> Host:
        """Return a host with the toolset of a command; a command about tools needs all of them."""
        from holdfast.workspace import Workspace

        own = toolsets.toolset_declared_in(item.module)
        needed = toolsets.toolsets() if own.name == TOOLS else (own,)
        return Host.of(Registry(needed), Workspace.discover)


Commands = Host | Installation
"""A catalogue of commands, and how one of them is loaded."""


class StoreLocation(NamedTuple):
    """The directory and the database given on the command line, if any."""

    root: str | None = None
    database: str | None = None


class LazyWorkspace:
    """Opens the workspace at the first access to a room: arguments are validated without one."""

    def __init__(self, host: Host, location: StoreLocation) -> None:
        self._host, self._location = host, location
        self._workspace = Lazy(self._open)

    def room(self, toolset: str) -> Any:
        """Return the room a toolset works in."""
        room = self._workspace.get().room(toolset)
        toolsets.loaded()
        return room

    def close(self) -> None:
        """Close the workspace, if it was needed at all."""
        self._workspace.close()

    def _open(self) -> OpenWorkspace:
        database = [] if self._location.database is None else [self._location.database]
        return self._host.discover(starting_directory(self._location.root), *database)


def perform(
    host: Host, operation: Operation, arguments: Mapping[str, Any], *, location: StoreLocation, as_json: bool
) -> int:
    """Run an operation, write its result and return the exit status.

    The call is settled as answered once the result has been written, and as not answered if it could not be.
    """
    workspace = LazyWorkspace(host, location)
    with closing(workspace), closing(Dispatcher(host.registry, workspace.room)) as dispatcher:
        progress = ProgressLine(sys.stderr)
        call = dispatcher.new_call(operation, listener=progress)
        with _rolled_back_on_failure(call):
            with progress:
                filled = run_guarded(_filled_in, workspace, operation, dict(arguments))
                result = dispatcher.run(operation, filled, call)
            _write_result(operation, result, as_json=as_json)
        return _settled(call) or result.exit_code


@contextmanager
def _rolled_back_on_failure(call: Call) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # The first failure is the one to report.
        with suppress(HoldfastError):
            run_guarded(lambda: call.settle(answered=False))
        raise


def _settled(call: Call) -> int:
    """Settle the call as answered. Since the answer was written already, a failure is reported as text."""
    try:
        run_guarded(lambda: call.settle(answered=True))
    except HoldfastError as error:
        return failures.report(error, as_json=False)
    return output.SUCCESS


def _filled_in(workspace: LazyWorkspace, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    if operation.fill_in is None:
        return arguments
    return operation.fill_in(workspace.room(operation.toolset), arguments)


def _write_result(operation: Operation, result: Output, *, as_json: bool) -> None:
    file: bytes | None = getattr(result, "file_content", None)
    if file is not None and not as_json and not is_terminal(sys.stdout):
        write(file)
        return
    if not as_json and operation.table is not None:
        write_text(operation.table(result, width_of(sys.stdout)))
        return
    formatter = None if as_json else operation.command_text or operation.text
    if formatter is None:
        write(json_text(result.wire(), for_a_person=is_terminal(sys.stdout)))
    else:
        text, cursor = formatter(_with_typed_steps(operation, result)), getattr(result, "next_cursor", None)
        write_text(text.replace(f"the cursor {cursor}", f"--cursor {cursor}") if cursor else text)


def _with_typed_steps(operation: Operation, result: Output) -> Output:
    """Return a result whose next steps name commands and options instead of tools and fields."""
    steps: list[str] | None = getattr(result, "next_steps", None)
    if not steps:
        return result
    arguments = command_arguments(operation)
    typed = [with_options(with_commands(step, command_names()), arguments) for step in steps]
    return result.model_copy(update={"next_steps": typed})


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


def refuse_when_read_only() -> None:
    """Raise when HOLDFAST_READ_ONLY is set, which applies to commands as it does to servers."""
    if os.environ.get("HOLDFAST_READ_ONLY", "").lower() in ("1", "true", "t", "yes", "y", "on"):
        raise Denied("This command writes, and HOLDFAST_READ_ONLY is set.", hint="Unset it to write.")


def with_written(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the text written in an editor, which starts with what was typed."""
    from holdfast.storage.processes.editor import edit_text

    name = operation.editor_argument
    assert name is not None
    text = edit_text(str(given.get(name) or ""))
    if not text.strip():
        raise Invalid(f"The {name} is empty; nothing was done.", hint="Write something and save it.")
    return given | {name: text}


def root_option() -> click.Option:
    """Return the option that names the repository's directory."""
    return click.Option(
        ["--root"],
        type=click.Path(),
        metavar="DIRECTORY",
        envvar="HOLDFAST_ROOT",
        show_envvar=True,
        help="Where to look for the repository.  [default: the current directory]",
        shell_complete=lambda _context, _parameter, incomplete: path_completion(incomplete, "dir"),
    )


def database_option() -> click.Option:
    """Return the option that names a team's shared database."""
    return click.Option(
        ["--database"],
        metavar="URL",
        envvar="HOLDFAST_DATABASE",
        show_envvar=True,
        help="Keep tasks in this PostgreSQL database.  [default: SQLite beside the repository]",
    )


def json_option() -> click.Option:
    """Return the option that prints JSON instead of text."""
    return click.Option(["--json"], is_flag=True, help="Print the result as JSON.")


class OperationCommand(click.Command):
    """Parses an operation's arguments, runs it and writes the result."""

    context_class = PageContext

    def __init__(self, name: str, operation: Operation, host: Host) -> None:
        self.operation = operation
        self.host = host
        self.arguments = command_arguments(operation)
        shared = [database_option()] if host.is_in_database(operation) else []
        self.common = [root_option(), *shared, json_option(), help_option()]
        own = [argument.parameter() for argument in self.arguments]
        for option in own:
            if isinstance(option, click.Option):
                others = [item for item in self.arguments if item.key != option.name]
                option.help = with_options(option.help or "", others)
        if operation.editor_argument is not None:
            text = f"Write the {operation.editor_argument} in your editor ({_VARIABLES})."
            own.append(click.Option(["--editor"], is_flag=True, help=text))
        _refuse_taken_names(operation, [*own, *self.common])
        super().__init__(
            name,
            params=[*own, *self.common],
            callback=self._run,
            help=self._in_typed_names(operation.description),
            short_help=operation.summary,
            add_help_option=False,
        )

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        assert isinstance(formatter, PageFormatter)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        positional = [item for item in self.arguments if item.is_positional]
        formatter.write_table(
            "Arguments", [(item.metavar, self._in_typed_names(item.help)) for item in positional]
        )
        own = [parameter for parameter in self.params if parameter not in self.common]
        formatter.write_table("Options", option_rows(ctx, own))
        formatter.write_table("Common options", option_rows(ctx, self.common))
        formatter.write_lines("Example", self._example(ctx))

    def _example(self, ctx: click.Context) -> str:
        """Return the example as typed for the running program, which may be `git mile`."""
        if ctx.find_root().info_name == "holdfast":
            return self.operation.example
        usual = f"holdfast {self.operation.toolset} {self.operation.command}"
        return self.operation.example.replace(usual, ctx.command_path, 1)

    def _run(
        self, root: str | None, json: bool, editor: bool = False, database: str | None = None, **typed: Any
    ) -> int:
        given = wire_arguments(self.arguments, typed)
        try:
            if self.operation.effect is not Effect.READ:
                refuse_when_read_only()
            if editor:
                given = with_written(self.operation, given)
            location = StoreLocation(root, database)
            return perform(self.host, self.operation, given, location=location, as_json=json)
        except HoldfastError as error:
            lacks_hint = error.hint is None and not json
            if lacks_hint and error.message.count(_SUGGESTION) == 1 and error.message.endswith("?"):
                error.message, _, suggestion = error.message.partition(_SUGGESTION)
                error.hint = f"{_SUGGESTION.lstrip()}{suggestion}"
            elif lacks_hint and isinstance(error, InvalidArguments):
                error.hint = failures.see_help(click.get_current_context(silent=True))
            return failures.report(
                error, as_json=json, family=self.operation.family, phrase=self._in_typed_names
            )

    def _in_typed_names(self, text: str) -> str:
        typed = with_options(with_commands(text, command_names()), self.arguments)
        context = click.get_current_context(silent=True)
        is_git_mile = context is not None and context.find_root().info_name == "git mile"
        return typed.replace("holdfast milestones", "git mile") if is_git_mile else typed


def _refuse_taken_names(operation: Operation, parameters: list[click.Parameter]) -> None:
    seen: set[str] = set()
    for name in (name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)):
        if name in seen:
            raise TypeError(
                f'{operation.name}: the option "{name}" is taken; call the argument something else'
            )
        seen.add(name)

"""The command of an operation, generated from its declaration, and its run: open, dispatch, write, settle."""

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
from holdfast.faces.cli.output import ProgressLine, is_terminal, width_of, write, write_words
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.dispatch.failures import guarded
from holdfast.kernel.errors import Denied, HoldfastError, Invalid, InvalidArguments, NotFound
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.registry import TOOLS, Registry, Selection
from holdfast.kernel.untrusted import json_text
from holdfast.storage.lazy import Lazy

_VARIABLES = "GIT_MILE_EDITOR, VISUAL or EDITOR"
_MEANT = " Did you mean "


class OpenWorkspace(Protocol):
    """What running an operation needs of a workspace."""

    def room(self, toolset: str) -> Any: ...

    def close(self) -> None: ...


class Host(NamedTuple):
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
        """Return where a command runs, with nothing but the module that declares its operation.

        Only what is about the tools themselves needs all of them.
        """
        from holdfast.workspace import Workspace

        own = toolsets.toolset_declared_in(item.module)
        needed = toolsets.toolsets() if own.name == TOOLS else (own,)
        return Host.of(Registry(needed), Workspace.discover)


Commands = Host | Installation
"""A catalogue of commands, and how one of them is loaded."""


class Place(NamedTuple):
    """Where what is asked for is kept, as far as somebody said."""

    root: str | None = None
    database: str | None = None


class LazyWorkspace:
    """Opens the workspace when the first room is asked for, so that bad arguments need no repository."""

    def __init__(self, host: Host, place: Place) -> None:
        self._host, self._place = host, place
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
        database = [] if self._place.database is None else [self._place.database]
        return self._host.discover(starting_directory(self._place.root), *database)


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
        return _settled(call) or result.exit_code


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
        write_words(operation.table(result, width_of(sys.stdout)))
        return
    words = None if as_json else operation.command_text or operation.text
    if words is None:
        write(json_text(result.wire(), for_a_person=is_terminal(sys.stdout)))
    else:
        told, cursor = words(_as_typed(operation, result)), getattr(result, "next_cursor", None)
        write_words(told.replace(f"the cursor {cursor}", f"--cursor {cursor}") if cursor else told)


def _as_typed(operation: Operation, result: Output) -> Output:
    """Return a result whose next steps name commands and options."""
    steps: list[str] | None = getattr(result, "next_steps", None)
    if not steps:
        return result
    arguments = command_arguments(operation)
    worded = [with_options(with_commands(step, command_names()), arguments) for step in steps]
    return result.model_copy(update={"next_steps": worded})


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


def refuse_when_read_only() -> None:
    """Raise where the variable that keeps a server from writing is set, which holds for commands, too."""
    if os.environ.get("HOLDFAST_READ_ONLY", "").lower() in ("1", "true", "t", "yes", "y", "on"):
        raise Denied("This command writes, and HOLDFAST_READ_ONLY is set.", hint="Unset it to write.")


def with_written(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with what a person wrote, beginning from what they typed."""
    from holdfast.storage.processes.editor import written_in_editor

    name = operation.written_in_editor
    assert name is not None
    text = written_in_editor(str(given.get(name) or ""))
    if not text.strip():
        raise Invalid(f"The {name} is empty; nothing was done.", hint="Write something and save it.")
    return given | {name: text}


def root_option() -> click.Option:
    """Return the option that says which repository is meant."""
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
    """Return the option that names the database in which a team shares what it keeps."""
    return click.Option(
        ["--database"],
        metavar="URL",
        envvar="HOLDFAST_DATABASE",
        show_envvar=True,
        help="Keep tasks in this PostgreSQL database.  [default: SQLite beside the repository]",
    )


def json_option() -> click.Option:
    """Return the option that asks for data instead of words."""
    return click.Option(["--json"], is_flag=True, help="Print the result as JSON.")


class OperationCommand(click.Command):
    """Takes an operation's arguments, runs it and writes what it found."""

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
        if operation.written_in_editor is not None:
            text = f"Write the {operation.written_in_editor} in your editor ({_VARIABLES})."
            own.append(click.Option(["--editor"], is_flag=True, help=text))
        _refuse_taken_names(operation, [*own, *self.common])
        super().__init__(
            name,
            params=[*own, *self.common],
            callback=self._run,
            help=self._worded(operation.description),
            short_help=operation.summary,
            add_help_option=False,
        )

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        assert isinstance(formatter, PageFormatter)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        positional = [item for item in self.arguments if item.is_positional]
        formatter.write_table("Arguments", [(item.metavar, self._worded(item.help)) for item in positional])
        own = [parameter for parameter in self.params if parameter not in self.common]
        formatter.write_table("Options", option_rows(ctx, own))
        formatter.write_table("Common options", option_rows(ctx, self.common))
        formatter.write_lines("Example", self._example(ctx))

    def _example(self, ctx: click.Context) -> str:
        """Return the example as it is typed to the program that runs, which may be `git mile`."""
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
            place = Place(root, database)
            return perform(self.host, self.operation, given, place=place, as_json=json)
        except HoldfastError as error:
            lacks_hint = error.hint is None and not json
            if lacks_hint and error.message.count(_MEANT) == 1 and error.message.endswith("?"):
                error.message, _, meant = error.message.partition(_MEANT)
                error.hint = f"{_MEANT.lstrip()}{meant}"
            elif lacks_hint and isinstance(error, InvalidArguments):
                error.hint = failures.see_help(click.get_current_context(silent=True))
            return failures.report(error, as_json=json, family=self.operation.family, worded=self._worded)

    def _worded(self, text: str) -> str:
        told = with_options(with_commands(text, command_names()), self.arguments)
        context = click.get_current_context(silent=True)
        is_git_mile = context is not None and context.find_root().info_name == "git mile"
        return told.replace("holdfast milestones", "git mile") if is_git_mile else told


def _refuse_taken_names(operation: Operation, parameters: list[click.Parameter]) -> None:
    seen: set[str] = set()
    for name in (name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)):
        if name in seen:
            raise TypeError(
                f'{operation.name}: the option "{name}" is taken; call the argument something else'
            )
        seen.add(name)

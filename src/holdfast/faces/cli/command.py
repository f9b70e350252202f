"""The command of an operation, generated from its declaration."""

from __future__ import annotations

from typing import Any

import click

from holdfast.faces.cli import failures
from holdfast.faces.cli.arguments import choice_hint, command_arguments, path_completion, wire_arguments
from holdfast.faces.cli.groups import PageContext, PageFormatter, help_option, option_rows
from holdfast.faces.cli.run import Host, Place, perform
from holdfast.kernel.errors import HoldfastError, Invalid, InvalidArguments
from holdfast.kernel.operation import Operation

_VARIABLES = "GIT_MILE_EDITOR, VISUAL or EDITOR"


def editor_option(argument: str) -> click.Option:
    """Return the option that asks for the editor."""
    return click.Option(
        ["--editor"], is_flag=True, help=f"Write the {argument} in your editor ({_VARIABLES})."
    )


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
        shell_complete=_complete_directory,
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
        if operation.written_in_editor is not None:
            own.append(editor_option(operation.written_in_editor))
        _refuse_taken_names(operation, [*own, *self.common])
        super().__init__(
            name,
            params=[*own, *self.common],
            callback=self._run,
            help=operation.description,
            short_help=operation.summary,
            add_help_option=False,
        )

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        assert isinstance(formatter, PageFormatter)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        positional = [item for item in self.arguments if item.is_positional]
        formatter.write_table("Arguments", [(item.metavar, item.help) for item in positional])
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
            if editor:
                given = with_written(self.operation, given)
            place = Place(root, database)
            return perform(self.host, self.operation, given, place=place, as_json=json)
        except InvalidArguments as error:
            error.hint = error.hint or choice_hint(self.arguments, given)
            return failures.report(error, as_json=json, family=self.operation.family)
        except HoldfastError as error:
            return failures.report(error, as_json=json, family=self.operation.family)


def _refuse_taken_names(operation: Operation, parameters: list[click.Parameter]) -> None:
    seen: set[str] = set()
    for name in (name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)):
        if name in seen:
            raise TypeError(
                f'{operation.name}: the option "{name}" is taken; call the argument something else'
            )
        seen.add(name)


def _complete_directory(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
    del context, parameter
    return path_completion(incomplete, "dir")

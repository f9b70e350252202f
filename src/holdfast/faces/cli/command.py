"""The command generated from an operation, and its execution: dispatch, write the result, settle the call."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import Any

import click

from holdfast.faces.cli import failures, output
from holdfast.faces.cli.arguments import (
    AGENT_VARIABLE,
    command_arguments,
    command_names,
    name_commands,
    name_options,
    wire_arguments,
)
from holdfast.faces.cli.groups import PageContext, PageFormatter, option_rows
from holdfast.faces.cli.host import Host, LazyWorkspace, StoreLocation
from holdfast.faces.cli.options import database_option, explain_option, help_option, json_option, root_option
from holdfast.faces.cli.output import is_terminal, style_text, terminal_width, write, write_text
from holdfast.faces.cli.progress import ProgressLine
from holdfast.faces.cli.terminal_report import terminal_report
from holdfast.faces.json_text import json_text
from holdfast.kernel.call import Call
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import Denied, HoldfastError, Invalid, InvalidArguments
from holdfast.kernel.models import Output
from holdfast.kernel.operation import Effect, Operation
from holdfast.kernel.text import one_line, shorten
from holdfast.kernel.untrusted import visible

_EDITOR_VARIABLES = "GIT_MILE_EDITOR, VISUAL or EDITOR"
_SUGGESTION = " Did you mean "

_MAX_NAME_CHARACTERS = 100
"""A judgement: far longer than names of agents, and below what every room accepts as an author."""


def perform(
    host: Host,
    operation: Operation,
    arguments: Mapping[str, Any],
    *,
    location: StoreLocation,
    as_json: bool,
    explain: bool = False,
) -> int:
    """Run an operation, write its result and return the exit status.

    `explain` adds to a report how its figures are measured.

    The call is settled as answered once the result has been written, and as not answered if it could not be.
    """
    workspace = LazyWorkspace(host, location)
    with closing(workspace), closing(Dispatcher(host.registry, workspace.room)) as dispatcher:
        progress = ProgressLine(sys.stderr, stages=operation.stages)
        call = dispatcher.new_call(operation, listener=progress, program=_agent())
        with _roll_back_on_failure(call):
            with progress:
                completed = run_guarded(_fill_in, workspace, operation, dict(arguments))
                result = dispatcher.run(operation, completed, call)
            write_result(operation, result, as_json=as_json, explain=explain)
        return _settle(call) or result.exit_code


def _agent() -> str | None:
    """Return the name of the agent that runs the command, if the environment names one."""
    return shorten(one_line(os.environ.get(AGENT_VARIABLE, "")), _MAX_NAME_CHARACTERS) or None


@contextmanager
def _roll_back_on_failure(call: Call) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # The original failure is reported, not a failure to roll back.
        with suppress(HoldfastError):
            run_guarded(lambda: call.settle(answered=False))
        raise


def _settle(call: Call) -> int:
    """Settle the call as answered; return the exit status.

    The answer was written already, so a failure is reported as text.
    """
    try:
        run_guarded(lambda: call.settle(answered=True))
    except HoldfastError as error:
        return failures.report(error, as_json=False)
    return output.SUCCESS


def _fill_in(workspace: LazyWorkspace, operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    if operation.fill_in is None:
        return arguments
    return operation.fill_in(workspace.room(operation.toolset), arguments)


def write_result(operation: Operation, result: Output, *, as_json: bool, explain: bool = False) -> None:
    """Write a result to standard output: as JSON, as text, or the bytes of a file unless it is a terminal."""
    file: bytes | None = getattr(result, "file_content", None)
    if file is not None and not as_json and not is_terminal(sys.stdout):
        write(file)
        return
    if not as_json and getattr(result, "format", "") in operation.report_formats:
        _write_report(operation, result, explain=explain)
        return
    text = None if as_json else _text(operation, result)
    if text is None:
        write(json_text(result.wire(), for_a_person=is_terminal(sys.stdout)))
    else:
        write_text(text)


def _text(operation: Operation, result: Output) -> str | None:
    """Return the text of a result for the command line; None if it has only data."""
    if operation.table is not None:
        return operation.table(result, terminal_width(sys.stdout))
    formatter = operation.command_text or operation.text
    if formatter is None:
        return None
    text = formatter(_name_options_in_steps(operation, result))
    cursor = getattr(result, "next_cursor", None)
    return text.replace(f"the cursor {cursor}", f"--cursor {cursor}") if cursor else text


def _write_report(operation: Operation, result: Output, *, explain: bool) -> None:
    """Write a report, laid out if standard output is a terminal, with the method only on request."""
    is_shortened = operation.explains_figures and not explain
    if is_shortened:
        result = result.model_copy(update={"method": ""})
    text = (_text(operation, result) or "").rstrip()
    if not is_terminal(sys.stdout):
        write_text(text)
        return
    style = partial(style_text, stream=sys.stdout)
    write(terminal_report(visible(text), terminal_width(sys.stdout), style) + "\n")
    if is_shortened:
        write("\n" + style("How this is measured: --explain", dim=True) + "\n")


def _name_options_in_steps(operation: Operation, result: Output) -> Output:
    steps: list[str] | None = getattr(result, "next_steps", None)
    if not steps:
        return result
    arguments = command_arguments(operation)
    renamed = [name_options(name_commands(step, command_names()), arguments) for step in steps]
    return result.model_copy(update={"next_steps": renamed})


def refuse_when_read_only() -> None:
    """Raise when HOLDFAST_READ_ONLY is set, which applies to commands as well as to servers."""
    if os.environ.get("HOLDFAST_READ_ONLY", "").lower() in ("1", "true", "t", "yes", "y", "on"):
        raise Denied("This command writes, and HOLDFAST_READ_ONLY is set.", hint="Unset it to write.")


def write_in_editor(operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    """Let the user write one argument in an editor, starting with its value; return the arguments with it."""
    from holdfast.storage.processes.editor import edit_text

    name = operation.editor_argument
    assert name is not None
    text = edit_text(str(arguments.get(name) or ""))
    if not text.strip():
        raise Invalid(f"The {name} is empty; nothing was done.", hint="Write something and save it.")
    return arguments | {name: text}


class OperationCommand(click.Command):
    """Parses an operation's arguments, runs it and writes the result."""

    context_class = PageContext

    def __init__(self, name: str, operation: Operation, host: Host) -> None:
        self.operation = operation
        self.host = host
        self.arguments = command_arguments(operation)
        database = [database_option()] if host.is_in_database(operation) else []
        # An operation may have an argument of that name, which then does this too.
        offers_explain = operation.explains_figures and "explain" not in operation.input.model_fields
        explain = [explain_option()] if offers_explain else []
        self.common = [root_option(), *database, json_option(), *explain, help_option()]
        own_parameters = [argument.parameter() for argument in self.arguments]
        for option in own_parameters:
            if isinstance(option, click.Option):
                other_arguments = [item for item in self.arguments if item.key != option.name]
                option.help = name_options(option.help or "", other_arguments)
        if operation.editor_argument is not None:
            text = f"Write the {operation.editor_argument} in your editor ({_EDITOR_VARIABLES})."
            own_parameters.append(click.Option(["--editor"], is_flag=True, help=text))
        _check_unique_names(operation, [*own_parameters, *self.common])
        super().__init__(
            name,
            params=[*own_parameters, *self.common],
            callback=self._run,
            help=self._rename(operation.description),
            short_help=operation.summary,
            add_help_option=False,
        )

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        assert isinstance(formatter, PageFormatter)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        positional = [item for item in self.arguments if item.is_positional]
        formatter.write_table("Arguments", [(item.metavar, self._rename(item.help)) for item in positional])
        own_parameters = [parameter for parameter in self.params if parameter not in self.common]
        formatter.write_table("Options", option_rows(ctx, own_parameters))
        formatter.write_table("Common options", option_rows(ctx, self.common))
        formatter.write_lines("Example", self._example(ctx))

    def _example(self, ctx: click.Context) -> str:
        """Return the example for the running program, which may be `git mile`."""
        if ctx.find_root().info_name == "holdfast":
            return self.operation.example
        holdfast_command = f"holdfast {self.operation.toolset} {self.operation.command}"
        return self.operation.example.replace(holdfast_command, ctx.command_path, 1)

    def _run(
        self,
        root: str | None,
        json: bool,
        editor: bool = False,
        database: str | None = None,
        explain_figures: bool = False,
        **typed: Any,
    ) -> int:
        arguments = wire_arguments(self.arguments, typed)
        explain = explain_figures or arguments.get("explain") is True
        try:
            if self.operation.effect is not Effect.READ:
                refuse_when_read_only()
            if editor:
                arguments = write_in_editor(self.operation, arguments)
            location = StoreLocation(root, database)
            return perform(
                self.host, self.operation, arguments, location=location, as_json=json, explain=explain
            )
        except HoldfastError as error:
            if error.hint is None and not json:
                _add_hint(error)
            return failures.report(error, as_json=json, family=self.operation.family, rename=self._rename)

    def _rename(self, text: str) -> str:
        """Return a text with the names of tools and fields replaced by commands and options."""
        renamed = name_options(name_commands(text, command_names()), self.arguments)
        context = click.get_current_context(silent=True)
        is_git_mile = context is not None and context.find_root().info_name == "git mile"
        return renamed.replace("holdfast milestones", "git mile") if is_git_mile else renamed


def _add_hint(error: HoldfastError) -> None:
    """Turn a suggestion at the end of the message into the hint, or else refer to the help page."""
    if error.message.count(_SUGGESTION) == 1 and error.message.endswith("?"):
        error.message, _, suggestion = error.message.partition(_SUGGESTION)
        error.hint = f"{_SUGGESTION.lstrip()}{suggestion}"
    elif isinstance(error, InvalidArguments):
        error.hint = failures.see_help(click.get_current_context(silent=True))


def _check_unique_names(operation: Operation, parameters: list[click.Parameter]) -> None:
    names = [name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TypeError(
                f'{operation.name}: the option "{name}" exists already; give the argument another name'
            )
        seen.add(name)

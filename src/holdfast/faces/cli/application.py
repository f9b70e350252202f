"""The whole command line: every operation as a command, and what is written by hand beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click

from holdfast import __doc__ as summary
from holdfast import __version__
from holdfast.faces.cli import completion, exit_status, failures
from holdfast.faces.cli.command import OperationCommand
from holdfast.faces.cli.groups import CommandGroup, Entry, entry_for
from holdfast.faces.cli.help import first_sentence
from holdfast.faces.cli.install import install_command
from holdfast.faces.cli.output import OutputFailed, write
from holdfast.faces.cli.run import Host
from holdfast.faces.cli.serve import serve_command
from holdfast.faces.cli.terminal import is_terminal
from holdfast.faces.cli.token import token_command
from holdfast.kernel.dispatch import unforeseen
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.operation import Operation, Toolset

_EVERYDAY = "Everyday commands"
_TOOLSETS = "Toolsets"
_PROGRAM = "The program itself"


def run(arguments: list[str] | None = None, host: Host | None = None) -> int:
    """Run the command line and return the exit status; no exception leaves here."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if host is None and arguments[:1] == ["serve"] and not completion.is_requested():
        # Other commands are made from the rooms; a server answers its first request before it loads them.
        return run_program(CommandGroup("holdfast", summary or "", _serving()), "holdfast", arguments)
    return run_program(application(host or this_installation()), "holdfast", arguments)


def run_program(group: CommandGroup, name: str, arguments: list[str]) -> int:
    """Run the commands of a group under the name of its program; no exception leaves here."""
    try:
        return _answer(group, name, arguments)
    except OutputFailed as failure:
        return failures.report_unwritten(failure)
    except KeyboardInterrupt:
        if is_terminal(sys.stderr):
            sys.stderr.write("\n")
        return exit_status.INTERRUPTED


def application(host: Host) -> CommandGroup:
    """Return the command line of a registry."""
    entries = dict(_everyday_entries(host))
    entries |= dict(_toolset_entries(host))
    entries |= _serving()
    entries["token"] = entry_for(token_command(), _PROGRAM)
    entries["install"] = entry_for(install_command(), _PROGRAM)
    group = CommandGroup("holdfast", summary or "", entries, [version_option()])
    entries["completion"] = entry_for(completion.completion_command(group), _PROGRAM)
    return group


def _serving() -> dict[str, Entry]:
    return {"serve": entry_for(serve_command(), _PROGRAM)}


def _answer(group: CommandGroup, name: str, arguments: list[str]) -> int:
    program = name.replace(" ", "-")
    if completion.is_requested(program):
        return completion.answer(group, program)
    try:
        return _invoke(group, name, arguments)
    except OutputFailed:
        raise
    except HoldfastError as failure:
        error = failure
    except Exception as defect:
        error = unforeseen(defect)
    return failures.report(error, as_json=_wants_json(arguments))


def _invoke(group: CommandGroup, name: str, arguments: list[str]) -> int:
    try:
        with group.make_context(name, list(arguments), max_content_width=100) as context:
            status: int = group.invoke(context)
            return status
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as failure:
        raise failures.from_usage(failure) from None


def this_installation() -> Host:
    """Return what the commands of this installation are made from."""
    from holdfast.toolsets import full_registry
    from holdfast.workspace import Workspace

    return Host.of(full_registry(), Workspace.discover)


def _everyday_entries(host: Host) -> Iterator[tuple[str, Entry]]:
    for operation in host.registry.operations:
        if operation.shortcut is not None:
            yield operation.shortcut, _entry(host, operation, _EVERYDAY)


def _toolset_entries(host: Host) -> Iterator[tuple[str, Entry]]:
    for toolset in host.registry.toolsets:
        yield toolset.name, _group_entry(host, toolset)


def _group_entry(host: Host, toolset: Toolset) -> Entry:
    commands = toolset_commands(host, toolset)
    return Entry(
        first_sentence(toolset.summary),
        _TOOLSETS,
        lambda name: CommandGroup(name, toolset.summary, commands),
        hidden=toolset.hidden,
        inner=tuple(commands),
    )


def toolset_commands(host: Host, toolset: Toolset) -> dict[str, Entry]:
    """Return the commands of one toolset."""
    listed = sorted(_listed(host, toolset), key=lambda item: item.command)
    return {item.command: _entry(host, item, "Commands") for item in listed}


def _listed(host: Host, toolset: Toolset) -> list[Operation]:
    return [operation for operation in host.registry.operations if operation.toolset == toolset.name]


def _entry(host: Host, operation: Operation, section: str) -> Entry:
    return Entry(
        first_sentence(operation.summary), section, lambda name: OperationCommand(name, operation, host)
    )


def version_option() -> click.Option:
    """Return the option that shows the version."""

    def show(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        del parameter
        if value and not context.resilient_parsing:
            write(f"holdfast {__version__}\n")
            context.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the version and exit.",
    )


def _wants_json(arguments: list[str]) -> bool:
    """Return whether data was asked for, as far as can be told when parsing did not succeed."""
    before_separator = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before_separator

"""The command line as a whole: a command for every operation, and the commands written by hand."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import click

from holdfast import __doc__ as summary
from holdfast import __version__
from holdfast.faces.cli.groups import CommandEntry, CommandGroup, completion_variable, first_sentence
from holdfast.faces.cli.options import info_option
from holdfast.faces.cli.output import INTERRUPTED, OutputFailed, is_terminal
from holdfast.kernel.errors import HoldfastError

if TYPE_CHECKING:
    from holdfast.faces.cli.catalogue import CatalogueCommand, CatalogueToolset
    from holdfast.faces.cli.host import Commands

_EVERYDAY = "Everyday commands"
_TOOLSETS = "Toolsets"
_PROGRAM = "The program itself"
_HANDWRITTEN = {
    "serve": "Serve the repository to an agent over the Model Context Protocol",
    "demo": "Create a small sample project, serve it, and open its page in the browser",
    "open": "Serve the repository on this machine and open its page in the browser",
    "token": "Manage who may use this repository's server over HTTP, and for what",
    "install": "Configure another program to use Holdfast",
    "hook": "Tell an agent what it should know, when its client runs a hook",
    "fleet": "Run one analysis over many repositories and merge the results",
}
"""The summaries of commands written by hand, for help pages that do not load them; a test compares them."""
_ELSEWHERE = {"hook": "holdfast.faces.hooks.command_line"}
"""The modules of commands that are not in this folder."""


def run(arguments: list[str] | None = None, commands: Commands | None = None) -> int:
    """Run the command line and return the exit status of a success or a reported failure."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if commands is None and arguments[:1] == ["serve"] and not _is_completion("holdfast"):
        # Without the other commands the server starts sooner.
        return run_program(
            CommandGroup("holdfast", summary or "", handwritten_commands("serve")), "holdfast", arguments
        )
    return run_program(application(commands or this_installation()), "holdfast", arguments)


def run_program(group: CommandGroup, name: str, arguments: list[str]) -> int:
    """Run a group of commands as a program with the given name; return the exit status."""
    _exit_on_termination()
    try:
        return _execute(group, name, arguments)
    except OutputFailed as failure:
        from holdfast.faces.cli import failures

        return failures.report_write_failure(failure)
    except KeyboardInterrupt:
        if is_terminal(sys.stderr):
            sys.stderr.write("\n")
        return INTERRUPTED


def _exit_on_termination() -> None:
    """Make signals that end the program raise `SystemExit`, so that the processes it has started end too."""
    import signal
    import threading

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)  # the status that shells give a program that a signal ended

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:  # not where `nohup` ignores it
                signal.signal(number, leave)


def application(commands: Commands) -> CommandGroup:
    """Return the command line with the commands of operations and those written by hand."""
    entries = dict(_everyday_entries(commands))
    for toolset in commands.catalogue:
        entries[toolset.name] = _group_entry(commands, toolset)
    entries |= handwritten_commands("demo", "open", "serve", "token", "install", "hook")
    group = CommandGroup("holdfast", summary or "", entries, [version_option()])
    entries["completion"] = completion_entry(group, "holdfast")
    return group


def this_installation() -> Commands:
    """Return the commands of this installation."""
    from holdfast.faces.cli.host import Installation

    return Installation()


def handwritten_commands(*names: str, section: str = _PROGRAM) -> dict[str, CommandEntry]:
    """Return the entries of commands written by hand."""
    return {name: CommandEntry(_HANDWRITTEN[name], section, _load_handwritten) for name in names}


def _load_handwritten(name: str) -> click.Command:
    module = _ELSEWHERE.get(name, f"holdfast.faces.cli.{name}")
    command: click.Command = getattr(import_module(module), f"{name}_command")()
    return command


def completion_entry(group: CommandGroup, program: str) -> CommandEntry:
    """Return the entry of the command that prints a program's completion script for a shell."""

    def make(_name: str) -> click.Command:
        from holdfast.faces.cli.completion import completion_command

        return completion_command(group, program)

    return CommandEntry(
        "Print the script that completes commands, options and values in a shell", _PROGRAM, make
    )


def _execute(group: CommandGroup, name: str, arguments: list[str]) -> int:
    program = name.replace(" ", "-")
    if _is_completion(program):
        from holdfast.faces.cli import completion

        return completion.write_completions(group, program)
    try:
        with group.make_context(name, list(arguments), max_content_width=100) as context:
            status: int = group.invoke(context)
            return status
    except click.exceptions.Exit as early_exit:
        return early_exit.exit_code
    except OutputFailed:
        raise
    except click.UsageError as usage_error:
        from holdfast.faces.cli.failures import convert_usage_error

        error = convert_usage_error(usage_error)
    except HoldfastError as failure:
        error = failure
    except Exception as defect:
        from holdfast.kernel.dispatch.failures import holdfast_error

        error = holdfast_error(defect)
    from holdfast.faces.cli.failures import report

    return report(error, as_json=_wants_json(arguments))


def _is_completion(program: str) -> bool:
    """Return whether a shell runs this process to complete a command line."""
    return bool(os.environ.get(completion_variable(program)))


def _everyday_entries(commands: Commands) -> Iterator[tuple[str, CommandEntry]]:
    catalogue_commands = [item for toolset in commands.catalogue for item in toolset.commands]
    for item in sorted(catalogue_commands, key=lambda item: item.operation):
        if item.shortcut is not None:
            yield item.shortcut, _entry(commands, item, _EVERYDAY)


def _group_entry(commands: Commands, toolset: CatalogueToolset) -> CommandEntry:
    return CommandEntry(
        first_sentence(toolset.summary),
        _TOOLSETS,
        lambda name: CommandGroup(name, toolset.summary, toolset_entries(commands, toolset)),
        hidden=toolset.hidden,
        inner_names=tuple(item.command for item in toolset.commands),
    )


def toolset_entries(commands: Commands, toolset: CatalogueToolset) -> dict[str, CommandEntry]:
    """Return the commands of one toolset."""
    entries = {item.command: _entry(commands, item, "Commands") for item in toolset.commands}
    if toolset.name == "analyze":
        entries |= handwritten_commands("fleet", section="Many repositories")
    return entries


def _entry(commands: Commands, item: CatalogueCommand, section: str) -> CommandEntry:
    def make(name: str) -> click.Command:
        from holdfast.faces.cli.command import OperationCommand

        host = commands.host_of(item)
        return OperationCommand(name, host.registry.operation(item.operation), host)

    return CommandEntry(first_sentence(item.summary), section, make)


def version_option() -> click.Option:
    """Return the option that shows the version, and which reader of source files is installed."""
    return info_option(["--version"], lambda _: _version(), "Show the version and exit.")


def _version() -> str:
    from holdfast.syntax.core.library import is_found

    return f"holdfast {__version__} ({'compiled core' if is_found() else 'Python reader'})"


def _wants_json(arguments: list[str]) -> bool:
    """Return whether `--json` was given, for failures to parse the arguments."""
    before_separator = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before_separator

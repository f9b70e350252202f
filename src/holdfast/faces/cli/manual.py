"""Generates the files installed with the program: manual pages in roff, and completion scripts for shells.

Text of the commands is escaped so that roff interprets none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click

from holdfast import __version__
from holdfast.faces.cli.application import application
from holdfast.faces.cli.arguments import name_options
from holdfast.faces.cli.command import OperationCommand
from holdfast.faces.cli.completion import SHELLS, script
from holdfast.faces.cli.git_mile import git_mile
from holdfast.faces.cli.groups import CommandGroup, first_sentence, option_rows
from holdfast.faces.cli.host import Host
from holdfast.faces.cli.options import help_option, json_option, root_option
from holdfast.kernel.registry import Registry
from holdfast.workspace import Workspace

_COMMON_OPTIONS = frozenset(("root", "json", "help"))
"""The options that nearly every command has; the page describes them once."""

_COMPLETION_PATHS = {
    "bash": "bash-completion/completions/{program}",
    "zsh": "zsh/site-functions/_{program}",
    "fish": "fish/vendor_completions.d/{program}.fish",
}
"""The path below `share/` where each shell looks for the completion script of a program."""


def share_files(registry: Registry) -> Iterator[tuple[str, str]]:
    """Yield the files below `share/`: for each program, a manual page and a completion script per shell."""
    commands = Host.of(registry, Workspace.discover)
    programs = {"holdfast": application(commands), "git-mile": git_mile(commands)}
    for program, group in programs.items():
        others = [name for name in programs if name != program]
        yield f"man/man1/{program}.1", manual_page(group, program, others)
        for shell in SHELLS:
            yield _COMPLETION_PATHS[shell].format(program=program), script(group, shell, program)


def manual_page(group: CommandGroup, program: str, see_also: Iterable[str]) -> str:
    """Return the manual page of a program, in roff."""
    # `git-mile` is run as `git mile`.
    context = click.Context(group, info_name=program.replace("git-", "git "))
    common_options = option_rows(context, [root_option(), json_option(), help_option()])
    lines = [
        f'.TH "{escape_roff(program.upper())}" 1 "" "holdfast {escape_roff(__version__)}" "Holdfast"',
        *(".nh", ".ad l"),  # no hyphenation, and no justified lines
        ".SH NAME",
        f"{escape_roff(program)} \\- {escape_roff(first_sentence(group.help or ''))}",
        ".SH SYNOPSIS",
        _usage(context),
        ".SH DESCRIPTION",
        *_paragraphs(group.help or ""),
        ".SH OPTIONS",
        *_terms(option_rows(context, group.params)),
        ".SH COMMON OPTIONS",
        "Nearly every command takes these.",
        *_terms(common_options),
        *_command_lists(group),
        ".SH THE COMMANDS",
    ]
    # Each group starts a new section, so commands without a group come first.
    names = group.list_commands(context)
    names.sort(key=lambda name: isinstance(group.get_command(context, name), click.Group))
    for name in names:
        lines += _command_section(group, name, context)
    return "\n".join([*lines, ".SH SEE ALSO", ", ".join(f"{escape_roff(name)}(1)" for name in see_also), ""])


def _command_lists(group: CommandGroup) -> Iterator[str]:
    """Yield the sections that list the group's commands with their summaries."""
    for section in dict.fromkeys(entry.section for entry in group.entries.values()):
        listed = [
            (name, entry.summary)
            for name, entry in group.entries.items()
            if entry.section == section and not entry.hidden
        ]
        yield f".SH {escape_roff(section.upper())}"
        yield from _terms(listed)


def escape_roff(text: str) -> str:
    """Return text on one line, escaped for roff, in ASCII."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    line = line.replace("|", "|\\:")  # allows a line break in a long list of choices
    line = re.sub(r"[^ -~]", lambda match: f"\\[u{ord(match[0]):04X}]", line)
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _command_section(group: CommandGroup, name: str, parent: click.Context) -> Iterator[str]:
    """Yield the section of a command, or those of a group and all its commands."""
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    if isinstance(command, CommandGroup):
        yield f".SH {escape_roff(context.command_path.upper())}"
        yield from _paragraphs(command.help or "")
        for inner in command.list_commands(context):
            yield from _command_section(command, inner, context)
        return
    yield f".SS {escape_roff(context.command_path)}"
    if isinstance(command, OperationCommand):
        operation = command.operation
        if operation.toolset in group.entries:  # a shortcut beside the group of its toolset
            yield escape_roff(f"The same as {parent.command_path} {operation.toolset} {operation.command}.")
            return
    yield _usage(context)
    yield from _paragraphs(command.help or "")
    if isinstance(command, OperationCommand):
        positional = [item for item in command.arguments if item.is_positional]
        yield from _terms([(item.metavar, name_options(item.help, command.arguments)) for item in positional])
    yield from _terms(
        option_rows(context, [item for item in command.params if item.name not in _COMMON_OPTIONS])
    )


def _usage(context: click.Context) -> str:
    pieces = context.command.collect_usage_pieces(context)
    return f".PP\n.B {escape_roff(context.command_path)}\n{escape_roff(' '.join(pieces))}"


def _terms(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return a list of terms with explanations below them."""
    lines = []
    for term, text in rows:
        lines += [".TP", f".B {escape_roff(term)}", escape_roff(text) or "\\&"]  # an empty line leaves a gap
    return lines


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs; a paragraph that click marks with a backspace keeps its lines."""
    for paragraph in filter(None, (part.strip("\n") for part in text.split("\n\n"))):
        yield ".PP"
        if paragraph.startswith("\b"):
            lines = paragraph.removeprefix("\b\n").splitlines()
            yield from (".nf", *map(escape_roff, lines), ".fi")
        else:
            yield escape_roff(paragraph)

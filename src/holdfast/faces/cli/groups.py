"""Groups that load their commands on demand, the layout of help pages, and suggestions for mistyped names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import click

from holdfast.faces.cli.options import help_option
from holdfast.faces.cli.output import style_text, write
from holdfast.kernel.errors import UnknownTool, did_you_mean


class PageFormatter(click.HelpFormatter):
    """Formats a help page, with headings in bold on a terminal."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{style_text(f'{heading}:', sys.stdout, bold=True)}\n")

    def write_table(self, heading: str, rows: Iterable[tuple[str, str]]) -> None:
        rows = list(rows)
        if rows:
            with self.section(heading):
                self.write_dl(rows)

    def write_lines(self, heading: str, text: str) -> None:
        """Write a section without reflowing its lines, unless it is empty."""
        if text:
            with self.section(heading):
                self.write("".join(f"{'':>{self.current_indent}}{line}\n" for line in text.splitlines()))


class PageContext(click.Context):
    """A context of the parser that uses `PageFormatter`."""

    formatter_class = PageFormatter


def option_rows(context: click.Context, options: Iterable[click.Parameter]) -> list[tuple[str, str]]:
    """Return the visible options with their explanations."""
    records = (option.get_help_record(context) for option in options if isinstance(option, click.Option))
    return [record for record in records if record is not None]


def first_sentence(text: str) -> str:
    """Return the first line of a description, without its full stop, as lists show it."""
    return text.strip().partition("\n")[0].rstrip(".")


class CommandEntry(NamedTuple):
    """A command in a group: its summary, its section in the list, and the function that creates it."""

    summary: str
    section: str
    make: Callable[[str], click.Command]
    hidden: bool = False
    inner_names: tuple[str, ...] = ()
    """The names of its commands, if it is a group."""


class CommandGroup(click.Group):
    """A group that creates its commands on demand, and shows its help page when no command is given."""

    context_class = PageContext

    def __init__(
        self,
        name: str,
        summary: str,
        entries: Mapping[str, CommandEntry],
        options: list[click.Option] | None = None,
    ) -> None:
        super().__init__(
            name,
            params=[*(options or []), help_option()],
            help=summary,
            callback=_show_page_unless_command,
            invoke_without_command=True,
            add_help_option=False,
            subcommand_metavar="COMMAND [ARGUMENTS]...",
        )
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for name, entry in self.entries.items() if not entry.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        if cmd_name not in self.commands and cmd_name in self.entries:
            self.commands[cmd_name] = self.entries[cmd_name].make(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.entries and not ctx.resilient_parsing:
            raise UnknownTool(
                f'Unknown command "{ctx.command_path} {args[0]}".', hint=self._suggestion(args[0], ctx)
            )
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        assert isinstance(formatter, PageFormatter)
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        listed = {name: self.entries[name] for name in self.list_commands(ctx)}
        for section in dict.fromkeys(entry.section for entry in listed.values()):
            rows = [(name, entry.summary) for name, entry in listed.items() if entry.section == section]
            formatter.write_table(section, rows)
        formatter.write_table("Options", option_rows(ctx, self.params))

    def _suggestion(self, typed: str, ctx: click.Context) -> str:
        if any(f"--{typed}" in parameter.opts for parameter in self.params):
            return f'Did you mean "{ctx.command_path} --{typed}"?'
        visible = [name for name, entry in self.entries.items() if not entry.hidden]
        group = next((name for name, entry in self.entries.items() if typed in entry.inner_names), None)
        if group is not None and not any(name.startswith(typed) for name in visible):
            return f'Did you mean "{group} {typed}"?'
        return did_you_mean(typed, visible)


def handwritten_command(
    name: str, help_text: str, parameters: Iterable[click.Parameter], callback: Callable[..., Any]
) -> click.Command:
    """Return a command written by hand, with a help page like that of other commands."""
    command = click.Command(
        name, params=[*parameters, help_option()], callback=callback, help=help_text, add_help_option=False
    )
    command.context_class = PageContext
    return command


def entry_for(command: click.Command, section: str) -> CommandEntry:
    """Return the entry of a command written by hand."""
    return CommandEntry(first_sentence(command.help or ""), section, lambda _name: command)


def _show_page_unless_command() -> int:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        write(f"{context.get_help()}\n")
    return 0


def completion_variable(program: str) -> str:
    """Return the environment variable with which a shell requests completions from a program."""
    return f"_{program.upper().replace('-', '_')}_COMPLETE"

"""Groups of commands: built when they are asked for, with help that groups and typos that are forgiven."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import click

from holdfast.faces.cli.help import PageContext, PageFormatter, first_sentence, help_option, option_rows
from holdfast.faces.cli.output import write
from holdfast.kernel.errors import UnknownTool, did_you_mean


@dataclass(frozen=True)
class Entry:
    """A command by name: what it is for, in which section it is listed, and how it is made."""

    summary: str
    section: str
    make: Callable[[str], click.Command]
    hidden: bool = False
    inner: tuple[str, ...] = ()
    """The names of the commands inside, when it is a group."""


class CommandGroup(click.Group):
    """A group that makes its commands on demand and shows its page when none is named."""

    context_class = PageContext

    def __init__(
        self, name: str, summary: str, entries: Mapping[str, Entry], options: list[click.Option] | None = None
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

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return [name for name, entry in self.entries.items() if not entry.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.commands and cmd_name in self.entries:
            self.commands[cmd_name] = self.entries[cmd_name].make(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.entries and not ctx.resilient_parsing:
            raise UnknownTool(
                f'Unknown command "{ctx.command_path} {args[0]}".', hint=self._suggestion(args[0])
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

    def _suggestion(self, typed: str) -> str:
        inside = next((name for name, entry in self.entries.items() if typed in entry.inner), None)
        if inside is not None:
            return f'Did you mean "{inside} {typed}"?'
        return did_you_mean(typed, [name for name, entry in self.entries.items() if not entry.hidden])


def entry_for(command: click.Command, section: str) -> Entry:
    """Return the entry of a command that is written by hand."""
    return Entry(first_sentence(command.help or ""), section, lambda _name: command)


def _show_page_unless_command() -> int:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        write(f"{context.get_help()}\n")
    return 0

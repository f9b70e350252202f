"""Help pages: one layout for every command, colour only where it is wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import click

from holdfast.faces.cli.output import write
from holdfast.faces.cli.terminal import styled


class PageFormatter(click.HelpFormatter):
    """Lays out a page, with headings that stand out on a terminal."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{styled(f'{heading}:', sys.stdout, bold=True)}\n")

    def write_table(self, heading: str, rows: Iterable[tuple[str, str]]) -> None:
        """Write a section of terms and their explanations, if there are any."""
        rows = list(rows)
        if rows:
            with self.section(heading):
                self.write_dl(rows)

    def write_lines(self, heading: str, text: str) -> None:
        """Write a section whose lines stay as they are, if there are any."""
        if text:
            with self.section(heading):
                self.write("".join(f"{'':>{self.current_indent}}{line}\n" for line in text.splitlines()))


class PageContext(click.Context):
    """The parser's context, with pages of ours."""

    formatter_class = PageFormatter


def help_option() -> click.Option:
    """Return the option that shows a command's page."""
    return click.Option(
        ["-h", "--help"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_page,
        help="Show this page and exit.",
    )


def option_rows(context: click.Context, options: Iterable[click.Parameter]) -> list[tuple[str, str]]:
    """Return the visible options with their explanations."""
    records = (option.get_help_record(context) for option in options if isinstance(option, click.Option))
    return [record for record in records if record is not None]


def first_sentence(text: str) -> str:
    """Return the first line of a description, as lists show it."""
    return text.strip().partition("\n")[0].rstrip(".")


def _show_page(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    del parameter
    if value and not context.resilient_parsing:
        write(f"{context.get_help()}\n")
        context.exit()

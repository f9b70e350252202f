"""Options that many commands share, and the completion of their values in a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from holdfast.faces.cli.output import write


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


def explain_option() -> click.Option:
    """Return the option that adds to a report how its figures are measured."""
    text = "Also say how the figures are measured."
    return click.Option(["--explain", "explain_figures"], is_flag=True, help=text)


def help_option() -> click.Option:
    """Return the option that shows a command's help page."""
    return info_option(["-h", "--help"], click.Context.get_help, "Show this page and exit.")


def info_option(names: list[str], text: Callable[[click.Context], str], help_text: str) -> click.Option:
    """Return an option that shows a text instead of running the command."""

    def show(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value and not context.resilient_parsing:
            write(f"{text(context)}\n")
            context.exit()

    return click.Option(names, is_flag=True, is_eager=True, expose_value=False, callback=show, help=help_text)


def complete_from(names: Iterable[str]) -> Callable[[Any, Any, str], list[str]]:
    """Return the shell completion of a value that is one of some names."""
    return lambda _context, _parameter, incomplete: [name for name in names if name.startswith(incomplete)]


def path_completion(incomplete: str, kind: str) -> list[Any]:
    """Return a completion that makes the shell complete a file or directory name itself."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type=kind)]

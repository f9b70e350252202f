"""Failures on the command line: a message on standard error, an exit status, and data for programs.

Every failure is reported once on standard error, with its cause and the next step. With `--json`,
standard output always holds exactly one document; if the command failed, it is `{"error": {"kind", "code",
"message", "hint", "data"}}`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import click

from holdfast.faces.cli.output import READER_DISCONNECTED, OutputFailed, is_terminal, style_text, write
from holdfast.faces.json_text import json_text
from holdfast.kernel.codes import PROTOCOL, stateless_code
from holdfast.kernel.errors import HoldfastError, InvalidArguments, closest, error_object
from holdfast.kernel.untrusted import visible

_EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)


def report(
    error: HoldfastError, *, as_json: bool, family: str = PROTOCOL, rename: Callable[[str], str] = str
) -> int:
    """Report a failure and return the exit status; `rename` changes names in its message and hint."""
    print_error(rename(error.message), error.hint and rename(error.hint))
    if as_json:
        failure = {"error": error_object(error, stateless_code(family, error))}
        write(json_text(failure, for_a_person=is_terminal(sys.stdout)))
    return error.exit_code


def report_write_failure(failure: OutputFailed) -> int:
    """Report that the result could not be written, unless its reader closed the pipe."""
    if failure.status != READER_DISCONNECTED:
        print_error(
            failure.reason,
            "No message counts as delivered. Check what was done before you repeat a command that writes.",
        )
    return failure.status


def print_error(message: str, hint: str | None = None) -> None:
    """Write a message and its next step to standard error, if there is one to write to."""
    if sys.stderr is None or sys.stderr.closed:
        return
    label = style_text("Error:", sys.stderr, fg="red", bold=True)
    lines = [f"{label} {visible(message)}"]
    if hint:
        lines.append(f"{style_text('Hint:', sys.stderr, bold=True)} {visible(hint)}")
    try:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
    except OSError:
        # The exit status still reports the failure.
        pass


def convert_usage_error(failure: click.UsageError) -> HoldfastError:
    """Convert an error of the parser to a `HoldfastError`."""
    if isinstance(failure, click.NoSuchOption) and failure.ctx is not None:
        name = failure.option_name
        return InvalidArguments(f'Unknown option "{name}".', hint=_option_hint(name, failure.ctx))
    message = failure.format_message().rstrip(".")
    if extra := _EXTRA_ARGUMENTS.fullmatch(message):
        return InvalidArguments(f"Too many arguments: {extra[1]}.", hint=see_help(failure.ctx))
    return InvalidArguments(message.replace("'", '"') + ".", hint=see_help(failure.ctx))


def _option_hint(name: str, context: click.Context) -> str:
    word = name.removeprefix("--")
    options = [item for item in context.command.get_params(context) if isinstance(item, click.Option)]
    option_names = [option for item in options for option in (*item.opts, *item.secondary_opts)]
    long_names = [option[2:] for option in option_names if option.startswith("--")]
    if isinstance(context.command, click.Group) and word in ("json", "root"):
        return f'"{name}" goes after the command.'
    if word.upper() in context.command.collect_usage_pieces(context):
        return f"{word.upper()} is typed without an option. {see_help(context)}"
    if options_with_value := [item for item in options if word in (item.metavar or "").split("|")]:
        return f'Did you mean "{options_with_value[0].opts[-1]} {word}"?'
    if suggestion := closest(word, long_names):
        return f'Did you mean "--{suggestion}"?'
    dash_hint = "" if name.startswith("--") else ' Write "--" before a value that starts with a dash.'
    return f"Options: --{', --'.join(sorted(long_names))}.{dash_hint}"


def see_help(context: click.Context | None) -> str | None:
    """Return a hint with the usage of a command."""
    if context is None:
        return None
    typed = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    return f'Usage: {typed}; "{context.command_path} --help" shows more.'

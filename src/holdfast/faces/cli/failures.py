"""Failures on the command line: a sentence on standard error, a status, and data for programs.

Every failure is said once on standard error: what happened, and what to do next. With `--json`,
standard output holds exactly one document in every case, `{"error": {"kind", "code", "message",
"hint", "data"}}` when the command failed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import click

from holdfast.faces.cli.output import READER_LEFT, OutputFailed, is_terminal, styled, write
from holdfast.kernel.codes import PROTOCOL, stateless_code
from holdfast.kernel.errors import HoldfastError, InvalidArguments, closest, error_object
from holdfast.kernel.untrusted import json_text, visible

_SURPLUS = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)


def report(
    error: HoldfastError, *, as_json: bool, family: str = PROTOCOL, worded: Callable[[str], str] = str
) -> int:
    """Tell the caller about a failure, `worded` as they type, and return the exit status."""
    say(worded(error.message), error.hint and worded(error.hint))
    if as_json:
        failure = {"error": error_object(error, stateless_code(family, error))}
        write(json_text(failure, for_a_person=is_terminal(sys.stdout)))
    return error.exit_code


def report_unwritten(failure: OutputFailed) -> int:
    """Tell the caller that the result did not reach them, unless it is they who left."""
    if failure.status != READER_LEFT:
        # Of what waits for its reader, nothing was handed over; what was written is written.
        say(failure.reason, "No message counts as delivered. Look before you repeat a command that writes.")
    return failure.status


def say(message: str, hint: str | None = None) -> None:
    """Write a message and its next step to standard error, if there is one to write to."""
    if sys.stderr is None or sys.stderr.closed:
        return
    label = styled("Error:", sys.stderr, fg="red", bold=True)
    lines = [f"{label} {visible(message)}"]
    if hint:
        lines.append(f"{styled('Hint:', sys.stderr, bold=True)} {visible(hint)}")
    try:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
    except OSError:
        # The status still tells what the words cannot.
        pass


def from_usage(failure: click.UsageError) -> HoldfastError:
    """Return what the parser could not understand as an error of ours."""
    if isinstance(failure, click.NoSuchOption) and failure.ctx is not None:
        name = failure.option_name
        return InvalidArguments(f'Unknown option "{name}".', hint=_other_than(name, failure.ctx))
    message = failure.format_message().rstrip(".")
    if surplus := _SURPLUS.fullmatch(message):
        return InvalidArguments(f"Too many arguments: {surplus[1]}.", hint=see_help(failure.ctx))
    return InvalidArguments(message.replace("'", '"') + ".", hint=see_help(failure.ctx))


def _other_than(name: str, context: click.Context) -> str:
    """Return what to type instead of an option that there is not."""
    word = name.removeprefix("--")
    options = [item for item in context.command.get_params(context) if isinstance(item, click.Option)]
    spelled = [option for item in options for option in (*item.opts, *item.secondary_opts)]
    known = [option[2:] for option in spelled if option.startswith("--")]
    if isinstance(context.command, click.Group) and word in ("json", "root"):
        return f'"{name}" goes after the command.'
    if word.upper() in context.command.collect_usage_pieces(context):
        return f"{word.upper()} is typed without an option. {see_help(context)}"
    if taking := [item for item in options if word in (item.metavar or "").split("|")]:
        return f'Did you mean "{taking[0].opts[-1]} {word}"?'
    if best := closest(word, known):
        return f'Did you mean "--{best}"?'
    dashed = "" if name.startswith("--") else ' Write "--" before a value that begins with a dash.'
    return f"Options: --{', --'.join(sorted(known))}.{dashed}"


def see_help(context: click.Context | None) -> str | None:
    """Return the next step of whoever typed what a command does not take."""
    if context is None:
        return None
    typed = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    return f'Usage: {typed}; "{context.command_path} --help" shows more.'

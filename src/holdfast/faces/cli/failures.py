"""Failures on the command line: a sentence on standard error, a status, and data for programs.

Every failure is said once on standard error: what happened, and what to do next. With `--json`,
standard output holds exactly one document in every case, `{"error": {"kind", "code", "message",
"hint", "data"}}` when the command failed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from holdfast.faces.cli.output import OutputFailed, is_terminal, styled, write
from holdfast.faces.render.json_text import error_object, json_text
from holdfast.kernel.codes import PROTOCOL, stateless_code
from holdfast.kernel.errors import HoldfastError, InvalidArguments, did_you_mean
from holdfast.kernel.untrusted import visible


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
    if not failure.is_quiet:
        say(
            failure.reason, "Nothing was marked as delivered; run the command again with room for its output."
        )
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
    if isinstance(failure, click.NoSuchOption):
        return _unknown_option(failure)
    message = failure.format_message().replace("'", '"').rstrip(".")
    return InvalidArguments(f"{message}.", hint=_see_help(failure.ctx))


def _unknown_option(failure: click.NoSuchOption) -> HoldfastError:
    name = failure.option_name
    known = _options(failure.ctx)
    if isinstance(failure.ctx and failure.ctx.command, click.Group) and name in ("--json", "--root"):
        hint = f'"{name}" goes after the command.'
    else:
        hint = did_you_mean(name, known)
    return InvalidArguments(f'Unknown option "{name}".', hint=hint)


def _options(context: click.Context | None) -> list[str]:
    if context is None:
        return []
    names = [
        name
        for parameter in context.command.get_params(context)
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    ]
    return [name for name in names if name.startswith("--")]


def _see_help(context: click.Context | None) -> str | None:
    return None if context is None else f'"{context.command_path} --help" shows what it takes.'

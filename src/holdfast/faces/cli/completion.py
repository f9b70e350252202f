"""Completion for the shells: the script to load, and the answers it asks for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from holdfast.faces.cli.help import PageContext, help_option
from holdfast.faces.cli.output import write
from holdfast.kernel.errors import Invalid, did_you_mean

_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "fish": FishComplete, "zsh": ZshComplete}
_PAGE = """Print the script that completes commands, options and values in a shell.

Load it where the shell starts:

\b
  bash   eval "$({program} completion bash)"
  zsh    eval "$({program} completion zsh)"
  fish   {program} completion fish | source
"""


def completion_command(
    group: click.Group, program: str = "holdfast", additions: Mapping[str, str] = MappingProxyType({})
) -> click.Command:
    """Return the command that prints a shell's script; `additions` are appended to it, by shell."""

    def show(shell: str | None) -> int:
        script = _completer(group, shell, program).source()
        write(script + additions.get(shell or "", ""))
        return 0

    shell = click.Argument(
        ["shell"], required=False, metavar="|".join(_SHELLS), shell_complete=_complete_shell
    )
    command = click.Command(
        "completion",
        params=[shell, help_option()],
        callback=show,
        help=_PAGE.format(program=program),
        add_help_option=False,
    )
    command.context_class = PageContext
    return command


def is_requested(program: str = "holdfast") -> bool:
    """Return whether a shell, and no person, runs this process."""
    return bool(os.environ.get(_variable(program)))


def answer(group: click.Group, program: str = "holdfast") -> int:
    """Write the completions of the words a shell put into the environment."""
    shell, _, instruction = os.environ[_variable(program)].partition("_")
    completer = _completer(group, shell, program)
    write(completer.source() if instruction == "source" else f"{completer.complete()}\n")
    return 0


def _variable(program: str) -> str:
    return f"_{program.upper().replace('-', '_')}_COMPLETE"


def _completer(group: click.Group, shell: str | None, program: str) -> ShellComplete:
    if shell is None:
        raise Invalid("Name the shell to complete for.", hint=f"One of: {', '.join(_SHELLS)}.")
    if shell not in _SHELLS:
        raise Invalid(f'There is no completion for the shell "{shell}".', hint=did_you_mean(shell, _SHELLS))
    return _SHELLS[shell](group, {}, program, _variable(program))


def _complete_shell(context: Any, parameter: Any, incomplete: str) -> list[CompletionItem[str]]:
    del context, parameter
    return [CompletionItem(shell) for shell in _SHELLS if shell.startswith(incomplete)]

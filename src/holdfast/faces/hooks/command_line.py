"""`holdfast hook`: what a client runs at the events of an agent's session."""

from __future__ import annotations

import click

from holdfast.faces.cli.groups import handwritten_command
from holdfast.faces.cli.options import complete_from, root_option
from holdfast.faces.hooks.command import run_hook
from holdfast.installation.dialects import DIALECTS, EVENTS
from holdfast.kernel.errors import Invalid, did_you_mean

_HELP = """Tell an agent what it should know, when its client runs a hook.

`holdfast install CLIENT` puts this command into a client's hooks. It reads the client's payload on standard
input and answers in the client's format. If a server of this repository is running, that answers. Whatever
goes wrong, the command prints nothing and exits with status 0.

\b
  session-start   claims, remarks, notes and rules; again after a compaction
  prompt          new remarks
  before-edit     notes, open remarks and claims on the file about to change
  after-edit      notes that lost their code; with a server, copies and complex functions
  stop            unanswered remarks and open claims; with a server, a failing gate
"""


def hook_command() -> click.Command:
    """Return the command that answers a hook."""
    options = [
        click.Argument(["event"], metavar="EVENT", shell_complete=complete_from(EVENTS)),
        click.Option(
            ["--client"],
            required=True,
            metavar="CLIENT",
            help=f"Whose hook it is: {', '.join(DIALECTS)}.",
            shell_complete=complete_from(DIALECTS),
        ),
        click.Option(
            ["refuses", "--refuse"],
            is_flag=True,
            help="At before-edit, refuse the edit once if there is something to know.",
        ),
        root_option(),
    ]
    return handwritten_command("hook", _HELP, options, _hook)


def _hook(event: str, client: str, root: str | None, *, refuses: bool) -> int:
    if event not in EVENTS:
        raise Invalid(f'There is no event "{event}".', hint=did_you_mean(event, EVENTS))
    if client not in DIALECTS:
        raise Invalid(f'There is no client "{client}" with hooks.', hint=did_you_mean(client, DIALECTS))
    return run_hook(event, client, root, refuses=refuses)

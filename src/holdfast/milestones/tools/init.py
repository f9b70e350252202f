"""`git_mile.init`: let a plain `git fetch` bring the logs too."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones


class InitializeStore(Input):
    """Which remote to track."""

    remote: str | None = Field(
        default=None, max_length=200, description="A remote; left out, origin or the only one there is."
    )


class MileInitialized(Output):
    """What git was told."""

    remote: UntrustedText | None = Field(
        description="The remote whose milestones `git fetch` brings from now on."
    )
    changed: bool = Field(description="False when everything was so already.")


def _words(result: MileInitialized) -> str:
    if result.remote is None:
        return "Ready. There is no remote yet; run this again once there is one."
    now = "now brings" if result.changed else "already brings"
    return f"Ready. `git fetch {one_line(result.remote)}` {now} them; `git mile sync` also sends them."


@milestones.operation(
    "git_mile.init",
    title="Prepare for other clones",
    effect=Effect.WRITE,
    idempotent=True,
    command="init",
    positional=("remote",),
    example="holdfast milestones init",
    text=_words,
    listed=False,
)
def initialize_store(room: Milestones, args: InitializeStore) -> MileInitialized:
    """Let a plain `git fetch` bring milestones and issues too. Not needed for `git mile sync`."""
    try:
        remote = args.remote or room.default_remote()
    except NotFound:
        return MileInitialized(remote=None, changed=False)
    return MileInitialized(remote=remote, changed=room.track(remote))

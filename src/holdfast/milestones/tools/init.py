"""`git_mile.init`: make plain `git fetch` fetch the logs too."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones

_MAX_REMOTE_CHARACTERS = 200  # far above any name of a remote; longer text is refused before git is asked


class InitializeStore(Input):
    """The remote to fetch from."""

    remote: str | None = Field(
        default=None,
        max_length=_MAX_REMOTE_CHARACTERS,
        description="A remote; default: origin or the only one.",
    )


class MileInitialized(Output):
    """Whether, and for which remote, `git fetch` was configured."""

    remote: UntrustedText | None = Field(
        description="The remote whose milestones `git fetch` fetches from now on; null if there is none yet."
    )
    changed: bool = Field(description="False if it was configured already.")


def _text(result: MileInitialized) -> str:
    if result.remote is None:
        return "Ready. There is no remote yet; run this again once there is one."
    now = "now fetches" if result.changed else "already fetches"
    return f"Ready. `git fetch {one_line(result.remote)}` {now} them; `git mile sync` also sends them."


@milestones.operation(
    "git_mile.init",
    title="Prepare for other clones",
    effect=Effect.WRITE,
    idempotent=True,
    command="init",
    positional=("remote",),
    example="holdfast milestones init",
    text=_text,
    listed=False,
)
def initialize_store(room: Milestones, args: InitializeStore) -> MileInitialized:
    """Make plain `git fetch` fetch milestones and issues too. Not needed for `git mile sync`."""
    try:
        remote = args.remote or room.default_remote()
    except NotFound:
        return MileInitialized(remote=None, changed=False)
    return MileInitialized(remote=remote, changed=room.track(remote))

"""`git_mile.sync`: meet another clone."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.replication import SyncReport
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import SHORT_ID
from holdfast.milestones.toolset import milestones


class SyncStore(Input):
    """Which clone to meet."""

    remote: str | None = Field(
        default=None, max_length=1000, description="A remote; left out, origin or the only one there is."
    )


class MileLostClaim(Output):
    """A claim given here that another clone's claim beat."""

    id: str
    title: UntrustedText
    holder: UntrustedText = Field(description="Whose claim holds.")
    until: str


class MileSynced(Output):
    """What a sync did."""

    remote: UntrustedText
    received: int = Field(description="How many operations came.")
    sent: int = Field(description="How many operations went.")
    lost_claims: list[MileLostClaim] = Field(description="Claims of this clone that others won.")
    problems: list[UntrustedText] = Field(description="Logs that were refused or damaged, with the reason.")

    @classmethod
    def of(cls, report: SyncReport) -> MileSynced:
        """Return the store's report as a result."""
        refused = [f"{name} was refused: {words}" for name, words in report.refused.items()]
        missing = [f"{name} was not fetched: {words}" for name, words in report.missing.items()]
        return cls(
            remote=report.remote,
            received=report.received,
            sent=report.sent,
            lost_claims=[
                MileLostClaim(
                    id=lost.entity, title=lost.title, holder=lost.winner.actor, until=lost.winner.until
                )
                for lost in report.lost_claims
            ],
            problems=[*refused, *missing, *report.damaged],
        )

    @property
    def exit_code(self) -> int:
        """Tell a script that not everything went through."""
        return 1 if self.problems else 0


def _words(result: MileSynced) -> str:
    lines = [f"{one_line(result.remote)}: received {result.received}, sent {result.sent}."]
    for lost in result.lost_claims:
        held = f"is claimed by {one_line(lost.holder)} until {lost.until}"
        lines.append(f"{lost.id[:SHORT_ID]} {held}: {one_line(lost.title)}")
    return "\n".join([*lines, *map(one_line, result.problems)])


@milestones.operation(
    "git_mile.sync",
    title="Sync with another clone",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    open_world=True,
    seconds=600,
    command="sync",
    positional=("remote",),
    example="holdfast milestones sync",
    text=_words,
)
def sync_store(room: Milestones, args: SyncStore) -> MileSynced:
    """Bring milestones and issues from a remote, unite them with those here, and send them back.

    Nothing conflicts and nothing is lost. Claims that another clone won are named.
    """
    return MileSynced.of(room.sync(args.remote))

"""`git_mile.sync`: exchange logs with another clone."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.replication import SyncReport
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import SHORT_ID_CHARACTERS
from holdfast.milestones.toolset import BULK_SECONDS, milestones

_MAX_REMOTE_CHARACTERS = 1000  # far above any name of a remote; longer text is refused before git is asked

_DAMAGED = (
    "cannot be read completely here, and was not sent. `holdfast doctor` names what is missing. A sync with a"
    " clone that has it restores it; if there is none, copy `objects` of the git directory from a backup."
)


class SyncStore(Input):
    """The remote to sync with."""

    remote: str | None = Field(
        default=None,
        max_length=_MAX_REMOTE_CHARACTERS,
        description="A remote; default: origin or the only one.",
    )


class MileLostClaim(Output):
    """A claim of this clone that lost to another clone's."""

    id: str = Field(description="Id of the milestone or issue.")
    title: UntrustedText = Field(description="Its title.")
    holder: UntrustedText = Field(description="Whose claim won.")
    until: str = Field(description="When that claim expires, RFC 3339 in UTC.")


class MileSynced(Output):
    """What a sync did."""

    remote: UntrustedText
    received: int = Field(description="Number of operations received.")
    sent: int = Field(description="Number of operations sent.")
    lost_claims: list[MileLostClaim] = Field(description="Claims of this clone that lost to others.")
    problems: list[UntrustedText] = Field(
        description="Logs refused or not fetched, with git's message, and refs that are damaged or misnamed."
    )

    @classmethod
    def of(cls, report: SyncReport) -> MileSynced:
        refused = [f"{name} was refused: {message}" for name, message in report.refused.items()]
        missing = [f"{name} was not fetched: {message}" for name, message in report.missing.items()]
        damaged = [f"{ref} {_DAMAGED}" for ref in report.damaged]
        unnamed = [f"{ref} does not have the name of a log, and is not merged" for ref in report.unnamed]
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
            problems=[*refused, *missing, *damaged, *unnamed],
        )

    @property
    def exit_code(self) -> int:
        """Return 1 if a log was refused, not fetched, damaged or misnamed."""
        return 1 if self.problems else 0


def _text(result: MileSynced) -> str:
    lines = [f"{one_line(result.remote)}: received {result.received}, sent {result.sent}."]
    for lost in result.lost_claims:
        held = f"is claimed by {one_line(lost.holder)} until {lost.until}"
        lines.append(f"{lost.id[:SHORT_ID_CHARACTERS]} {held}: {one_line(lost.title)}")
    return "\n".join([*lines, *map(one_line, result.problems)])


@milestones.operation(
    "git_mile.sync",
    title="Sync with another clone",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    open_world=True,
    seconds=BULK_SECONDS,
    command="sync",
    positional=("remote",),
    example="holdfast milestones sync",
    text=_text,
)
def sync_store(room: Milestones, args: SyncStore) -> MileSynced:
    """Fetch milestones and issues from a remote, merge them with those here, and push the result.

    Merging cannot conflict and loses nothing. Claims that lost to another clone's are listed.
    """
    return MileSynced.of(room.sync(args.remote))

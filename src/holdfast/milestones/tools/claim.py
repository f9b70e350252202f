"""`git_mile.claim`: a lease on an entity that somebody is going to work on."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from holdfast.kernel.errors import Conflict
from holdfast.kernel.models import Integer, count_field
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import SHORT_ID_CHARACTERS
from holdfast.milestones.toolset import EntityWrite, MileReceipt, milestones


class ClaimEntity(EntityWrite):
    """What to claim, and for how long."""

    minutes: Integer = count_field(60, 7 * 24 * 60, "How long the claim lasts.")


class MileClaimed(MileReceipt):
    """A claim in force."""

    actor: UntrustedText = Field(description="Who holds it.")
    until: str = Field(description="Until when (RFC 3339, UTC).")


def _text(result: MileClaimed) -> str:
    return f"{result.id[:SHORT_ID_CHARACTERS]}: claimed by {one_line(result.actor)} until {result.until}"


@milestones.change("claim", "claimed", title="Claim a milestone or issue", example="--minutes 30", text=_text)
def claim_entity(room: Milestones, args: ClaimEntity) -> MileClaimed:
    """Claim what you are going to work on, so that others take something else; claim again to extend it.

    Only one claim in a clone can succeed; the next sync reports those that lost against another clone's.
    """
    lease = timedelta(minutes=args.minutes)
    receipt = room.claim(args.id, lease=lease, **args.attribution)
    holder = room.get(None, receipt.entity).holder(room.now())
    if holder is None:
        raise Conflict("The claim of this request has ended.", hint="Claim again under a new request id.")
    return MileClaimed(**MileReceipt.of(receipt).model_dump(), actor=holder.actor, until=holder.until)

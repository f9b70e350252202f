"""Working with others on the same milestones and issues: claims, and other clones."""

from __future__ import annotations

from datetime import timedelta

from holdfast.kernel.errors import Conflict, NotFound
from holdfast.kernel.operation import Effect
from holdfast.milestones import text
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import change, milestones
from holdfast.milestones.writing_models import (
    ClaimEntity,
    InitializeStore,
    MileClaimed,
    MileInitialized,
    MileReceipt,
    MileSynced,
    ReleaseEntity,
    SyncStore,
)


@change("claim", "claimed", title="Claim a milestone or issue", example="--minutes 30", text=text.claimed)
def claim_entity(room: Milestones, args: ClaimEntity) -> MileClaimed:
    """Claim what you are about to work on, so that others take something else; claim again to prolong it.

    Within one repository only one claim can succeed. Between clones the one that holds is the same
    everywhere, and who lost is told at the next sync.
    """
    lease = timedelta(minutes=args.minutes)
    receipt = room.claim(args.id, lease=lease, **args.signed)
    holder = room.get(None, receipt.entity).holder(room.now())
    if holder is None:
        raise Conflict("The claim of this request has ended.", hint="Claim again under a new request id.")
    return MileClaimed(**MileReceipt.of(receipt).model_dump(), actor=holder.actor, until=holder.until)


@change("release", "released", title="Release a claim", listed=False)
def release_entity(room: Milestones, args: ReleaseEntity) -> MileReceipt:
    """Give a claim back before it ends, so that others can take over."""
    return MileReceipt.of(room.release(args.id, **args.signed))


@milestones.operation(
    "git_mile.sync",
    title="Sync with another clone",
    effect=Effect.WRITE,
    idempotent=True,
    open_world=True,
    seconds=600,
    command="sync",
    positional=("remote",),
    example="holdfast milestones sync",
    text=text.synced,
)
def sync_store(room: Milestones, args: SyncStore) -> MileSynced:
    """Bring milestones and issues from a remote, unite them with those here, and send them back.

    Nothing conflicts and nothing is lost. Claims that another clone won are named.
    """
    return MileSynced.of(room.sync(args.remote))


@milestones.operation(
    "git_mile.init",
    title="Prepare for other clones",
    effect=Effect.WRITE,
    idempotent=True,
    command="init",
    positional=("remote",),
    example="holdfast milestones init",
    text=text.initialized,
    listed=False,
)
def initialize_store(room: Milestones, args: InitializeStore) -> MileInitialized:
    """Let a plain `git fetch` bring milestones and issues too. Not needed for `git mile sync`."""
    try:
        remote = args.remote or room.default_remote()
    except NotFound:
        return MileInitialized(remote=None, changed=False)
    return MileInitialized(remote=remote, changed=room.track(remote))

"""What writing operations take and return."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import Kind, Receipt, SyncReport
from holdfast.milestones.models import EntityName, optional

_Words = list[str]


class Signed(TypedDict):
    """Who asks for a write, and under which name, as the store's methods take it."""

    actor: str | None
    request: str | None


class MileWrite(Input):
    """What every write takes."""

    request_id: str | None = Field(
        default=None,
        alias="requestId",
        min_length=1,
        max_length=LIMITS.request_characters,
        description="A name for this request; repeating it changes nothing.",
    )
    actor: str | None = Field(
        default=None,
        min_length=1,
        max_length=LIMITS.entity_word_characters,
        description="Who does it, as Name <mail>; else git's user.",
    )

    @property
    def signed(self) -> Signed:
        """Return who asks, for the store."""
        return {"actor": self.actor, "request": self.request_id}


class EntityWrite(MileWrite):
    """What every write takes that changes something there is."""

    id: EntityName = Field(description="The milestone or issue.")


class MileReceipt(Output):
    """What a write did."""

    id: str = Field(description="The milestone or issue.")
    operations: list[str] = Field(description="Ids of the operations in the log.")
    changed: bool = Field(description="False when everything was so already.")
    repeated: bool = Field(
        description="True when the request was carried out before; nothing was added then."
    )
    comment_id: str | None = optional("Id of the comment that was written.")

    @classmethod
    def of(cls, receipt: Receipt, *, comment: bool = False) -> MileReceipt:
        """Return the store's receipt as a result; the comment's operation is the last one."""
        written = receipt.operations[-1] if comment and receipt.operations else None
        return cls(
            id=receipt.entity,
            operations=list(receipt.operations),
            changed=receipt.changed,
            repeated=receipt.repeated,
            comment_id=written,
        )


class CreateEntity(MileWrite):
    """A milestone or issue to create."""

    entity: Kind = Field(description="What to create.")
    title: str = Field(min_length=1, max_length=LIMITS.entity_title_characters, description="Its title.")
    description: str = Field(
        default="", max_length=LIMITS.entity_text_characters, description="Its description, in Markdown."
    )
    label: _Words = Field(default_factory=list, max_length=100, description="A label.")
    assignee: str | None = Field(default=None, description="Who is to do it.")
    due: str | None = Field(default=None, description="The day it is due (YYYY-MM-DD).")
    milestone: EntityName | None = Field(default=None, description="The milestone an issue belongs to.")
    depends_on: list[EntityName] = Field(
        default_factory=list, alias="dependsOn", max_length=100, description="What has to be done first."
    )
    comment: str | None = Field(
        default=None, max_length=LIMITS.entity_text_characters, description="A first comment."
    )
    draft: bool = Field(default=False, description="Whether it is a draft, not open yet.")


class EditEntity(EntityWrite):
    """What to set anew in a milestone or issue. What is left out stays."""

    title: str | None = Field(
        default=None, min_length=1, max_length=LIMITS.entity_title_characters, description="Its new title."
    )
    description: str | None = Field(
        default=None, max_length=LIMITS.entity_text_characters, description="Its new description."
    )
    due: str | None = Field(default=None, description="The day it is due (YYYY-MM-DD), or none for no day.")


class WriteComment(EntityWrite):
    """A comment to write, or one to write anew."""

    body: str = Field(
        min_length=1, max_length=LIMITS.entity_text_characters, description="What to say, in Markdown."
    )
    replaces: str | None = Field(
        default=None, max_length=64, description="Id of an earlier comment whose body this one replaces."
    )


class DeleteComment(EntityWrite):
    """A comment to take out of sight."""

    comment_id: str = Field(alias="commentId", max_length=64, description="Id of the comment.")


class ChangeLabels(EntityWrite):
    """Labels to add and to remove."""

    add: _Words = Field(default_factory=list, max_length=100, description="A label to add.")
    remove: _Words = Field(default_factory=list, max_length=100, description="A label to remove.")


class ChangeStatus(EntityWrite):
    """A milestone or issue whose status changes."""

    comment: str | None = Field(
        default=None, max_length=LIMITS.entity_text_characters, description="Why, as a comment."
    )


class LinkEntity(EntityWrite):
    """What to connect an issue or milestone with."""

    milestone: EntityName | None = Field(default=None, description="The milestone an issue belongs to.")
    depends_on: list[EntityName] = Field(
        default_factory=list, alias="dependsOn", max_length=100, description="What has to be done first."
    )
    to: _Words = Field(
        default_factory=list, max_length=100, description="A path, a commit, an address or an id to link to."
    )
    unlink: bool = Field(default=False, description="Whether to take these connections away instead.")


class AssignEntity(EntityWrite):
    """Who is to do it."""

    assignee: str | None = Field(
        default=None,
        min_length=1,
        max_length=LIMITS.entity_word_characters,
        description="Name, or Name <mail>; left out, the actor.",
    )
    nobody: bool = Field(default=False, description="Whether nobody is to be assigned.")


class ClaimEntity(EntityWrite):
    """What to claim, and for how long."""

    minutes: int = Field(default=60, ge=1, le=7 * 24 * 60, description="How long the claim holds.")


class ReleaseEntity(EntityWrite):
    """What to give back."""


class MileClaimed(MileReceipt):
    """A claim that holds."""

    actor: UntrustedText = Field(description="Who holds it.")
    until: str = Field(description="Until when (RFC 3339, UTC).")


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
            problems=[*refused, *report.damaged],
        )

    @property
    def exit_code(self) -> int:
        """Tell a script that not everything went through."""
        return 1 if self.problems else 0

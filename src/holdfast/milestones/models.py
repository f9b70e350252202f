"""Results shared by several tools: list items and complete milestones or issues.

`Mile` is the prefix of results because the names of classes become those of schemas that clients see. The
`of` methods pass every field of a stored value to the model, which ignores those that it does not have.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Output, optional
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import Contested, Entity, EntityComment, Kind, Status, Summary


class MileStats(Output):
    """Counts for a milestone or an issue."""

    comment_count: int = Field(description="Number of comments.")
    open_issues: int | None = optional("Number of its open issues; milestones only.")


class MileItem(Output):
    """A milestone or an issue as a list shows it."""

    id: str
    title: UntrustedText
    status: Status
    labels: list[UntrustedText]
    stats: MileStats

    @classmethod
    def of(cls, summary: Summary) -> MileItem:
        return cls.model_validate(item_fields(summary))


def item_fields(summary: Summary) -> dict[str, Any]:
    """Return the fields of a summary, with `stats`, as `MileItem` and its subclasses have them."""
    stats = {"comment_count": summary.comment_count, "open_issues": summary.open_issues}
    return summary._asdict() | {"stats": stats}


class MileComment(Output):
    """A comment. A deleted comment keeps its position but has no body."""

    author: UntrustedText
    body: UntrustedText
    ts: str = Field(description="When it was written (RFC 3339, UTC).")
    timestamp: str = Field(description="The same time under its other name.")
    id: str
    edited: str | None = optional("When it was last edited.")
    deleted: bool | None = optional("True if it was deleted.")

    @classmethod
    def of(cls, comment: EntityComment) -> MileComment:
        renamed = {"ts": comment.time, "timestamp": comment.time, "deleted": comment.deleted or None}
        return cls.model_validate(comment._asdict() | renamed)


class MileValue(Output):
    """One of the concurrent values of a field."""

    value: UntrustedText | None
    actor: UntrustedText
    ts: str


class MileContest(Output):
    """A field that several people set concurrently: the winning value and the others."""

    field: str
    value: UntrustedText | None
    others: list[MileValue]

    @classmethod
    def of(cls, contested: Contested) -> MileContest:
        others = [
            MileValue(value=loser.value, actor=loser.actor, ts=loser.time) for loser in contested.losers
        ]
        return cls(field=contested.field, value=contested.winner.value, others=others)


class MileClaim(Output):
    """The claim in force: who works on the entity, and until when."""

    actor: UntrustedText
    until: str


class MileDetails(Output):
    """A complete milestone or issue."""

    id: str
    title: UntrustedText
    status: Status
    description: UntrustedText
    labels: list[UntrustedText]
    comments: list[MileComment]
    stats: MileStats
    entity: Kind
    author: UntrustedText
    created: str
    updated: str
    assignee: UntrustedText | None = optional("Who is assigned.")
    due: str | None = optional("The day it is due (YYYY-MM-DD).")
    milestone: str | None = optional("The id of the milestone it belongs to.")
    milestone_title: UntrustedText | None = optional("The title of that milestone.")
    dependencies: list[str] | None = optional("Ids of what must be done first.")
    links: list[UntrustedText] | None = optional("What it is linked to.")
    claim: MileClaim | None = optional("Who claimed it.")
    contested: list[MileContest] | None = optional("Fields set by several people at once.")
    comments_omitted: int | None = optional("Number of older comments that did not fit into the answer.")
    hint: UntrustedText | None = optional("A note about this answer.")

    @classmethod
    def of(
        cls, entity: Entity, now: str, hint: str | None, milestone_title: str | None = None
    ) -> MileDetails:
        """Convert an entity as of `now` (RFC 3339), with as many of its latest comments as fit."""
        shown = _latest_within_budget(entity.comments)
        holder = entity.holder(now)
        converted = {
            "comments": [MileComment.of(comment) for comment in shown],
            "stats": MileStats(comment_count=entity.comment_count, open_issues=entity.open_issues),
            "entity": entity.kind,
            "dependencies": entity.dependencies or None,
            "links": entity.links or None,
            "claim": None if holder is None else MileClaim(actor=holder.actor, until=holder.until),
            "contested": [MileContest.of(contested) for contested in entity.contested] or None,
            "comments_omitted": len(entity.comments) - len(shown) or None,
            "hint": hint,
            "milestone_title": milestone_title,
        }
        return cls.model_validate(entity._asdict() | converted)


def _latest_within_budget(comments: tuple[EntityComment, ...]) -> tuple[EntityComment, ...]:
    """Return the latest comments that fit into an answer, whose size in bytes is limited."""
    remaining = LIMITS.shown_comment_bytes
    for count, comment in enumerate(reversed(comments)):
        remaining -= len(comment.body.encode("utf-8", "replace"))
        if remaining < 0:
            return comments[len(comments) - count :]
    return comments

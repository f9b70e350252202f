"""What reading operations take and return."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Input, Output
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import Claim, Comment, Contested, Entity, Event, Kind, Status, Summary
from holdfast.milestones.index.rows import label_members

EntityName = Annotated[str, Field(min_length=1, max_length=64)]


def optional(description: str, **more: Any) -> Any:
    """Return a field of a result that is left out where there is nothing to say."""
    return Field(default=None, exclude_if=lambda value: value is None, description=description, **more)


class ListEntities(Input):
    """Which milestones or issues to list."""

    entity: Kind = Field(description="What to list.")
    filter: str | None = Field(
        default=None,
        max_length=LIMITS.filter_bytes,
        description='Which of them, such as status == "open" and label in ["bug"].',
    )
    sort: list[str] | None = Field(
        default=None, max_length=8, description="Keys as field or field:asc|desc; updated:desc if left out."
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        strict=True,
        description=f"Items on a page: {LIMITS.entity_page}, or up to {LIMITS.entity_largest_page}.",
    )
    cursor: str | None = Field(
        default=None, max_length=8192, description="Where to go on: the nextCursor of the page before."
    )
    include_closed: bool = Field(
        default=False, alias="includeClosed", strict=True, description="Whether closed ones are listed too."
    )


class MileStats(Output):
    """Numbers about a milestone or an issue."""

    comment_count: int = Field(description="How many comments it has.")
    open_issues: int | None = optional("How many open issues belong to it; milestones only.")


class MileItem(Output):
    """A milestone or an issue as a list shows it."""

    id: str
    title: UntrustedText
    status: Status
    labels: list[UntrustedText]
    stats: MileStats

    @classmethod
    def of(cls, summary: Summary) -> MileItem:
        """Return a summary as a result."""
        return cls(
            id=summary.id,
            title=summary.title,
            status=summary.status,
            labels=list(summary.labels),
            stats=MileStats(comment_count=summary.comment_count, open_issues=summary.open_issues),
        )


class MilePage(Output):
    """Some milestones or issues, in order."""

    items: list[MileItem]
    next_cursor: str | None = Field(
        serialization_alias="nextCursor",
        description="Pass it as cursor for the next page; null on the last one.",
    )
    hint: UntrustedText | None = optional("What to know about this answer.")

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]], cursor: str | None, hint: str | None) -> MilePage:
        """Return rows of `schema.SUMMARY_COLUMNS` as a page; all at once, since one by one takes longer."""
        items = [
            {
                "id": row[0],
                "title": row[2],
                "status": row[3],
                "labels": label_members(row[4]),
                "stats": {"comment_count": row[11], "open_issues": row[12]},
            }
            for row in rows
        ]
        return cls.model_validate({"items": items, "next_cursor": cursor, "hint": hint})


class ShowEntity(Input):
    """Which milestone or issue to show."""

    entity: Kind = Field(description="What it is.")
    id: EntityName = Field(
        description="Its UUID; the first four characters or more are enough if unmistakable."
    )


class MileComment(Output):
    """A comment. One that was deleted keeps its place without its body."""

    author: UntrustedText
    body: UntrustedText
    ts: str = Field(description="When it was written (RFC 3339, UTC).")
    timestamp: str = Field(description="The same moment under its other name.")
    id: str
    edited: str | None = optional("When it was last edited.")
    deleted: bool | None = optional("True when its author or somebody else deleted it.")

    @classmethod
    def of(cls, comment: Comment) -> MileComment:
        """Return a stored comment as a result."""
        return cls(
            author=comment.author,
            body=comment.body,
            ts=comment.time,
            timestamp=comment.time,
            id=comment.id,
            edited=comment.edited,
            deleted=comment.deleted or None,
        )


class MileValue(Output):
    """A value that somebody wrote for a field."""

    value: UntrustedText | None
    actor: UntrustedText
    ts: str


class MileContest(Output):
    """A field that several people set without seeing each other's value: which holds, and the others."""

    field: str
    value: UntrustedText | None
    others: list[MileValue]

    @classmethod
    def of(cls, contested: Contested) -> MileContest:
        """Return a contested field as a result."""
        others = [
            MileValue(value=loser.value, actor=loser.actor, ts=loser.time) for loser in contested.losers
        ]
        return cls(field=contested.field, value=contested.winner.value, others=others)


class MileClaim(Output):
    """Who works on it, and until when that holds."""

    actor: UntrustedText
    until: str

    @classmethod
    def of(cls, claim: Claim) -> MileClaim:
        """Return a claim as a result."""
        return cls(actor=claim.actor, until=claim.until)


class MileDetails(Output):
    """A milestone or an issue, whole."""

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
    assignee: UntrustedText | None = optional("Who is to do it.")
    due: str | None = optional("The day it is due (YYYY-MM-DD).")
    milestone: str | None = optional("The id of the milestone it belongs to.")
    dependencies: list[str] | None = optional("Ids of what has to be done first.")
    links: list[UntrustedText] | None = optional("What it is linked to.")
    claim: MileClaim | None = optional("Who claimed it.")
    contested: list[MileContest] | None = optional("Fields set by several people at once.")
    comments_omitted: int | None = optional("How many older comments did not fit into the answer.")
    hint: UntrustedText | None = optional("What to know about this answer.")

    @classmethod
    def of(cls, entity: Entity, now: str, hint: str | None) -> MileDetails:
        """Return an entity as a result at a moment, with as many of its newest comments as fit."""
        shown = _fitting(entity.comments)
        holder = entity.holder(now)
        return cls(
            id=entity.id,
            title=entity.title,
            status=entity.status,
            description=entity.description,
            labels=list(entity.labels),
            comments=[MileComment.of(comment) for comment in shown],
            stats=MileStats(comment_count=entity.comment_count, open_issues=entity.open_issues),
            entity=entity.kind,
            author=entity.author,
            created=entity.created,
            updated=entity.updated,
            assignee=entity.assignee,
            due=entity.due,
            milestone=entity.milestone,
            dependencies=list(entity.dependencies) or None,
            links=list(entity.links) or None,
            claim=None if holder is None else MileClaim.of(holder),
            contested=[MileContest.of(contested) for contested in entity.contested] or None,
            comments_omitted=len(entity.comments) - len(shown) or None,
            hint=hint,
        )


def _fitting(comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
    """Return the newest comments that leave room in an answer for everything else."""
    room = LIMITS.shown_comment_bytes
    for count, comment in enumerate(reversed(comments)):
        room -= len(comment.body.encode("utf-8", "replace"))
        if room < 0:
            return comments[len(comments) - count :]
    return comments


class ReadLog(Input):
    """Whose history to tell."""

    id: EntityName | None = Field(
        default=None, description="A milestone or issue; left out, the newest events of all of them."
    )
    limit: int = Field(
        default=LIMITS.entity_page, ge=1, le=LIMITS.entity_largest_page, description="Most events to return."
    )
    cursor: str | None = Field(
        default=None, max_length=8192, description="Where to go on: the nextCursor of the page before."
    )


class MileEvent(Output):
    """One thing somebody did."""

    id: str
    entity: str
    ts: UntrustedText
    actor: UntrustedText
    action: UntrustedText
    field: UntrustedText | None = optional("What was changed.")
    value: UntrustedText | None = optional("What it was changed to, as JSON unless it is a text.")

    @classmethod
    def of(cls, event: Event) -> MileEvent:
        """Return an event of the history as a result."""
        return cls(
            id=event.id,
            entity=event.entity,
            ts=event.time,
            actor=event.actor,
            action=event.action,
            field=event.field,
            value=_spelled(event),
        )


def _spelled(event: Event) -> str | None:
    value = event.value
    if event.action == "claim" and isinstance(value, dict):
        return f"until {value.get('until')}"
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class MileLog(Output):
    """Events, newest first."""

    events: list[MileEvent]
    next_cursor: str | None = Field(
        serialization_alias="nextCursor",
        description="Pass it as cursor for older ones; null when there are none.",
    )


class FindReady(Input):
    """How much of what can be worked on to list."""

    milestone: EntityName | None = Field(default=None, description="Only issues of this milestone.")
    label: list[str] | None = Field(
        default=None, max_length=20, description="Only issues with all of these labels."
    )
    limit: int = Field(default=20, ge=1, le=LIMITS.entity_largest_page, description="Most issues to return.")


class MileReady(Output):
    """Issues nobody works on and nothing stands in the way of, the most urgent first."""

    items: list[MileItem]
    total: int = Field(description="How many there are altogether.")
    hint: UntrustedText | None = optional("What to know about this answer.")

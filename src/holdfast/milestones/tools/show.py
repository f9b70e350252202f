"""`git_mile.show`: one complete milestone or issue."""

from __future__ import annotations

from contextlib import suppress

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import visible
from holdfast.milestones.entity import Kind
from holdfast.milestones.models import MileComment, MileContest, MileDetails
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import append_hint
from holdfast.milestones.toolset import EntityName, milestones


class ShowEntity(Input):
    """Which milestone or issue to show."""

    entity: Kind = Field(description="What it is.")
    id: EntityName = Field(description="Its UUID, or an unambiguous prefix of at least four characters.")


def _kind_of_id(room: Milestones, arguments: dict[str, object]) -> dict[str, object]:
    """Complete the arguments of a command with the kind of the entity that it names."""
    if "entity" in arguments or not isinstance(arguments.get("id"), str):
        return arguments
    return arguments | {"entity": room.get(None, str(arguments["id"])).kind}


def _page_text(result: MileDetails, _width: int) -> str:
    facts = [
        ("Status", result.status),
        ("Labels", ", ".join(result.labels)),
        ("Author", result.author),
        ("Created", result.created),
        ("Updated", result.updated),
        ("Assignee", result.assignee or ""),
        ("Due", result.due or ""),
        ("Milestone", _milestone_text(result)),
        ("Depends on", ", ".join(result.dependencies or [])),
        ("Links", ", ".join(result.links or [])),
        ("Claimed by", f"{result.claim.actor} until {result.claim.until}" if result.claim else ""),
        ("Open issues", "" if result.stats.open_issues is None else str(result.stats.open_issues)),
    ]
    lines = [f"{result.entity} {result.id}", one_line(result.title), ""]
    lines += [f"{name + ':':<13}{one_line(value)}" for name, value in facts if value]
    lines += [f"Contested:   {_contest_text(contested)}" for contested in result.contested or []]
    lines += ["", visible(result.description)] if result.description else []
    if result.comments_omitted:
        lines += ["", f"{result.comments_omitted} older comments are not shown."]
    lines += [_comment_text(comment) for comment in result.comments]
    return append_hint(lines, result.hint)


def _milestone_text(result: MileDetails) -> str:
    identity = result.milestone or ""
    return f"{result.milestone_title} ({identity})" if result.milestone_title else identity


def _comment_text(comment: MileComment) -> str:
    edited = f", edited {comment.edited}" if comment.edited else ""
    head = f"\n{one_line(comment.author)}, {comment.ts}{edited} ({comment.id})"
    body = "[deleted]" if comment.deleted else visible(comment.body)
    return f"{head}\n{body}"


def _contest_text(contested: MileContest) -> str:
    others = "; ".join(
        f"{one_line(other.value or 'none')} by {one_line(other.actor)}" for other in contested.others
    )
    return f"{contested.field} is {one_line(contested.value or 'none')}, also {others}"


@milestones.operation(
    "git_mile.show",
    title="Show a milestone or issue",
    effect=Effect.READ,
    command="show",
    positional=("id",),
    example="holdfast milestones show 8903a9b6-0000-7000-8000-000000000001 --entity milestone",
    specified=True,
    annotations={"title": "Show a milestone or issue", "readOnlyHint": True, "idempotentHint": True},
    table=_page_text,
    fill_in=_kind_of_id,
    command_defaults={"entity": "whichever has that id"},
)
def show_entity(room: Milestones, args: ShowEntity) -> MileDetails:
    """Show a complete milestone or issue: description, labels, comments and all other fields."""
    entity = room.get(args.entity, args.id)
    title = None
    if entity.milestone is not None:
        with suppress(NotFound):  # it may arrive with a later sync
            title = room.get("milestone", entity.milestone).title
    return MileDetails.of(
        entity, now=room.now(), hint=" ".join(room.notices()) or None, milestone_title=title
    )

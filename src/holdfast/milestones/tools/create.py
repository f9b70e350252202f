"""`git_mile.create`: a new milestone or issue."""

from __future__ import annotations

from pydantic import Field, StrictBool

from holdfast.kernel.errors import Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.milestones.entity import EntityDraft, Kind
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import (
    EntityName,
    EntityNames,
    LongText,
    MileReceipt,
    MileWrite,
    WordList,
    milestones,
)


class CreateEntity(MileWrite):
    """A milestone or issue to create."""

    entity: Kind = Field(description="What to create.")
    title: str = Field(min_length=1, max_length=LIMITS.entity_title_characters, description="Its title.")
    description: LongText = Field(default="", description="Its description, in Markdown.")
    label: WordList = Field(default_factory=list, description="A label.")
    assignee: str | None = Field(default=None, description="Who is assigned.")
    due: str | None = Field(default=None, description="The day it is due (YYYY-MM-DD).")
    milestone: EntityName | None = Field(default=None, description="The milestone an issue belongs to.")
    depends_on: EntityNames = Field(
        default_factory=list, alias="dependsOn", description="What must be done first."
    )
    comment: LongText | None = Field(default=None, description="A first comment.")
    draft: StrictBool = Field(default=False, description="Whether it is a draft and not open yet.")


def _text(result: MileReceipt) -> str:
    if result.repeated:
        return f"Created {result.id} before; nothing was added."
    return f"Created {result.id}"


@milestones.operation(
    "git_mile.create",
    title="Create a milestone or issue",
    effect=Effect.WRITE,
    idempotent=False,
    command="create",
    positional=("entity", "title"),
    example='holdfast milestones create issue "Panel is too big" --label bug --description "On phones"',
    text=_text,
    editor_argument="description",
)
def create_entity(room: Milestones, args: CreateEntity) -> MileReceipt:
    """Create a milestone or issue with its labels, milestone and first comment in one step."""
    if args.entity == "milestone" and args.milestone is not None:
        raise Invalid("A milestone cannot belong to a milestone.", hint="Leave `milestone` out.")
    draft = EntityDraft(
        kind=args.entity,
        title=args.title,
        description=args.description,
        status="draft" if args.draft else "open",
        labels=tuple(args.label),
        assignee=args.assignee,
        due=args.due,
        milestone=None if args.milestone is None else room.get("milestone", args.milestone).id,
        dependencies=tuple(room.get(None, name).id for name in args.depends_on),
        comments=() if args.comment is None else (args.comment,),
        request=args.request_id,
    )
    return MileReceipt.of(room.create(draft, actor=args.actor))

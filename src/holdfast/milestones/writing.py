"""What can be done to milestones and issues. Each write is one commit in the log, durable when it returns."""

from __future__ import annotations

from holdfast.kernel.errors import Invalid, InvalidArguments
from holdfast.kernel.operation import Effect
from holdfast.milestones import text
from holdfast.milestones.entity import Draft, Scalar, SetField, Status
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import change, milestones
from holdfast.milestones.writing_models import (
    AssignEntity,
    ChangeLabels,
    ChangeStatus,
    CreateEntity,
    DeleteComment,
    EditEntity,
    LinkEntity,
    MileReceipt,
    WriteComment,
)


@milestones.operation(
    "git_mile.create",
    title="Create a milestone or issue",
    effect=Effect.WRITE,
    idempotent=False,
    command="create",
    positional=("entity", "title"),
    example='holdfast milestones create issue "Panel is too big" --label bug --description "On phones"',
    text=text.created,
    written_in_editor="description",
)
def create_entity(room: Milestones, args: CreateEntity) -> MileReceipt:
    """Create a milestone or an issue, with its labels, milestone and first comment in one step."""
    if args.entity == "milestone" and args.milestone is not None:
        raise Invalid("A milestone does not belong to a milestone.", hint="Leave milestone out.")
    draft = Draft(
        kind=args.entity,
        title=args.title,
        description=args.description,
        status="draft" if args.draft else "open",
        labels=tuple(args.label),
        assignee=args.assignee,
        due=args.due,
        milestone=None if args.milestone is None else room.get("milestone", args.milestone).id,
        dependencies=tuple(_ids(room, args.depends_on)),
        comments=() if args.comment is None else (args.comment,),
        request=args.request_id,
    )
    return MileReceipt.of(room.create(draft, actor=args.actor))


@change(
    "edit",
    "edited",
    title="Edit a milestone or issue",
    example='--title "Milestone Alpha"',
    written_in_editor="description",
    listed=False,
)
def edit_entity(room: Milestones, args: EditEntity) -> MileReceipt:
    """Set title, description or due day anew. A field that was contested is so no longer."""
    fields: dict[Scalar, str | None] = {}
    if args.title is not None:
        fields["title"] = args.title
    if args.description is not None:
        fields["description"] = args.description
    if args.due is not None:
        fields["due"] = None if args.due == "none" else args.due
    if not fields:
        raise InvalidArguments("Nothing is to be edited.", hint="Name a title, a description or a due day.")
    return MileReceipt.of(room.change(args.id, fields=fields, **args.signed))


@change(
    "comment",
    "commented",
    title="Comment on a milestone or issue",
    example='--body "Seen on two machines"',
    idempotent=False,
    text=lambda result: text.done(f"commented ({result.comment_id})", result),
    written_in_editor="body",
)
def write_comment(room: Milestones, args: WriteComment) -> MileReceipt:
    """Comment on a milestone or an issue, or write an earlier comment anew."""
    if args.replaces is None:
        return MileReceipt.of(room.comment(args.id, args.body, **args.signed), comment=True)
    receipt = room.edit_comment(args.id, args.replaces, args.body, **args.signed)
    return MileReceipt.of(receipt).model_copy(update={"comment_id": args.replaces})


@change(
    "delete-comment",
    "comment deleted",
    title="Delete a comment",
    example="00000000-0000-7000-8000-00000000000c",
    effect=Effect.DESTRUCTIVE,
    positional=("id", "comment_id"),
    listed=False,
)
def delete_comment(room: Milestones, args: DeleteComment) -> MileReceipt:
    """Take a comment's body out of sight in every clone. It stays in the log's history."""
    return MileReceipt.of(room.delete_comment(args.id, args.comment_id, **args.signed))


@change("label", "labels changed", title="Change labels", example="--add alpha --remove beta")
def change_labels(room: Milestones, args: ChangeLabels) -> MileReceipt:
    """Add and remove labels. An addition elsewhere wins over a removal here that did not see it."""
    if both := sorted(set(args.add) & set(args.remove)):
        raise InvalidArguments(f'"{both[0]}" is both added and removed.', hint="Decide for one.")
    if not (args.add or args.remove):
        raise InvalidArguments("No label is to be changed.", hint="Name labels to add or to remove.")
    receipt = room.change(args.id, add={"labels": args.add}, remove={"labels": args.remove}, **args.signed)
    return MileReceipt.of(receipt)


@change("open", "open", title="Open a milestone or issue")
def open_entity(room: Milestones, args: ChangeStatus) -> MileReceipt:
    """Open a draft, or what was closed."""
    return _set_status(room, args, "open")


@change("close", "closed", title="Close a milestone or issue", example='--comment "Done"')
def close_entity(room: Milestones, args: ChangeStatus) -> MileReceipt:
    """Close a milestone or an issue; it can be opened again."""
    return _set_status(room, args, "closed")


@change("link", "links changed", title="Link a milestone or issue", example="--to src/main.py")
def link_entity(room: Milestones, args: LinkEntity) -> MileReceipt:
    """Say which milestone an issue belongs to, what it depends on and what it is about; or take that back."""
    entity = room.get("issue" if args.milestone is not None else None, args.id)
    fields: dict[Scalar, str | None] = {}
    if args.milestone is not None:
        fields["milestone"] = None if args.unlink else room.get("milestone", args.milestone).id
    sets: dict[SetField, list[str]] = {"dependencies": _ids(room, args.depends_on), "links": args.to}
    if not (fields or any(sets.values())):
        raise InvalidArguments("Nothing is to be linked.", hint="Name a milestone, dependsOn or to.")
    add, remove = ({}, sets) if args.unlink else (sets, {})
    return MileReceipt.of(room.change(entity.id, fields=fields, add=add, remove=remove, **args.signed))


@change(
    "assign",
    "assigned",
    title="Assign a milestone or issue",
    example='"Ada <ada@example.org>"',
    positional=("id", "assignee"),
    listed=False,
)
def assign_entity(room: Milestones, args: AssignEntity) -> MileReceipt:
    """Say who is to do it: somebody, yourself when nobody is named, or nobody."""
    if args.nobody and args.assignee is not None:
        raise InvalidArguments("Either somebody is assigned or nobody is.", hint="Use one of both.")
    assignee = None if args.nobody else args.assignee or args.actor or room.identity()
    return MileReceipt.of(room.set(args.id, "assignee", assignee, **args.signed))


def _set_status(room: Milestones, args: ChangeStatus, status: Status) -> MileReceipt:
    receipt = room.set_status(args.id, status, comment=args.comment, **args.signed)
    return MileReceipt.of(receipt, comment=args.comment is not None)


def _ids(room: Milestones, names: list[str]) -> list[str]:
    return [room.get(None, name).id for name in names]

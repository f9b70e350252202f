"""The input of `taskpilot_update`, and its conversion to a change of the store."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, StrictFloat

from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import ONLY_SPECIFIED, Input, IntegerOrNone
from holdfast.kernel.text import parse_natural
from holdfast.tasks.inputs import (
    AnyPriority,
    AnyStatus,
    Criteria,
    Dependencies,
    EvidenceIn,
    Paths,
    ShortTexts,
    parse_dependency,
    parse_files,
    parse_list,
)
from holdfast.tasks.link_targets import link_records
from holdfast.tasks.models import (
    MAX_ITEMS,
    Agent,
    Body,
    InSession,
    LinkIn,
    ShortText,
    ShortTextOrEmpty,
    TakeOver,
    TaskId,
    Title,
)
from holdfast.tasks.store.records import Change

SingleField = Literal[
    "title", "description", "priority", "status", "progress", "notes", "connected_files", "blocked_by"
]


class TaskFields(Input):
    """New values; omitted fields stay as they are."""

    title: Title | None = Field(default=None, description="New title.")
    description: Body | None = Field(default=None, description="New description.")
    status: AnyStatus | None = Field(default=None, description="New state.")
    priority: AnyPriority | None = Field(default=None, description="New priority.")
    progress: IntegerOrNone = Field(default=None, ge=0, le=100, description="Percent done.")
    notes: Body | None = Field(default=None, description="New notes.")
    plan: Body | None = Field(default=None, description="New plan.")
    milestone: ShortTextOrEmpty | None = Field(default=None, description="New milestone; empty for none.")
    rank: StrictFloat | None = Field(
        default=None, description="Order among tasks of equal priority; lower comes first."
    )
    parent_id: str | None = Field(default=None, max_length=40, description="New parent; empty for none.")


class TaskItems(Input):
    """Items to add to lists, or to remove from them."""

    depends_on: Dependencies = Field(default=[], description="Tasks, as in taskpilot_add.")
    labels: ShortTexts = Field(default=[], description="Labels.")
    connected_files: Paths = Field(default=[], description="Files.")
    criteria: ShortTexts = Field(default=[], description="Criteria; to remove, also by number.")
    links: list[LinkIn] = Field(default=[], max_length=MAX_ITEMS, description="Links.")


class UpdateTask(InSession):
    """A task, and the changes to make to it."""

    task_id: TaskId = Field(description="Which task, such as TP-12.")
    set: TaskFields | None = Field(default=None, description="New values.")
    field: SingleField | None = Field(
        default=None,
        description="One field, instead of `set`; give its value in `value`.",
        json_schema_extra=ONLY_SPECIFIED,
    )
    value: Body | None = Field(
        default=None, description="The new value of `field`, as text.", json_schema_extra=ONLY_SPECIFIED
    )
    add: TaskItems | None = Field(default=None, description="What to add to lists.")
    remove: TaskItems | None = Field(default=None, description="What to remove from lists.")
    check: Criteria = Field(default=[], description="Met criteria, by number from 1 or by text.")
    evidence: list[EvidenceIn] = Field(default=[], max_length=20, description="Proof that it is done.")
    reason: Body | None = Field(default=None, description="Why; required to block and to reopen.")
    if_version: IntegerOrNone = Field(default=None, ge=1, description="Only if it has this version.")
    agent: Agent = Field(default=None, description="Your name, without a session.")
    token: ShortText | None = Field(default=None, description="Proof that the claim is yours.")
    take_over: TakeOver = False


def change_of(arguments: UpdateTask) -> Change:
    """Return the change that the arguments describe; raise if they describe none.

    Its evidence is left to the operation, which verifies commits first.
    """
    wanted = Change(reason=arguments.reason, check=list(arguments.check), take_over=arguments.take_over)
    if arguments.set is not None:
        wanted.set = _field_values(arguments.set)
    if arguments.field is not None:
        if arguments.value is None:
            raise InvalidArguments("`field` needs `value`.", hint=f"Give the new {arguments.field}.")
        wanted.set |= _single_field_value(arguments.field, arguments.value)
    elif arguments.value is not None:
        raise InvalidArguments("`value` needs `field`.", hint="Name its field, or use `set`.")
    if arguments.add is not None:
        wanted.add = _list_additions(arguments.add)
    if arguments.remove is not None:
        wanted.remove = _list_removals(arguments.remove)
    if not (wanted.set or wanted.add or wanted.remove or wanted.check or arguments.evidence):
        raise InvalidArguments("There is nothing to change.", hint="Give `set`, `add`, `remove` or `check`.")
    return wanted


def _field_values(given: TaskFields) -> dict[str, Any]:
    """Return the new values by field; an empty parent or milestone becomes None, other nulls are ignored."""
    given_values = given.model_dump(exclude_unset=True)
    values = {name: value for name, value in given_values.items() if value is not None}
    if "parent_id" in given_values:
        values.pop("parent_id", None)
        values["parent"] = given_values["parent_id"] or None
    if values.get("milestone") == "":
        values["milestone"] = None
    return values


def _single_field_value(field: SingleField, text: str) -> dict[str, Any]:
    """Return the new value of a field that is given as text, as the TaskPilot specification does."""
    if field == "connected_files":
        return {"files": parse_files(parse_list(text))}
    if field == "blocked_by":
        return {"blockers": [(item, "blocks") for item in parse_list(text)]}
    number = parse_natural(text.strip()) if field == "progress" else None
    try:
        given = validate_arguments(TaskFields, {field: text if number is None else number})
    except InvalidArguments as failure:
        raise InvalidArguments(
            f"`value` cannot be the {field}. {failure.message}", hint="Correct `value`."
        ) from None
    assert isinstance(given, TaskFields)
    return _field_values(given)


def _list_additions(given: TaskItems) -> dict[str, list[Any]]:
    """Return the items to add, by list; empty lists are left out."""
    additions: dict[str, list[Any]] = {
        "depends_on": [parse_dependency(text) for text in given.depends_on],
        "labels": list(given.labels),
        "files": parse_files(given.connected_files),
        "criteria": list(given.criteria),
        "links": link_records(given.links),
    }
    return {name: items for name, items in additions.items() if items}


def _list_removals(given: TaskItems) -> dict[str, list[Any]]:
    """Return what identifies the items to remove, by list; empty lists are left out."""
    removals = _list_additions(given)
    if "depends_on" in removals:
        removals["depends_on"] = [text for text, _ in removals["depends_on"]]
    if "files" in removals:
        removals["files"] = [file.path for file in removals["files"]]
    if "links" in removals:
        removals["links"] = [link.ref for link in removals["links"]]
    return removals

"""`git_mile.vocabulary`: what a filter and an order can say here."""

from __future__ import annotations

from contextlib import suppress

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import Kind
from holdfast.milestones.filter.fields import FIELDS, STATUSES
from holdfast.milestones.index.query import SORT_COLUMNS
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones

_MOST_VALUES = 200
_FIXED = {"status": [*STATUSES], "has_comments": ["true", "false"]}
_VALUES = {
    "labels": "SELECT DISTINCT label.value FROM entity, json_each(entity.labels) AS label",
    "author": "SELECT DISTINCT author FROM entity",
    "assignee": "SELECT DISTINCT assignee FROM entity WHERE assignee IS NOT NULL",
    "milestone": "SELECT DISTINCT title FROM entity WHERE kind = 'milestone' AND status <> 'closed'",
}


class AskVocabulary(Input):
    """What the filter is about."""

    entity: Kind = Field(default="issue", description="What is to be listed.")


class FilterField(Output):
    """Something a filter can compare."""

    name: str
    operators: list[str]
    values: list[UntrustedText] = Field(description=f"Values there are, {_MOST_VALUES} at most.")


class MileVocabulary(Output):
    """What can be written into a filter, who asks, and which clone a sync would meet."""

    fields: list[FilterField]
    sort: list[str]
    identity: UntrustedText = Field(description="Who writes when nobody is named.")
    remote: UntrustedText | None = Field(description="The remote a sync takes when none is named.")


@milestones.operation(
    "git_mile.vocabulary",
    title="Say what a filter can name",
    effect=Effect.READ,
    command="vocabulary",
    positional=("entity",),
    example="holdfast milestones vocabulary milestone",
    text=lambda result: "\n".join(f"{one.name} {' '.join(one.operators)}" for one in result.fields),
    listed=False,
)
def vocabulary(room: Milestones, args: AskVocabulary) -> MileVocabulary:
    """Say which fields, operators and values a filter can name, and what a list can be sorted by."""
    limited = {name: f"{query} ORDER BY 1 LIMIT {_MOST_VALUES}" for name, query in _VALUES.items()}
    values = _FIXED | room.ask(
        lambda connection: {
            name: [row[0] for row in connection.execute(query)] for name, query in limited.items()
        }
    )
    fields = [field for field in FIELDS.values() if args.entity in field.kinds]
    remote = None
    with suppress(NotFound):
        remote = room.default_remote()
    return MileVocabulary(
        fields=[
            FilterField(name=field.name, operators=list(field.operators), values=values.get(field.name, []))
            for field in fields
        ],
        sort=[key for key in SORT_COLUMNS if key != "open_issues" or args.entity == "milestone"],
        identity=room.identity(),
        remote=remote,
    )

"""`git_mile.vocabulary`: the fields, values and sort keys of filters and lists."""

from __future__ import annotations

from contextlib import suppress

from pydantic import Field

from holdfast.kernel.errors import NotFound
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.entity import STATUSES, Kind
from holdfast.milestones.filter.fields import FIELDS
from holdfast.milestones.index.query import SORT_COLUMNS
from holdfast.milestones.store import Milestones
from holdfast.milestones.toolset import milestones

_MAX_VALUES_PER_FIELD = 200  # a menu of suggestions that people can still scan
_FIXED_VALUES: dict[str, list[str]] = {"status": [*STATUSES], "has_comments": ["true", "false"]}
_VALUE_QUERIES = {
    "labels": "SELECT DISTINCT label.value FROM entity, json_each(entity.labels) AS label",
    "author": "SELECT DISTINCT author FROM entity",
    "assignee": "SELECT DISTINCT assignee FROM entity WHERE assignee IS NOT NULL",
    "milestone": "SELECT DISTINCT title FROM entity WHERE kind = 'milestone' AND status <> 'closed'",
}


class AskVocabulary(Input):
    """What the filter is for."""

    entity: Kind = Field(default="issue", description="What is to be listed.")


class FilterField(Output):
    """A field that a filter can compare."""

    name: str
    operators: list[str]
    values: list[UntrustedText] = Field(
        description=f"Values to suggest for the field, at most {_MAX_VALUES_PER_FIELD}."
    )


class MileVocabulary(Output):
    """What a filter can contain, and the default actor and remote."""

    fields: list[FilterField]
    sort: list[str]
    identity: UntrustedText = Field(description="The default actor.")
    remote: UntrustedText | None = Field(description="The default remote of a sync; null if there is none.")


@milestones.operation(
    "git_mile.vocabulary",
    title="List the vocabulary of filters",
    effect=Effect.READ,
    command="vocabulary",
    positional=("entity",),
    example="holdfast milestones vocabulary milestone",
    text=lambda result: "\n".join(f"{field.name} {' '.join(field.operators)}" for field in result.fields),
    listed=False,
)
def vocabulary(room: Milestones, args: AskVocabulary) -> MileVocabulary:
    """List the fields, operators and values of filters, and the sort keys of lists."""
    queries = {
        name: f"{query} ORDER BY 1 LIMIT {_MAX_VALUES_PER_FIELD}" for name, query in _VALUE_QUERIES.items()
    }
    values = _FIXED_VALUES | room.read(
        lambda connection: {
            name: [value for (value,) in connection.execute(query)] for name, query in queries.items()
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

"""`git_mile.overview`: the list with people, due days and progress."""

from __future__ import annotations

import json
import sqlite3
import time

from pydantic import Field

from holdfast.kernel.models import optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line, table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.index.query import EntityPage, page
from holdfast.milestones.models import MileItem, item_fields
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import SHORT_ID_CHARACTERS
from holdfast.milestones.tools.list import (
    ListEntities,
    MilePage,
    build_query,
    default_kind,
    next_cursor,
    page_text,
)
from holdfast.milestones.toolset import milestones

_SELECT_DETAILS = (
    "SELECT entity.id, entity.contested,"
    " (SELECT title FROM entity AS named WHERE named.id = entity.milestone) AS milestone,"
    " (SELECT actor FROM claim WHERE claim.entity = entity.id AND until > ? ORDER BY place LIMIT 1)"
    " AS claimed_by,"
    " CASE kind WHEN 'milestone' THEN (SELECT count(*) FROM entity AS inner_issue WHERE kind = 'issue'"
    " AND inner_issue.milestone = entity.id AND status = 'closed') END AS closed_issues"
    " FROM entity WHERE entity.id IN (SELECT value FROM json_each(?))"
)

_TITLE_COLUMN, _PERSON_COLUMN = 2, 3


class MileLine(MileItem):
    """A milestone or issue with its people, due day and progress."""

    updated: str
    assignee: UntrustedText | None = optional("Who is assigned.")
    due: str | None = optional("The day it is due (YYYY-MM-DD).")
    milestone: UntrustedText | None = optional("The title of the milestone it belongs to.")
    claimed_by: UntrustedText | None = optional("Who works on it.")
    closed_issues: int | None = optional("Number of its closed issues; milestones only.")
    contested: bool = Field(
        description="Whether people set a field of it concurrently; git_mile_show shows the values."
    )


class MileOverview(MilePage):
    """A page of milestones or issues, in order."""

    items: list[MileLine]  # type: ignore[assignment] # narrower, and only read


def _table(result: MileOverview, width: int) -> str:
    rows = [_cells(line) for line in result.items]
    return page_text(
        result, [table(rows, width, flexible=(_TITLE_COLUMN, _PERSON_COLUMN))] if rows else ["Nothing found."]
    )


def _cells(line: MileLine) -> tuple[str, ...]:
    who = one_line(line.claimed_by or line.assignee or "")
    total = None if line.closed_issues is None else line.closed_issues + (line.stats.open_issues or 0)
    progress = one_line(line.milestone or "") if total is None else f"{line.closed_issues} of {total} closed"
    return line.id[:SHORT_ID_CHARACTERS], line.status, one_line(line.title), who, line.due or "", progress


@milestones.operation(
    "git_mile.overview",
    title="List with people, due days and progress",
    effect=Effect.READ,
    command="overview",
    positional=("entity",),
    example="holdfast milestones overview milestone --sort due",
    table=_table,
    fill_in=default_kind,
    command_defaults={"entity": "issue"},
    listed=False,
)
def overview(room: Milestones, args: ListEntities) -> MileOverview:
    """List what git_mile_list lists, each with its assignee, due day, milestone, claim and progress."""
    query, hints = build_query(args, time.time())

    def read(connection: sqlite3.Connection) -> tuple[EntityPage, dict[str, dict[str, object]]]:
        found = page(connection, query)
        ids = json.dumps([item.id for item in found.items])
        cursor = connection.execute(_SELECT_DETAILS, (room.now(), ids))
        _, *names = [name for name, *_ in cursor.description]
        return found, {entity_id: dict(zip(names, values, strict=True)) for entity_id, *values in cursor}

    found, details = room.read(read)
    # A milestone's title replaces its id.
    lines = [MileLine.model_validate(item_fields(item) | details[item.id]) for item in found.items]
    hint = " ".join([*hints, *room.notices()]) or None
    return MileOverview(items=lines, next_cursor=next_cursor(args, found.next), hint=hint)

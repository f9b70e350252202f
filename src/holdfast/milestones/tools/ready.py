"""`git_mile.ready`: issues that can be worked on now."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.milestones.index.query import ready_query
from holdfast.milestones.models import MileItem
from holdfast.milestones.store import Milestones
from holdfast.milestones.text import append_hint, items_table
from holdfast.milestones.toolset import EntityName, milestones

_DEFAULT_LIMIT = 20  # issues: more than anybody takes at once, and few enough to read
_MAX_LABELS = 20  # a judgement: an issue must have all of them, and a few select well


class FindReady(Input):
    """Which ready issues to list."""

    milestone: EntityName | None = Field(default=None, description="Only issues of this milestone.")
    label: list[str] | None = Field(
        default=None, max_length=_MAX_LABELS, description="Only issues with all of these labels."
    )
    limit: Integer = count_field(_DEFAULT_LIMIT, LIMITS.entity_largest_page, "Maximum number of issues.")


class MileReady(Output):
    """Open issues that are neither claimed nor blocked, earliest due first, then oldest first."""

    items: list[MileItem]
    total: int = Field(description="Number of ready issues, including those beyond the limit.")
    hint: UntrustedText | None = optional("Says whether a sync is needed first, or which logs are damaged.")


def _table(result: MileReady, width: int) -> str:
    if not result.items:
        return append_hint(["Nothing is ready to be worked on."], result.hint)
    lines = [items_table(result.items, width)]
    if result.total > len(result.items):
        lines.append(f"{result.total} in total.")
    return append_hint(lines, result.hint)


@milestones.operation(
    "git_mile.ready",
    title="Find work that is ready",
    effect=Effect.READ,
    command="ready",
    example="holdfast milestones ready --limit 5",
    table=_table,
)
def find_ready(room: Milestones, args: FindReady) -> MileReady:
    """Find open issues that are neither claimed nor blocked, earliest due first, then oldest first.

    Claim one with git_mile_claim before working on it, so that others take another.
    """
    milestone = None if args.milestone is None else room.get("milestone", args.milestone).id
    query = ready_query(room.now(), args.limit, milestone=milestone, labels=args.label or [])
    return MileReady(
        items=[MileItem.of(summary) for summary in room.find(query).items],
        total=room.count("issue", query.condition),
        hint=" ".join(room.notices()) or None,
    )

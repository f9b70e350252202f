"""Which issues can be worked on now."""

from __future__ import annotations

from holdfast.milestones.index.labels import HAS_LABEL, has_label
from holdfast.milestones.index.query import Condition, Value

_UNBLOCKED = (
    "NOT EXISTS (SELECT 1 FROM dependency JOIN entity AS first ON first.id = dependency.target"
    " WHERE dependency.entity = entity.id AND first.status <> 'closed')"
)
_UNCLAIMED = "NOT EXISTS (SELECT 1 FROM claim WHERE claim.entity = entity.id AND claim.until > ?)"


def ready_condition(milestone: str | None, labels: list[str], now: str) -> Condition:
    """Return the condition of open issues that nobody holds and nothing open stands in front of."""
    parts = ["entity.status = 'open'", _UNBLOCKED, _UNCLAIMED, *[HAS_LABEL] * len(labels)]
    values: list[Value] = [now, *(part for label in labels for part in has_label(label))]
    if milestone is not None:
        parts.append("entity.milestone = ?")
        values.append(milestone)
    return Condition(" AND ".join(parts), tuple(values))

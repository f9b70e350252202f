"""Which issues can be worked on now."""

from __future__ import annotations

from holdfast.milestones.query import Condition, Value

_UNBLOCKED = (
    "NOT EXISTS (SELECT 1 FROM dependency JOIN entity AS first ON first.id = dependency.target"
    " WHERE dependency.entity = entity.id AND first.status <> 'closed')"
)
_UNCLAIMED = "NOT EXISTS (SELECT 1 FROM claim WHERE claim.entity = entity.id AND claim.until > ?)"
_LABELLED = "EXISTS (SELECT 1 FROM label WHERE label.entity = entity.id AND label.label = ?)"


def ready_condition(milestone: str | None, labels: list[str], now: str) -> Condition:
    """Return the condition of open issues that nobody holds and nothing open stands in front of."""
    parts = ["entity.status = 'open'", _UNBLOCKED, _UNCLAIMED, *[_LABELLED] * len(labels)]
    values: list[Value] = [now, *labels]
    if milestone is not None:
        parts.append("entity.milestone = ?")
        values.append(milestone)
    return Condition(" AND ".join(parts), tuple(values))

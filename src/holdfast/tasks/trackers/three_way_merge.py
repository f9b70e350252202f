"""Three-way merge of the two sides of one task, field by field.

Contract:
- Three values decide: the base both sides last agreed on, ours, and theirs. A side that did not change
  follows the other. If both changed differently, neither is overwritten: it is a conflict until a side is
  preferred.
- Labels are a set: additions and removals of either side apply, and nothing conflicts.
- The merged value becomes the next base. A conflict leaves the base unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.tasks.trackers.report import Side

Values = Mapping[str, Any]

FIELDS = ("title", "description", "status", "priority", "labels")
"""The synchronised fields, in the order of reports."""


@dataclass(frozen=True)
class FieldConflict:
    """A field that both sides changed differently."""

    field: str
    ours: Any
    theirs: Any


@dataclass(frozen=True)
class Reconciled:
    """The result of a merge."""

    for_us: dict[str, Any] = field(default_factory=dict)
    for_them: dict[str, Any] = field(default_factory=dict)
    clashes: tuple[FieldConflict, ...] = ()
    base: dict[str, Any] = field(default_factory=dict)
    """The values both agree on once the changes are applied."""


def reconcile(
    base: Values,
    ours: Values,
    theirs: Values,
    *,
    carried: Collection[str] = FIELDS,
    prefer: Side | None = None,
) -> Reconciled:
    """Return the changes for each side, of the fields that the tracker can store."""
    for_us: dict[str, Any] = {}
    for_them: dict[str, Any] = {}
    clashes: list[FieldConflict] = []
    agreed = dict(base)
    for name in (name for name in FIELDS if name in carried):
        if name == "labels":
            value = merged_labels(base.get(name, ()), ours[name], theirs[name])
        else:
            chosen = _chosen(base.get(name), ours[name], theirs[name], prefer)
            if chosen is None:
                clashes.append(FieldConflict(name, ours[name], theirs[name]))
                continue
            value = ours[name] if chosen == "ours" else theirs[name]
        agreed[name] = value
        if not _same(value, ours[name]):
            for_us[name] = value
        if not _same(value, theirs[name]):
            for_them[name] = value
    return Reconciled(for_us, for_them, tuple(clashes), agreed)


def merged_labels(base: Collection[str], ours: Collection[str], theirs: Collection[str]) -> list[str]:
    """Return the labels after both sides' additions and removals, ours first."""
    removed = {label for label in base if label not in ours or label not in theirs}
    return [label for label in dict.fromkeys([*ours, *theirs]) if label not in removed]


def _chosen(base: Any, ours: Any, theirs: Any, prefer: Side | None) -> Side | None:
    if _same(ours, theirs) or _same(theirs, base):
        return "ours"
    if _same(ours, base):
        return "theirs"
    return prefer


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        # Services trim texts and send carriage returns; neither is a change by a person.
        return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return sorted(one) == sorted(other)
    return bool(one == other)

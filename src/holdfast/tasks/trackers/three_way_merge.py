"""Three-way merge of a task and its counterpart in a tracker or file, field by field.

Contract:
- The merge compares three values: the base that both sides last agreed on, ours, and theirs. If one side
  changed, the other side takes its value. If both changed differently, that is a conflict, and neither is
  overwritten unless the caller prefers a side.
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
class MergeResult:
    """The result of a merge: the changes that each side still has to apply."""

    for_us: dict[str, Any] = field(default_factory=dict)
    """New values for our task."""
    for_them: dict[str, Any] = field(default_factory=dict)
    """New values for the counterpart."""
    conflicts: tuple[FieldConflict, ...] = ()
    base: dict[str, Any] = field(default_factory=dict)
    """The values both agree on once the changes are applied."""


def merge_values(
    base: Values,
    ours: Values,
    theirs: Values,
    *,
    synced_fields: Collection[str] = FIELDS,
    prefer: Side | None = None,
) -> MergeResult:
    """Merge the fields that both sides can store; return the changes for each side, and the conflicts."""
    for_us: dict[str, Any] = {}
    for_them: dict[str, Any] = {}
    conflicts: list[FieldConflict] = []
    agreed = dict(base)
    for name in (name for name in FIELDS if name in synced_fields):
        if name == "labels":
            value = merge_labels(base.get(name, ()), ours[name], theirs[name])
        else:
            chosen = _winning_side(base.get(name), ours[name], theirs[name], prefer)
            if chosen is None:
                conflicts.append(FieldConflict(name, ours[name], theirs[name]))
                continue
            value = ours[name] if chosen == "ours" else theirs[name]
        agreed[name] = value
        if not _is_same(value, ours[name]):
            for_us[name] = value
        if not _is_same(value, theirs[name]):
            for_them[name] = value
    return MergeResult(for_us, for_them, tuple(conflicts), agreed)


def merge_labels(base: Collection[str], ours: Collection[str], theirs: Collection[str]) -> list[str]:
    """Return the labels after the additions and removals of both sides, ours first."""
    removed = {label for label in base if label not in ours or label not in theirs}
    return [label for label in dict.fromkeys([*ours, *theirs]) if label not in removed]


def _winning_side(base: Any, ours: Any, theirs: Any, prefer: Side | None) -> Side | None:
    """Return the side with the merged value, or None if the two changes conflict."""
    if _is_same(ours, theirs) or _is_same(theirs, base):
        return "ours"
    if _is_same(ours, base):
        return "theirs"
    return prefer


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, ignoring differences that services introduce themselves."""
    if isinstance(one, str) and isinstance(other, str):
        # Services trim texts and send carriage returns: no person made these changes.
        return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return sorted(one) == sorted(other)
    return bool(one == other)

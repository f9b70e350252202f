"""Two sides of one task, and what each has to learn from the other.

Contract:
- Three values decide: what both sides agreed on last, ours, theirs. A side that did not change since
  follows the other. Where both changed, differently, neither is overwritten: it is a conflict until
  somebody prefers a side.
- Labels are a set: what either side added is in, what either side removed is out, and nothing conflicts.
- A value that was agreed on is the base of the next time. A conflict leaves the base as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.tasks.trackers.report import Side

Values = Mapping[str, Any]

FIELDS = ("title", "description", "status", "priority", "labels")
"""What is kept in step, in the order in which it is told."""


@dataclass(frozen=True)
class Clash:
    """A field that both sides changed, differently."""

    field: str
    ours: Any
    theirs: Any


@dataclass(frozen=True)
class Reconciled:
    """What follows from the two sides."""

    for_us: dict[str, Any] = field(default_factory=dict)
    for_them: dict[str, Any] = field(default_factory=dict)
    clashes: tuple[Clash, ...] = ()
    base: dict[str, Any] = field(default_factory=dict)
    """What both agree on once the changes are made."""


def reconcile(
    base: Values,
    ours: Values,
    theirs: Values,
    *,
    carried: Collection[str] = FIELDS,
    prefer: Side | None = None,
) -> Reconciled:
    """Return what each side has to learn; only fields that the other side can carry take part."""
    for_us: dict[str, Any] = {}
    for_them: dict[str, Any] = {}
    clashes: list[Clash] = []
    agreed = dict(base)
    for name in (name for name in FIELDS if name in carried):
        if name == "labels":
            value = merged_labels(base.get(name, ()), ours[name], theirs[name])
        else:
            chosen = _chosen(base.get(name), ours[name], theirs[name], prefer)
            if chosen is None:
                clashes.append(Clash(name, ours[name], theirs[name]))
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
        # Services trim texts and send carriage returns; neither is a change somebody made.
        return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return sorted(one) == sorted(other)
    return bool(one == other)

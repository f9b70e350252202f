"""Three-way merge of JSON values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

ABSENT: Any = object()
"""Stands for a key or a member that one side does not have."""

Resolve = Callable[[str, Any, Any, Any], Any]
"""Given a key and what base, ours and theirs have there, decides where both changed it differently."""


def merged_keys(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any], settle: Resolve
) -> dict[str, Any]:
    """Return an object with the keys of both sides, in our order, then in theirs."""
    result: dict[str, Any] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        value = merged(key, base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT), settle)
        if value is not ABSENT:
            result[key] = value
    return result


def merged(key: str, base: Any, ours: Any, theirs: Any, settle: Resolve) -> Any:
    """Return one value of three."""
    if same(ours, theirs) or same(theirs, base):
        return ours
    if same(ours, base):
        return theirs
    if ours is ABSENT or theirs is ABSENT:
        # One side took it away while the other changed it: keep what somebody wrote.
        return theirs if ours is ABSENT else ours
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return merged_keys(base if isinstance(base, dict) else {}, ours, theirs, settle)
    return settle(key, base, ours, theirs)


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are equal as JSON; 1 and true are not."""
    if one is ABSENT or other is ABSENT or type(one) is not type(other):
        return one is other
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def by_identity(members: Any) -> dict[tuple[str, int], Any]:
    """Return the members of a list by their `id`, or by what they are, numbered where equal."""
    found: dict[tuple[str, int], Any] = {}
    seen: Counter[str] = Counter()
    for member in members if isinstance(members, list) else ():
        name = identity(member)
        found[name, seen[name]] = member
        seen[name] += 1
    return found


def identity(member: Any) -> str:
    """Return what makes a member itself, on both sides."""
    if isinstance(member, dict) and isinstance(member.get("id"), str):
        return f"id:{member['id']}"
    return f"value:{canonical(member)}"


def canonical(value: Any) -> str:
    """Return one spelling for equal values."""
    return json.dumps(value, sort_keys=True)


def union(base: Iterable[Any], ours: Iterable[Any], theirs: Iterable[Any]) -> list[Any]:
    """Return the members of both lists less those that one side took away, in our order, then in theirs."""
    known = {canonical(member) for member in base}
    mine = {canonical(member): member for member in ours}
    other = {canonical(member): member for member in theirs}
    return [
        member
        for name, member in {**mine, **other}.items()
        if (name in mine and name in other) or name not in known
    ]

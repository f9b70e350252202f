"""Three-way merge of JSON values.

A value that only one side changed is taken from that side; objects are merged key by key; `resolve` decides
where both sides changed a value differently. Example: base `{"a": 1}`, ours `{"a": 2}`, theirs `{"a": 1, "b":
3}` merge to `{"a": 2, "b": 3}`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

ABSENT: Any = object()
"""A key or a member that one side does not have."""

Resolve = Callable[[str, Any, Any, Any], Any]
"""Decides a conflict, given a key and its values in base, ours and theirs."""


def merged_keys(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any], resolve: Resolve
) -> dict[str, Any]:
    """Return an object with the keys of both sides, in our order, then in theirs."""
    result: dict[str, Any] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        value = merged(key, base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT), resolve)
        if value is not ABSENT:
            result[key] = value
    return result


def merged(key: str, base: Any, ours: Any, theirs: Any, resolve: Resolve) -> Any:
    """Return the merge of three versions of a value."""
    if same(ours, theirs) or same(theirs, base):
        return ours
    if same(ours, base):
        return theirs
    if ours is ABSENT or theirs is ABSENT:
        # One side deleted it while the other changed it: keep the change.
        return theirs if ours is ABSENT else ours
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return merged_keys(base if isinstance(base, dict) else {}, ours, theirs, resolve)
    return resolve(key, base, ours, theirs)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON; 1 and true are not."""
    if one is ABSENT or other is ABSENT or type(one) is not type(other):
        return one is other
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def by_identity(members: Any) -> dict[tuple[str, int], Any]:
    """Return the members of a list by their `id`, or by their value, numbered if equal."""
    found: dict[tuple[str, int], Any] = {}
    seen: Counter[str] = Counter()
    for member in members if isinstance(members, list) else ():
        name = identity(member)
        found[name, seen[name]] = member
        seen[name] += 1
    return found


def identity(member: Any) -> str:
    """Return the key that identifies a member on both sides."""
    if isinstance(member, dict) and isinstance(member.get("id"), str):
        return f"id:{member['id']}"
    return f"value:{canonical(member)}"


def canonical(value: Any) -> str:
    """Return the same text for equal values."""
    return json.dumps(value, sort_keys=True)


def union(base: Iterable[Any], ours: Iterable[Any], theirs: Iterable[Any]) -> list[Any]:
    """Return the members of both lists without those one side removed, in our order, then in theirs."""
    known = {canonical(member) for member in base}
    mine = {canonical(member): member for member in ours}
    other = {canonical(member): member for member in theirs}
    return [
        member
        for name, member in {**mine, **other}.items()
        if (name in mine and name in other) or name not in known
    ]

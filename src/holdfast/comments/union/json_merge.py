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
"""Stands for a key or a list member that one side does not have."""

Resolve = Callable[[str, Any, Any, Any], Any]
"""Decides a conflict, given a key and its values in base, ours and theirs."""


def merge_objects(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any], resolve: Resolve
) -> dict[str, Any]:
    """Merge objects; the result has our keys in our order, then the additional keys of theirs."""
    result: dict[str, Any] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        value = merge_values(
            key, base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT), resolve
        )
        if value is not ABSENT:
            result[key] = value
    return result


def merge_values(key: str, base: Any, ours: Any, theirs: Any, resolve: Resolve) -> Any:
    """Merge three versions of the value of a key."""
    if are_equal(ours, theirs) or are_equal(theirs, base):
        return ours
    if are_equal(ours, base):
        return theirs
    if ours is ABSENT or theirs is ABSENT:
        # One side deleted it while the other changed it: keep the change.
        return theirs if ours is ABSENT else ours
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return merge_objects(base if isinstance(base, dict) else {}, ours, theirs, resolve)
    return resolve(key, base, ours, theirs)


def are_equal(first: Any, second: Any) -> bool:
    """Return whether two values are equal as JSON: unlike in Python, 1 is neither true nor 1.0."""
    if first is ABSENT or second is ABSENT or type(first) is not type(second):
        return first is second
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(are_equal(first[key], second[key]) for key in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(are_equal, first, second))
    return bool(first == second)


def index_by_identity(members: Any) -> dict[tuple[str, int], Any]:
    """Index the members of a list by identity key and, for equal keys, a number from 0."""
    index: dict[tuple[str, int], Any] = {}
    occurrences: Counter[str] = Counter()
    for member in members if isinstance(members, list) else ():
        key = identity_key(member)
        index[key, occurrences[key]] = member
        occurrences[key] += 1
    return index


def identity_key(member: Any) -> str:
    """Return the key that identifies a list member on both sides: its id or, without one, its value."""
    if isinstance(member, dict) and isinstance(member.get("id"), str):
        return f"id:{member['id']}"
    return f"value:{canonical_json(member)}"


def canonical_json(value: Any) -> str:
    """Return the value as JSON text with sorted keys, which is the same for equal values."""
    return json.dumps(value, sort_keys=True)


def union_of_lists(base: Iterable[Any], ours: Iterable[Any], theirs: Iterable[Any]) -> list[Any]:
    """Merge two lists of distinct members: ours, then theirs, without those that one side removed."""
    base_keys = {canonical_json(member) for member in base}
    our_members = {canonical_json(member): member for member in ours}
    their_members = {canonical_json(member): member for member in theirs}
    return [
        member
        for key, member in {**our_members, **their_members}.items()
        if (key in our_members and key in their_members) or key not in base_keys
    ]

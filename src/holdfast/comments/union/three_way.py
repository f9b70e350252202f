"""Three-way merge of two versions of a sidecar, comment by comment and field by field.

Contract:
- A comment that either side added is in the result; one that a side deleted is gone, unless the other side
  changed what it says meanwhile. Then it stays: nothing anybody wrote is lost by merging.
- What one side changed wins over what the other left alone. Where both sides changed the same field, the last
  writer wins, the side whose `updated` is newer, and the text that lost stays readable under
  `holdfastHistory` of its comment.
- Replies, markers and unknown keys of both sides are kept. A marker goes with its last comment.
- There is always a result: nothing is left for a person to decide.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from holdfast.comments.sidecar.document import parsed, printed
from holdfast.comments.union.conflicts import sides_of
from holdfast.storage.files.foreign_document import UnreadableDocument

ABSENT: Any = object()
"""Stands for a key or a member that one side does not have."""

Settle = Callable[[str, Any, Any, Any], Any]
"""Given a key and what base, ours and theirs have there, decides where both changed it differently."""


def merged_keys(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any], settle: Settle
) -> dict[str, Any]:
    """Return an object with the keys of both sides, in our order, then in theirs."""
    result: dict[str, Any] = {}
    for key in dict.fromkeys([*ours, *theirs]):
        value = merged(key, base.get(key, ABSENT), ours.get(key, ABSENT), theirs.get(key, ABSENT), settle)
        if value is not ABSENT:
            result[key] = value
    return result


def merged(key: str, base: Any, ours: Any, theirs: Any, settle: Settle) -> Any:
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


HISTORY = "holdfastHistory"

_PLACE = frozenset({"line", "startLine", "endLine", "ghostMarkerId", "lineHash", "lineText"})
_NEWEST = frozenset({"updated", "lastVerified", "updatedAt", "analyzedAt", "enrichedAt"})
_UNITED = frozenset({"commentIds", HISTORY})

Object = dict[str, Any]


def merged_sidecar(base: Object | None, ours: Object, theirs: Object) -> Object:
    """Return what two versions of a sidecar say together; without a base nothing counts as deleted."""
    base = base or {}
    comments = _merged_members("comments", base, ours, theirs, _merged_comment, _says)
    markers = _merged_markers(base, ours, theirs, comments)
    result = merged_keys(base, ours, theirs, _ours)
    for key, members in (("ghostMarkers", markers), ("comments", comments)):
        if key in result or members:
            result[key] = members
    return result


def _ours(key: str, base: Any, ours: Any, theirs: Any) -> Any:
    del key, base, theirs
    return ours


def _merged_markers(base: Object, ours: Object, theirs: Object, comments: list[Any]) -> list[Any]:
    kept = {_name(comment, "id") for comment in _objects(comments)}
    before = {
        _name(comment, "id") for side in (base, ours, theirs) for comment in _objects(side.get("comments"))
    }
    used = {_name(comment, "ghostMarkerId") for comment in _objects(comments)}
    # Which of two places is right is decided by who looked last; the text itself is followed anew anyway.
    markers = _merged_members("ghostMarkers", base, ours, theirs, _merged_marker, canonical)
    restored = _lost_markers(markers, used, ours, theirs)
    return [
        marker
        for marker in map(partial(_without, gone=before - kept), [*markers, *restored])
        if not _is_abandoned(marker, before - kept, used)
    ]


def _lost_markers(markers: list[Any], used: set[Any], ours: Object, theirs: Object) -> list[Any]:
    """Return the markers that one side deleted with a comment which stays after all."""
    present = {_name(marker, "id") for marker in _objects(markers)}
    wanted = used - present
    found = {
        marker["id"]: marker
        for side in (theirs, ours)
        for marker in _objects(side.get("ghostMarkers"))
        if isinstance(marker.get("id"), str) and marker["id"] in wanted
    }
    return list(found.values())


def _without(marker: Any, *, gone: set[Any]) -> Any:
    if not isinstance(marker, dict) or not isinstance(marker.get("commentIds"), list):
        return marker
    left = [name for name in marker["commentIds"] if not (isinstance(name, str) and name in gone)]
    return marker if len(left) == len(marker["commentIds"]) else {**marker, "commentIds": left}


def _is_abandoned(marker: Any, gone: set[Any], used: set[Any]) -> bool:
    """Tell whether a marker lost the last comment it was for."""
    if not isinstance(marker, dict) or _name(marker, "id") in used:
        return False
    if isinstance(marker.get("commentIds"), list):
        return not marker["commentIds"]
    return isinstance(marker.get("commentId"), str) and marker["commentId"] in gone


def _merged_members(
    key: str, base: Object, ours: Object, theirs: Object, merge: Any, essence: Any
) -> list[Any]:
    """Merge two lists by the identity of their members."""
    old, mine, other = (by_identity(side.get(key)) for side in (base, ours, theirs))
    result = []
    for name in dict.fromkeys([*mine, *other]):
        versions = old.get(name, ABSENT), mine.get(name, ABSENT), other.get(name, ABSENT)
        if ABSENT not in versions[1:]:
            result.append(merge(*versions))
            continue
        only = versions[1] if versions[2] is ABSENT else versions[2]
        if versions[0] is ABSENT or essence(versions[0]) != essence(only):
            result.append(only)
    return result


def _says(comment: Any) -> str:
    """Return what a comment says, without where it stands and when that was last looked at."""
    if not isinstance(comment, dict):
        return canonical(comment)
    return canonical({key: value for key, value in comment.items() if key not in _PLACE | _NEWEST})


def _merged_comment(base: Any, ours: Any, theirs: Any) -> Any:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return ours
    old = base if isinstance(base, dict) else {}
    winner, loser = _newer_first(ours, theirs, "updated")
    result = merged_keys(old, ours, theirs, partial(_settled, newer=winner is ours))
    result = _one_place(result, old, ours, theirs, newer_is_ours=winner is ours)
    lost = _lost_text(old, winner, loser)
    return result if lost is None else {**result, HISTORY: [*result.get(HISTORY, []), lost]}


def _merged_marker(base: Any, ours: Any, theirs: Any) -> Any:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return ours
    old = base if isinstance(base, dict) else {}
    together = {"commentIds"}
    winner, _ = _newer_first(ours, theirs, "lastVerified")
    changed = [side for side in (ours, theirs) if not _same_less(side, old, together)]
    chosen = changed[0] if len(changed) == 1 else winner
    # A place and what was seen there belong together: they come from one side, unknown keys from both.
    extra = {key: value for side in (ours, theirs) for key, value in side.items() if key not in old}
    result = {**chosen, **{key: value for key, value in extra.items() if key not in chosen}}
    before, mine, other = (side.get("commentIds", ABSENT) for side in (old, ours, theirs))
    ids = merged("commentIds", before, mine, other, _united)
    return result if ids is ABSENT else {**result, "commentIds": ids}


def _same_less(one: Object, other: Object, left_out: set[str]) -> bool:
    return same(
        {key: value for key, value in one.items() if key not in left_out},
        {key: value for key, value in other.items() if key not in left_out},
    )


def _settled(key: str, base: Any, ours: Any, theirs: Any, *, newer: bool) -> Any:
    """Decide between two changes of one field of a comment; `newer`: ours is."""
    if key == "replies":
        return _merged_replies(base, ours, theirs)
    if key in _UNITED:
        return _united(key, base, ours, theirs)
    if key in _NEWEST and isinstance(ours, str) and isinstance(theirs, str):
        return max(ours, theirs)
    return ours if newer else theirs


def _united(key: str, base: Any, ours: Any, theirs: Any) -> Any:
    del key
    if not (isinstance(ours, list) and isinstance(theirs, list)):
        return ours
    return union(base if isinstance(base, list) else [], ours, theirs)


def _merged_replies(base: Any, ours: Any, theirs: Any) -> Any:
    if not (isinstance(ours, list) and isinstance(theirs, list)):
        return ours
    settle: Settle = partial(_settled, newer=True)

    def merge(old: Any, mine: Any, other: Any) -> Any:
        return merged("reply", old, mine, other, settle)

    before, mine, other = ({"replies": side} for side in (base, ours, theirs))
    return _merged_members("replies", before, mine, other, merge, canonical)


def _one_place(result: Object, old: Object, ours: Object, theirs: Object, *, newer_is_ours: bool) -> Object:
    """Take the fields that say where a comment stands from one side, when both moved it."""
    moved = [side for side in (ours, theirs) if any(_moved(side, old, key) for key in _PLACE)]
    if len(moved) < 2:
        return result
    chosen = ours if newer_is_ours else theirs
    kept = {key: value for key, value in result.items() if key not in _PLACE or key in chosen}
    return {key: chosen[key] if key in _PLACE else value for key, value in kept.items()}


def _moved(side: Object, old: Object, key: str) -> bool:
    return not same(side.get(key, ABSENT), old.get(key, ABSENT))


def _newer_first(ours: Object, theirs: Object, key: str) -> tuple[Object, Object]:
    mine, other = (side.get(key) if isinstance(side.get(key), str) else "" for side in (ours, theirs))
    if mine == other:
        # Whoever merges, in whatever direction, must come to the same result.
        return (ours, theirs) if canonical(ours) >= canonical(theirs) else (theirs, ours)
    return (ours, theirs) if (mine or "") > (other or "") else (theirs, ours)


def _lost_text(old: Object, winner: Object, loser: Object) -> Object | None:
    """Return the text that lost against another, with who wrote it, or None when none did."""
    text = loser.get("text", ABSENT)
    if text is ABSENT or same(text, winner.get("text", ABSENT)):
        return None
    if same(text, old.get("text", ABSENT)) or same(winner.get("text", ABSENT), old.get("text", ABSENT)):
        return None
    return {key: loser[key] for key in ("text", "author", "updated") if key in loser} | {"reason": "merge"}


def _objects(members: Any) -> list[Object]:
    return [member for member in members if isinstance(member, dict)] if isinstance(members, list) else []


def _name(member: Object, key: str) -> Any:
    """Return a name that can be compared; an object or a list in its place is none."""
    value = member.get(key)
    return None if isinstance(value, dict | list) else value


def united(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Return what both sides say together, or raise `UnreadableDocument` when one of them cannot be read.

    A base that cannot be read is as good as none: then nothing counts as deleted.
    """
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    return printed(merged_sidecar(_base(base), _document(ours), _document(theirs)))


def recovered(data: bytes, base: bytes | None = None) -> bytes | None:
    """Return what both sides of a conflicted sidecar say together, or None when that cannot be found out.

    `base` is the version both sides come from, for a file that does not hold it.
    """
    sides = sides_of(data)
    if sides is None:
        return None
    known = _base(base if sides.base is None else sides.base)
    try:
        return printed(merged_sidecar(known, _document(sides.ours), _document(sides.theirs)))
    except UnreadableDocument:
        return None


def _base(data: bytes | None) -> dict[str, Any] | None:
    try:
        return None if not data else _document(data)
    except UnreadableDocument:
        return None


def _document(data: bytes) -> dict[str, Any]:
    value = parsed(data)
    if not isinstance(value, dict) or not isinstance(value.get("comments"), list):
        raise UnreadableDocument("it is no sidecar")
    return value

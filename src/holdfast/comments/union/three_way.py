"""Three-way merge of two versions of a sidecar, comment by comment and field by field.

Contract:
- A comment that either side added is in the result; one that a side deleted is gone, unless the other side
  changed its content meanwhile. Then it stays: merging loses nothing that anyone wrote.
- A change on one side wins over no change on the other. If both sides changed the same field, the last writer
  wins (the side with the newer `updated`), and an overwritten text remains readable under `holdfastHistory`
  of its comment.
- Replies, markers and unknown keys of both sides are kept. A marker is removed with its last comment.
- There is always a result: no conflict is left for a person to resolve.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from holdfast.comments.sidecar.javascript_json import parsed, printed
from holdfast.comments.union.conflicts import sides_of
from holdfast.comments.union.json_merge import (
    ABSENT,
    Resolve,
    by_identity,
    canonical,
    merged,
    merged_keys,
    same,
    union,
)
from holdfast.storage.files.foreign_document import UnreadableDocument

HISTORY = "holdfastHistory"

_PLACE = frozenset({"line", "startLine", "endLine", "ghostMarkerId", "lineHash", "lineText"})
_NEWEST = frozenset({"updated", "lastVerified", "updatedAt", "analyzedAt", "enrichedAt"})
_UNITED = frozenset({"commentIds", HISTORY})

Object = dict[str, Any]


def merged_sidecar(base: Object | None, ours: Object, theirs: Object) -> Object:
    """Return the merge of two versions of a sidecar; without a base nothing counts as deleted."""
    base = base or {}
    comments = _merged_members("comments", base, ours, theirs, _merged_comment, _content_of)
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
    # Of two places the last verified one wins; the comment is tracked again when read anyway.
    markers = _merged_members("ghostMarkers", base, ours, theirs, _merged_marker, canonical)
    restored = _lost_markers(markers, used, ours, theirs)
    return [
        marker
        for marker in map(partial(_without, gone=before - kept), [*markers, *restored])
        if not _is_abandoned(marker, before - kept, used)
    ]


def _lost_markers(markers: list[Any], used: set[Any], ours: Object, theirs: Object) -> list[Any]:
    """Return the markers that one side deleted together with a comment that stays after all."""
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
    """Return whether a marker lost its last comment."""
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


def _content_of(comment: Any) -> str:
    """Return a comment's content without its place and timestamps."""
    if not isinstance(comment, dict):
        return canonical(comment)
    return canonical({key: value for key, value in comment.items() if key not in _PLACE | _NEWEST})


def _merged_comment(base: Any, ours: Any, theirs: Any) -> Any:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return ours
    old = base if isinstance(base, dict) else {}
    winner, loser = _newer_first(ours, theirs, "updated")
    result = merged_keys(old, ours, theirs, partial(_resolved_field, newer=winner is ours))
    result = _place_from_one_side(result, old, ours, theirs, newer_is_ours=winner is ours)
    lost = _overwritten_text(old, winner, loser)
    return result if lost is None else {**result, HISTORY: [*result.get(HISTORY, []), lost]}


def _merged_marker(base: Any, ours: Any, theirs: Any) -> Any:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return ours
    old = base if isinstance(base, dict) else {}
    together = {"commentIds"}
    winner, _ = _newer_first(ours, theirs, "lastVerified")
    changed = [side for side in (ours, theirs) if not _same_less(side, old, together)]
    chosen = changed[0] if len(changed) == 1 else winner
    # A place and its evidence belong together: they come from one side, unknown keys from both.
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


def _resolved_field(key: str, base: Any, ours: Any, theirs: Any, *, newer: bool) -> Any:
    """Resolve two changes of one field of a comment; `newer`: ours is newer."""
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
    resolve: Resolve = partial(_resolved_field, newer=True)

    def merge(old: Any, mine: Any, other: Any) -> Any:
        return merged("reply", old, mine, other, resolve)

    before, mine, other = ({"replies": side} for side in (base, ours, theirs))
    return _merged_members("replies", before, mine, other, merge, canonical)


def _place_from_one_side(
    result: Object, old: Object, ours: Object, theirs: Object, *, newer_is_ours: bool
) -> Object:
    """Take the fields of a comment's place from one side if both moved it."""
    moved = [side for side in (ours, theirs) if any(_is_moved(side, old, key) for key in _PLACE)]
    if len(moved) < 2:
        return result
    chosen = ours if newer_is_ours else theirs
    kept = {key: value for key, value in result.items() if key not in _PLACE or key in chosen}
    return {key: chosen[key] if key in _PLACE else value for key, value in kept.items()}


def _is_moved(side: Object, old: Object, key: str) -> bool:
    return not same(side.get(key, ABSENT), old.get(key, ABSENT))


def _newer_first(ours: Object, theirs: Object, key: str) -> tuple[Object, Object]:
    mine, other = (side.get(key) if isinstance(side.get(key), str) else "" for side in (ours, theirs))
    if mine == other:
        # The result must not depend on the direction of the merge.
        return (ours, theirs) if canonical(ours) >= canonical(theirs) else (theirs, ours)
    return (ours, theirs) if (mine or "") > (other or "") else (theirs, ours)


def _overwritten_text(old: Object, winner: Object, loser: Object) -> Object | None:
    """Return the text that was overwritten, with its author, or None."""
    text = loser.get("text", ABSENT)
    if text is ABSENT or same(text, winner.get("text", ABSENT)):
        return None
    if same(text, old.get("text", ABSENT)) or same(winner.get("text", ABSENT), old.get("text", ABSENT)):
        return None
    return {key: loser[key] for key in ("text", "author", "updated") if key in loser} | {"reason": "merge"}


def _objects(members: Any) -> list[Object]:
    return [member for member in members if isinstance(member, dict)] if isinstance(members, list) else []


def _name(member: Object, key: str) -> Any:
    """Return a hashable value of a key; None for an object or a list."""
    value = member.get(key)
    return None if isinstance(value, dict | list) else value


def united(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Return the merge of two sidecars, or raise `UnreadableDocument` if one of them cannot be read.

    A base that cannot be read counts as none: then nothing counts as deleted.
    """
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    return printed(merged_sidecar(_base(base), _document(ours), _document(theirs)))


def recovered(data: bytes, base: bytes | None = None) -> bytes | None:
    """Return the merge of both sides of a conflicted sidecar, or None if that is impossible.

    `base` is the common ancestor, for a file that does not contain it.
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
        raise UnreadableDocument("it is not a sidecar")
    return value

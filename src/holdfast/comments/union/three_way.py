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

from collections.abc import Callable
from functools import partial
from typing import Any

from holdfast.comments.memory.record import CONFIRMED, SUPERSEDED
from holdfast.comments.sidecar.javascript_json import parse, stringify
from holdfast.comments.union.conflicts import parse_conflict
from holdfast.comments.union.json_merge import (
    ABSENT,
    are_equal,
    canonical_json,
    index_by_identity,
    merge_objects,
    merge_values,
    union_of_lists,
)
from holdfast.storage.files.foreign_document import UnreadableDocument

HISTORY_KEY = "holdfastHistory"
"""The key under which a comment keeps texts that a merge overwrote."""

_PLACE_KEYS = frozenset({"line", "startLine", "endLine", "ghostMarkerId", "lineHash", "lineText"})
"""Keys that describe the place of a comment; all of them are taken from one side."""

_TIMESTAMP_KEYS = frozenset({"updated", "lastVerified", "updatedAt", "analyzedAt", "enrichedAt"})
"""Keys whose later value is taken, whichever side changed the rest."""

_UNION_KEYS = frozenset({"commentIds", HISTORY_KEY, CONFIRMED, SUPERSEDED})
"""Keys with lists that are united."""

Json = Any
"""A value from a sidecar, or `ABSENT`. Other programs write sidecars too, so a member may have any type."""

Object = dict[str, Json]
"""A JSON object; ours and theirs are the two sides, and the base is their common ancestor."""

Merge = Callable[[Json, Json, Json], Json]
"""Merges the versions of a list member in base, ours and theirs."""


def merge_documents(base: Object | None, ours: Object, theirs: Object) -> Object:
    """Merge two versions of a sidecar's document; without a base, no comment is regarded as deleted."""
    base = base or {}
    comments = _merge_lists("comments", base, ours, theirs, _merge_comment, _comment_content)
    markers = _merge_markers(base, ours, theirs, comments)
    result = merge_objects(base, ours, theirs, _keep_ours)
    for key, members in (("ghostMarkers", markers), ("comments", comments)):
        if key in result or members:
            result[key] = members
    return result


def _keep_ours(_key: str, _base: Json, ours: Json, _theirs: Json) -> Json:
    return ours


def _merge_markers(base: Object, ours: Object, theirs: Object, comments: list[Json]) -> list[Json]:
    kept_ids = {_hashable_value(comment, "id") for comment in _objects(comments)}
    previous_ids = {
        _hashable_value(comment, "id")
        for side in (base, ours, theirs)
        for comment in _objects(side.get("comments"))
    }
    deleted_ids = previous_ids - kept_ids
    used_markers = {_hashable_value(comment, "ghostMarkerId") for comment in _objects(comments)}
    # The last verified of two places wins; the comment is tracked again when it is read anyway.
    markers = _merge_lists("ghostMarkers", base, ours, theirs, _merge_marker, canonical_json)
    markers += _markers_to_restore(markers, used_markers, ours, theirs)
    remaining = [_remove_comment_ids(marker, deleted_ids) for marker in markers]
    return [marker for marker in remaining if not _is_abandoned(marker, deleted_ids, used_markers)]


def _markers_to_restore(markers: list[Json], used: set[Json], ours: Object, theirs: Object) -> list[Json]:
    """Return the markers that one side deleted together with a comment that the merge keeps."""
    present = {_hashable_value(marker, "id") for marker in _objects(markers)}
    missing = used - present
    restored = {
        marker["id"]: marker
        for side in (theirs, ours)
        for marker in _objects(side.get("ghostMarkers"))
        if isinstance(marker.get("id"), str) and marker["id"] in missing
    }
    return list(restored.values())


def _remove_comment_ids(marker: Json, deleted: set[Json]) -> Json:
    """Return a marker without the ids of deleted comments."""
    if not isinstance(marker, dict) or not isinstance(marker.get("commentIds"), list):
        return marker
    ids = marker["commentIds"]
    remaining = [name for name in ids if not (isinstance(name, str) and name in deleted)]
    return marker if len(remaining) == len(ids) else {**marker, "commentIds": remaining}


def _is_abandoned(marker: Json, deleted: set[Json], used: set[Json]) -> bool:
    """Return whether a marker has lost its last comment."""
    if not isinstance(marker, dict) or _hashable_value(marker, "id") in used:
        return False
    if isinstance(marker.get("commentIds"), list):
        return not marker["commentIds"]
    return isinstance(marker.get("commentId"), str) and marker["commentId"] in deleted


def _merge_lists(
    key: str, base: Object, ours: Object, theirs: Object, merge: Merge, content_of: Callable[[Json], str]
) -> list[Json]:
    """Merge the lists under a key member by member.

    `merge` merges a member that both sides have. A member that one side deleted stays if the other side
    changed what `content_of` returns for it.
    """
    base_index, our_index, their_index = (index_by_identity(side.get(key)) for side in (base, ours, theirs))
    result = []
    for identity in dict.fromkeys([*our_index, *their_index]):
        before = base_index.get(identity, ABSENT)
        if identity in our_index and identity in their_index:
            result.append(merge(before, our_index[identity], their_index[identity]))
            continue
        remaining = our_index[identity] if identity in our_index else their_index[identity]
        if before is ABSENT or content_of(before) != content_of(remaining):
            result.append(remaining)
    return result


def _comment_content(comment: Json) -> str:
    """Return the content of a comment, without its place and timestamps, as comparable text."""
    if not isinstance(comment, dict):
        return canonical_json(comment)
    return canonical_json(
        {key: value for key, value in comment.items() if key not in _PLACE_KEYS | _TIMESTAMP_KEYS}
    )


def _merge_comment(base: Json, ours: Json, theirs: Json) -> Json:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return ours
    old = base if isinstance(base, dict) else {}
    winner, loser = _newer_first(ours, theirs, "updated")
    result = merge_objects(old, ours, theirs, partial(_resolve_field, ours_is_newer=winner is ours))
    result = _take_place_from_one_side(result, old, ours, theirs, ours_is_newer=winner is ours)
    overwritten = _overwritten_text(old, winner, loser)
    if overwritten is None:
        return result
    return {**result, HISTORY_KEY: [*result.get(HISTORY_KEY, []), overwritten]}


def _merge_marker(base: Json, ours: Json, theirs: Json) -> Json:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return ours
    old = base if isinstance(base, dict) else {}
    winner, _ = _newer_first(ours, theirs, "lastVerified")
    changed = [side for side in (ours, theirs) if not _are_equal_except(side, old, "commentIds")]
    chosen = changed[0] if len(changed) == 1 else winner
    # A place and its evidence belong together and come from one side; unknown keys come from both.
    extra = {key: value for side in (ours, theirs) for key, value in side.items() if key not in old}
    result = {**chosen, **{key: value for key, value in extra.items() if key not in chosen}}
    old_ids, our_ids, their_ids = (side.get("commentIds", ABSENT) for side in (old, ours, theirs))
    ids = merge_values("commentIds", old_ids, our_ids, their_ids, _union_if_lists)
    return result if ids is ABSENT else {**result, "commentIds": ids}


def _are_equal_except(first: Object, second: Object, ignored_key: str) -> bool:
    return are_equal(first | {ignored_key: None}, second | {ignored_key: None})


def _resolve_field(key: str, base: Json, ours: Json, theirs: Json, *, ours_is_newer: bool) -> Json:
    if key == "replies":
        return _merge_replies(base, ours, theirs)
    if key in _UNION_KEYS:
        return _union_if_lists(key, base, ours, theirs)
    if key in _TIMESTAMP_KEYS and isinstance(ours, str) and isinstance(theirs, str):
        return max(ours, theirs)
    return ours if ours_is_newer else theirs


def _union_if_lists(_key: str, base: Json, ours: Json, theirs: Json) -> Json:
    if not (isinstance(ours, list) and isinstance(theirs, list)):
        return ours
    return union_of_lists(base if isinstance(base, list) else [], ours, theirs)


def _merge_replies(base: Json, ours: Json, theirs: Json) -> Json:
    if not (isinstance(ours, list) and isinstance(theirs, list)):
        return ours
    # Replies have no time of change, so our version wins.
    merge = partial(merge_values, "reply", resolve=partial(_resolve_field, ours_is_newer=True))
    before, mine, other = ({"replies": side} for side in (base, ours, theirs))
    return _merge_lists("replies", before, mine, other, merge, canonical_json)


def _take_place_from_one_side(
    result: Object, old: Object, ours: Object, theirs: Object, *, ours_is_newer: bool
) -> Object:
    """Take all fields of a comment's place from the newer side if both sides moved it."""
    moved = [side for side in (ours, theirs) if any(_is_moved(side, old, key) for key in _PLACE_KEYS)]
    if len(moved) < 2:
        return result
    chosen = ours if ours_is_newer else theirs
    kept = {key: value for key, value in result.items() if key not in _PLACE_KEYS or key in chosen}
    return {key: chosen[key] if key in _PLACE_KEYS else value for key, value in kept.items()}


def _is_moved(side: Object, old: Object, key: str) -> bool:
    return not are_equal(side.get(key, ABSENT), old.get(key, ABSENT))


def _newer_first(ours: Object, theirs: Object, key: str) -> tuple[Object, Object]:
    """Return the side with the later timestamp under a key, then the other side."""
    our_time, their_time = (side[key] if isinstance(side.get(key), str) else "" for side in (ours, theirs))
    if our_time == their_time:
        # Json fixed order will do, but the result must not depend on the direction of the merge.
        ours_is_first = canonical_json(ours) >= canonical_json(theirs)
    else:
        ours_is_first = our_time > their_time
    return (ours, theirs) if ours_is_first else (theirs, ours)


def _overwritten_text(old: Object, winner: Object, loser: Object) -> Object | None:
    """Return the loser's text with its author if the winner overwrote a change of it, else None."""
    old_text, winning_text, text = (side.get("text", ABSENT) for side in (old, winner, loser))
    if text is ABSENT or are_equal(text, winning_text):
        return None
    if are_equal(text, old_text) or are_equal(winning_text, old_text):
        return None
    return {key: loser[key] for key in ("text", "author", "updated") if key in loser} | {"reason": "merge"}


def _objects(members: Json) -> list[Object]:
    return [member for member in members if isinstance(member, dict)] if isinstance(members, list) else []


def _hashable_value(member: Object, key: str) -> Json:
    """Return the value of a key, or None if it is an object or a list, which a set cannot hold."""
    value = member.get(key)
    return None if isinstance(value, dict | list) else value


def merge_sidecar_bytes(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Merge the bytes of two sidecars, or raise `UnreadableDocument` if one of them cannot be read.

    A base that cannot be read is ignored: then no comment is regarded as deleted.
    """
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    return stringify(merge_documents(_parse_base(base), _parse_document(ours), _parse_document(theirs)))


def merge_conflicted_bytes(data: bytes, base: bytes | None = None) -> bytes | None:
    """Merge both sides of a sidecar with conflict markers, or return None if that is impossible.

    `base` is the common ancestor, for a file that does not contain it.
    """
    sides = parse_conflict(data)
    if sides is None:
        return None
    base_document = _parse_base(base if sides.base is None else sides.base)
    try:
        ours, theirs = _parse_document(sides.ours), _parse_document(sides.theirs)
        return stringify(merge_documents(base_document, ours, theirs))
    except UnreadableDocument:
        return None


def _parse_base(data: bytes | None) -> Object | None:
    try:
        return None if not data else _parse_document(data)
    except UnreadableDocument:
        return None


def _parse_document(data: bytes) -> Object:
    value = parse(data)
    if not isinstance(value, dict) or not isinstance(value.get("comments"), list):
        raise UnreadableDocument("it is not a sidecar")
    return value

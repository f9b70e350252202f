"""The bytes of two sidecars become those of one."""

from __future__ import annotations

from typing import Any

from holdfast.comments.sidecar.javascript_json import Unreadable, parsed, printed
from holdfast.comments.union.conflicts import Sides, sides_of
from holdfast.comments.union.three_way import merged_sidecar


def united(base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Return what both sides say together, or raise `Unreadable` when one of them cannot be read.

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
    try:
        return _united_sides(sides, base)
    except Unreadable:
        return None


def _united_sides(sides: Sides, base: bytes | None) -> bytes:
    known = _base(base if sides.base is None else sides.base)
    return printed(merged_sidecar(known, _document(sides.ours), _document(sides.theirs)))


def _base(data: bytes | None) -> dict[str, Any] | None:
    try:
        return None if not data else _document(data)
    except Unreadable:
        return None


def _document(data: bytes) -> dict[str, Any]:
    value = parsed(data)
    if not isinstance(value, dict) or not isinstance(value.get("comments"), list):
        raise Unreadable("it is no sidecar")
    return value

"""Following anchors from one version to another in one step."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.comments.tracking.diff import diff_map
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.models import Anchor, Confidence, Placement, Version


def track(old: Version, new: Version, anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where each anchor of the old version is in the new one."""
    before, after = Lines(old.text), Lines(new.text)
    mapped = diff_map(before.normal, after.normal)
    return [_place(mapped, anchor) for anchor in anchors]


def _place(mapped: dict[int, int], anchor: Anchor) -> Placement:
    """Return where one anchor is."""
    at = mapped.get(anchor.line - 1)
    if at is None:
        return Placement(None, None, Confidence.NONE, "diff", "line_deleted")
    end = mapped.get(anchor.end_line - 1) if anchor.end_line is not None else None
    if anchor.end_line is not None and end is None:
        end = at + anchor.end_line - anchor.line
    return Placement(at + 1, None if end is None else end + 1, Confidence.HIGH, "exact")

"""Which file the code of an anchor went to, by a vote of the lines around it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.models import Anchor, Confidence, Placement, Version
from holdfast.comments.tracking.track import track

_AROUND = 7
"""Lines on each side of the anchor that have a vote."""

_MIN_SHARE = 0.4
_CLEAR_LEAD = 0.2


@dataclass(frozen=True, slots=True)
class Moved:
    """The file that now holds an anchor's code, where in it, and the share of the votes it got."""

    path: str
    placement: Placement
    share: float
    clear: bool
    """Whether no other file came near, so that the anchor may move there by itself."""


def find_moved(old: Version, anchors: Sequence[Anchor], candidates: Iterable[Version]) -> list[Moved | None]:
    """Return for each anchor of a file that is gone, or of a symbol that is, the file its code went to."""
    before = Lines(old.text)
    windows = [_voters(before, anchor) for anchor in anchors]
    wanted: dict[str, list[int]] = defaultdict(list)
    for position, window in enumerate(windows):
        for key in window:
            wanted[key].append(position)
    votes: list[Counter[str]] = [Counter() for _ in anchors]
    texts: dict[str, Version] = {}
    for candidate in candidates:
        held = wanted.keys() & set(Lines(candidate.text).normal)
        if not held:
            continue
        texts[candidate.path] = candidate
        for key in sorted(held):
            for position in wanted[key]:
                votes[position][candidate.path] += len(key)
    return [
        _elected(old, anchor, sum(map(len, window)), vote, texts)
        for anchor, window, vote in zip(anchors, windows, votes, strict=True)
    ]


def _voters(before: Lines, anchor: Anchor) -> set[str]:
    """Return the lines around an anchor that say something."""
    index = anchor.line - 1
    start, end = max(0, index - _AROUND), min(len(before), index + _AROUND + 1)
    return {before.normal[at] for at in range(start, end) if not before.is_trivial(at)}


def _elected(
    old: Version, anchor: Anchor, all_votes: int, vote: Counter[str], texts: dict[str, Version]
) -> Moved | None:
    """Return the file with the most votes, if they suffice and the anchor's line is found there."""
    ranked = sorted(vote.items(), key=lambda item: (-item[1], item[0]))
    if not ranked or ranked[0][1] < _MIN_SHARE * all_votes:
        return None
    path, count = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0
    placement = track(old, texts[path], [anchor])[0]
    if placement.confidence is Confidence.NONE:
        return None
    return Moved(path, placement, count / all_votes, (count - second) >= _CLEAR_LEAD * all_votes)

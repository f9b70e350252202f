"""Following anchors from one version to another in one step."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.comments.tracking.comparison import Comparison
from holdfast.comments.tracking.finder import Finder
from holdfast.comments.tracking.models import Anchor, Candidate, Confidence, Placement, Version


def track(old: Version, new: Version, anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where each anchor of the old version is in the new one."""
    comparison = Comparison(old, new)
    finder = Finder(comparison)
    return [_place(comparison, finder, anchor) for anchor in anchors]


def _place(comparison: Comparison, finder: Finder, anchor: Anchor) -> Placement:
    """Return where one anchor is."""
    index = anchor.line - 1
    at = comparison.firm.get(index)
    if at is not None:
        return Placement(at + 1, None, Confidence.HIGH, "exact")
    guesses = finder.guesses(index)
    if guesses:
        candidates = tuple(Candidate(guess.index + 1, round(guess.score, 3)) for guess in guesses)
        return Placement(guesses[0].index + 1, None, Confidence.MEDIUM, guesses[0].method, None, candidates)
    return Placement(None, None, Confidence.NONE, "diff", "line_deleted")

"""Decides how much confidence a guess deserves.

Contract: confidence is high only for equal text in its place, or for similar text that other evidence
confirms; a placement with low confidence has candidates and no line.

The value of other evidence was measured on labelled development histories (`bench/anchors`):

- A line that declares a symbol whose new declaration was matched by name, kind and body was right in 1058 of
  1060 cases. It is high only if the name or enough of the body is the same, because a similar new symbol may
  stand next to a deleted one.
- A similar line between the same two confirmed neighbours: 119 of 120.
- A line that opens the block with the same content, and is also the most similar line: 508 of 516.
- A line that declares the same variable in the same function, and is also the most similar: 813 of 814.
- A line with new code inserted directly above it that would otherwise have high confidence was wrong in 36 of
  76 cases. An edited line then needs review; a line with equal text keeps high confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.placement import MAX_CANDIDATES, CandidateLine, Confidence, Placement, Reason


@dataclass(frozen=True, slots=True)
class Guess:
    """A new line that an old one may have become, its score, and how it was found."""

    index: int
    score: float
    """How well it fits, from 0 to 1."""
    method: str
    supported: bool = False
    """Whether a method other than text similarity led to the same line."""


_MIN_MEDIUM_SCORE = 0.45
"""Lowest score for medium confidence. This value and the next five were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_MIN_MOVED_LEAD = 0.03
"""Lead of the score over the second best guess that a moved line needs."""

_MIN_ALONE_SCORE = 0.85
"""Lowest score of a line that moved without any of its neighbours."""

_MIN_DECLARATION_SCORE = 0.9
"""Score from which on a declaration is confirmed."""

_MIN_SAME_PLACE_SCORE = 0.6
"""Score from which on a line between two unchanged neighbours is confirmed."""

_MIN_SAME_SYMBOL_SCORE = 0.75
"""Score from which on an aligned line inside a confidently paired symbol is confirmed."""

_LINES_MOVED_TOGETHER = 3
"""Distance to a line above: if that line moved along, the line did not move alone. A judgement: a copied line
rarely brings so many lines with it."""


def same_text_placement(
    comparison: VersionComparison, old: int, new: int, method: str, stayed: Guess | None
) -> Placement:
    """Return the placement of a line with equal text: high, unless it left a symbol that still exists.

    `stayed` is a similar line in the original symbol, if there is one; the equal line may then be a copy.
    """
    is_alone = comparison.unchanged.get(old - _LINES_MOVED_TOGETHER) != new - _LINES_MOVED_TOGETHER
    if stayed or (is_alone and comparison.outlines.is_in_other_symbol(old, new)):
        guess = Guess(new, comparison.similarity.score(old, new), method)
        return placement_of([stayed, guess] if stayed else [guess], agrees=False, reason="ambiguous")
    return Placement(new + 1, None, Confidence.HIGH, method)


def placement_of(guesses: Sequence[Guess], *, agrees: bool, reason: Reason) -> Placement:
    """Return the placement for guesses, best first; `agrees`: other evidence supports the first.

    `reason` is why nothing was found, if there are no guesses.
    """
    if not guesses:
        return Placement(None, None, Confidence.NONE, "diff", reason)
    candidates, best = _candidate_lines(guesses), guesses[0]
    if agrees:
        return Placement(best.index + 1, None, Confidence.HIGH, best.method, None, candidates)
    lead = best.score - guesses[1].score if len(guesses) > 1 else 1.0
    # "alone": none of the line's old neighbours is next to it.
    min_score = _MIN_ALONE_SCORE if best.method == "alone" else _MIN_MEDIUM_SCORE
    if best.score < min_score or (lead < _MIN_MOVED_LEAD and best.method == "moved"):
        return low_confidence_placement(guesses)
    return Placement(best.index + 1, None, Confidence.MEDIUM, best.method, None, candidates)


def low_confidence_placement(guesses: Sequence[Guess]) -> Placement:
    """Return a placement that lists guesses as candidates and selects none."""
    return Placement(None, None, Confidence.LOW, guesses[0].method, "ambiguous", _candidate_lines(guesses))


def _candidate_lines(guesses: Sequence[Guess]) -> tuple[CandidateLine, ...]:
    return tuple(
        CandidateLine(guess.index + 1, round(min(1.0, guess.score), 3)) for guess in guesses[:MAX_CANDIDATES]
    )


def is_confirmed(comparison: VersionComparison, index: int, guess: Guess) -> bool:
    """Return whether evidence beyond text similarity supports a guess, and its symbol is not doubtful."""
    if comparison.outlines.is_doubtful(index, guess.index):
        return False
    if guess.supported or (guess.method == "declaration" and guess.score >= _MIN_DECLARATION_SCORE):
        return True
    if guess.method not in ("aligned", "declaration"):
        return False
    if guess.score >= _MIN_SAME_SYMBOL_SCORE and comparison.outlines.is_confident_pair(index, guess.index):
        return True
    return (
        guess.score >= _MIN_SAME_PLACE_SCORE
        and _neighbour_is_unchanged(comparison, index, guess.index, -1)
        and _neighbour_is_unchanged(comparison, index, guess.index, 1)
    )


def is_distinct_match(comparison: VersionComparison, old: int, new: int) -> bool:
    """Return whether two lines are equal and distinguishable from other lines with the same text."""
    if (
        comparison.old_lines.is_trivial(old)
        or comparison.old_lines.normalized[old] != comparison.new_lines.normalized[new]
    ):
        return False
    if comparison.outlines.is_only_such_line(old, new):
        return True
    return comparison.unchanged.get(old) == new and (
        comparison.is_unique(range(old, old + 1))
        or _neighbour_is_unchanged(comparison, old, new, -1)
        or _neighbour_is_unchanged(comparison, old, new, 1)
    )


def is_below_new_code(comparison: VersionComparison, old: int, new: int) -> bool:
    """Return whether new code was inserted between a line and the one above it.

    The comment may then refer to the inserted code. The answer is no if a blank line is above the line as
    before, and for declarations and equal lines that open a block.
    """
    old_lines, new_lines = comparison.old_lines, comparison.new_lines
    old_above, new_above = _neighbour(old_lines, old, -1), _neighbour(new_lines, new, -1)
    if new_above is None or (old_above != old - 1 and new_above != new - 1):
        return False
    # Where the old neighbour is now; if that is unknown, `new`, so that nothing can be below it.
    old_above_now = -1 if old_above is None else comparison.unchanged.get(old_above, new)
    if new_above <= old_above_now:
        return False
    if old_lines.role(old).opens and old_lines.normalized[old] == new_lines.normalized[new]:
        return False
    return not comparison.outlines.old.declares(old)


def _neighbour_is_unchanged(comparison: VersionComparison, old: int, new: int, step: int) -> bool:
    """Return whether the neighbours on one side are confirmed as equal, or both texts end there."""
    old_neighbour = _neighbour(comparison.old_lines, old, step)
    new_neighbour = _neighbour(comparison.new_lines, new, step)
    if old_neighbour is None or new_neighbour is None:
        return old_neighbour is new_neighbour
    return comparison.confirmed.get(old_neighbour) == new_neighbour


def _neighbour(lines: Lines, index: int, step: int) -> int | None:
    """Return the nearest line on one side that is not blank."""
    index += step
    while 0 <= index < len(lines):
        if lines.raw[index].strip():
            return index
        index += step
    return None

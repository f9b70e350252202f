"""A guess where a line went, and how much confidence it deserves.

Contract: high confidence only for equal text in its place, or for similarity that something else confirms;
low confidence has candidates and no line.

The confirming signals were measured on labelled development histories (`bench/anchors`):

- A line that declares a symbol whose new declaration was matched by name, kind and body was right in 1058 of
  1060 cases. It is high only if the name or enough of the body is the same, because a similar new symbol may
  stand next to a deleted one.
- A similar line between the same two confirmed neighbours: 119 of 120.
- A line that opens the block with the same content, and is also the most similar line: 508 of 516.
- A line that declares the same variable in the same function, and is also the most similar: 813 of 814.
- A line with new code inserted directly above it, otherwise high, was wrong in 36 of 76 cases. An edited one
  is to be reviewed; one with equal text stays high.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.placement import CandidateLine, Confidence, Placement, Reason


@dataclass(frozen=True, slots=True)
class Guess:
    """A new line that may be the one sought, its score, and how it was found."""

    index: int
    score: float
    method: str
    supported: bool = False
    """Whether a method other than text similarity led to the same line."""


_SHOWN = 5
"""Candidates that are reported. A chosen bound."""

_MIN_SCORE = 0.45
"""Lowest score for medium confidence. This and the next two bounds were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_MIN_LEAD = 0.03
"""Lead over the second best that a moved line needs."""

_MIN_ALONE = 0.85
"""Lowest score of a line that moved without any of its neighbours."""


_TOGETHER = 3
"""Equal lines above a line that show that it did not move alone. A judgement."""


def same_text_placement(
    comparison: VersionComparison, old: int, new: int, method: str, stayed: Guess | None
) -> Placement:
    """Return the placement of a line with equal text: high, unless it left a symbol that still exists.

    `stayed` is a similar line that the symbol still has; the equal line may then be a copy.
    """
    is_alone = comparison.equal.get(old - _TOGETHER) != new - _TOGETHER
    if stayed or (is_alone and comparison.outlines.is_in_other_symbol(old, new)):
        guess = Guess(new, comparison.similarity.score(old, new), method)
        return placement_of([stayed, guess] if stayed else [guess], agrees=False, reason="ambiguous")
    return Placement(new + 1, None, Confidence.HIGH, method)


def placement_of(guesses: Sequence[Guess], *, agrees: bool, reason: Reason) -> Placement:
    """Return the placement for guesses, best first; `agrees`: other evidence supports the first."""
    if not guesses:
        return Placement(None, None, Confidence.NONE, "diff", reason)
    candidates, best = _shown(guesses), guesses[0]
    if agrees:
        return Placement(best.index + 1, None, Confidence.HIGH, best.method, None, candidates)
    lead = best.score - guesses[1].score if len(guesses) > 1 else 1.0
    # Moved alone: none of its old neighbours is next to it.
    least = _MIN_ALONE if best.method == "alone" else _MIN_SCORE
    if best.score < least or (lead < _MIN_LEAD and best.method == "moved"):
        return low_confidence(guesses)
    return Placement(best.index + 1, None, Confidence.MEDIUM, best.method, None, candidates)


def low_confidence(guesses: Sequence[Guess]) -> Placement:
    """Return a placement that lists guesses as candidates and selects none."""
    return Placement(None, None, Confidence.LOW, guesses[0].method, "ambiguous", _shown(guesses))


def _shown(guesses: Sequence[Guess]) -> tuple[CandidateLine, ...]:
    return tuple(
        CandidateLine(guess.index + 1, round(min(1.0, guess.score), 3)) for guess in guesses[:_SHOWN]
    )


_SAME_DECLARATION = 0.9
"""Score from which a declaration is confirmed. This and the next two bounds were tuned with `bench/anchors`
(docs/accuracy.md, decision 0016)."""

_SAME_PLACE = 0.6
"""Score from which a line between two unchanged neighbours is confirmed."""

_SAME_SYMBOL = 0.75
"""Score from which an aligned line is confirmed inside a confidently paired symbol."""


def is_confirmed(comparison: VersionComparison, index: int, guess: Guess) -> bool:
    """Return whether evidence beyond text similarity supports a guess, and its symbol is not doubtful."""
    if comparison.outlines.is_doubtful(index, guess.index):
        return False
    if guess.supported or (guess.method == "declaration" and guess.score >= _SAME_DECLARATION):
        return True
    if guess.method not in ("aligned", "declaration"):
        return False
    if guess.score >= _SAME_SYMBOL and comparison.outlines.is_confident_pair(index, guess.index):
        return True
    return (
        guess.score >= _SAME_PLACE
        and _neighbour_is_unchanged(comparison, index, guess.index, -1)
        and _neighbour_is_unchanged(comparison, index, guess.index, 1)
    )


def is_distinct_match(comparison: VersionComparison, old: int, new: int) -> bool:
    """Return whether two equal lines are the same line, and not one of several identical ones."""
    if comparison.before.is_trivial(old) or comparison.before.normal[old] != comparison.after.normal[new]:
        return False
    if comparison.outlines.is_only_such_line(old, new):
        return True
    return comparison.equal.get(old) == new and (
        comparison.is_unique(range(old, old + 1))
        or _neighbour_is_unchanged(comparison, old, new, -1)
        or _neighbour_is_unchanged(comparison, old, new, 1)
    )


def is_below_new_code(comparison: VersionComparison, old: int, new: int) -> bool:
    """Return whether new code was inserted between a line and the one above it.

    A note may then refer to that code. Not if a blank line is above it as before, and not for declarations or
    equal lines that open a block.
    """
    before, after = comparison.before, comparison.after
    above, beneath = _neighbour(before, old, -1), _neighbour(after, new, -1)
    top = -1 if above is None else comparison.equal.get(above, new)
    if beneath is None or beneath <= top or (above != old - 1 and beneath != new - 1):
        return False
    if before.role(old).opens and before.normal[old] == after.normal[new]:
        return False
    return not comparison.outlines.old.declares(old)


def _neighbour_is_unchanged(comparison: VersionComparison, old: int, new: int, step: int) -> bool:
    """Return whether the neighbours on one side are confirmed as equal, or both texts end there."""
    before = _neighbour(comparison.before, old, step)
    after = _neighbour(comparison.after, new, step)
    if before is None or after is None:
        return before is after
    return comparison.confirmed.get(before) == after


def _neighbour(lines: Lines, index: int, step: int) -> int | None:
    """Return the next line on one side that is not blank."""
    index += step
    while 0 <= index < len(lines):
        if lines.raw[index].strip():
            return index
        index += step
    return None

"""A guess at what a line became, and how sure it is.

Contract: high only for text that is equal and in its place, or likeness that something else confirms; low has
candidates and no line.

The signs that confirm a guess were measured on labelled histories for development. A line that declares a
symbol whose new declaration was found by name, kind and body was right in 1058 of 1060 cases; it is sure only
where the name or enough of the body is the same, because beside a deleted symbol there may be a new one that
is merely alike. A line that reads much the same between the same two neighbours, both found for certain, in
119 of 120. One that opens the block that holds what its block held, and is the likest line too, in 508 of
516; one that declares the same variable in the same function, and is the likest line too, in 813 of 814.
Below code put between it and the line above, a line that was sure otherwise was wrong in 36 of 76; an edited
one is to be reviewed, and one of the same text stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.placement import CandidateLine, Confidence, Placement, Reason


@dataclass(frozen=True, slots=True)
class Guess:
    """A new line that may be the one sought, how well it fits, and how it was found."""

    index: int
    score: float
    method: str
    supported: bool = False
    """Whether another way than the likeness of the text led to the same line."""


_SHOWN = 5
_LEAST = 0.45
_LEAST_LEAD = 0.03
_ALONE = 0.85


_TOGETHER = 3
"""Equal lines above one that show that it did not go elsewhere alone."""


def same_text_placement(
    comparison: VersionComparison, old: int, new: int, method: str, stayed: Guess | None
) -> Placement:
    """Return the placement of a line of the same text: sure, unless it left a symbol that lives on.

    `stayed` is a line much like it that the symbol still has; then what reads the same may be a copy.
    """
    is_alone = comparison.equal.get(old - _TOGETHER) != new - _TOGETHER
    if stayed or (is_alone and comparison.outlines.is_in_other_symbol(old, new)):
        guess = Guess(new, comparison.similarity.score(old, new), method)
        return placement_of([stayed, guess] if stayed else [guess], agrees=False, reason="ambiguous")
    return Placement(new + 1, None, Confidence.HIGH, method)


def placement_of(guesses: Sequence[Guess], *, agrees: bool, reason: Reason) -> Placement:
    """Return the placement that guesses, best first, allow; `agrees`: something else says the first too."""
    if not guesses:
        return Placement(None, None, Confidence.NONE, "diff", reason)
    candidates, best = _shown(guesses), guesses[0]
    if agrees:
        return Placement(best.index + 1, None, Confidence.HIGH, best.method, None, candidates)
    lead = best.score - guesses[1].score if len(guesses) > 1 else 1.0
    # Alone it is a line elsewhere with nothing of its old surroundings beside it.
    least = _ALONE if best.method == "alone" else _LEAST
    if best.score < least or (lead < _LEAST_LEAD and best.method == "moved"):
        return low_confidence(guesses)
    return Placement(best.index + 1, None, Confidence.MEDIUM, best.method, None, candidates)


def low_confidence(guesses: Sequence[Guess]) -> Placement:
    """Return the placement that offers guesses and takes none of them."""
    return Placement(None, None, Confidence.LOW, guesses[0].method, "ambiguous", _shown(guesses))


def _shown(guesses: Sequence[Guess]) -> tuple[CandidateLine, ...]:
    return tuple(
        CandidateLine(guess.index + 1, round(min(1.0, guess.score), 3)) for guess in guesses[:_SHOWN]
    )


_SAME_DECLARATION = 0.9
_SAME_PLACE = 0.6
_SAME_SYMBOL = 0.75
"""Likeness from which a line in its order is sure, inside a symbol that is the same beyond doubt."""


def is_confirmed(comparison: VersionComparison, index: int, guess: Guess) -> bool:
    """Tell whether more than the likeness of the text speaks for a guess, and no doubt about its symbol."""
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
    """Tell whether lines of the same text are one: not only equal, which twins are too."""
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
    """Tell whether new code came between a line and the one above it: a note may speak of that code too.

    Not where a blank line stands above it as before, nor of declarations and equal lines that open a block.
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
    """Tell whether the neighbour on one side is for certain the guess's, or the text ends there in both."""
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

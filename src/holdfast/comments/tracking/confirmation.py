"""When a second, independent sign confirms a guess at an edited line.

The signs were measured on labelled histories for development. A line that declares a symbol whose new
declaration was found by name, kind and body was right in 1058 of 1060 cases. A line that reads much the same
between the same two neighbours, both found for certain, in 119 of 120. One that opens the block that holds
what its block held, and is the likest line too, in 508 of 516; one that declares the same variable in the
same function, and is the likest line too, in 813 of 814.
"""

from __future__ import annotations

from holdfast.comments.tracking.comparison import Comparison
from holdfast.comments.tracking.guess import Guess
from holdfast.comments.tracking.lines import Lines

_SAME_DECLARATION = 0.9
_SAME_PLACE = 0.6


def is_confirmed(comparison: Comparison, index: int, guess: Guess) -> bool:
    """Tell whether more than the likeness of the text speaks for a guess."""
    if guess.supported or (guess.method == "declaration" and guess.score >= _SAME_DECLARATION):
        return True
    return (
        guess.method in ("aligned", "declaration")
        and guess.score >= _SAME_PLACE
        and _is_kept(comparison, index, guess.index, -1)
        and _is_kept(comparison, index, guess.index, 1)
    )


def _is_kept(comparison: Comparison, old: int, new: int, step: int) -> bool:
    """Tell whether the neighbour on one side is for certain the guess's, or the text ends there in both."""
    before = _neighbour(comparison.before, old, step)
    after = _neighbour(comparison.after, new, step)
    if before is None or after is None:
        return before is after
    return comparison.firm.get(before) == after


def _neighbour(lines: Lines, index: int, step: int) -> int | None:
    """Return the next line on one side that is not blank."""
    index += step
    while 0 <= index < len(lines):
        if lines.raw[index].strip():
            return index
        index += step
    return None

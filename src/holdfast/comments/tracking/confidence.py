"""How sure a guess is, and what is said where there is none.

Contract: high only for text that is equal and in its place, or likeness that something else confirms; low has
candidates and no line.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.comments.tracking.guess import Guess
from holdfast.comments.tracking.models import Candidate, Confidence, Placement, Reason

_SHOWN = 5
_LEAST = 0.45
_LEAST_LEAD = 0.03
_ALONE = 0.85


def _strays(guess: Guess) -> bool:
    """Return whether a guess is a line elsewhere with nothing of its old surroundings beside it."""
    return guess.method == "alone" and guess.score < _ALONE


def certain(index: int, method: str = "exact") -> Placement:
    """Return the placement of a line that is where the diff says."""
    return Placement(index + 1, None, Confidence.HIGH, method)


def judged(guesses: Sequence[Guess], *, agrees: bool, reason: Reason) -> Placement:
    """Return the placement that guesses, best first, allow; `agrees`: something else says the first too."""
    if not guesses:
        return Placement(None, None, Confidence.NONE, "diff", reason)
    candidates, best = _shown(guesses), guesses[0]
    if agrees:
        return Placement(best.index + 1, None, Confidence.HIGH, best.method, None, candidates)
    lead = best.score - guesses[1].score if len(guesses) > 1 else 1.0
    if best.score < _LEAST or (lead < _LEAST_LEAD and best.method == "moved") or _strays(best):
        return unsure(guesses)
    return Placement(best.index + 1, None, Confidence.MEDIUM, best.method, None, candidates)


def unsure(guesses: Sequence[Guess]) -> Placement:
    """Return the placement that offers guesses and takes none of them."""
    return Placement(None, None, Confidence.LOW, guesses[0].method, "ambiguous", _shown(guesses))


def _shown(guesses: Sequence[Guess]) -> tuple[Candidate, ...]:
    return tuple(Candidate(guess.index + 1, round(min(1.0, guess.score), 3)) for guess in guesses[:_SHOWN])

"""What every text must contain that a regular expression can match.

An expression such as `rate\\s+limit(er|ing)` matches no text without `rate` and `limit`. Knowing that, a
search looks up which comments have these letters instead of trying the expression on all of them.

Contract: what is returned is a necessary condition, never a sufficient one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.comments.search.folding import folded
from holdfast.comments.search.syntax import Choice, Letters, Repeat, Sequence


@dataclass
class Every:
    """Texts that must all occur, in folded letters, and choices each of which must be met."""

    texts: list[str] = field(default_factory=list)
    choices: list[list[Every]] = field(default_factory=list)


def required(choice: Choice) -> Every:
    """Return what a match must contain."""
    branches = [_of(branch) for branch in choice.branches]
    return branches[0] if len(branches) == 1 else Every(choices=[branches])


def _of(sequence: Sequence) -> Every:
    found = Every()
    run = ""
    for node in sequence:
        inner = node.node if isinstance(node, Repeat) and node.least > 0 else node
        if isinstance(inner, Letters) and inner.letter is not None:
            run += folded(inner.letter)
            if inner is node:
                continue
        elif isinstance(inner, Choice):
            found.choices.append([_of(branch) for branch in inner.branches])
        found.texts.append(run)
        run = ""
    found.texts.append(run)
    found.texts = [text for text in found.texts if text]
    return found

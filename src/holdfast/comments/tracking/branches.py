"""Tells the branches of a chain apart: `if`, `else if`, `case`, `catch` and the like.

Neighbouring branches look alike and are replaced one for another, so a similar line in the place of a branch
may well be the next one. A branch is the same with certainty only if its condition or its content is.
"""

from __future__ import annotations

from holdfast.comments.tracking.comparison import VersionComparison
from holdfast.comments.tracking.lines import Lines
from holdfast.comments.tracking.outline import Outline

_FOLLOWING_KINDS = frozenset(["handler", "alternative"])
_FIRST_WORDS = frozenset(["if", "unless", "guard", "while", "switch", "match", "select"])
"""Words that may also begin a statement of one branch."""


def is_branch(outline: Outline, lines: Lines, index: int) -> bool:
    """Return whether a line begins a branch of a statement that has several."""
    role = lines.role(index)
    if role.opens in _FOLLOWING_KINDS:
        return True
    if role.opens not in ("condition", "switch"):
        return False
    tokens = lines.tokens(index)
    follows = role.word not in _FIRST_WORDS or "else" in tokens[: tokens.index(role.word)]
    return follows or (role.opens == "condition" and outline.has_alternative(index))


def is_other_branch(comparison: VersionComparison, old: int, new: int) -> bool:
    """Return whether a branch may be another one: its condition has other words, and its content changed."""
    old_lines, new_lines = comparison.old_lines, comparison.new_lines
    if not is_branch(comparison.outlines.old, old_lines, old):
        return False
    before, after = set(old_lines.condition(old)), set(new_lines.condition(new))
    if not (before - after and after - before):
        return False
    inside = comparison.outlines.old.block_lines(old)
    content = [line for line in inside if not old_lines.is_trivial(line)]
    return not any(line in comparison.confirmed for line in content)

"""Whether every match of an expression lies within a word.

Contract: true only where no match can be empty, contain white space of any script, or depend on more of its
surroundings than whether letters of words touch it. Where the syntax is unusual the answer is false.
"""

from __future__ import annotations

import re

# A class is spelled in visible ASCII, so that no range between two of its letters has white space in it.
_CLASS = r"\[ (?: [^\W_] | \\[wd] | \\[^\w\s] | [!-,./:-@_`{|}~] | - )+ \]"
_TOKEN = re.compile(
    rf"""
      (?P<one> \\[wd] | {_CLASS} | \\[^\w\s] | [^\s\\.^$*+?(){{}}\[|] )
    | (?P<none> \\[bB] )
    | (?P<open> \( (?: \?: | (?!\?) ) )
    | (?P<close> \) )
    | (?P<or> \| )
    | (?P<times> \?\?? | \*\?? | \+\?? | \{{ (?P<least> [0-9]{{1,4}} ) (?: ,[0-9]{{0,4}} )? \}}\?? )
    """,
    re.VERBOSE | re.ASCII,
)


def is_within_words(expression: str) -> bool:
    """Tell whether every match of an expression that is valid lies within a word and is not empty."""
    if any(letter.isspace() or "\ud800" <= letter <= "\udfff" for letter in expression):
        return False
    walk = _Walk()
    position = 0
    while position < len(expression):
        token = _TOKEN.match(expression, position)
        if token is None or not walk.step(token):
            return False
        position = token.end()
    return walk.is_never_empty()


class _Walk:
    """Goes through an expression and keeps whether what was read so far can be empty."""

    def __init__(self) -> None:
        self._around: list[tuple[bool, bool]] = []
        self._branches = True
        """Whether no finished branch of this group can be empty."""
        self._branch = False
        """Whether the branch being read cannot be empty, its last part aside."""
        self._part = False

    def step(self, token: re.Match[str]) -> bool:
        """Read one token, and return whether it fits here."""
        kind = token.lastgroup if token["least"] is None else "times"
        if kind == "times":
            self._part = self._part and (token["least"] or token[0][0]).strip("0") not in ("", "?", "*")
            return True
        if kind == "close":
            if not self._around:
                return False
            inner = self._end_group()
            self._branches, self._branch = self._around.pop()
            self._part = inner
            return True
        self._end_part()
        if kind == "one":
            self._part = True
        elif kind == "open":
            self._around.append((self._branches, self._branch))
            self._branches, self._branch = True, False
        elif kind == "or":
            self._end_branch()
        return True

    def is_never_empty(self) -> bool:
        """Tell whether the expression, read to its end, matches no empty text."""
        return not self._around and self._end_group()

    def _end_group(self) -> bool:
        self._end_part()
        self._end_branch()
        return self._branches

    def _end_branch(self) -> None:
        self._branches, self._branch = self._branches and self._branch, False

    def _end_part(self) -> None:
        self._branch, self._part = self._branch or self._part, False

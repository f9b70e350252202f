"""The place of a remark from the page: the head of its text says what it is about.

    About the work tree, lines 3-4:
    > if not tide:
    >     return None

    Zero is a tide, too.

Instead of lines, a head may name `removed line 3`, `the whole file`, or, in the summary of a review, whose
file is `.`, `as a whole`.
"""

from __future__ import annotations

import re

PLACE = re.compile(
    r"About [^\n]+?, "
    r"(?:(?P<removed>removed )?lines? (?P<lines>[0-9]{1,9}(?:-[0-9]{1,9})?)|the whole file|as a whole):\n"
    r"(?P<quote>(?:>[^\n]*\n)*)\n"
)


def names_place(comment: str) -> bool:
    """Return whether the text of a remark says itself what it is about."""
    return PLACE.match(comment) is not None

"""Recognises commits that fix a defect by the words of their message."""

from __future__ import annotations

import re

_FIX_WORDS = re.compile(
    r"""\b(?:
        (?:hot|bug)?fix(?:e[sd]|ing)?|bugs?|defects?|crash(?:e[sd]|ing)?|regressions?|deadlocks?|leaks?
        | (?:close[sd]?|resolve[sd]?):?[ ]+(?:\w+[/-])*\#?\d+  # an issue, as in `closes owner/repo#12`
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_OTHER_FIX_WORDS = re.compile(
    r"""\b(?:
        typos?|spelling|grammar|wording|docs?|documentation|readme|changelog|comments?|docstrings?  # texts
        | lint\w*|format(?:ting)?|style|whitespace|indentation  # the form of code
        | flak[ey]\w*|ci|workflows?|bump|deps|release[ ]notes?  # tests, builds and releases
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def is_fix(message: str) -> bool:
    """Return whether a message is about fixing a defect.

    A word for a defect anywhere in it is enough, unless the subject has a word for a change of texts, form or
    builds, as in `Fix typos in the changelog`.
    """
    subject = message.partition("\n")[0]
    return bool(_FIX_WORDS.search(message)) and not _OTHER_FIX_WORDS.search(subject)

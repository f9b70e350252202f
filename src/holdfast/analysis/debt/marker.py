"""Debt markers: words such as TODO and FIXME with which a line of a comment admits technical debt.

Contract: a marker counts at the start of a line, after comment delimiters and bullets. Words that may also
start an ordinary sentence count only if punctuation follows. TODO, FIXME, XXX and HACK also count inside a
line: before a colon, after the end of a sentence, and after initials and codes in capitals, as in `SSS FIXME`
and `$NON-NLS-1$ TODO`. The marker alone determines category and severity.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Category = Literal["Design", "Defect", "Requirement", "Test", "Performance", "Security"]
Severity = Literal["Critical", "High", "Medium", "Low"]
SEVERITIES: tuple[Severity, ...] = ("Critical", "High", "Medium", "Low")


class Marker(NamedTuple):
    """A marker, with its category and severity."""

    word: str
    category: Category
    severity: Severity


_WORDS: dict[tuple[Category, Severity], str] = {
    ("Security", "Critical"): "SECURITY VULN VULNERABILITY CVE",
    ("Defect", "High"): "FIXME BUG BROKEN",
    ("Design", "Medium"): "HACK KLUDGE XXX REFACTOR SMELL DEBT",
    ("Test", "Medium"): "FLAKY UNTESTED",
    ("Requirement", "Low"): "TODO TBD UNDONE",
    ("Design", "Low"): "WORKAROUND TEMP TEMPORARY REVISIT",
    ("Performance", "Low"): "OPTIMIZE PERF SLOW",
}
MARKERS = {
    word: Marker(word, category, severity)
    for (category, severity), words in _WORDS.items()
    for word in words.split()
}
"""The markers by their word, in capitals."""
_SPELLINGS = {
    "TO DO": "TODO",
    "TO-DO": "TODO",
    "FIX ME": "FIXME",
    "OPTIMISE": "OPTIMIZE",
    "TECH DEBT": "DEBT",
    "TECHNICAL DEBT": "DEBT",
}
"""Other spellings of markers, in capitals."""

_AUTHOR_OR_ISSUE = r"(?:\s?\([^()]*\)|\s?\[[^\[\]]*\])?"
"""An author or an issue in brackets: `(ann)`, `[PROJ-12]`. `Bug #34:` only refers to an issue."""
_OPENING = re.compile(
    # Delimiters, bullets and brackets, then perhaps a number in a list or an HTML tag.
    r"[\s/*#;!=|~+•·@\\(\[{-]*(?:\d+[.)]\s+|</?\w+>\s*)?(?:"
    # No sentence starts with these, whatever follows; `todo.append(x)` and `todo = []` are code.
    r"((?i:todo|fixme)|TO[ -]DO|FIX ME|XXX+|HACK|KLUDGE|TBD)(?!\w|-\w|\.\w|\s*=)"
    # These may start a sentence, unless punctuation follows.
    r"|((?i:to[ -]do|fix me|xxx|hack|kludge|bug|workaround|refactor|tech(?:nical)? debt))"
    rf"(?={_AUTHOR_OR_ISSUE}\s?(?::(?![:=/])|[!;,]|\.(?!\w)|$))"
    # In lower case these may also start a section: `Security: compared in constant time.`
    r"|(SECURITY|VULN(?:ERABILITY)?|CVE|BROKEN|SMELL|FLAKY|UNTESTED|UNDONE|TEMP(?:ORARY)?|REVISIT|OPTIMI[SZ]E"
    rf"|PERF|SLOW)(?={_AUTHOR_OR_ISSUE}\s?(?:[:!]|\s-+\s|$))"
    r")"
)
_NOT_IN_A_WORD = r"(?<![\w\"'`<./-])"
_INSIDE = re.compile(
    rf"{_NOT_IN_A_WORD}((?i:todo|fixme|xxx|hack))(?={_AUTHOR_OR_ISSUE}\s?:(?![:=/]))"
    r"|(?:[.;:!?)/]\s+|^[^a-z]*\s)(TODO|FIXME|XXX|HACK)(?![\w\"'`>/]|-\w|\.\w|\s*=)"
)


def marker_in(line: str) -> tuple[Marker, int] | None:
    """Return the first marker of a line of a comment and its offset in the line; None if there is none."""
    found = _OPENING.match(line) or _INSIDE.search(line)
    if found is None or found.lastindex is None:
        return None
    word = found[found.lastindex].upper()
    word = "XXX" if word.startswith("XXX") else _SPELLINGS.get(word, word)
    return MARKERS[word], found.start(found.lastindex)

"""Markers: the words that open a comment which admits a debt.

Contract: a marker counts only at the beginning of a line of a comment, after comment delimiters and bullets.
Words that also begin ordinary sentences count only if punctuation follows. Category and severity follow from
the marker alone.
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


_MEANINGS: dict[tuple[Category, Severity], str] = {
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
    for (category, severity), words in _MEANINGS.items()
    for word in words.split()
}
_SPELLINGS = {
    "TO DO": "TODO",
    "TO-DO": "TODO",
    "FIX ME": "FIXME",
    "OPTIMISE": "OPTIMIZE",
    "TECH DEBT": "DEBT",
    "TECHNICAL DEBT": "DEBT",
}

_NOTE = r"(?:\s?\([^()]*\)|\s?\[[^\[\]]*\])?"
"""An author or the number of an issue: `(ann)`, `[PROJ-12]`. `Bug #34:` names an issue and admits nothing."""
_OPENING = re.compile(
    r"[\s/*#;!=|~+•·@\\(\[{-]*(?:\d+[.)]\s+|</?\w+>\s*)?(?:"
    # No sentence begins with these, whatever follows; `todo.append(x)` and `todo = []` are code.
    r"((?i:todo|fixme)|TO[ -]DO|FIX ME|XXX+|HACK|KLUDGE|TBD)(?!\w|-\w|\.\w|\s*=)"
    # These may begin a sentence, unless punctuation follows.
    r"|((?i:to[ -]do|fix me|xxx|hack|kludge|bug|workaround|refactor|tech(?:nical)? debt))"
    rf"(?={_NOTE}\s?(?::(?![:=/])|[!;,]|\.(?!\w)|$))"
    # In lower case these may begin a section, too: `Security: compared in constant time.`
    r"|(SECURITY|VULN(?:ERABILITY)?|CVE|BROKEN|SMELL|FLAKY|UNTESTED|UNDONE|TEMP(?:ORARY)?|REVISIT|OPTIMI[SZ]E"
    rf"|PERF|SLOW)(?={_NOTE}\s?(?:[:!]|\s-+\s|$))"
    r")"
)


def opening_marker(line: str) -> tuple[Marker, int] | None:
    """Return the marker that a line begins with, and its column."""
    found = _OPENING.match(line)
    if found is None or found.lastindex is None:
        return None
    word = found[found.lastindex].upper()
    word = "XXX" if word.startswith("XXX") else _SPELLINGS.get(word, word)
    return MARKERS[word], found.start(found.lastindex)

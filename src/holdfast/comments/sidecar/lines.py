"""Lines as the VS Code extension sees them, so that both programs agree on numbers and hashes.

Contract: JavaScript's `trim` removes a byte order mark and keeps the separators U+001C to U+001F and U+0085;
Python's `strip` does the opposite. Lines end at `\\n` or `\\r\\n` only; a text that ends with a line break
has one more, empty line.
"""

from __future__ import annotations

import hashlib
import re

BLANK = "[blank line]"
"""What is stored, and hashed, for a line without visible text."""

_JAVASCRIPT_SPACE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
_JAVASCRIPT_SPACE += "\u2028\u2029\u202f\u205f\u3000\ufeff"
_BREAK = re.compile(r"\r\n|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_HASH_DIGITS = 16


def decoded(data: bytes) -> str:
    """Return a source file's text; what is no UTF-8 becomes the replacement character."""
    return data.decode("utf-8", "replace")


def split_lines(text: str) -> list[str]:
    """Return the lines of a text; there is always at least one."""
    return _BREAK.split(text)


def trimmed(line: str) -> str:
    """Return a line without what JavaScript's `trim` removes."""
    return line.strip(_JAVASCRIPT_SPACE)


def shown_line(line: str) -> str:
    """Return the text that a marker keeps of its line."""
    return trimmed(line) or BLANK


def line_hash(line: str) -> str:
    """Return the hash that a marker keeps of its line."""
    return _hash(shown_line(line))


def range_hash(lines: list[str]) -> str:
    """Return the hash that a marker keeps of several lines."""
    return _hash("\n".join(trimmed(line) for line in lines))


def _hash(text: str) -> str:
    # Half a surrogate pair has no UTF-8 form; JavaScript hashes the replacement character instead.
    return hashlib.sha256(_SURROGATE.sub("\ufffd", text).encode()).hexdigest()[:_HASH_DIGITS]

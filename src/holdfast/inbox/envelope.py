"""How messages are told apart, how their lines are written, and what their sender is told.

Quick commands import this module, so it keeps to what Python loads at start anyway. SHA-256 comes from
Python's own implementation: `hashlib` would load OpenSSL, which takes longer than all the rest.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:  # a Python that was built without them
        from hashlib import sha256

_LINE_DIGITS = 9


def digest_of(file: str, comment: str, time: str) -> str:
    """Return the SHA-256 by which the specification tells messages apart; the line is not part of it."""
    return sha256(f"{file}|{comment}|{time}".encode()).hexdigest()


def identity(digest: str) -> str:
    """Return the short name of the message with this digest."""
    return f"m_{digest[:16]}"


def is_line_range(text: str) -> bool:
    """Tell whether `text` is a line, `N`, or lines, `N-M`, counted from 1."""
    first, dash, last = text.partition("-")
    if not dash:
        return _is_line(first)
    return _is_line(first) and _is_line(last) and int(first) <= int(last)


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) <= _LINE_DIGITS


def is_storable(text: str) -> bool:
    """Tell whether `text` can be written as UTF-8, which bytes from a shell need not be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def acknowledgement(file: str, *, duplicate: bool) -> str:
    """Return what the sender of a message about `file` is told."""
    if duplicate:
        return f"Message already in the inbox for {file}"
    return f"Message sent successfully for {file}"

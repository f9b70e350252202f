"""Names of comments: our own, and names of the same form for those that another program made.

Contract: an id that has the specification's form is its own alias. Any other id has one alias, the same in
every process, that no id of ours can have: ours count milliseconds and have three digits fewer.
"""

from __future__ import annotations

import hashlib
import re

_OURS = re.compile(r"c_[0-9]+")
_ALIAS_DIGITS = 15


def alias_of(comment_id: str) -> str:
    """Return the name under which tools show a comment and take it."""
    if _OURS.fullmatch(comment_id):
        return comment_id
    digest = hashlib.sha256(comment_id.encode("utf-8", "surrogatepass")).digest()
    number = int.from_bytes(digest[:8], "big") % 10**_ALIAS_DIGITS
    return f"c_9{number:0{_ALIAS_DIGITS}d}"


def comment_name(number: int) -> str:
    """Return the id of a new comment."""
    return f"c_{number}"


def marker_name(number: int) -> str:
    """Return the id of a new marker."""
    return f"gm_{number}"

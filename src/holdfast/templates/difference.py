"""What replacing a file would change, for a person to look at."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice

_SHOWN_LINES = 400


def difference(path: str, old: bytes, new: bytes) -> str:
    """Return a unified diff, cut after so many lines."""
    lines = unified_diff(_lines(old), _lines(new), f"{path} (there)", f"{path} (generated)", lineterm="")
    shown = list(islice(lines, _SHOWN_LINES + 1))
    if len(shown) > _SHOWN_LINES:
        shown[-1] = "(the rest of the difference is not shown)"
    return "\n".join(shown)


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()

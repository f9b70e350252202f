"""The closest known name, for errors that help."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None when nothing is close."""
    from difflib import get_close_matches

    matches = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint naming the closest known name, or all of them when none is close."""
    names = sorted(known)
    best = closest(name, names)
    if best is not None:
        return f'Did you mean "{best}"?'
    return f"Known names: {', '.join(names)}." if names else "There are none here."

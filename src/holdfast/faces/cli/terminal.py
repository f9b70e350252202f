"""What the other end of a stream can show."""

from __future__ import annotations

import os
from typing import Any, TextIO

import click

_USUAL_WIDTH = 80
_UNLIMITED = 10_000


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a person looks at the stream."""
    return stream is not None and not stream.closed and stream.isatty()


def width_of(stream: TextIO | None) -> int:
    """Return how many columns a person sees; where nobody looks, enough that nothing is cut."""
    if stream is None or not is_terminal(stream):
        return _UNLIMITED
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


def styled(text: str, stream: TextIO | None, **style: Any) -> str:
    """Return `text` in a style, if the stream is a terminal whose user did not refuse colour."""
    return click.style(text, **style) if _shows_colour(stream) else text


def _shows_colour(stream: TextIO | None) -> bool:
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

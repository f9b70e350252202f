"""Garbage collection paused while the program loads: what is imported stays, so looking is in vain."""

from __future__ import annotations

import gc


def begin() -> None:
    """Collect no garbage from now on: the program is being loaded."""
    gc.disable()


def done() -> None:
    """Collect again, leaving alone what was loaded: the work begins."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()

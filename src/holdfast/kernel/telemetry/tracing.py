"""Trace spans, opened wherever a step is worth timing and recorded only when a tracer is installed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Tracer = Callable[[str], AbstractContextManager[object]]
"""Opens a span of the given name around a block of code."""

TRACERS: list[Tracer] = []
"""The installed tracer; empty by default."""

_NO_SPAN = nullcontext()


def span(name: str) -> AbstractContextManager[object]:
    """Return a context manager that traces the code inside it, if a tracer is installed."""
    return TRACERS[0](name) if TRACERS else _NO_SPAN

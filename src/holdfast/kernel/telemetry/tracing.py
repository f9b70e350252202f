"""Trace spans around steps of a request, recorded only if a tracer is installed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Tracer = Callable[[str], AbstractContextManager[object]]
"""Returns a context manager that records a span of this name."""

TRACERS: list[Tracer] = []
"""Contains the installed tracer, if there is one."""

_NO_SPAN = nullcontext()


def span(name: str) -> AbstractContextManager[object]:
    """Return a context manager that traces the code inside it, if a tracer is installed."""
    return TRACERS[0](name) if TRACERS else _NO_SPAN

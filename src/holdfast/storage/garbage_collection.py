"""Suspends Python's cyclic garbage collector where it would only cost time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Turn cyclic garbage collection off in a `with` block that creates millions of values and no cycles.

    The collector would visit all values again and again, and free none. It is off for the whole process, so
    other threads keep their cycles until the block ends. Then what was created counts as old, so that it is
    not visited at once either.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.unfreeze()  # to the oldest generation
            gc.enable()

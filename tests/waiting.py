"""Waiting for what has to happen, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

from holdfast.kernel.call import Call

SECONDS = 120.0
_STEP = 0.02


class LeavingCall(Call):
    """A call that is cancelled once whatever it waits for has looked whether to go on waiting."""

    def check(self) -> None:
        super().check()
        self.cancel()


def wait_until(condition: Callable[[], object], what: str = "") -> None:
    """Wait until a condition holds, and fail when it does not within a generous time."""
    ends = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < ends, what or "this never happened"
        time.sleep(_STEP)

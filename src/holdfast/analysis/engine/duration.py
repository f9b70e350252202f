"""A time span in results, with the field names that specifications require."""

from __future__ import annotations

import time

from holdfast.kernel.models import Output


class Duration(Output):
    """A time span."""

    secs: int
    nanos: int = 0

    @classmethod
    def since(cls, started: float) -> Duration:
        """Return the time since `started`, read from the monotonic clock."""
        whole, nanos = divmod(int((time.monotonic() - started) * 1e9), 1_000_000_000)
        return cls(secs=whole, nanos=nanos)

    @property
    def seconds(self) -> float:
        return self.secs + self.nanos / 1e9

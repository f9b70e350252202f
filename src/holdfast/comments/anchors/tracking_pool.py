"""Tracks version chains in worker processes when there are many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager

from holdfast.comments.anchors.version_chain import VersionChain, track_chain
from holdfast.comments.tracking.placement import Placement
from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.child import cores, on_every_core

_WORTH_IT = 40
"""Files to compare from which on starting processes costs less than it gains."""

PendingPlacements = Callable[[], Sequence[Placement]]


class TrackingPool:
    """Follows chains: in this process when they are few, else in as many as there are cores."""

    def __init__(self, files: int) -> None:
        worth_it = files >= _WORTH_IT and cores() > 1
        self._executor: Executor | None = on_every_core() if worth_it else None

    def follow(self, chain: VersionChain) -> PendingPlacements:
        """Begin to follow a chain and return how to ask for the end."""
        if self._executor is None:
            return lambda: track_chain(chain)
        with _report_worker_death():
            answer = self._executor.submit(track_chain, chain)

        def ask() -> Sequence[Placement]:
            with _report_worker_death():
                return answer.result()

        return ask

    def __enter__(self) -> TrackingPool:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _report_worker_death() -> Iterator[None]:
    """Say that a process ended on its own: the system ends those that take too much memory."""
    try:
        yield
    except BrokenExecutor:
        raise Unavailable(
            "A process that compares texts ended before its answer; nothing was written.",
            hint="Free some memory and try again; a scan of one file needs no further process.",
        ) from None

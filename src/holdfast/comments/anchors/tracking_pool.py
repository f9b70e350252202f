"""Tracks version chains in worker processes when there are many files.

Example: a scan of 200 changed files submits every chain first and then collects the answers, so all cores
work; a scan of three files tracks in this process, because starting workers would take longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future

from holdfast.comments.anchors.version_chain import VersionChain, track_chain
from holdfast.comments.tracking.placement import Placement
from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.child import cores
from holdfast.storage.processes.pool import ProcessPool

_MIN_FILES_FOR_WORKERS = 40
"""Files from which on workers are started. A judgement: starting them takes as long as tracking so many."""

PendingPlacements = Callable[[], Sequence[Placement]]
"""Waits for the placements of a chain and returns them."""


class TrackingPool:
    """Tracks chains in this process, or in one process per core if there are many files."""

    def __init__(self, file_count: int) -> None:
        is_worthwhile = file_count >= _MIN_FILES_FOR_WORKERS and cores() > 1
        self._executor = ProcessPool() if is_worthwhile else None

    def follow(self, chain: VersionChain) -> PendingPlacements:
        """Start tracking a chain, and return a function that waits for the result."""
        if self._executor is None:
            return lambda: track_chain(chain)
        future: Future[Sequence[Placement]] = self._executor.submit(track_chain, chain)

        def wait() -> Sequence[Placement]:
            try:
                return future.result()
            except BrokenExecutor:
                # The system ends processes that use too much memory.
                raise Unavailable(
                    "A worker process that compares texts was terminated; nothing was written.",
                    hint="Free some memory and try again, or scan one file at a time.",
                ) from None

        return wait

    def __enter__(self) -> TrackingPool:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._executor is not None:
            self._executor.shutdown()

"""Processes that compare texts, and what is said when one of them is gone."""

from __future__ import annotations

import os

import pytest

from holdfast.comments.anchors import tracking_pool
from holdfast.comments.anchors.tracking_pool import TrackingPool
from holdfast.comments.anchors.version_chain import VersionChain
from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.child import cores

TEXT = "first\nsecond\nthird\n"
JOURNEY = VersionChain(
    (FileVersion("a.txt", TEXT), FileVersion("a.txt", "zero\n" + TEXT)), (Anchor(2),), (0,)
)


@pytest.mark.skipif(cores() < 2, reason="on one core there are no further processes")
def test_a_killed_worker_is_reported_and_is_not_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    with TrackingPool(40) as pool:
        (found,) = pool.follow(JOURNEY)()
        assert found.line == 3
        monkeypatch.setattr(tracking_pool, "track_chain", os._exit)
        with pytest.raises(Unavailable, match="was terminated"):
            pool.follow(1)()  # type: ignore[arg-type] # the status with which the worker ends


def test_few_files_need_no_process() -> None:
    with TrackingPool(39) as pool:
        (found,) = pool.follow(JOURNEY)()
        assert found.line == 3

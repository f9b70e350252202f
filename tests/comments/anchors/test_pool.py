"""Processes that compare texts, and what is said when one of them is gone."""

from __future__ import annotations

import os

import pytest

from holdfast.comments.anchors import scan
from holdfast.comments.anchors.scan import Pool
from holdfast.comments.anchors.version_chain import VersionChain
from holdfast.comments.tracking.placement import Anchor, Version
from holdfast.kernel.errors import Unavailable
from holdfast.storage.processes.child import cores

TEXT = "first\nsecond\nthird\n"
JOURNEY = VersionChain((Version("a.txt", TEXT), Version("a.txt", "zero\n" + TEXT)), (Anchor(2),), (0,))


@pytest.mark.skipif(cores() < 2, reason="on one core there are no further processes")
def test_a_process_that_was_ended_is_reported_and_is_no_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool(40) as pool:
        (found,) = pool.follow(JOURNEY)()
        assert found.line == 3
        monkeypatch.setattr(scan, "followed", os._exit)
        with pytest.raises(Unavailable, match="ended before its answer"):
            pool.follow(1)()  # type: ignore[arg-type] # the status with which the worker ends


def test_few_files_need_no_process() -> None:
    with Pool(39) as pool:
        (found,) = pool.follow(JOURNEY)()
        assert found.line == 3

"""Signs of files: the same as long as nothing changed, and none where that cannot be told."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from holdfast.storage.watching.file_signature import signature_of

LATER = time.time_ns() + 10**14


def test_a_file_has_the_same_sign_until_it_is_written_replaced_or_removed(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("one")
    before = signature_of([str(place)], now=LATER)
    assert before is not None
    assert signature_of([str(place)], now=LATER) == before
    place.write_text("three")
    after = signature_of([str(place)], now=LATER)
    assert after != before
    (tmp_path / "new").write_text("three")
    os.replace(tmp_path / "new", place)
    assert signature_of([str(place)], now=LATER) != after
    place.unlink()
    assert signature_of([str(place)], now=LATER) == (None,)


def test_a_file_so_young_that_a_change_could_share_its_time_has_no_sign(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("one")
    assert signature_of([str(place)]) is None
    os.utime(place, (0, 0))
    assert signature_of([str(place)]) is None, "setting its time back is a change as well"


@pytest.mark.parametrize("name", ["x" * 300, "nul\0nul"])
def test_what_cannot_be_looked_at_has_no_sign(tmp_path: Path, name: str) -> None:
    assert signature_of([f"{tmp_path}/{name}"], now=LATER) is None

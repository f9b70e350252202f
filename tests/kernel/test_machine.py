"""What is not a defect of ours but the machine's refusal, and what is said of it."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from holdfast.kernel.errors import Busy, OutOfSpace, Unavailable
from holdfast.kernel.machine import machine_failure


def refused(number: int, path: str = "/secret/place/a.txt") -> OSError:
    return OSError(number, os.strerror(number), path)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, OutOfSpace),
        (errno.EDQUOT, OutOfSpace),
        (errno.EIO, Unavailable),
        (errno.ENOMEM, Unavailable),
        (errno.EMFILE, Busy),
    ],
)
def test_what_the_disk_refused_names_the_file_and_no_folder(number: int, kind: type):
    error = machine_failure(refused(number))
    assert type(error) is kind
    assert error.message.startswith("'a.txt' could not be")
    assert error.hint
    assert "secret" not in error.sentence()


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.EINVAL])
def test_a_file_that_nobody_expected_to_be_missing_is_a_defect(number: int):
    assert machine_failure(refused(number)) is None


def test_too_little_memory_is_no_defect():
    error = machine_failure(MemoryError())
    assert type(error) is Unavailable
    assert error.hint


def test_other_exceptions_are_defects():
    assert machine_failure(ZeroDivisionError()) is None
    assert machine_failure(ImportError("cannot import name 'a' from 'b'", name="b")) is None


def test_a_library_that_the_system_cannot_load_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "half_written_part.so").write_bytes(b"\x7fELF")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as caught:
        __import__("half_written_part")
    error = machine_failure(caught.value)
    assert type(error) is Unavailable
    assert error.message == "A part of Holdfast, half_written_part, could not be loaded."
    assert "half_written_part" not in sys.modules


def test_a_part_that_cannot_be_read_is_named_and_loads_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "outer_part.py").write_text("import inner_part\n")
    (tmp_path / "inner_part.py").symlink_to("inner_part.py")  # whoever opens it is refused
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as caught:
        __import__("outer_part")
    error = machine_failure(caught.value)
    assert error is not None
    assert error.message == "A part of Holdfast, inner_part, could not be loaded."
    (tmp_path / "inner_part.py").unlink()
    (tmp_path / "inner_part.py").write_text("")
    assert __import__("outer_part").inner_part

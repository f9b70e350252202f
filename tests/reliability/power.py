"""Cutting the power: the disk is a file, looked at as it is at that moment."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests.reliability.nursery import Writer, quick_starts
from tests.reliability.samples import samples

DISK_MEGABYTES = 64
_SECONDS = 60
CUTS = samples("power cuts")


class Disk:
    """An ext4 file system in a file; what was never flushed is not in the file."""

    def __init__(self, place: Path) -> None:
        self.image, self.mount, self.after = place / "disk", place / "mount", place / "after"
        self._copies = count()
        self.image.write_bytes(b"")
        os.truncate(self.image, DISK_MEGABYTES * 2**20)
        _run("mkfs.ext4", "-q", "-F", str(self.image))
        self.mount.mkdir()
        self.after.mkdir()
        _run("mount", "-o", "loop,commit=300", str(self.image), str(self.mount))

    @property
    def repository(self) -> Path:
        return self.mount / "repository"

    def cut(self, read: Callable[[Path], list[str]]) -> list[str]:
        """Return what is found when the disk comes back as it is now.

        Each copy has a name of its own: a test that has just begun a namespace of mounts keeps the device of
        the last one open, and to mount the same file again would show what that device has read before.
        """
        copy = self.image.with_name(f"copy-{next(self._copies)}")
        _run("cp", "--sparse=always", str(self.image), str(copy))
        _run("mount", "-o", "loop", str(copy), str(self.after))
        try:
            return read(self.after / "repository")
        finally:
            _run("umount", str(self.after))
            copy.unlink()

    def close(self) -> None:
        _run("umount", str(self.mount))


@contextmanager
def disk_to_cut(place: Path) -> Iterator[Disk]:
    """Lend a disk whose power can be cut, or skip the test where there can be none."""
    try:
        disk = Disk(place)
    except OSError as reason:
        pytest.skip(f"no disk to cut the power of: {reason}")
    try:
        yield disk
    finally:
        disk.close()


def cut_again_and_again(
    disk: Disk, writer: Callable[[str], list[str]], read: Callable[[Path], list[str]], number: int
) -> tuple[int, int]:
    """Cut the power under a writer again and again; return acknowledgements, and cuts that lost some.

    `writer` returns a command that says on its output what it has stored, under names that begin as given.
    """
    acknowledged: set[str] = set()
    losing = 0
    with quick_starts() as start:
        for cut in range(number):
            running = start(writer(f"w{cut}"))
            _await_acknowledgements(running, 1 + cut % 5)
            running.pause()
            acknowledged.update(running.output().split("\n")[:-1])
            losing += not acknowledged <= set(disk.cut(lambda path: _readable(read, path)))
            running.kill()
            acknowledged.update(running.output().split("\n")[:-1])
    return len(acknowledged), losing


def _await_acknowledgements(writer: Writer, number: int) -> None:
    ends = time.monotonic() + _SECONDS
    while writer.output().count("\n") < number:
        assert time.monotonic() < ends, f"the writer acknowledged too little: {writer.complaint()}"
        time.sleep(0.001)


def _readable(read: Callable[[Path], list[str]], path: Path) -> list[str]:
    try:
        return read(path)
    except Exception as broken:
        return [f"unreadable: {broken}"]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{command[0]}: {done.stderr.strip()}")

"""Directories held open by descriptor, and flushed so that the names in them are durable."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

StrPath = str | os.PathLike[str]

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def open_directory(path: StrPath) -> Iterator[int]:
    """Hold a directory open and yield its descriptor."""
    descriptor = os.open(path, _DIRECTORY_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def flush_directory(path: StrPath) -> None:
    """Make the names in a directory durable."""
    with open_directory(path) as descriptor:
        os.fsync(descriptor)


def check_directory(path: StrPath) -> None:
    """Raise `OSError` unless the path itself is a directory, and not a link to one."""
    os.close(os.open(path, _DIRECTORY_FLAGS | os.O_NOFOLLOW))

"""Directories: opened as descriptors, and flushed so that their entries are durable."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

StrPath = str | os.PathLike[str]

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def open_directory(path: StrPath) -> Iterator[int]:
    """Open a directory for a `with` block and yield its descriptor."""
    descriptor = os.open(path, _DIRECTORY_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def flush_directory(path: StrPath) -> None:
    """Make the entries of a directory durable."""
    with open_directory(path) as descriptor:
        os.fsync(descriptor)


def check_directory(path: StrPath) -> None:
    """Raise `OSError` unless the path is a directory; a link to one is refused."""
    os.close(os.open(path, _DIRECTORY_FLAGS | os.O_NOFOLLOW))

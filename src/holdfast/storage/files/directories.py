"""Directories: opened as descriptors, and flushed so that their entries are durable."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

StrPath = str | os.PathLike[str]

DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def open_directory(path: StrPath, *, follows_link: bool = True) -> Iterator[int]:
    """Open a directory for a `with` block and yield its descriptor."""
    descriptor = os.open(path, DIRECTORY_FLAGS | (0 if follows_link else os.O_NOFOLLOW))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def flush_directory(path: StrPath) -> None:
    """Make the entries of a directory durable."""
    with open_directory(path) as descriptor:
        os.fsync(descriptor)

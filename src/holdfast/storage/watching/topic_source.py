"""The data of a topic in the file system, and the probe that decides whether it changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

Probe = Callable[[], object]
"""Returns a value that differs after each change of the topic."""


class WatchedPlace(NamedTuple):
    """Files in one directory, or in a tree of directories, that contain data of a topic."""

    directory: str
    prefix: str = ""
    """Only entries whose names start with this, such as all files of a SQLite store."""
    enters: Callable[[str], bool] | None = None
    """Returns whether a folder of this name is part of the tree; None for one directory without a tree."""
    is_database: bool = False
    """Whether it is a SQLite store, whose event comes before the change: SQLite writes to its log before
    readers can see the transaction."""

    def covers(self, path: str) -> bool:
        """Return whether a change of this path, or of a folder above the place, may be a change here."""
        directory, name = os.path.split(path)
        if directory == self.directory:
            return name.startswith(self.prefix)
        if self.enters is not None and directory.startswith(f"{self.directory}{os.sep}"):
            return True
        return f"{self.directory}{os.sep}".startswith(f"{path}{os.sep}")


def any_folder(_name: str) -> bool:
    """Return True: every folder below a place is part of its tree."""
    return True


def file_place(path: str, *, is_database: bool = False) -> WatchedPlace:
    """Return the place of one file, and of the files beside it whose names start with its name."""
    directory, name = os.path.split(path)
    return WatchedPlace(directory, name, is_database=is_database)


class TopicSource(NamedTuple):
    """How a topic is watched."""

    probe: Probe
    places: tuple[WatchedPlace, ...] = ()
    is_polled: bool = False
    """Whether the topic must be polled, because the file system reports no events for it."""
    seconds_left: Callable[[], float | None] = lambda: None
    """Returns in how many seconds the topic will change without a write, or None."""

"""How a topic is watched: where its data is in the file system, and what decides whether it changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

Probe = Callable[[], object]
"""Returns a value that differs once something changed."""


class WatchedPlace(NamedTuple):
    """Files in one directory, or in a tree of directories, whose changes may change a topic."""

    directory: str
    prefix: str = ""
    """Only entries whose names begin with this; the files of an SQLite store share one."""
    enters: Callable[[str], bool] | None = None
    """Given the name of a folder, returns whether it is part of the tree; None stands for one directory."""
    is_database: bool = False
    """SQLite writes a transaction to its log before readers can see it: the event comes before the change."""

    def covers(self, path: str) -> bool:
        """Return whether a change of this path, or of a folder above the place, may be a change here."""
        directory, name = os.path.split(path)
        if directory == self.directory:
            return name.startswith(self.prefix)
        if self.enters is not None and directory.startswith(f"{self.directory}{os.sep}"):
            return True
        return f"{self.directory}{os.sep}".startswith(f"{path}{os.sep}")


def any_folder(name: str) -> bool:
    """Return that every folder below a place is part of its tree."""
    del name
    return True


def file_place(path: str, *, is_database: bool = False) -> WatchedPlace:
    """Return the place of one file, and of files in its directory whose names begin with its name."""
    directory, name = os.path.split(path)
    return WatchedPlace(directory, name, is_database=is_database)


class TopicSource(NamedTuple):
    """How a topic is watched."""

    probe: Probe
    places: tuple[WatchedPlace, ...] = ()
    is_polled: bool = False
    """Whether no event of a file system reports its changes."""
    seconds_left: Callable[[], float | None] = lambda: None
    """Returns in how many seconds it changes without a write, if it will."""

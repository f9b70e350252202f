"""Reports changes of watched places through inotify, from a thread that blocks until there are events.

Contract:
- Once `add` has returned, every change in the place is reported, also in folders that are created, moved or
  replaced later. If the directory of the place does not exist yet, the nearest existing folder above it is
  watched.
- When events were lost, because the queue was full, all directories are watched again and `lost(None)` is
  called.
- When watching cannot continue, `lost` is called with the reason, and the thread ends; `close` ends it too.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator

from holdfast.storage.watching.errors import EventsLost, WatchUnavailable
from holdfast.storage.watching.inotify import DirectoryEvent, Inotify
from holdfast.storage.watching.topic_source import WatchedPlace

MAX_WATCHED_DIRECTORIES = 50_000
"""A judgement: the kernel needs about 1 KiB for each, 50 MB in all
(<https://man7.org/linux/man-pages/man7/inotify.7.html>)."""
_PAUSE_MILLISECONDS = 10
"""Between two reads. A judgement: a program that writes all the time then wakes the thread at most 100 times
a second. During the pause the kernel merges equal events."""

Changed = Callable[[str], None]
"""Called with the path of an entry that changed."""
Lost = Callable[[str | None], None]
"""Called after events were lost; with the reason when there will be no more events."""


class DirectoryWatch:
    """Watches the directories of places, with one inotify instance and one thread."""

    def __init__(self, changed: Changed, lost: Lost) -> None:
        """Start watching, or raise `WatchUnavailable`. The callbacks run on the thread of this object."""
        self._changed = changed
        self._lost = lost
        self._places: list[WatchedPlace] = []
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()
        self._inotify = Inotify()
        self._wake_reader, self._wake_writer = os.pipe()
        self._thread = threading.Thread(target=self._run, name="holdfast-inotify", daemon=True)
        self._thread.start()

    def add(self, place: WatchedPlace) -> None:
        """Watch a place, or raise `WatchUnavailable`."""
        with self._lock:
            self._watch_place(place)
            self._places.append(place)

    def close(self) -> None:
        """Stop watching and wait for the thread to end."""
        os.write(self._wake_writer, b".")
        self._thread.join()
        self._inotify.close()
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def _run(self) -> None:
        try:
            while self._has_events():
                try:
                    self._report()
                except EventsLost:
                    self._watch_again()
                    self._lost(None)
        except WatchUnavailable as reason:
            self._lost(str(reason))

    def _has_events(self) -> bool:
        """Block until there are events; return False on `close`."""
        poll = select.poll()
        poll.register(self._wake_reader, select.POLLIN)
        if poll.poll(_PAUSE_MILLISECONDS):
            return False
        poll.register(self._inotify.fileno(), select.POLLIN)
        return self._wake_reader not in dict(poll.poll())

    def _report(self) -> None:
        with self._lock:
            events = dict.fromkeys(self._inotify.read())
            for event in events:
                self._follow(event)
        for directory, name, _ in events:
            # Only now are new directories watched: a scan by the callback misses nothing in them.
            self._changed(os.path.join(directory, name) if name else directory)

    def _follow(self, event: DirectoryEvent) -> None:
        """Watch a directory that was created or moved here, and stop watching one that is gone."""
        path = os.path.join(event.directory, event.name) if event.name else event.directory
        if event.is_directory:
            self._forget(path)
        for place in self._places:
            if not event.is_directory or not place.covers(path):
                continue
            if place.enters is not None and path.startswith(f"{place.directory}{os.sep}"):
                if all(map(place.enters, os.path.relpath(path, place.directory).split(os.sep))):
                    self._watch_tree(place, path)
            else:
                self._watch_place(place)

    def _watch_again(self) -> None:
        with self._lock:
            self._inotify.close()
            self._inotify = Inotify()
            self._numbers.clear()
            for place in self._places:
                self._watch_place(place)

    def _watch_place(self, place: WatchedPlace) -> None:
        """Watch a place's directory and those below it, or the nearest folder above that exists."""
        while not self._watch(place.directory):
            above, missing = os.path.dirname(place.directory), place.directory
            while not self._watch(above, content=False) and above != missing:
                above, missing = os.path.dirname(above), above
            if os.path.islink(missing) or not os.path.isdir(missing):
                return  # the folder above reports its creation
        if place.enters is not None:
            for folder in self._folders_in(place.directory, place.enters):
                self._watch_tree(place, folder)

    def _watch_tree(self, place: WatchedPlace, top: str) -> None:
        assert place.enters is not None
        pending = [top]
        while pending:
            directory = pending.pop()
            if self._watch(directory):
                # Listed only after the watch has begun: a folder created in between is found or reported.
                pending += self._folders_in(directory, place.enters)

    def _watch(self, directory: str, *, content: bool = True) -> bool:
        if len(self._numbers) >= MAX_WATCHED_DIRECTORIES:
            raise WatchUnavailable(f"more than {MAX_WATCHED_DIRECTORIES:,} directories")
        number = self._inotify.watch(directory, directory, content=content)
        if number >= 0:
            self._numbers[directory] = number
        return number >= 0

    def _forget(self, top: str) -> None:
        """Stop watching a directory and those below it, because another may have its name by now."""
        below = f"{top}{os.sep}"
        for path in [path for path in self._numbers if path == top or path.startswith(below)]:
            self._inotify.unwatch(self._numbers.pop(path), path)

    @staticmethod
    def _folders_in(directory: str, enters: Callable[[str], bool]) -> Iterator[str]:
        try:
            with os.scandir(directory) as entries:
                found = [
                    entry.path
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and enters(entry.name)
                ]
        except OSError:
            return  # gone, or not readable: nothing in it can be read
        yield from found

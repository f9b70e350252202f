"""Reports changes of places on macOS, through the FSEvents observer of the `watchdog` library.

FSEvents reports changes in whole trees. So one stream for each topmost directory is enough; callers filter
the reports with `WatchedPlace.covers`. On other systems, where only tests use this module, the library has
another observer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.storage.watching.errors import WatchUnavailable
from holdfast.storage.watching.topic_source import WatchedPlace

if TYPE_CHECKING:
    from collections.abc import Callable

    from watchdog.events import FileSystemEvent

_CHANGES = frozenset({"created", "modified", "deleted", "moved"})


class FileSystemEvents:
    """Watches the trees that contain the places; the library runs a thread for each."""

    def __init__(self, changed: Callable[[str], None]) -> None:
        """Start watching, or raise `WatchUnavailable`; `changed` is called on a thread of the library."""
        try:
            from watchdog.events import FileSystemEventHandler
            from watchdog.observers import Observer
        except ImportError:
            raise WatchUnavailable("the package watchdog is not installed") from None

        class ChangeHandler(FileSystemEventHandler):
            """Passes on the paths of changes."""

            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in _CHANGES:
                    for path in (event.src_path, event.dest_path):
                        if path:
                            changed(os.fsdecode(path))

        self._handler = ChangeHandler()
        self._observer = Observer()
        self._roots: list[str] = []
        self._observer.start()

    def add(self, place: WatchedPlace) -> None:
        """Watch a place or the nearest existing folder above it; raise `WatchUnavailable` if that fails."""
        root = place.directory
        while not os.path.isdir(root):
            root = os.path.dirname(root)
        if any(f"{root}{os.sep}".startswith(f"{known}{os.sep}") for known in self._roots):
            return
        try:
            self._observer.schedule(self._handler, root, recursive=True)
        except OSError as error:
            raise WatchUnavailable(os.strerror(error.errno or 0)) from None
        self._roots.append(root)

    def close(self) -> None:
        """Stop watching and wait for the threads to end."""
        self._observer.stop()
        self._observer.join()

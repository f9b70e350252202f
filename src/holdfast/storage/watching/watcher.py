"""Notifies listeners of changes to topics, whichever process makes them.

Contract:
- A topic's probe decides whether it changed. The probe runs when the file system reports an event in one of
  the topic's places, when this process announces a write there, when the topic changes by the passage of
  time, and once a minute.
- A topic without events of the file system (on a network file system, with exhausted limits, on another
  operating system) is polled; the reason is logged once.
- Every change after `subscribe` has returned leads to a notification; several changes may lead to one.
- Listeners are called on the watcher's thread, in the order of their subscription, and should return quickly.
- A probe or a listener that raises is logged once (until it works again) and stops nothing.
- Threads run, and directories are watched, only while there are listeners.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Callable

from holdfast.kernel.clock import monotonic
from holdfast.storage.files.mounts import is_network_filesystem
from holdfast.storage.watching import own_writes
from holdfast.storage.watching.directory_watch import DirectoryWatch
from holdfast.storage.watching.errors import WatchUnavailable
from holdfast.storage.watching.fsevents import FileSystemEvents
from holdfast.storage.watching.topic import Listener, Topic
from holdfast.storage.watching.topic_source import TopicSource, WatchedPlace

POLL_SECONDS = 0.2
"""The interval of polling: a fifth of the second within which `http-13` requires a notification."""

_log = logging.getLogger(__name__)


class Watcher:
    """Calls the listeners of a topic when its probe returns another value."""

    def __init__(self, poll_seconds: float = POLL_SECONDS) -> None:
        self._poll_seconds = poll_seconds
        self._topics: dict[str, Topic] = {}
        self._places: set[WatchedPlace] = set()
        """The places that are watched."""
        self._events: DirectoryWatch | FileSystemEvents | None = None
        self._unavailable: str | None = None
        """Why there will be no more events, if so."""
        self._stop_listening: Callable[[], None] = lambda: None
        self._logged: set[str] = set()
        self._lock = threading.RLock()
        self._changed: deque[str | None] = deque()
        """Paths that changed since the last round; None when events were lost."""
        self._wake: threading.Event | None = None
        """Wakes the current thread, which ends when this is no longer its own event."""
        self._thread: threading.Thread | None = None

    def subscribe(self, name: str, listener: Listener, source: TopicSource) -> Callable[[], None]:
        """Call `listener` after each change of a topic, until the returned function is called.

        `source` says how to watch the topic; it is ignored if the topic has listeners already.
        """
        with self._lock:
            self._start()
            topic = self._topics.get(name)
            if topic is None:
                topic = self._topics[name] = Topic(name, source, self._poll_seconds)
                self._watch_places(topic)  # before the check, so that later changes are reported
                topic.check()
            topic.listeners.append(listener)
            self._interrupt()
        return lambda: self._unsubscribe(topic, listener)

    @property
    def running(self) -> bool:
        """Whether there are listeners."""
        return self._wake is not None

    def notify(self, path: str | None) -> None:
        """Let the thread check the topics with a place there, or every topic for None. Never blocks."""
        self._changed.append(path)
        self._interrupt()

    def close(self) -> None:
        """Forget all listeners and wait for the threads to end."""
        with self._lock:
            for topic in self._topics.values():
                topic.listeners.clear()
            self._topics.clear()
            thread, events = self._thread, self._stop_if_idle()
        _close(events)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _unsubscribe(self, topic: Topic, listener: Listener) -> None:
        with self._lock:
            if listener in topic.listeners:
                topic.listeners.remove(listener)
            if not topic.listeners and self._topics.get(topic.name) is topic:
                del self._topics[topic.name]
            events = self._stop_if_idle()
        _close(events)

    # The thread

    def _start(self) -> None:
        if self._wake is None:
            self._wake = threading.Event()
            self._stop_listening = own_writes.listen(self.notify)
            self._thread = threading.Thread(
                target=self._run, args=(self._wake,), name="holdfast-watcher", daemon=True
            )
            self._thread.start()

    def _stop_if_idle(self) -> DirectoryWatch | FileSystemEvents | None:
        """Stop if there are no listeners; return the source of events, to be closed without the lock held."""
        if self._topics or self._wake is None:
            return None
        wake, self._wake, self._thread = self._wake, None, None
        self._stop_listening()
        self._places.clear()
        self._unavailable = None
        events, self._events = self._events, None
        wake.set()
        return events

    def _interrupt(self) -> None:
        if (wake := self._wake) is not None:
            wake.set()

    def _run(self, wake: threading.Event) -> None:
        pause: float | None = None
        while self._wake is wake:
            wake.wait(pause)
            wake.clear()
            for topic, listener in self._take_changes():
                if listener in topic.listeners:
                    topic.attempt(listener)
            with self._lock:
                due = min((topic.due_at() for topic in self._topics.values()), default=None)
            pause = None if due is None else max(0.0, due - monotonic())

    def _take_changes(self) -> list[tuple[Topic, Listener]]:
        """Check every topic that is due, and return the listeners to call."""
        with self._lock:
            paths = set()
            while self._changed:
                paths.add(self._changed.popleft())
            for topic in self._topics.values():
                for path in paths:
                    if path is None or topic.covers(path):
                        topic.notify(path)
            now = monotonic()
            changed = [topic for topic in self._topics.values() if topic.due_at() <= now and topic.check()]
            return [(topic, listener) for topic in changed for listener in topic.listeners]

    # The events of the file system

    def _watch_places(self, topic: Topic) -> None:
        if topic.is_polled:
            return
        try:
            for place in topic.source.places:
                if place not in self._places:
                    self._watch_place(place)
        except WatchUnavailable as reason:
            self._poll(topic, str(reason))

    def _watch_place(self, place: WatchedPlace) -> None:
        if is_network_filesystem(place.directory):
            raise WatchUnavailable("a network file system does not report changes by other machines")
        if self._unavailable is not None:
            raise WatchUnavailable(self._unavailable)
        if self._events is None:
            if sys.platform == "darwin":
                self._events = FileSystemEvents(self.notify)
            else:
                self._events = DirectoryWatch(self.notify, self._events_lost)
        self._events.add(place)
        self._places.add(place)

    def _events_lost(self, reason: str | None) -> None:
        """Check every topic; with a reason, there will be no more events, so poll from now on."""
        if reason is not None:
            with self._lock:
                self._unavailable = reason
                for topic in self._topics.values():
                    self._poll(topic, reason)
        self.notify(None)

    def _poll(self, topic: Topic, reason: str) -> None:
        topic.is_polled = True
        if reason not in self._logged:
            self._logged.add(reason)
            _log.warning("polling every %g s for changes: %s", self._poll_seconds, reason)


def _close(events: DirectoryWatch | FileSystemEvents | None) -> None:
    if events is not None:
        events.close()

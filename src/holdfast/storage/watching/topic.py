"""One topic that listeners subscribe to, and the schedule of its checks for changes."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from holdfast.kernel.clock import monotonic
from holdfast.storage.watching.topic_source import TopicSource

Listener = Callable[[], None]

RESCAN_SECONDS = 60.0
"""The interval of checks without an event, for changes that no event reports, such as a write through another
hard link. A judgement: scanning 1,000 annotated files takes some 20 ms, 0.03 % of a core at this rate."""
REST_FACTOR = 10.0
"""After a check, a topic is not checked again for ten times the processor time that the check took. A
judgement: so checks take at most a tenth of a core, even while files change all the time."""

# A transaction of a database may become visible after its event, mostly because of fsync. So the topic is
# checked again, at intervals that double.
_MIN_RETRY_SECONDS = 0.005
"""A judgement: a flush takes a few milliseconds on most disks."""
_MAX_RETRY_SECONDS = 5.0
"""A judgement: the eleven checks from the first interval to this one leave a slow disk ten seconds."""
_UNKNOWN = object()
_log = logging.getLogger(__name__)


class Topic:
    """The state of one topic while it has listeners."""

    def __init__(self, name: str, source: TopicSource, poll_seconds: float) -> None:
        self.name = name
        self.source = source
        self.is_polled = source.is_polled
        self.listeners: list[Listener] = []
        self._poll_seconds = poll_seconds
        self._value: object = _UNKNOWN
        self._failing: set[object] = set()
        self._rests_until = 0.0
        self._due_at = 0.0
        self._retry_seconds = 0.0
        """The current interval between checks after an event of a database; 0 if no change is expected."""

    def covers(self, path: str) -> bool:
        """Return whether a change of this path may change the topic."""
        return any(place.covers(path) for place in self.source.places)

    def notify(self, path: str | None) -> None:
        """Make a check due, because a path changed, or because events were lost (None)."""
        self._due_at = 0.0
        if path is not None and any(place.is_database and place.covers(path) for place in self.source.places):
            self._retry_seconds = _MIN_RETRY_SECONDS

    def due_at(self) -> float:
        """Return when the topic has to be checked next, in seconds of `monotonic`."""
        return max(self._due_at, self._rests_until)

    def check(self) -> bool:
        """Check the topic; return whether it has changed since the last successful check."""
        started, before = time.thread_time(), self._value
        self.attempt(self._probe)
        now = monotonic()
        self._rests_until = now + REST_FACTOR * (time.thread_time() - started)
        self._due_at = now + self._pause()
        return before is not _UNKNOWN and self._value != before

    def attempt(self, action: Callable[[], None]) -> None:
        """Run a probe or a listener; log the first of consecutive failures."""
        try:
            action()
        except Exception as error:
            if action not in self._failing:
                self._failing.add(action)
                # The error's message is not logged: it may quote stored data or paths of this machine.
                watched = self.name.partition("/")[0]
                _log.warning("watching %s: %s", watched, getattr(error, "kind", type(error).__name__))
        else:
            self._failing.discard(action)

    def _probe(self) -> None:
        self._value = self.source.probe()

    def _pause(self) -> float:
        """Return the seconds until the next check, if no event makes it due earlier."""
        is_polled = self.is_polled or self._probe in self._failing
        pauses = [self._poll_seconds if is_polled else RESCAN_SECONDS]
        if self._retry_seconds:
            pauses.append(self._retry_seconds)
            is_last = self._retry_seconds >= _MAX_RETRY_SECONDS
            self._retry_seconds = 0.0 if is_last else self._retry_seconds * 2
        seconds_left = self.source.seconds_left()
        if seconds_left is not None:
            pauses.append(max(seconds_left, 0.0))
        return min(pauses)

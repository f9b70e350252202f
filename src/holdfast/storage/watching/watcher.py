"""Notices changes, whoever makes them, by looking again and again at something cheap.

Contract:
- One thread serves all topics, and runs only while somebody listens.
- Whatever changes after `subscribe` has returned is noticed, by this process or any other; several changes
  between two looks are one notice.
- Listeners are called on the watcher's thread, in the order of their subscription, and should return quickly.
- A probe or a listener that raises is reported once (until it works again) and stops nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from holdfast.kernel.errors import InvalidArguments

Probe = Callable[[], object]
Listener = Callable[[], None]

DEFAULT_INTERVAL_SECONDS = 0.2

_UNKNOWN = object()
_log = logging.getLogger(__name__)


class _Topic:
    """One thing to look at: how, what it looked like last, and who wants to know."""

    def __init__(self, name: str, probe: Probe) -> None:
        self.name = name
        self.probe = probe
        self.listeners: list[Listener] = []
        self.seen: object = _UNKNOWN
        self.troubled: set[object] = set()

    def look(self) -> bool:
        """Look again, and tell whether something changed since the last time it could be seen."""
        before = self.seen
        self.attempt(self._look)
        return before is not _UNKNOWN and self.seen != before

    def _look(self) -> None:
        self.seen = self.probe()

    def attempt(self, action: Callable[[], None]) -> None:
        """Run a probe or a listener; report the first of a row of failures."""
        try:
            action()
        except Exception as error:
            if action not in self.troubled:
                self.troubled.add(action)
                # No text of it: that may quote stored data or paths of this machine.
                watched = self.name.partition("/")[0]
                _log.warning("watching %s: %s", watched, getattr(error, "kind", type(error).__name__))
        else:
            self.troubled.discard(action)


class Watcher:
    """Calls listeners when the fingerprint of their topic changes."""

    def __init__(self, interval: float = DEFAULT_INTERVAL_SECONDS) -> None:
        self._interval = interval
        self._topics: dict[str, _Topic] = {}
        self._passing: set[str] = set()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def watch(self, topic: str, probe: Probe) -> None:
        """Say how a topic is looked at; `probe` returns a value that differs when something changed."""
        with self._lock:
            if topic in self._topics:
                raise InvalidArguments(
                    f"The topic '{topic}' is watched already.", hint="Choose another name."
                )
            self._topics[topic] = _Topic(topic, probe)

    def watch_also(self, topic: str, probe: Probe) -> None:
        """Say how a topic is looked at, unless that is known; it is forgotten with its last listener."""
        with self._lock:
            if topic not in self._topics:
                self._topics[topic] = _Topic(topic, probe)
                self._passing.add(topic)

    def subscribe(self, topic: str, listener: Listener, probe: Probe | None = None) -> Callable[[], None]:
        """Call `listener` after each change of a topic, until the returned function is called.

        A topic that nobody said how to look at is looked at with `probe`, as long as it has listeners.
        """
        with self._lock:
            if probe is not None:
                self.watch_also(topic, probe)
            if topic not in self._topics:
                raise InvalidArguments(f"Nobody watches the topic '{topic}'.", hint="Call `watch` first.")
            watched = self._topics[topic]
            if not watched.listeners:
                watched.seen = _UNKNOWN
                watched.look()
            watched.listeners.append(listener)
            self._start()
        return lambda: self._unsubscribe(watched, listener)

    @property
    def running(self) -> bool:
        """Whether the thread is at work."""
        return self._thread is not None

    def close(self) -> None:
        """Forget all listeners and wait for the thread to end."""
        with self._lock:
            for topic in self._topics.values():
                topic.listeners.clear()
            thread = self._thread
            self._stop_if_idle()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _unsubscribe(self, topic: _Topic, listener: Listener) -> None:
        with self._lock:
            if listener in topic.listeners:
                topic.listeners.remove(listener)
            if topic.name in self._passing and not topic.listeners:
                self._passing.discard(topic.name)
                del self._topics[topic.name]
            self._stop_if_idle()

    def _start(self) -> None:
        if self._thread is None:
            self._stop = threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(self._stop,), name="holdfast-watcher", daemon=True
            )
            self._thread.start()

    def _stop_if_idle(self) -> None:
        if not any(topic.listeners for topic in self._topics.values()):
            self._stop.set()
            self._thread = None

    def _run(self, stop: threading.Event) -> None:
        while not stop.wait(self._interval):
            for topic, listener in self._due():
                if listener in topic.listeners:
                    topic.attempt(listener)

    def _due(self) -> list[tuple[_Topic, Listener]]:
        """Look at every topic that somebody listens to, and return the listeners to call."""
        with self._lock:
            changed = [topic for topic in self._topics.values() if topic.listeners and topic.look()]
            return [(topic, listener) for topic in changed for listener in topic.listeners]

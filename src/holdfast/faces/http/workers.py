"""Several processes behind one port.

The parent opens the listening socket, starts the workers, which inherit it, and waits. A worker that dies is
replaced; one that cannot stay up ends the whole, rather than being started forever. A signal to the parent
reaches every worker, and the parent ends when they have; workers whose parent was killed end too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any

_LOOK_SECONDS = 0.2
_SHORT_LIFE_SECONDS = 5.0
_SHORT_LIVES = 3


class Workers:
    """Keeps a number of processes running."""

    def __init__(self, serve: Callable[[], None], count: int) -> None:
        # Forked before any thread or loop exists, so that workers inherit the socket and nothing half done.
        self._context = multiprocessing.get_context("fork")
        self._serve = serve
        self._count = count
        self._running: dict[BaseProcess, float] = {}
        self._short_lives = 0
        self._stopping = False

    def run(self) -> int:
        """Serve until a signal comes; return the exit status."""
        for _ in range(self._count):
            self._start()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping and self._short_lives < _SHORT_LIVES:
            self._replace_the_dead()
            time.sleep(_LOOK_SECONDS)
        failed = not self._stopping
        self._stop_workers()
        for process in self._running:
            process.join()
        return 1 if failed else 0

    def _start(self) -> None:
        process = self._context.Process(target=self._work)
        process.start()
        self._running[process] = time.monotonic()

    def _work(self) -> None:
        # A terminal signals the whole group; the parent alone decides when workers stop.
        os.setpgid(0, 0)
        threading.Thread(target=_follow_parent, daemon=True).start()
        self._serve()

    def _replace_the_dead(self) -> None:
        for process, started in list(self._running.items()):
            if process.is_alive() or self._stopping:
                continue
            del self._running[process]
            print(f"holdfast: a worker ended with {process.exitcode}", file=sys.stderr)  # noqa: T201
            short = time.monotonic() - started < _SHORT_LIFE_SECONDS
            self._short_lives = self._short_lives + 1 if short else 0
            self._start()

    def _stop(self, number: int, frame: Any) -> None:
        del number, frame
        self._stopping = True

    def _stop_workers(self) -> None:
        for process in self._running:
            process.terminate()


def _follow_parent() -> None:
    """Stop this process when its parent is gone: nobody else would."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def run_workers(serve: Callable[[], None], count: int) -> int:
    """Run `serve` in so many processes until a signal comes; return the exit status."""
    return Workers(serve, count).run()

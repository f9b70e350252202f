"""Several processes behind one port.

The parent opens the listening socket, forks the workers, which inherit it, and waits. A worker that dies is
replaced; when workers cannot stay up the whole ends, rather than starting them forever. A signal to the
parent reaches every worker, and the parent ends when they have; workers whose parent was killed end too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from holdfast.kernel.dispatch import unforeseen

_LOOK_SECONDS = 0.2
_SHORT_LIFE_SECONDS = 5.0
_SHORT_LIVES = 3


class WorkerProcesses:
    """Keeps a number of processes running."""

    def __init__(self, serve: Callable[[int], None], count: int) -> None:
        self._serve = serve
        self._count = count
        self._started: dict[int, tuple[int, float]] = {}
        self._short_lives = 0
        self._stopping = False
        # Nobody writes to it; that its other end closes tells workers that the parent is gone.
        self._lifeline = os.pipe()

    def run(self) -> int:
        """Serve until a signal comes; return the exit status."""
        for number in range(self._count):
            self._start(number)
        for wanted in (signal.SIGTERM, signal.SIGINT):
            signal.signal(wanted, self._stop)
        while not self._stopping and self._short_lives < _SHORT_LIVES:
            self._replace_the_dead()
            time.sleep(_LOOK_SECONDS)
        failed = not self._stopping
        for process in self._started:
            os.kill(process, signal.SIGTERM)
        for process in self._started:
            os.waitpid(process, 0)
        return 1 if failed else 0

    def _start(self, number: int) -> None:
        # Forked before any thread or loop exists here, so that a worker inherits nothing half done.
        process = os.fork()  # hygiene: runs no program, only more of this one
        if process == 0:
            self._work(number)
        self._started[process] = (number, time.monotonic())

    def _work(self, number: int) -> None:
        """Serve and end the process; nothing of the parent's may run after that."""
        status = 1
        try:
            # A terminal signals the whole group; the parent alone decides when workers stop.
            os.setpgid(0, 0)
            os.close(self._lifeline[1])
            for wanted in (signal.SIGTERM, signal.SIGINT):
                signal.signal(wanted, signal.SIG_DFL)
            threading.Thread(target=_follow_parent, args=(self._lifeline[0],), daemon=True).start()
            self._serve(number)
            status = 0
        except BaseException as failure:
            print(f"holdfast: {unforeseen(failure).sentence()}", file=sys.stderr)  # noqa: T201
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _replace_the_dead(self) -> None:
        for process, (number, started) in list(self._started.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended == 0:
                continue
            del self._started[process]
            code = os.waitstatus_to_exitcode(status)
            print(f"holdfast: a worker ended with {code}", file=sys.stderr)  # noqa: T201
            short = time.monotonic() - started < _SHORT_LIFE_SECONDS
            self._short_lives = self._short_lives + 1 if short else 0
            self._start(number)

    def _stop(self, number: int, frame: Any) -> None:
        del number, frame
        self._stopping = True


def _follow_parent(lifeline: int) -> None:
    """Stop this process when its parent is gone: nobody else would."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def run_workers(serve: Callable[[int], None], count: int) -> int:
    """Run `serve` in so many numbered processes until a signal comes; return the exit status."""
    return WorkerProcesses(serve, count).run()

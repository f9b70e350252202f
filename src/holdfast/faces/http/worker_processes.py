"""Worker processes that share one port, forked and supervised by their parent."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from holdfast.faces.logs import log_event
from holdfast.kernel.dispatch.failures import holdfast_error

_CHECK_INTERVAL_SECONDS = 0.2
"""Between checks for dead workers. A judgement: the others serve meanwhile, and checking costs next to
nothing."""
_EARLY_DEATH_SECONDS = 5.0
"""A judgement: a worker that cannot start at all dies within seconds."""
_MAX_EARLY_DEATHS = 3
"""A judgement: a few restarts survive a passing shortage of memory, and the cause is reported soon."""


class WorkerProcesses:
    """A parent process that keeps a fixed number of workers running.

    The workers are forked and inherit the listening socket. A worker that dies is replaced; when several in a
    row die soon after their start, the server ends instead of restarting them forever. The parent forwards a
    signal to every worker and exits after them. If the parent is killed, its workers exit too.
    """

    def __init__(self, serve: Callable[[int], None], count: int) -> None:
        self._serve = serve
        self._count = count
        self._started: dict[int, tuple[int, float]] = {}
        """For each process id, the number of the worker and the (monotonic) time of its start."""
        self._early_deaths = 0
        self._stopping = False
        # Never written to: a worker notices the end of its parent when the parent's end of the pipe closes.
        self._lifeline = os.pipe()

    def run(self) -> int:
        """Serve until a signal arrives; return the exit status."""
        for number in range(self._count):
            self._start(number)
        for stop_signal in (signal.SIGTERM, signal.SIGINT):
            signal.signal(stop_signal, self._stop)
        while not self._stopping and self._early_deaths < _MAX_EARLY_DEATHS:
            self._replace_dead_workers()
            time.sleep(_CHECK_INTERVAL_SECONDS)
        failed = not self._stopping
        for process in self._started:
            os.kill(process, signal.SIGTERM)
        for process in self._started:
            os.waitpid(process, 0)
        return 1 if failed else 0

    def _start(self, number: int) -> None:
        # Forked before any thread or event loop exists here, so that no worker inherits a locked lock.
        process = os.fork()  # hygiene: runs no program, only more of this one
        if process == 0:
            self._work(number)
        self._started[process] = (number, time.monotonic())

    def _work(self, number: int) -> None:
        """Serve, then exit without running any code of the parent."""
        status = 1
        try:
            # A terminal sends signals to the whole group, but only the parent decides when workers stop.
            os.setpgid(0, 0)
            os.close(self._lifeline[1])
            for stop_signal in (signal.SIGTERM, signal.SIGINT):
                signal.signal(stop_signal, signal.SIG_DFL)
            threading.Thread(target=_end_with_parent, args=(self._lifeline[0],), daemon=True).start()
            self._serve(number)
            status = 0
        except BaseException as failure:
            print(f"holdfast: {holdfast_error(failure).sentence()}", file=sys.stderr)  # noqa: T201
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _replace_dead_workers(self) -> None:
        for process, (number, started) in list(self._started.items()):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended == 0:
                continue
            del self._started[process]
            code = os.waitstatus_to_exitcode(status)
            log_event(logging.ERROR, "worker ended", worker=number, status=code)
            died_early = time.monotonic() - started < _EARLY_DEATH_SECONDS
            self._early_deaths = self._early_deaths + 1 if died_early else 0
            self._start(number)

    def _stop(self, _signal: int, _frame: Any) -> None:
        self._stopping = True


def _end_with_parent(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)

"""A worker process: runs functions for the process that started it, which may watch and interrupt them.

Contract:
- A worker is a fresh interpreter in isolated mode, started outside the repository and by default without the
  caller's environment, so that nothing in a repository is imported. Workers are not forked: a fork would copy
  locks that a server's other threads hold at that moment.
- A worker ends by itself when the pipe to it is closed, as when the program that started it was killed.
- Functions, arguments and results are pickled, between our own processes only; functions must be importable.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from holdfast.kernel.clock import monotonic
from holdfast.storage.processes.child import end_group, start_interpreter
from holdfast.storage.processes.memory import process_tree
from holdfast.storage.processes.time_limit import POLL_SECONDS

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from subprocess import Popen

Start = Callable[[str], "Popen[bytes]"]
Request = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function and its arguments."""
_INTERRUPTION = signal.SIGUSR1
_PROGRAM = "holdfast.storage.processes.worker_program"
"""Calls `main`. Functions that a worker runs import this module by its name, so it cannot be the program."""


class WorkerLost(BrokenExecutor):
    """The worker process died, was too slow, or was ended before it answered."""


class Worker:
    """One worker process and the two pipes to it."""

    def __init__(self, start: Start = start_interpreter) -> None:
        """`start` starts the process that runs `main`."""
        process = start(_PROGRAM)
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._requests = _connection(process.stdin.fileno(), readable=False)
        self._answers = _connection(process.stdout.fileno(), readable=True)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(
        self, request: Request, check: Callable[[], object], receive: Callable[[Any], object] | None = None
    ) -> Any:
        """Run a function in the worker; return its result, or raise its exception.

        Meanwhile `check` is called at intervals, and `receive` with each value that the function reports. An
        exception of either is raised here; the worker may still be running the function then.
        """
        try:
            self._requests.send(request)
            while True:
                while not self._answers.poll(POLL_SECONDS):
                    check()
                succeeded, value = self._answers.recv()
                if succeeded is not None:
                    break
                if receive is not None:
                    receive(value)
                check()
        except (EOFError, OSError):
            raise WorkerLost("the worker ended before it answered") from None
        if not succeeded:
            raise value
        return value

    def interrupt(self, seconds: float) -> bool:
        """Interrupt the function; return whether it ended within some seconds. Its result is discarded."""
        deadline = monotonic() + seconds
        with suppress(EOFError, OSError):
            os.kill(self.pid, _INTERRUPTION)
            while (left := deadline - monotonic()) > 0:
                if self._answers.poll(left) and self._answers.recv()[0] is not None:
                    return True
        return False

    def end(self) -> None:
        """End the process and its descendants at once."""
        if not self.has_ended:
            for descendant in process_tree(self.pid)[1:]:
                with suppress(ProcessLookupError):
                    os.kill(descendant, signal.SIGKILL)
        self._requests.close()
        self._answers.close()
        end_group(self._process)


def _connection(descriptor: int, *, readable: bool) -> Connection[Any, Any]:
    from multiprocessing.connection import Connection  # hygiene: a pipe to a process of ours

    return Connection(os.dup(descriptor), readable=readable, writable=not readable)


_send: Callable[[tuple[bool | None, Any]], None]
"""Sends an answer, the last one of a function unless it begins with None; set in worker processes only."""


def report(value: Any) -> None:
    """Report a value to the caller of the function that this worker runs."""
    _send((None, value))


def on_interruption(stop: Callable[[], object]) -> None:
    """Call `stop` whenever this worker is interrupted."""
    signal.signal(_INTERRUPTION, lambda *_: stop())


def _exit_with_parent(descriptor: int) -> None:
    """End this process as soon as the other end of its request pipe is closed."""
    import select

    poll = select.poll()
    poll.register(descriptor, 0)  # without events: a hang-up is always reported
    poll.poll()
    os._exit(1)


def main() -> None:
    """Serve requests as a worker, until the parent ends."""
    global _send  # noqa: PLW0603 - the functions that report get no object of ours
    requests, answers = _connection(0, readable=True), _connection(1, readable=False)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # so that output of a function is not taken for an answer
    threading.Thread(target=_exit_with_parent, args=(requests.fileno(),), daemon=True).start()
    sending = threading.Lock()

    def send(answer: tuple[bool | None, Any]) -> None:
        with sending:  # a function may report from several threads
            answers.send(answer)

    _send = send
    signal.signal(_INTERRUPTION, signal.SIG_IGN)
    while True:
        function, args, named = requests.recv()
        try:
            answer = True, function(*args, **named)
        except Exception as error:  # the caller raises it, and the worker continues
            answer = False, error
        send(answer)

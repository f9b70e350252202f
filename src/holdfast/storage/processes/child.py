"""Child processes: waited for while somebody wants the answer, and ended together with their own children.

A child runs in a process group of its own (see `git/command.py`), so ending the group ends whatever it
started. Work on every core is Python itself, started again, and nothing that anybody names.
"""

from __future__ import annotations

import fcntl
import os
import select
import selectors
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import DeadlineExceeded
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import disk_failure, disk_failures_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor
    from subprocess import Popen
    from typing import IO

POLL_SECONDS = 0.05
_COMPLAINT_BYTES = 64 * 1024
WIDE_PIPE_BYTES = 1024 * 1024


class Patience:
    """How long one piece of work may take: the limit given here, or less when its caller gives up."""

    def __init__(self, seconds: float, work: str) -> None:
        self._seconds = seconds
        self._work = work
        self._ends = monotonic() + seconds
        self._call = current_call()

    def check(self) -> None:
        """Raise when the work should stop now."""
        self._call.check()
        if monotonic() > self._ends:
            raise DeadlineExceeded(
                f"{self._work} did not finish within {self._seconds:g} seconds.",
                hint="Try again when the machine is less busy.",
            )


def wait_until_readable(descriptor: int, patience: Patience) -> None:
    """Return when there is something to read, or the end of it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while not poll.poll(POLL_SECONDS * 1000):
        patience.check()


def wait_until_ended(process: Popen[bytes], patience: Patience) -> int:
    """Return the exit status of a process that has nothing more to say."""
    pause = 0.0005
    while (status := process.poll()) is None:
        patience.check()
        time.sleep(pause)
        pause = min(pause * 2, POLL_SECONDS)
    return status


def widen(pipe: IO[bytes] | None) -> None:
    """Let a process print far ahead of its reader, where the system can do that."""
    set_size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if pipe is not None and set_size is not None:
        try:
            fcntl.fcntl(pipe, set_size, WIDE_PIPE_BYTES)
        except OSError:
            pass  # the user has many wide pipes already


def conversation(
    process: Popen[bytes],
    given: bytes,
    complaint: bytearray,
    patience: Patience,
    chunk: int = LIMITS.read_chunk,
) -> Iterator[bytes]:
    """Give a process what it shall read, and yield what it prints until it has nothing more to say.

    Input and both outputs are served side by side, so that none can block the process. What it says on
    standard error is added to `complaint`, as far as a person would read it.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ, complaint)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        rest = memoryview(given)
        while selector.get_map():
            for key, _ in selector.select(POLL_SECONDS):
                if key.fileobj is process.stdin:
                    rest = _give(process.stdin, rest, selector)
                elif not (piece := os.read(key.fd, chunk)):
                    selector.unregister(key.fileobj)
                elif key.data is None:
                    yield piece
                elif len(complaint) < _COMPLAINT_BYTES:
                    complaint += piece
            patience.check()


def _give(pipe: IO[bytes], rest: memoryview, selector: selectors.BaseSelector) -> memoryview:
    """Write what fits, close the pipe after the last of it, and return what is left."""
    try:
        rest = rest[os.write(pipe.fileno(), rest) :]
    except BrokenPipeError:
        rest = rest[:0]  # the process has read enough; its status says whether that is a failure
    except OSError as error:
        raise disk_failure(error, "git") from error  # and never a part of the input for the whole
    if not rest:
        selector.unregister(pipe)
        pipe.close()
    return rest


@contextmanager
def held(lock: threading.Lock, patience: Patience) -> Iterator[None]:
    """Hold a lock, and stop waiting for it when nobody wants the answer any more."""
    while not lock.acquire(timeout=POLL_SECONDS):
        patience.check()
    try:
        yield
    finally:
        lock.release()


def end_group(process: Popen[bytes]) -> None:
    """Kill a process and everything in its group unless it has ended by itself, and close its pipes."""
    # Once its status has been collected, its number may belong to somebody else.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.returncode = _collected(process.pid)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _collected(pid: int) -> int:
    """Return the status of a child. `Popen.wait` hangs where Ctrl-C came while `Popen.poll` had its lock."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return -signal.SIGKILL  # collected by what was interrupted; nobody asks any more


def interpreter(module: str, *arguments: str, source: IO[bytes] | None = None) -> Popen[bytes]:
    """Start a module of ours in a fresh interpreter and a group of its own; it reads a pipe, or `source`."""
    import subprocess
    import sys

    with disk_failures_named("A further process"):
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", module, *arguments],
            stdin=source or subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            env={},
            start_new_session=True,
            bufsize=0,
        )
    widen(process.stdout)
    return process


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_every_core() -> Executor:
    """Return what runs functions in processes of their own, as many as there are cores.

    They are not forked: a server has threads, and a fork would copy their locks in whatever state they are.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(cores(), mp_context=multiprocessing.get_context("spawn"))


def own_process() -> Executor:
    """Return what runs functions in one process, which ends with this one, whatever ends it."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, mp_context=context, initializer=_follow_parent)


def _follow_parent() -> None:
    """Let this process end with the one that started it, and at once where somebody interrupts both."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=watch, daemon=True).start()


def end_own_processes() -> None:
    """End the processes of every `own_process`, whatever they are at."""
    import multiprocessing

    for process in multiprocessing.active_children():
        process.terminate()

"""Starts child processes, communicates with them without blocking, and ends them.

A child is the leader of a new process group, so killing the group also ends all processes that it started.
"""

from __future__ import annotations

import fcntl
import os
import select
import selectors
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import disk_failure, translate_disk_errors
from holdfast.storage.processes.time_limit import POLL_SECONDS, TimeLimit

if TYPE_CHECKING:
    from subprocess import Popen

_MAX_STDERR_BYTES = 64 * 1024
"""How much of a child's standard error is stored. A judgement: far more than an error message has."""
WIDE_PIPE_BYTES = 1024 * 1024
"""The largest pipe that Linux gives an ordinary user (`/proc/sys/fs/pipe-max-size`, see pipe(7))."""
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
_MIN_PAUSE_SECONDS = 0.0005
"""The first pause of `wait_until_ended`. A judgement: most children end as soon as their output does."""


def wait_until_readable(descriptor: int, limit: TimeLimit) -> None:
    """Wait until there is something to read, or the end of the stream."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while not poll.poll(POLL_SECONDS * 1000):
        limit.check()


def wait_until_ended(process: Popen[bytes], limit: TimeLimit) -> int:
    """Wait for the end of a process that has closed its output, and return its exit status."""
    pause = _MIN_PAUSE_SECONDS
    while (status := process.poll()) is None:
        limit.check()
        time.sleep(pause)
        pause = min(pause * 2, POLL_SECONDS)
    return status


def widen_pipe(pipe: IO[bytes] | None) -> None:
    """Enlarge a pipe's buffer, where the system allows it, so that a process can write far ahead of us."""
    set_size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if pipe is not None and set_size is not None:
        with suppress(OSError):  # the user's quota for wide pipes may be used up
            fcntl.fcntl(pipe, set_size, WIDE_PIPE_BYTES)


def communicate(
    process: Popen[bytes], stdin: bytes, stderr: bytearray, limit: TimeLimit, chunk: int = LIMITS.read_chunk
) -> Iterator[bytes]:
    """Write `stdin` to a process, and yield its output until both its output streams end.

    All three streams are served at the same time, so that none of them can block the process. Standard error
    is appended to `stderr`, up to a limit.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stderr, selectors.EVENT_READ, stderr)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
        rest = memoryview(stdin)
        while selector.get_map():
            for key, _ in selector.select(POLL_SECONDS):
                if key.fileobj is process.stdin:
                    rest = _write_some(process.stdin, rest, selector)
                elif not (piece := os.read(key.fd, chunk)):
                    selector.unregister(key.fileobj)
                elif key.data is None:
                    yield piece
                elif len(stderr) < _MAX_STDERR_BYTES:
                    stderr += piece
            limit.check()


def _write_some(pipe: IO[bytes], rest: memoryview, selector: selectors.BaseSelector) -> memoryview:
    """Write as much as the pipe takes, close it after the last byte, and return what is left to write."""
    try:
        rest = rest[os.write(pipe.fileno(), rest) :]
    except BrokenPipeError:
        rest = rest[:0]  # the process reads no more; its exit status shows whether that is a failure
    except OSError as error:
        raise disk_failure(error, "git") from error  # not closed: the input would seem complete
    if not rest:
        selector.unregister(pipe)
        pipe.close()
    return rest


def end_group(process: Popen[bytes]) -> None:
    """Kill a process and its group unless the process has ended already, and close its pipes."""
    # After its status was collected, another process may get its number.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.returncode = _collect_status(process.pid)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _collect_status(pid: int) -> int:
    """Return a child's status. Not by `Popen.wait`, which hangs if Ctrl-C interrupted `Popen.poll`."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return -signal.SIGKILL  # the interrupted call has collected it; the value is not used any more


def start_interpreter(
    module: str,
    *arguments: str,
    source: IO[bytes] | None = None,
    environment: Mapping[str, str] = _NO_VARIABLES,
) -> Popen[bytes]:
    """Start one of our modules in a fresh interpreter and a process group of its own.

    Its standard input is a pipe, or `source`. It runs in isolated mode outside the repository, so that it
    imports nothing from the current directory or from directories that the environment names.
    """
    import subprocess
    import sys

    with translate_disk_errors("A further process"):
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", module, *arguments],
            stdin=source or subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            env=dict(environment),
            start_new_session=True,
            bufsize=0,
        )
    widen_pipe(process.stdout)
    return process


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

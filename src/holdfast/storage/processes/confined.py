"""Runs one of our functions on untrusted data, in a process that can only compute.

Contract:
- The child is a fresh interpreter without the caller's environment. It imports the function, and then
  irrevocably gives up the rights to open files, to start processes, and to write anywhere but to its pipe
  (setrlimit(2)).
- The child ends: with its result, after its processor time, when it needs too much memory, at the caller's
  deadline, or shortly after the caller's cancellation.
- The parent limits the size of the result too, whatever the function does.
"""

from __future__ import annotations

import importlib
import math
import os
import resource
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.kernel.errors import DeadlineExceeded, TooLarge, Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.processes.child import (
    end_group,
    start_interpreter,
    wait_until_ended,
    wait_until_readable,
)
from holdfast.storage.processes.time_limit import TimeLimit

if TYPE_CHECKING:
    from subprocess import Popen

_OUT_OF_MEMORY_STATUS = 3
"""The exit status of a child that ran out of memory."""


@dataclass(frozen=True)
class Bounds:
    """How much a confined function may use."""

    processor_seconds: float = LIMITS.render_seconds
    wait_seconds: float = LIMITS.render_wait_seconds
    memory_bytes: int = LIMITS.render_memory_bytes
    output_bytes: int = LIMITS.rendered_file_bytes


def run_confined(module: str, function: str, request: bytes, work: str, bounds: Bounds) -> bytes:
    """Return the result of `function(request)` in a confined process; `work` names it in messages."""
    time_limit = TimeLimit(bounds.wait_seconds, work)
    limits = (str(bounds.processor_seconds), str(bounds.memory_bytes))
    with translate_disk_errors(work), tempfile.TemporaryFile() as source:
        source.write(request)
        source.seek(0)
        process = start_interpreter(__name__, module, function, *limits, source=source)
    try:
        answer = _read(process, bounds.output_bytes, work, time_limit)
        status = wait_until_ended(process, time_limit)
    finally:
        end_group(process)
    _check_status(status, work, bounds)
    return answer


def _read(process: Popen[bytes], limit: int, work: str, time_limit: TimeLimit) -> bytes:
    assert process.stdout is not None
    answer = bytearray()
    while True:
        wait_until_readable(process.stdout.fileno(), time_limit)
        piece = os.read(process.stdout.fileno(), LIMITS.read_chunk)
        if not piece:
            return bytes(answer)
        answer += piece
        if len(answer) > limit:
            raise TooLarge(
                f"{work} produces more than {limit} bytes.", hint="Reduce the output.", limit=limit
            )


def _check_status(status: int, work: str, bounds: Bounds) -> None:
    if status == 0:
        return
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        raise DeadlineExceeded(
            f"{work} took more than {bounds.processor_seconds:g} seconds of processor time.",
            hint="Look for loops with too many iterations.",
        )
    if status == _OUT_OF_MEMORY_STATUS:
        raise TooLarge(
            f"{work} needs more than {bounds.memory_bytes} bytes of memory.",
            hint="Look for texts that grow too long.",
            limit=bounds.memory_bytes,
        )
    raise Unavailable(
        f"{work} ended without a result (status {status}).", hint="Try again; if it happens again, report it."
    )


def main(module: str, function: str, processor_seconds: str, memory_bytes: str) -> int:
    """Run as the confined process."""
    work = getattr(importlib.import_module(module), function)
    request = sys.stdin.buffer.read()
    _confine(float(processor_seconds), int(memory_bytes))
    try:
        answer = work(request)
    except MemoryError:
        return _OUT_OF_MEMORY_STATUS
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    return 0


def _confine(processor_seconds: float, memory_bytes: int) -> None:
    # The limit is in whole seconds since the start of the process, including its imports.
    seconds = math.ceil(time.process_time() + processor_seconds)
    for kind, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, seconds),
    ):
        resource.setrlimit(kind, (limit, limit))


if __name__ == "__main__":
    # Exit at once: the shutdown of the interpreter may need the rights that were given up.
    os._exit(main(*sys.argv[1:]))

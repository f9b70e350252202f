"""The process's own input and output, kept clean for the wire.

While serving, descriptor 1 points at standard error and descriptor 0 at the null device, so that a
stray print, a warning or a child process can neither write on the wire nor read from it. The wire
itself moves to private duplicates that children do not inherit.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def claimed_standard_streams() -> Iterator[tuple[int, int]]:
    """Give private descriptors for the wire's input and output, and put things back afterwards."""
    sys.stdout.flush()
    wire_in = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3)
    wire_out = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    nothing = os.open(os.devnull, os.O_RDONLY)
    printed, sys.stdout = sys.stdout, sys.stderr
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield wire_in, wire_out
    finally:
        os.set_blocking(wire_out, True)
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)
        sys.stdout = printed

"""Finds the processes that a process has started, and measures their memory.

Contract: only memory of their own counts, not files that are mapped, such as libraries. Where the system has
no `/proc`, as on macOS, a process has no known descendants and uses no known memory.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from holdfast.storage.processes.time_limit import POLL_SECONDS

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_REPEAT_SECONDS = 1.0
"""When an error is raised again that some code has caught. A judgement: unwinding takes far less."""


def process_tree(pid: int) -> list[int]:
    """Return the numbers of a process and of its descendants."""
    tree = [pid]
    for process in tree:  # grows meanwhile
        folder = f"/proc/{process}/task"
        with suppress(OSError):  # it has just ended
            for thread in os.listdir(folder):
                with open(f"{folder}/{thread}/children", "rb") as file:
                    tree += map(int, file.read().split())
    return tree


def process_tree_bytes(pid: int) -> int:
    """Return the memory of a process and its descendants."""
    total = 0
    for process in process_tree(pid):
        with suppress(OSError), open(f"/proc/{process}/statm", "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
            total += (resident - shared) * _PAGE_BYTES
    return total


@contextmanager
def memory_limited(max_bytes: int, error: Callable[[], Exception]) -> Iterator[None]:
    """Raise `error()` in the main thread when this process and its descendants use more memory in the block.

    What they use when it begins does not count. In another thread, the block is not limited: only the main
    thread can be interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def fail(*_: object) -> None:
        raise error()

    ended, main_thread = threading.Event(), threading.get_ident()
    before = process_tree_bytes(os.getpid())

    def watch() -> None:
        while not ended.wait(POLL_SECONDS):
            if process_tree_bytes(os.getpid()) - before > max_bytes:
                signal.pthread_kill(main_thread, signal.SIGUSR1)  # also interrupts what it waits for
                ended.wait(_REPEAT_SECONDS)

    previous = signal.signal(signal.SIGUSR1, fail)
    watcher = threading.Thread(target=watch, name="memory", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
        signal.signal(signal.SIGUSR1, previous)

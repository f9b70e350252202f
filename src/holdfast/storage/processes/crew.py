"""A function of ours over many items, by several fresh interpreters at once.

Contract:
- An answer comes for every item, in any order: what the function returned, or None where its process ended or
  was silent for too long while it was at that item. The items after it go to another process.
- Items and answers are bytes, and nothing in them is run. A process is given little ahead of what it has
  answered, so that no pipe is ever full on both sides.
- The processes end with the iteration: when it is over, left early, or failed. Those of a program that was
  killed end by themselves, because their pipes do.
"""

from __future__ import annotations

import importlib
import os
import selectors
import struct
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from holdfast.kernel.call import current_call
from holdfast.kernel.clock import monotonic
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.processes.child import POLL_SECONDS, end_group, interpreter

if TYPE_CHECKING:
    from subprocess import Popen

_LENGTH = struct.Struct("!I")
_AHEAD = 2
"""How many batches a process has at most: the one it is at, and the next."""

Work = Callable[[bytes], bytes]
Start = Callable[..., "Popen[bytes]"]
Answer = tuple[bytes, bytes | None]


class _Worker:
    """One process, and the items that it has not answered yet."""

    def __init__(self, process: Popen[bytes]) -> None:
        self.process = process
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self.output = self.process.stdin, self.process.stdout
        self.is_ready = self.is_over = False
        self.items: deque[bytes] = deque()
        self._batches: deque[int] = deque()
        self._heard = monotonic()
        self._received = bytearray()

    @property
    def wants_more(self) -> bool:
        """Whether another batch may be given."""
        return self.is_ready and len(self._batches) < _AHEAD

    def is_silent(self, patience: float) -> bool:
        """Tell whether an answer, or the first sign of the process, is long overdue."""
        most = patience if self.is_ready else LIMITS.file_seconds
        return bool(self.items or not self.is_ready) and monotonic() - self._heard > most

    def give(self, batch: Sequence[bytes]) -> None:
        """Give the process more to do."""
        if not self.items:
            self._heard = monotonic()
        self.items.extend(batch)
        self._batches.append(len(batch))
        self.send(b"".join(map(_framed, batch)))

    def send(self, data: bytes) -> None:
        """Write to the process; that it has ended shows where its answers are read."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._input.write(rest) :]
        except BrokenPipeError:
            pass

    def receive(self) -> Iterator[bytes]:
        """Yield the answers that are complete."""
        piece = os.read(self.output.fileno(), LIMITS.read_chunk)
        self.is_over = not piece
        self._heard = monotonic()
        self._received += piece
        at = 0
        while len(self._received) - at >= _LENGTH.size:
            begin = at + _LENGTH.size
            end = begin + _LENGTH.unpack_from(self._received, at)[0]
            if end > len(self._received):
                break
            yield bytes(self._received[begin:end])
            at = end
        del self._received[:at]

    def answered(self) -> bytes:
        """Return the item that the next answer is about."""
        self._batches[0] -= 1
        if not self._batches[0]:
            self._batches.popleft()
        return self.items.popleft()


class Crew:
    """Several processes, each with the function that `function(setup)` of a module returns."""

    def __init__(self, work: tuple[str, str], setup: bytes, size: int, start: Start = interpreter) -> None:
        """`work` is the module and the function; `start` is what begins a process of ours."""
        self._begin = partial(start, __name__, *work)
        self._setup = _framed(setup)
        self._size = size
        self._waiting: deque[Sequence[bytes]] = deque()
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def answers(
        self, batches: Sequence[Sequence[bytes]], patience: float = LIMITS.file_seconds
    ) -> Iterator[Answer]:
        """Yield each item with its answer; the items of a batch have less than 16 KiB together."""
        self._waiting.extend(batches)
        call = current_call()
        with selectors.DefaultSelector() as selector:
            try:
                while self._hire(selector):
                    for key, _ in selector.select(POLL_SECONDS):
                        yield from self._listen(key.data)
                    call.check()
                    for worker in tuple(self._workers):
                        is_done = worker.is_ready and not worker.items and not self._waiting
                        if is_done or worker.is_over or worker.is_silent(patience):
                            yield from self._dismiss(worker, selector)
            finally:
                for worker in self._workers:
                    end_group(worker.process)

    def _hire(self, selector: selectors.BaseSelector) -> bool:
        """Start processes while there is work for them, and tell whether there are any."""
        while len(self._workers) < min(self._size, len(self._waiting)):
            worker = _Worker(self._begin())
            self._workers.append(worker)
            selector.register(worker.output, selectors.EVENT_READ, worker)
        return bool(self._workers)

    def _listen(self, worker: _Worker) -> Iterator[Answer]:
        for answer in worker.receive():
            if worker.is_ready:
                yield worker.answered(), answer
            else:
                worker.is_ready = True
                worker.send(self._setup)  # of any length: the process does nothing but read it
        while worker.wants_more and self._waiting:
            worker.give(self._waiting.popleft())

    def _dismiss(self, worker: _Worker, selector: selectors.BaseSelector) -> Iterator[Answer]:
        self._workers.remove(worker)
        selector.unregister(worker.output)
        end_group(worker.process)
        self._failed_starts += not worker.is_ready
        if self._failed_starts > self._size:
            raise Unavailable(
                "A further process could not be started.", hint="Free some memory, or ask for one worker."
            )
        if worker.items:
            yield worker.answered(), None
        if worker.items:
            self._waiting.appendleft(tuple(worker.items))


def _framed(data: bytes) -> bytes:
    return _LENGTH.pack(len(data)) + data


def _read(source: BinaryIO) -> bytes | None:
    head = source.read(_LENGTH.size)
    return source.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else None


def main(module: str, function: str) -> None:
    """Be one of the processes."""
    begin: Callable[[bytes], Work] = getattr(importlib.import_module(module), function)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever else is printed is no answer
    source = os.fdopen(0, "rb")
    answers.write(_framed(b""))
    setup = _read(source)
    if setup is None:
        return
    work = begin(setup)
    while (item := _read(source)) is not None:
        rest = memoryview(_framed(work(item)))
        while rest:
            rest = rest[answers.write(rest) :]


if __name__ == "__main__":
    main(*sys.argv[1:])

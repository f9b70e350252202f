"""Runs the operations of a server's analysis room in worker processes.

Contract:
- The server itself parses and computes nothing, so it answers other requests whatever the source is like.
- A call ends at its deadline or cancellation, and the work that nobody waits for any more soon after.
- An analysis that uses more memory than `max_bytes` is ended, with an error that names the largest files.
- Calls with equal arguments share one computation, unless a file or HEAD has changed since it began.
- A worker runs one operation at a time and keeps the caches of its room for the next one.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.analysis.engine.source_text import may_be_source
from holdfast.kernel.call import Call, Listener, current_call, running
from holdfast.kernel.clock import monotonic
from holdfast.kernel.dispatch.failures import run_guarded
from holdfast.kernel.errors import HoldfastError, Invalid, TooLarge, Unavailable
from holdfast.kernel.limits import KIB, LIMITS, MIB
from holdfast.kernel.models import Input
from holdfast.kernel.telemetry.log_fields import FIELDS_ATTRIBUTE, exception_fields
from holdfast.kernel.text import parse_natural, printable_path
from holdfast.storage.git.command import Git
from holdfast.storage.git.project_files import FileStat, file_stats, list_files
from holdfast.storage.git.ref_files import HeadFile
from holdfast.storage.git.repository import Repository
from holdfast.storage.processes.child import cores, start_interpreter
from holdfast.storage.processes.memory import process_tree_bytes
from holdfast.storage.processes.time_limit import POLL_SECONDS
from holdfast.storage.processes.worker import Start, Worker, WorkerLost, on_interruption, report

if TYPE_CHECKING:
    from subprocess import Popen

MEMORY_VARIABLE = "HOLDFAST_ANALYSIS_MEMORY"
"""The environment variable with the memory that an analysis may use, in MiB."""
_GRACE_SECONDS = 1.0
"""How long an interrupted worker may take to store what it has read. A judgement: people wait two seconds."""
CLOCK_TICK_NANOSECONDS = 10_000_000
"""The timestamps of files lag behind the clock by up to a tick: 10 ms with the usual 100 ticks a second."""
_FILES_NAMED = 5
"""The largest files that an error names: a judgement."""
_SHARE_KEPT = 0.5
"""The share of the memory limit up to which an idle worker is kept. A judgement: its caches must leave room
for the next analysis."""

Operation = Callable[[Any, Any], Any]
"""An operation `(room, arguments) -> result`; it must be importable."""


class _Abandoned(Exception):
    """Nobody waits for the computation any more."""


class _OutOfMemory(Exception):
    """The worker has used more memory than it may."""


@dataclass(eq=False)
class _Computation:
    """An operation that is being computed, for all callers that wait for it."""

    key: Hashable
    operation: Operation
    arguments: Any
    head: str | None
    started: int = field(default_factory=time.time_ns)
    callers: int = 1
    progress: tuple[float, float | None, str | None] | None = None
    """The latest progress that was reported."""
    result: Future[Any] = field(default_factory=Future)


def _start_with_environment(module: str) -> Popen[bytes]:
    return start_interpreter(module, environment=os.environ)


class AnalysisProcesses:
    """The worker processes of one repository, started on demand."""

    def __init__(
        self, repository: Repository, workers: int | None = None, *, start: Start = _start_with_environment
    ) -> None:
        """`workers` is the maximum number of processes in which each analysis reads files.

        `start` starts a worker process; by default with our environment, for git's own configuration.
        """
        self._repository = repository
        self._workers = workers
        self._start_worker = start
        self.max_bytes = memory_limit()
        self._computations: dict[Hashable, _Computation] = {}
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._is_closed = False
        # One thread per worker process; a judgement: one analysis uses all cores, a second one can start.
        self._threads = ThreadPoolExecutor(max(2, cores()), thread_name_prefix="analysis")
        self._head = HeadFile(repository.git_dir or "", repository.common_dir or "")

    def run(self, operation: Operation, arguments: Any) -> Any:
        """Return the result of an operation, or raise its error."""
        computation = self._join(operation, arguments)
        call = current_call()
        reported = None
        try:
            while not wait((computation.result,), POLL_SECONDS).done:
                call.check()
                if computation.progress is not None and computation.progress != reported:
                    reported = computation.progress
                    call.progress(*reported)
            return computation.result.result()
        finally:
            self._leave(computation)

    def close(self) -> None:
        """End all workers."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        while self._idle:
            self._idle.pop().end()

    def _join(self, operation: Operation, arguments: Any) -> _Computation:
        """Return the running computation with equal arguments, or start one; count the caller."""
        text = arguments.model_dump_json() if isinstance(arguments, Input) else repr(arguments)
        key = (operation.__module__, operation.__qualname__, text)
        with self._lock:
            computation = self._computations.get(key)
            if computation is None:
                return self._start(key, operation, arguments)
            computation.callers += 1
        if self._is_current(computation):
            return computation
        self._leave(computation)
        with self._lock:
            return self._start(key, operation, arguments)

    def _start(self, key: Hashable, operation: Operation, arguments: Any) -> _Computation:
        computation = _Computation(key, operation, arguments, self._head.commit())
        self._computations[key] = computation
        self._threads.submit(self._compute, computation)
        return computation

    def _leave(self, computation: _Computation) -> None:
        with self._lock:
            computation.callers -= 1
            if not computation.callers:
                self._forget(computation)

    def _forget(self, computation: _Computation) -> None:
        """Let nobody join a computation any more, which has ended or is abandoned."""
        if self._computations.get(computation.key) is computation:
            del self._computations[computation.key]

    def _is_current(self, computation: _Computation) -> bool:
        """Return whether nothing has changed since a computation began, so that its result is still true."""
        if computation.head != self._head.commit():
            return False
        git = None if self._repository.git_dir is None else Git(self._repository)
        try:
            paths = list_files(self._repository, git, "").paths
        except HoldfastError:
            return False
        root = self._repository.root
        changes = [stat.changed for stat in file_stats(root, paths).values() if isinstance(stat, FileStat)]
        for folder in {os.path.dirname(path) for path in paths}:  # they change as files are removed
            try:
                changes.append(os.stat(f"{root}/{folder}").st_mtime_ns)
            except OSError:
                return False
        return max(changes, default=0) < computation.started - CLOCK_TICK_NANOSECONDS

    def _compute(self, computation: _Computation) -> None:
        try:
            result = self._result(computation)
        except BaseException as failure:
            computation.result.set_exception(failure)
        else:
            computation.result.set_result(result)
        finally:
            with self._lock:
                self._forget(computation)

    def _result(self, computation: _Computation) -> Any:
        arguments = (self._repository, self._workers, computation.operation, computation.arguments)
        while True:
            worker, is_new = self._take_worker()
            try:
                return worker.call(
                    (_run_in_worker, arguments, {}),
                    partial(self._check, computation, worker),
                    partial(_receive, computation),
                )
            except _Abandoned:
                if not worker.interrupt(_GRACE_SECONDS):
                    worker.end()
                raise
            except _OutOfMemory:
                worker.end()
                if is_new:
                    stage = computation.progress and computation.progress[2]
                    raise memory_error(
                        self._repository, computation.arguments, self.max_bytes, stage
                    ) from None
                # Otherwise it may have been the caches of earlier analyses.
            except WorkerLost:
                worker.end()
                raise Unavailable(
                    "The process of the analysis ended before it answered.",
                    hint="Try again; if it happens again, narrow `project_path` to find the file at fault.",
                ) from None
            finally:
                self._keep(worker)

    def _check(self, computation: _Computation, worker: Worker) -> None:
        if not computation.callers or self._is_closed:
            raise _Abandoned
        if process_tree_bytes(worker.pid) > self.max_bytes:
            raise _OutOfMemory

    def _take_worker(self) -> tuple[Worker, bool]:
        """Return a worker, and whether it is new."""
        with self._lock:
            if self._idle:
                return self._idle.pop(), False
        return Worker(self._start_worker), True

    def callers(self) -> list[int]:
        """Return how many callers wait for each computation."""
        with self._lock:
            return [computation.callers for computation in self._computations.values()]

    def idle_processes(self) -> list[int]:
        """Return the numbers of the workers that wait for the next analysis."""
        with self._lock:
            return [worker.pid for worker in self._idle]

    def _keep(self, worker: Worker) -> None:
        """Keep an idle worker for the next analysis, unless it has ended or is too large."""
        if worker.has_ended:
            return
        if self._is_closed or process_tree_bytes(worker.pid) > self.max_bytes * _SHARE_KEPT:
            worker.end()
            return
        with self._lock:
            self._idle.append(worker)


def memory_limit() -> int:
    """Return how many bytes an analysis may use."""
    configured = os.environ.get(MEMORY_VARIABLE)
    if not configured:
        return LIMITS.analysis_memory_bytes
    mebibytes = parse_natural(configured)
    if not mebibytes:
        raise Invalid(f"{MEMORY_VARIABLE} is not a number of MiB.", hint="Set it to 1536, for example.")
    return mebibytes * MIB


def memory_error(
    repository: Repository, arguments: Any, max_bytes: int, stage: str | None = None
) -> TooLarge:
    """Return the error of an analysis that needs too much memory: its stage, and the largest files."""
    project = getattr(arguments, "project_path", "")
    files, total = _largest_sources(repository, "" if project == "." else project)
    named = ", ".join(f"'{path}' ({size / KIB:,.0f} KiB)" for path, size in files)
    return TooLarge(
        f"The analysis needs more than {max_bytes // MIB} MiB of memory"
        + (f" (it had reached: {stage})" if stage else "")
        + f". It covers {total:,} source files; the largest are {named or 'unknown'}.",
        hint="Narrow `project_path`, mark generated files as `linguist-generated` in `.gitattributes`, "
        f"or raise the limit with {MEMORY_VARIABLE}, in MiB.",
        limit=max_bytes,
        files=[path for path, _ in files],
    )


def _largest_sources(repository: Repository, project: str) -> tuple[list[tuple[str, int]], int]:
    """Return the largest source files of a project with their sizes, and how many there are."""
    git = None if repository.git_dir is None else Git(repository)
    try:
        paths = list_files(repository, git, project).paths
    except HoldfastError:
        return [], 0
    stats = file_stats(repository.root, filter(may_be_source, paths))
    sizes = {path: stat.size for path, stat in stats.items() if isinstance(stat, FileStat)}
    largest = sorted(sizes, key=lambda path: -sizes[path])[:_FILES_NAMED]
    return [(printable_path(path), sizes[path]) for path in largest], len(sizes)


def _receive(computation: _Computation, reported: Any) -> None:
    """Take what a worker reports: its progress, or the attributes of a log record."""
    if isinstance(reported, tuple):
        computation.progress = reported
        return
    record = logging.makeLogRecord(reported)
    logger = logging.getLogger(record.name)
    if logger.isEnabledFor(record.levelno):
        logger.handle(record)


_rooms: dict[Repository, Any] = {}
"""The rooms of this worker process."""


def _run_in_worker(repository: Repository, workers: int | None, operation: Operation, arguments: Any) -> Any:
    from holdfast.analysis.room import Analysis  # which imports this module

    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(_LogReporter())
    if repository not in _rooms:
        _rooms[repository] = Analysis(repository, workers=workers)
    call = Call(listener=_ProgressReporter())
    on_interruption(call.cancel)
    with running(call):
        return run_guarded(operation, _rooms[repository], arguments)


class _ProgressReporter(Listener):
    """Reports the progress of an operation to the server, at most as often as that looks at it."""

    def __init__(self) -> None:
        self._next = 0.0

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        if monotonic() >= self._next:
            self._next = monotonic() + POLL_SECONDS
            report((done, total, message))


class _LogReporter(logging.Handler):
    """Passes log records on to the server, whose log has them."""

    def emit(self, record: logging.LogRecord) -> None:
        names = ("name", "levelno", "levelname", "filename", "lineno", "reference")
        attributes = {name: getattr(record, name) for name in names if hasattr(record, name)}
        failure = record.exc_info and record.exc_info[1]
        fields = exception_fields(failure) if failure else {}
        report({**attributes, "msg": record.getMessage(), FIELDS_ATTRIBUTE: fields})

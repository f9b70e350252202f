"""Functions run by a pool of worker processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import Cancelled, Unavailable
from holdfast.storage.processes.pool import ProcessPool, run_unordered
from holdfast.storage.processes.worker import WorkerLost
from tests.storage.processes.workers import die, prepare, start, work


def pool_of(size: int, **options: Any) -> ProcessPool:
    return ProcessPool(size, start=start, **options)


def has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def is_lost(future: Future[Any]) -> bool:
    return isinstance(future.exception(), WorkerLost)


def test_every_item_is_answered_once_whatever_its_size() -> None:
    items = [b"%d" % number for number in range(60)]
    with pool_of(2, initializer=prepare, initargs=(b"x" * 300_000,)) as pool:
        answers = {item: future.result() for item, future in run_unordered(pool, work, deque(items), 4)}

    assert sorted(answers) == sorted(items)
    assert all(answer == b"x" * 300_000 + item for item, (answer, _) in answers.items())
    assert len({process for _, process in answers.values()}) <= 2


def test_a_worker_that_dies_costs_the_task_it_was_at() -> None:
    items = deque([b"a", b"die", b"b", b"c", b"die", b"d"])
    with pool_of(2) as pool:
        answers = [(item, is_lost(future)) for item, future in run_unordered(pool, work, items, 2)]

    assert sorted(answers) == [
        (b"a", False), (b"b", False), (b"c", False), (b"d", False), (b"die", True), (b"die", True),
    ]  # fmt: skip


def test_a_worker_that_hangs_costs_the_task_it_was_at() -> None:
    # The initializer imports the module of `work`, which on a busy machine takes longer than a task may.
    with pool_of(1, initializer=prepare, initargs=(b"",), task_seconds=5.0) as pool:
        answers = {item: pool.submit(work, item) for item in (b"a", b"hang", b"b")}
        assert {item: is_lost(future) for item, future in answers.items()} == {
            b"a": False, b"hang": True, b"b": False,
        }  # fmt: skip


def test_an_exception_reaches_the_caller_and_the_worker_goes_on() -> None:
    with pool_of(1) as pool:
        _, before = pool.submit(work, b"a").result()
        with pytest.raises(ValueError, match="failed"):
            pool.submit(work, b"fail").result()
        assert pool.submit(work, b"b").result() == (b"b", before)


def test_workers_that_cannot_start_are_a_failure_that_says_so() -> None:
    with pool_of(1, initializer=die) as pool, pytest.raises(Unavailable, match="could not be started"):
        pool.submit(work, b"a").result()


def test_shutting_down_ends_workers_whatever_they_do() -> None:
    with pool_of(2) as pool:
        processes = {pool.submit(work, b"%d" % number).result()[1] for number in range(4)}
        for _ in range(4):
            pool.submit(work, b"hang")

    assert processes
    assert all(map(has_ended, processes))


def test_cancelling_ends_a_run_that_would_never_end() -> None:
    call = Call()

    def run() -> None:
        with running(call), pool_of(2) as pool:
            for _ in run_unordered(pool, work, deque([b"a", b"b", b"hang", b"hang"]), 2):
                call.cancel()

    with pytest.raises(Cancelled):
        run()


def test_workers_of_a_killed_program_end_by_themselves() -> None:
    program = (
        "import os, time\nfrom holdfast.storage.processes.pool import ProcessPool\n"
        "pool = ProcessPool(1)\n"
        "print(pool.submit(os.getpid).result(), flush=True)\n"
        "pool.submit(time.sleep, 1000).result()\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        parent.kill()
    for _ in range(600):
        if has_ended(process) or _is_zombie(process):
            return
        time.sleep(0.05)
    pytest.fail("the worker goes on")


def test_nothing_is_imported_from_the_current_directory_or_the_environment(tmp_path: Path) -> None:
    """A repository may hold modules named like those of the standard library."""
    for name in ("multiprocessing", "threading", "holdfast"):
        (tmp_path / name).with_suffix(".py").write_text("open('imported', 'w').close()\n", encoding="utf-8")
    program = (
        "import os, sys\nsys.path.remove('')\nfrom holdfast.storage.processes.pool import ProcessPool\n"
        "with ProcessPool(1) as pool:\n    print(pool.submit(os.getcwd).result())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-E", "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "/\n"), done.stderr
    assert not (tmp_path / "imported").exists()


def _is_zombie(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True

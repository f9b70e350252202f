"""Tasks in processes of their own: those that die cost no other, and none outlives who started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from holdfast.analysis.fleet.fleet_run import run_tasks
from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.storage.processes import pool as module
from holdfast.storage.processes.pool import ProcessPool, create_executor
from tests.analysis.fleet.workers import dies, dies_once, own_number, task
from tests.storage.processes.workers import start

NAMES = ["bad", "one", "three", "two"]


@pytest.fixture
def processes() -> Iterator[ProcessPool]:
    with ProcessPool(2, start=start) as made:
        yield made


def results(processes: ProcessPool, work, folder: Path, retries: int) -> dict[str, str | None]:
    tasks = [task(name, folder) for name in NAMES]
    return {one.name: answer for one, answer in run_tasks(tasks, work, processes, retries)}


def test_a_task_whose_process_was_killed_midway_is_tried_again(
    processes: ProcessPool, tmp_path: Path
) -> None:
    assert results(processes, dies_once, tmp_path, 1) == {name: name for name in NAMES}
    assert (tmp_path / "died").exists()


def test_without_another_try_it_is_the_only_one_without_an_answer(
    processes: ProcessPool, tmp_path: Path
) -> None:
    assert results(processes, dies_once, tmp_path, 0) == {name: name for name in NAMES} | {"bad": None}


def test_one_that_always_kills_its_process_is_given_up_and_costs_no_other(
    processes: ProcessPool, tmp_path: Path
) -> None:
    assert results(processes, dies, tmp_path, 2) == {name: name for name in NAMES} | {"bad": None}


def test_a_process_that_died_with_nothing_to_do_is_replaced(tmp_path: Path) -> None:
    with ProcessPool(1, start=start) as processes:
        [(_, first)] = run_tasks([task("a", tmp_path)], own_number, processes, 1)
        os.kill(int(str(first)), signal.SIGKILL)
        [(_, second)] = run_tasks([task("a", tmp_path)], own_number, processes, 1)
    assert second is not None
    assert second != first


class Gone(ProcessPool):
    """A cluster whose scheduler is gone: it withdraws what it was given."""

    def submit(self, function: object, /, *args: object, **named: object) -> Future:
        future: Future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_an_executor_that_is_gone_ends_the_run(tmp_path: Path) -> None:
    with Gone(1) as gone, pytest.raises(Unavailable, match="is gone"):
        list(run_tasks([task("a", tmp_path)], own_number, gone, 5))


def test_no_process_outlives_the_one_that_started_it() -> None:
    code = (
        "import os, signal\n"
        "from holdfast.storage.processes.pool import ProcessPool\n"
        "pool = ProcessPool(1)\n"
        "print(pool.submit(os.getpid).result(), flush=True)\n"
        "pool.submit(signal.pause)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    status = Path("/proc", killed.stdout.strip(), "status")
    until = time.monotonic() + 60
    while status.exists() and "State:\tZ" not in status.read_text() and time.monotonic() < until:
        time.sleep(0.02)
    assert not status.exists() or "State:\tZ" in status.read_text()


@pytest.mark.parametrize("where", ["threads", "dask://", "dask://host", "dask://host:1/x", "tcp://host:1"])
def test_what_is_no_executor_is_refused(where: str) -> None:
    with pytest.raises(InvalidArguments, match="is not an executor") as refused:
        create_executor(where, 1)
    assert "dask://HOST:PORT" in str(refused.value.hint)


def test_a_cluster_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Unavailable, match="not installed") as refused:
        create_executor("dask://127.0.0.1:1", 1)
    assert "holdfast[cluster]" in str(refused.value.hint)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.2)
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        create_executor("dask://127.0.0.1:1", 1)

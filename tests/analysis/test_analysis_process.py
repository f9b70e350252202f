"""The operations of a server's analyses: in processes of their own, bounded, cancelled, and shared."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from holdfast.analysis.analysis_process import CLOCK_TICK_NANOSECONDS, MEMORY_VARIABLE, AnalysisProcesses
from holdfast.analysis.room import Analysis
from holdfast.analysis.tools.analyze_complexity import AnalyzeComplexity, analyze_complexity
from holdfast.kernel.call import Call, Listener, running
from holdfast.kernel.errors import Cancelled, Internal, Invalid, NotFound, TooLarge, Unavailable
from holdfast.kernel.telemetry.log_fields import FIELDS_ATTRIBUTE
from holdfast.storage.git.repository import Repository
from tests.analysis.engine.test_scanner import CODE, write
from tests.analysis.process_operations import Files, answer, die, fail, grow, hang, wait_for_release
from tests.storage.git_support import commit, git
from tests.storage.processes.workers import start
from tests.waiting import wait_until


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path / "started", tmp_path / "released")


@pytest.fixture
def processes(repository: Path) -> Iterator[AnalysisProcesses]:
    commit(repository, {"a.py": CODE, "b.py": CODE * 3, "README.md": "x\n"})
    # A computation is shared only if it began at least a tick of the files' clock after the last change.
    changed = time.time_ns()
    wait_until(lambda: time.time_ns() - changed > 2 * CLOCK_TICK_NANOSECONDS)
    made = AnalysisProcesses(Repository.at(repository), start=start)
    yield made
    made.close()


@pytest.fixture
def threads(processes: AnalysisProcesses) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool
        processes.close()  # whatever still waits in a thread ends


def called(processes: AnalysisProcesses, call: Call, operation: Callable[..., Any], arguments: Any) -> Any:
    with running(call):
        return processes.run(operation, arguments)


def has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def started(files: Files) -> list[int]:
    """Return the processes that have started to wait."""
    return [int(line) for line in files.started.read_text().split()] if files.started.exists() else []


def test_an_analysis_answers_as_it_does_in_this_process(
    processes: AnalysisProcesses, repository: Path
) -> None:
    arguments = AnalyzeComplexity(project_path=".", toolchain="auto")
    here = Analysis(Repository.at(repository))

    there = Analysis(Repository.at(repository), processes=processes).run(analyze_complexity, arguments)

    assert there == analyze_complexity(here, arguments)
    with pytest.raises(NotFound, match="no folder or file 'none'") as refusal:
        processes.run(analyze_complexity, AnalyzeComplexity(project_path="none", toolchain="auto"))
    assert refusal.value.hint


def test_a_worker_is_used_again(processes: AnalysisProcesses) -> None:
    one, other = processes.run(answer, "one"), processes.run(answer, "other")

    assert one[0] == other[0] != os.getpid()
    assert (one[2], other[2]) == ("one", "other")


class Progress(Listener):
    def __init__(self) -> None:
        self.messages: list[str | None] = []

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.messages.append(message)


def test_progress_reaches_the_caller(
    processes: AnalysisProcesses, files: Files, threads: ThreadPoolExecutor
) -> None:
    listener = Progress()
    waiting = threads.submit(called, processes, Call(listener=listener), wait_for_release, files)
    wait_until(lambda: listener.messages)
    files.released.touch()

    assert waiting.result() is not None
    assert set(listener.messages) == {"waiting"}


def test_a_defect_is_logged_here_and_the_worker_goes_on(
    processes: AnalysisProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    before = processes.run(answer, "")
    with caplog.at_level(logging.ERROR), pytest.raises(Internal, match="ZeroDivisionError") as failure:
        processes.run(fail, "")

    (record,) = caplog.records
    assert record.__dict__["reference"] == failure.value.data["reference"]
    assert record.__dict__[FIELDS_ATTRIBUTE]["error"] == "ZeroDivisionError"
    assert any("process_operations.py" in frame for frame in record.__dict__[FIELDS_ATTRIBUTE]["frames"])
    assert processes.run(answer, "")[0] == before[0]


def test_a_worker_that_dies_costs_the_call_it_was_at(processes: AnalysisProcesses) -> None:
    before = processes.run(answer, "")
    with pytest.raises(Unavailable, match="ended before it answered"):
        processes.run(die, "")
    assert processes.run(answer, "")[0] != before[0]


@pytest.mark.parametrize("operation", [wait_for_release, hang])
def test_a_cancelled_call_ends_its_work(
    processes: AnalysisProcesses, files: Files, threads: ThreadPoolExecutor, operation: Callable[..., Any]
) -> None:
    call = Call()
    waiting = threads.submit(called, processes, call, operation, files)
    wait_until(lambda: started(files))
    (process,) = started(files)
    call.cancel()

    with pytest.raises(Cancelled):
        waiting.result()
    if operation is hang:
        wait_until(lambda: has_ended(process))
    else:  # it stops by itself, and keeps its caches for the next call
        wait_until(lambda: processes.idle_processes() == [process])


@pytest.mark.parametrize("has_caches", [False, True])
def test_an_analysis_that_needs_too_much_memory_is_ended_and_names_the_largest_files(
    repository: Path, monkeypatch: pytest.MonkeyPatch, has_caches: bool
) -> None:
    commit(repository, {"a.py": CODE, "src/b.py": CODE * 3, "README.md": "x\n"})
    monkeypatch.setenv(MEMORY_VARIABLE, "400")
    processes = AnalysisProcesses(Repository.at(repository), start=start)
    if has_caches:
        processes.run(answer, "")
    with pytest.raises(TooLarge, match="more than 400 MiB") as refusal:
        processes.run(grow, "")

    assert "growing" in refusal.value.message
    assert refusal.value.data["files"] == ["src/b.py", "a.py"]
    assert MEMORY_VARIABLE in str(refusal.value.hint)
    assert processes.run(answer, "still")[2] == "still"
    processes.close()


def test_a_memory_limit_that_is_none_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "much")
    with pytest.raises(Invalid, match=MEMORY_VARIABLE):
        AnalysisProcesses(Repository.at(repository))


def test_equal_calls_share_one_computation(
    processes: AnalysisProcesses, files: Files, threads: ThreadPoolExecutor
) -> None:
    leaving = Call()
    calls = [leaving, *(Call() for _ in range(7))]
    waiting = [threads.submit(called, processes, call, wait_for_release, files) for call in calls]
    wait_until(lambda: started(files) and processes.callers() == [8])
    leaving.cancel()  # the others are unaffected, whoever began
    with pytest.raises(Cancelled):
        waiting[0].result()
    files.released.touch()

    assert len({future.result() for future in waiting[1:]}) == 1
    assert len(started(files)) == 1


@pytest.mark.parametrize("change", ["write", "remove", "commit"])
def test_a_computation_that_began_before_a_change_is_not_shared(
    processes: AnalysisProcesses, repository: Path, files: Files, threads: ThreadPoolExecutor, change: str
) -> None:
    first = threads.submit(called, processes, Call(), wait_for_release, files)
    wait_until(lambda: len(started(files)) == 1)
    if change == "write":
        write(repository, {"a.py": CODE * 2})
    elif change == "remove":
        (repository / "b.py").unlink()
    else:
        git(repository, "commit", "--quiet", "--allow-empty", "-m", "Another")
    second = threads.submit(called, processes, Call(), wait_for_release, files)
    wait_until(lambda: len(started(files)) == 2)
    files.released.touch()

    assert first.result() != second.result()


@pytest.mark.skipif(
    not Path("/proc/self/maps").exists(), reason="this system does not show a process's libraries"
)
def test_a_server_does_not_parse_so_that_no_source_can_block_it(repository: Path) -> None:
    commit(repository, {"a.py": CODE})
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    arguments = {"project_path": ".", "toolchain": "auto"}
    messages = (
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "analyze_complexity", "arguments": arguments}},
    )
    command = [sys.executable, "-m", "holdfast", "serve"]
    with subprocess.Popen(
        command, cwd=repository, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        answers = (json.loads(line) for line in server.stdout)
        answer = next(answer for answer in answers if answer.get("id") == 2)
        libraries = Path(f"/proc/{server.pid}/maps").read_text()
        server.stdin.close()

    assert answer["result"]["structuredContent"]["files_analyzed"] == 1
    assert "python" in libraries
    assert "tree_sitter" not in libraries

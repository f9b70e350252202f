"""A function over many items by several processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import Cancelled, Unavailable
from holdfast.storage.processes.crew import Crew
from tests.conftest import ROOT


def begin(setup: bytes) -> Callable[[bytes], bytes]:
    """Run in the processes: answer with the setup, the item and the process; some end it."""

    def work(item: bytes) -> bytes:
        print("noise")
        if item == b"die":
            os.kill(os.getpid(), signal.SIGKILL)
        while item == b"hang":
            time.sleep(0.01)
        return setup + item + b" " + str(os.getpid()).encode()

    return work


def crew_of(size: int, setup: bytes = b"", function: str = "begin") -> Crew:
    return Crew((__name__, function), setup, size, start)


def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start what the crew starts, but able to find this module."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {module} import main; main(*sys.argv[1:])"
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-I", "-c", code, *arguments],
        stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0,
    )  # fmt: skip


def has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_every_item_is_answered_once_whatever_its_size() -> None:
    items = [b"%d" % number for number in range(60)]
    batches = [items[at : at + 5] for at in range(0, len(items), 5)]

    answers = dict(crew_of(2, b"x" * 300_000).answers(batches))

    assert sorted(answers) == sorted(items)
    for item, answer in answers.items():
        assert answer is not None
        assert answer.rpartition(b" ")[0] == b"x" * 300_000 + item
    assert len({answer.rpartition(b" ")[2] for answer in answers.values() if answer}) <= 2


def test_a_process_that_dies_costs_the_item_it_was_at() -> None:
    batches = [[b"a", b"die", b"b"], [b"c", b"die"], [b"d"]]

    answers = [(item, answer is None) for item, answer in crew_of(2).answers(batches)]

    assert sorted(answers) == [
        (b"a", False), (b"b", False), (b"c", False), (b"d", False), (b"die", True), (b"die", True),
    ]  # fmt: skip


def test_a_process_that_hangs_costs_the_item_it_was_at() -> None:
    answers = dict(crew_of(1).answers([[b"a", b"hang", b"b"]], patience=3.0))

    assert {item: answer is None for item, answer in answers.items()} == {
        b"a": False, b"hang": True, b"b": False,
    }  # fmt: skip


def test_processes_that_cannot_start_are_a_failure_that_says_so() -> None:
    with pytest.raises(Unavailable, match="could not be started"):
        list(crew_of(2, function="missing").answers([[b"a"]]))


def test_leaving_early_ends_the_processes() -> None:
    answers = crew_of(2).answers([[b"a"], [b"b"], [b"hang"], [b"hang"]])
    first = [next(answers)[1] for _ in range(2)]
    processes = {int(answer.rpartition(b" ")[2]) for answer in first if answer}

    answers.close()  # type: ignore[attr-defined]

    assert processes
    assert all(map(has_ended, processes))


def test_cancelling_ends_a_run_that_would_never_end() -> None:
    call = Call()
    processes: set[int] = set()

    def run() -> None:
        with running(call):
            for _, answer in crew_of(2).answers([[b"a"], [b"b"], [b"hang"], [b"hang"]]):
                assert answer is not None
                processes.add(int(answer.rpartition(b" ")[2]))
                if len(processes) == 1:
                    call.cancel()

    with pytest.raises(Cancelled):
        run()
    assert all(map(has_ended, processes))


def test_processes_of_a_killed_program_end_by_themselves() -> None:
    program = (
        "import os, sys\nfrom holdfast.storage.processes.crew import Crew\n"
        "crew = Crew(('holdfast.analysis.engine.file_reader', 'reader'), b'[\"records\", \"/\", []]', 2)\n"
        "for item, answer in crew.answers([[b'none.py']] * 2 + [[b'none.py'] * 50] * 2000):\n"
        "    print(crew._workers[0].process.pid, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        parent.kill()
    ended = threading.Event()
    for _ in range(600):
        if has_ended(process) or _is_zombie(process):
            ended.set()
            break
        time.sleep(0.05)
    assert ended.is_set()


def _is_zombie(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import DeadlineExceeded, HoldfastError, TooLarge, Unavailable
from holdfast.storage.processes.confined import Bounds, run_confined

EXAMPLES = """
import os, sys, time

def upper(request):
    return request.upper()

def open_a_file(request):
    try:
        with open(request, "rb") as file:
            return file.read()
    except OSError as error:
        return type(error).__name__.encode()

def write_a_file(request):
    try:
        os.write(os.open(request, os.O_WRONLY | os.O_CREAT), b"x")
    except OSError as error:
        return type(error).__name__.encode()

def start_a_program(request):
    try:
        return str(os.fork()).encode()
    except OSError as error:
        return type(error).__name__.encode()

def environment(request):
    return repr((dict(os.environ), os.getcwd())).encode()

def spin(request):
    while True:
        pass

def sleep(request):
    time.sleep(60)

def hoard(request):
    return b"x" * (1 << 40)

def print_much(request):
    return b"x" * 5000

def fail(request):
    raise ValueError(request)
"""
MODULE = f"holdfast_confined_examples_{os.getpid()}"
"""One for each process that runs these tests: the first to end takes its own away."""
SMALL = Bounds(processor_seconds=1, wait_seconds=300, memory_bytes=512 << 20, output_bytes=4096)


@pytest.fixture(scope="module", autouse=True)
def examples() -> object:
    """Put the examples where an isolated interpreter finds them, for as long as these tests run."""
    import sysconfig

    path = Path(sysconfig.get_path("purelib")) / f"{MODULE}.py"
    path.write_text(EXAMPLES)
    yield
    path.unlink()


def run(function: str, request: bytes = b"", bounds: Bounds = SMALL) -> bytes:
    return run_confined(MODULE, function, request, "The example", bounds)


def test_a_confined_function_answers():
    assert run("upper", b"kelp" * 1000) == b"KELP" * 1000


def test_it_sees_neither_the_environment_nor_the_directory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SECRET", "canary")
    answer = run("environment").decode()
    assert "canary" not in answer
    assert os.getcwd() not in answer


@pytest.mark.requirement("reliability-E6")
def test_it_can_open_no_file_and_start_no_program(tmp_path: Path):
    (tmp_path / "secret").write_text("canary")
    assert run("open_a_file", os.fsencode(tmp_path / "secret")) == b"OSError"
    assert run("write_a_file", os.fsencode(tmp_path / "new")) == b"OSError"
    assert not (tmp_path / "new").exists()
    if os.geteuid() != 0:  # root may start processes whatever the limit says
        assert run("start_a_program") == b"BlockingIOError"


@pytest.mark.requirement("reliability-E6")
def test_it_ends_when_its_time_or_memory_or_output_is_used_up():
    with pytest.raises(DeadlineExceeded, match="The example took more than 1 seconds of processor time"):
        run("spin")
    with pytest.raises(TooLarge, match="The example needs more than"):
        run("hoard")
    with pytest.raises(TooLarge, match="The example produces more than 4096 bytes"):
        run("print_much")


def test_waiting_ends_with_the_limit_or_the_call():
    with pytest.raises(DeadlineExceeded):
        run("sleep", bounds=Bounds(wait_seconds=0.5))
    with running(Call(seconds=0.5)), pytest.raises(HoldfastError):
        run("sleep", bounds=Bounds(wait_seconds=600))


def test_a_function_that_fails_says_nothing_of_its_request():
    with pytest.raises(Unavailable) as failure:
        run("fail", b"canary")
    assert "canary" not in failure.value.sentence()

"""The end of the `holdfast` program: like that of any Python program, though memory is not freed first."""

from __future__ import annotations

import subprocess
import sys
from typing import IO

PROGRAM = """
import atexit, sys, threading
from holdfast import __main__
atexit.register(lambda: sys.stdout.write("at exit "))
threading.Thread(target=lambda: sys.stdout.write("thread " + sys.stdin.readline())).start()
sys.argv = ["holdfast", {argument!r}]
__main__.program()
"""


def run(argument: str, stdout: int | IO[str] = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(argument=argument)],
        input="ended ",
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )


def test_threads_and_functions_for_the_end_have_run_and_output_is_complete() -> None:
    ended = run("--version")
    assert "holdfast " in ended.stdout
    assert "thread ended " in ended.stdout
    assert ended.stdout.endswith("at exit ")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_status_is_that_of_the_command() -> None:
    ended = run("no-such-command")
    assert ended.returncode == 2
    assert "no-such-command" in ended.stderr


def test_output_that_cannot_be_written_is_reported() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = run("--version", full)
    assert ended.returncode != 0
    assert "No space left on device" in ended.stderr

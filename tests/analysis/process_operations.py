"""Operations that a worker process runs in place of analyses."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from holdfast.analysis.room import Analysis
from holdfast.kernel.call import current_call


class Files(NamedTuple):
    """The files by which an operation and its test tell each other how far they are."""

    started: Path
    released: Path


def answer(room: Analysis, arguments: str) -> tuple[int, str, str]:
    """Return the process, the repository and the arguments."""
    return os.getpid(), room.repository.root, arguments


def wait_for_release(_room: Analysis, files: Files) -> int:
    """Report progress until the test releases it; return the process."""
    with files.started.open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    while not files.released.exists():
        current_call().progress(1, 2, "waiting")
        time.sleep(0.01)
    return os.getpid()


def hang(_room: Analysis, files: Files) -> None:
    """Never look whether the call was cancelled."""
    files.started.write_text(f"{os.getpid()}\n", encoding="utf-8")
    while True:
        pass


def grow(_room: Analysis, _arguments: str) -> None:
    """Use more and more memory."""
    call, blocks = current_call(), []
    while True:
        blocks.append(b"x" * 2**20)
        call.progress(len(blocks), None, "growing")
        time.sleep(0.001)


def fail(_room: Analysis, _arguments: str) -> None:
    """Fail as a defect does."""
    raise ZeroDivisionError


def die(_room: Analysis, _arguments: str) -> None:
    """End as a crash does."""
    os._exit(7)

"""Functions that worker processes run, and how to start workers that can import them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

_setup = b""


def start(module: str) -> subprocess.Popen[bytes]:
    """Start what the pool starts, but able to import the tests."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from {module} import main; main()"
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-I", "-c", code],
        stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0,
    )  # fmt: skip


def prepare(setup: bytes) -> None:
    global _setup  # noqa: PLW0603 - an initializer has no other place for it
    _setup = setup


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work(item: bytes) -> tuple[bytes, int]:
    """Return the setup with the item, and the process; some items end it."""
    print("noise")
    if item == b"die":
        die()
    if item == b"fail":
        raise ValueError("failed")
    while item == b"hang":
        time.sleep(0.01)
    return _setup + item, os.getpid()

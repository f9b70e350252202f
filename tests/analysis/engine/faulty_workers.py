"""Worker processes whose parser fails: real ones of the pool, in which another function reads the records."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from holdfast.analysis.engine import product
from holdfast.storage.processes.pool import ProcessPool
from holdfast.syntax.record import read_record
from tests.conftest import ROOT


def fail(path: str, text: bytes, **_: object) -> NoReturn:
    raise RuntimeError(text.decode())


def die_of_a(path: str, text: bytes, **more: Any) -> object:
    """Read a record, but end the process over `a.py`."""
    if path == "a.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return read_record(path, text, **more)


def pool_with(parser: str) -> Callable[..., ProcessPool]:
    """Return the pool, its workers reading records with a function of this module."""
    return partial(ProcessPool, start=partial(start, parser))


def start(parser: str, module: str) -> subprocess.Popen[bytes]:
    """Start what the pool starts, but with that parser."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
        f"from tests.analysis.engine.faulty_workers import serve; serve({parser!r}, {module!r})"
    )
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-I", "-c", code],
        stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0,
    )  # fmt: skip


def serve(parser: str, module: str) -> None:
    product.read_record = globals()[parser]
    import_module(module).main()

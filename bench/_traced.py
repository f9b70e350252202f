"""Runs `holdfast` or `git-mile` and writes down which of its modules ran, in the order of their first call.

    python -m bench._traced FILE PROGRAM ARGUMENTS

A server is told by SIGUSR1 when to begin and by SIGUSR2 when to write; a command is traced from its start.
Calls made while a module is imported do not count: nobody reads those to follow a request.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import holdfast

PACKAGE = os.path.dirname(holdfast.__file__) + os.sep


class Trace:
    """The modules of the package that ran."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.running = False
        self.modules: dict[str, None] = {}

    def begin(self, *_signal: Any) -> None:
        self.running = True

    def end(self, *_signal: Any) -> None:
        self.running = False
        written = self.target.with_suffix(".part")
        written.write_text("\n".join(self.modules), encoding="utf-8")
        written.replace(self.target)

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        name = frame.f_code.co_filename
        if self.running and event == "call" and name.startswith(PACKAGE) and not imported(frame):
            self.modules.setdefault(name.removeprefix(PACKAGE))


def imported(frame: FrameType | None) -> bool:
    """Return whether a call belongs to the import of one of our modules."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(PACKAGE):
            return True
        frame = frame.f_back
    return False


def main() -> int:
    target, program, *arguments = sys.argv[1:]
    trace = Trace(Path(target))
    signal.signal(signal.SIGUSR1, trace.begin)
    signal.signal(signal.SIGUSR2, trace.end)
    threading.setprofile(trace)
    sys.setprofile(trace)
    sys.argv = [program, *arguments]
    if program == "git-mile":
        from holdfast.faces.cli.git_mile import main as run
    else:
        from holdfast.__main__ import main as run
    if "serve" in arguments:
        return run()
    trace.begin()
    status = run()
    trace.end()
    return status


if __name__ == "__main__":
    sys.exit(main())

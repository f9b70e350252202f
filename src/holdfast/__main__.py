"""The `holdfast` command: a fast path for commands that run often, and the full program for all others."""

from __future__ import annotations

import atexit
import os
import sys

from holdfast.faces.cli import report_load_failure

_QUICK_COMMANDS = ("send", "hook", "inbox")
_DISABLING_VARIABLES = ("HOLDFAST_NO_QUICK", "HOLDFAST_READ_ONLY")


def main() -> int:
    """Run the command line with the process's arguments and return the exit status."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from holdfast.storage.processes import reserve_standard_streams

        reserve_standard_streams()
    try:
        return _run(sys.argv[1:])
    except (ImportError, MemoryError, OSError) as failure:
        return report_load_failure(failure, sys.argv[1:])


def _run(arguments: list[str]) -> int:
    if arguments and arguments[0] in _QUICK_COMMANDS and not any(map(os.environ.get, _DISABLING_VARIABLES)):
        from holdfast.faces.cli.quick import attempt

        status = attempt(arguments)
        if status is not None:
            return status
    from holdfast.faces.cli import main as full_main

    return full_main()


def program() -> None:
    """Run the command line, and end the process as the interpreter does, but without freeing each value.

    After an analysis of a large project freeing takes a tenth of the command's time, and the system frees the
    memory of a process anyway.
    """
    status = main()
    if (threading := sys.modules.get("threading")) is not None:
        threading._shutdown()  # waits for threads that are no daemons
    atexit._run_exitfuncs()  # `os._exit` below runs none, and there is no public way to
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        sys.exit(status)  # the interpreter reports it
    os._exit(status & 0xFF)


if __name__ == "__main__":
    program()

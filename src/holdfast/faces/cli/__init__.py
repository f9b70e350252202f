"""The command line. Importing it costs nothing; the first call brings in what it needs.

- `application.py`: all commands; `catalogue.py`: a table of them, so that a command loads its own tool only
- `command.py`: the command of an operation and its run, with the options from `arguments.py`
- `groups.py`: groups of commands, help pages; `output.py`, `failures.py`: what is written, the exit status
- `serve.py`, `install.py`, `token.py`, `fleet.py`, `completion.py`: commands written by hand
- `git_mile.py`: the program `git mile`; `quick.py`, `quick_list.py`: everyday commands in little time
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.kernel.errors import HoldfastError

_STANDARD_ERROR = 2
_UNAVAILABLE = 10
_REFUSED = (ImportError, MemoryError, OSError)


def main(arguments: list[str] | None = None) -> int:
    """Run `holdfast` with the given arguments, or the process's own; return the exit status."""
    from holdfast import toolsets

    toolsets.begin_loading()
    try:
        from holdfast.faces.cli.application import run

        return run(arguments)
    except KeyboardInterrupt:
        # Interrupted while still importing: nothing was done and there is nothing to say.
        return 130
    finally:
        toolsets.loaded()


def not_loaded(failure: BaseException, arguments: list[str]) -> int:
    """Say what the machine refused and return the exit status; raise again what is a defect of ours.

    Once the command line is there, it tells every failure itself; this is for what happens before, with as
    little of the program as possible.
    """
    try:
        from holdfast.kernel.machine import machine_failure
    except _REFUSED:
        _say("Holdfast could not be loaded.", "Check disk and memory, then try again.")
        return _UNAVAILABLE
    error = machine_failure(failure)
    if error is None:
        raise failure
    return _told(error, as_json="--json" in arguments)


def _told(error: HoldfastError, *, as_json: bool) -> int:
    try:
        from holdfast.faces.cli.failures import report
    except _REFUSED:
        _say(error.message, error.hint or "")
        return error.exit_code
    return report(error, as_json=as_json)


def _say(message: str, hint: str) -> None:
    os.write(_STANDARD_ERROR, f"Error: {message}\nHint: {hint}\n".encode())

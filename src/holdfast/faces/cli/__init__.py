"""The command line. Importing this package loads nothing; the first call imports what it needs.

- `application.py`: all commands; `catalogue.py`: a table of them, so that a command loads only its own tool
- `command.py`: the command generated from an operation; its own options are in `arguments.py`, those that
  commands share in `options.py`; `host.py`: the registry and the workspace that it runs in
- `groups.py`: groups of commands and help pages; `output.py`, `progress.py`, `failures.py`: output;
  `manual.py`: manual pages
- `serve.py`, `open.py`, `demo.py`, `install.py`, `token.py`, `fleet.py`, `completion.py`: commands written by
  hand
- `git_mile.py`: the program `git mile`; `quick.py`: the fast path of `send` and `inbox drain`
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing `typing` would slow down every quick command
if TYPE_CHECKING:
    from holdfast.kernel.errors import HoldfastError

_STANDARD_ERROR = 2
"""A file descriptor."""
_UNAVAILABLE = 10
"""The exit status of `holdfast.kernel.errors.Unavailable`."""
_MACHINE_ERRORS = (ImportError, MemoryError, OSError)
"""What importing raises when files are missing, or memory or file descriptors are used up."""


def main(arguments: list[str] | None = None) -> int:
    """Run `holdfast` with the given arguments, or the process's own; return the exit status."""
    from holdfast import toolsets

    toolsets.pause_garbage_collection()
    try:
        from holdfast.faces.cli.application import run

        return run(arguments)
    except KeyboardInterrupt:
        # Interrupted during the imports, before anything was done.
        return 130
    finally:
        toolsets.resume_garbage_collection()


def report_load_failure(failure: BaseException, arguments: list[str]) -> int:
    """Report a failure of the machine and return the exit status; raise any other failure again.

    Once the command line is loaded, it reports every failure itself. This function is for earlier failures,
    and uses as little of the program as possible.
    """
    try:
        from holdfast.kernel.machine import machine_failure
    except _MACHINE_ERRORS:
        _print_error("Holdfast could not be loaded.", "Check disk and memory, then try again.")
        return _UNAVAILABLE
    error = machine_failure(failure)
    if error is None:
        raise failure
    return _report(error, as_json="--json" in arguments)


def _report(error: HoldfastError, *, as_json: bool) -> int:
    try:
        from holdfast.faces.cli.failures import report
    except _MACHINE_ERRORS:
        _print_error(error.message, error.hint or "")
        return error.exit_code
    return report(error, as_json=as_json)


def _print_error(message: str, hint: str) -> None:
    os.write(_STANDARD_ERROR, f"Error: {message}\nHint: {hint}\n".encode())

"""What a command says when the program could not be loaded: with as little of it as possible.

Once the command line is there, it tells every failure itself; this is for what happens before.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.kernel.errors import HoldfastError

_STANDARD_ERROR = 2
_UNAVAILABLE = 10
_REFUSED = (ImportError, MemoryError, OSError)


def not_loaded(failure: BaseException, arguments: list[str]) -> int:
    """Say what the machine refused and return the exit status; raise again what is a defect of ours."""
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

"""How a command ends, as a number.

    0          it did what was asked
    2 to 10    it could not: the number of the branch in `holdfast.kernel.errors`
    70         a defect of ours, with a reference to find it by
    74         the result could not be written; nothing counts as delivered
    130        interrupted
    141        the reader of our output went away; nothing counts as delivered

A result may carry a status of its own: an operation that found damage did what was asked, and a
script still wants to know.
"""

from __future__ import annotations

from typing import Final

SUCCESS: Final = 0
WRITE_FAILED: Final = 74
INTERRUPTED: Final = 130
READER_LEFT: Final = 141


def of_result(result: object) -> int:
    """Return the status a result asks for, which is success unless it says otherwise."""
    status: int = getattr(result, "exit_code", SUCCESS)
    return status

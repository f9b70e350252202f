"""Child processes: waited for, confined, pooled, or an editor; and the standard streams of this one."""

from __future__ import annotations

import os
import sys


def hold_standard_streams() -> None:
    """Keep files of ours from getting the numbers of standard streams that the caller closed."""
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):  # so that answers cannot be lost
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")

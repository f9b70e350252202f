"""Child processes: run and ended, confined, pooled, or an editor; and this process's own streams."""

from __future__ import annotations

import os
import sys


def reserve_standard_streams() -> None:
    """Keep our files from getting the descriptors of standard streams that the caller closed."""
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")

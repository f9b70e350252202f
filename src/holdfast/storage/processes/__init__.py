"""Child processes: started and ended as groups, confined, in a pool, or as the user's editor."""

from __future__ import annotations

import os
import sys


def reserve_standard_streams() -> None:
    """Open the null device for closed standard streams, so that no file of ours gets their descriptors."""
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")

"""How to call this installation of Holdfast from a shell."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

NAME = "holdfast"


def own_program() -> str | None:
    """Return the program of this installation, which is beside its interpreter, if it is executable."""
    program = Path(sys.executable).with_name(NAME)
    return str(program) if os.access(program, os.X_OK) else None


def program_in_shell() -> str:
    """Return what calls this installation: its name if the search path leads to it, else its path."""
    program, found = own_program(), shutil.which(NAME)
    if program is None or (found is not None and os.path.samefile(found, program)):
        return NAME
    return shlex.quote(program)

"""The `holdfast` command: ordinary uses of everyday commands the quick way, everything else in full."""

from __future__ import annotations

import os
import sys

_HAVE_A_QUICK_WAY = ("send", "inbox")


def main() -> int:
    """Run the command line with the process's arguments and return the exit status."""
    arguments = sys.argv[1:]
    if arguments and arguments[0] in _HAVE_A_QUICK_WAY and not os.environ.get("HOLDFAST_NO_QUICK"):
        from holdfast.faces.cli.quick import attempt

        status = attempt(arguments)
        if status is not None:
            return status
    from holdfast.faces.cli import main as full_main

    return full_main()


if __name__ == "__main__":
    sys.exit(main())

"""The command line. Importing it costs nothing; the first call brings in what it needs."""

from __future__ import annotations


def main(arguments: list[str] | None = None) -> int:
    """Run `holdfast` with the given arguments, or the process's own; return the exit status."""
    from holdfast.kernel import garbage

    garbage.begin()
    try:
        from holdfast.faces.cli.application import run

        return run(arguments)
    except KeyboardInterrupt:
        # Interrupted while still importing: nothing was done and there is nothing to say.
        return 130
    finally:
        garbage.done()

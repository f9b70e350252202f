"""A text edited in the user's own editor, in a temporary file.

Contract: the editor is the one that the user's environment names, never one that a repository's configuration
names. The file is outside every repository, readable by its owner alone, and removed afterwards.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from holdfast.kernel.errors import Invalid, Unavailable
from holdfast.kernel.limits import LIMITS

VARIABLES = ("GIT_MILE_EDITOR", "VISUAL", "EDITOR")


def edit_text(text: str) -> str:
    """Return a text as the user edited it, without the line feeds at its end."""
    command = _command()
    with tempfile.TemporaryDirectory(prefix="holdfast-") as directory:
        path = Path(directory, "text.md")
        path.write_text(text, encoding="utf-8")
        _run([*command, str(path)])
        return _read(path).rstrip("\n")


def _command() -> list[str]:
    named = next((value for name in VARIABLES if (value := os.environ.get(name))), None)
    if named is None:
        raise Unavailable(
            "No editor is configured.", hint=f"Set one of {', '.join(VARIABLES)}, or give the text itself."
        )
    try:
        return shlex.split(named)
    except ValueError:
        raise Invalid("The editor's command has an unclosed quote.", hint="Close it.") from None


def _run(command: list[str]) -> None:
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as failure:
        raise Unavailable(
            f"The editor could not be started: {failure.strerror}.",
            hint=f"Set one of {', '.join(VARIABLES)}.",
        ) from None
    if status != 0:
        raise Invalid(f"The editor ended with status {status}; nothing was done.", hint="Try again.")


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LIMITS.request_bytes:
            raise Invalid(f"The text is larger than {LIMITS.request_bytes} bytes.", hint="Shorten it.")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Invalid("The editor removed the file; nothing was done.", hint="Save it instead.") from None
    except UnicodeDecodeError:
        raise Invalid("The text is not UTF-8.", hint="Save it as UTF-8.") from None

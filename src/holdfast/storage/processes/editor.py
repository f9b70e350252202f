"""Opens the user's editor for a text, in a temporary file.

Contract: only the user's environment determines the editor, never a repository's configuration. The file is
outside every repository, readable by its owner alone, and removed afterwards.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from holdfast.kernel.errors import Invalid, Unavailable
from holdfast.kernel.limits import LIMITS

EDITOR_VARIABLES = ("GIT_MILE_EDITOR", "VISUAL", "EDITOR")


def edit_text(text: str) -> str:
    """Let the user edit a text, and return the result without line feeds at its end."""
    command = _command()
    with tempfile.TemporaryDirectory(prefix="holdfast-") as directory:
        path = Path(directory, "text.md")
        path.write_text(text, encoding="utf-8")
        _run([*command, str(path)])
        return _read(path).rstrip("\n")


def _command() -> list[str]:
    values = (os.environ.get(name) for name in EDITOR_VARIABLES)
    command = next((value for value in values if value), None)
    if command is None:
        raise Unavailable(
            "No editor is configured.",
            hint=f"Set one of {', '.join(EDITOR_VARIABLES)}, or give the text itself.",
        )
    try:
        return shlex.split(command)
    except ValueError:
        raise Invalid("The editor's command has an unclosed quote.", hint="Close it.") from None


def _run(command: list[str]) -> None:
    try:
        status = subprocess.run(command, check=False).returncode
    except OSError as failure:
        raise Unavailable(
            f"The editor could not be started: {failure.strerror}.",
            hint=f"Set one of {', '.join(EDITOR_VARIABLES)}.",
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

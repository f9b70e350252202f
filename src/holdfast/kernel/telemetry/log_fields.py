"""What a log line says beside its event: the fields of the event, or those of an exception."""

from __future__ import annotations

import os
import traceback
from typing import Any

FIELDS_ATTRIBUTE = "holdfast_fields"
"""The attribute of a log record that holds the fields of an event."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def exception_fields(failure: BaseException) -> dict[str, Any]:
    """Return the type and stack of an exception, without its message, which may quote stored text."""
    frames = traceback.extract_tb(failure.__traceback__)
    return {
        "error": type(failure).__name__,
        "frames": [f"{_short_path(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _short_path(path: str) -> str:
    """Return the path of a file relative to this package, or only its name if it is outside."""
    return os.path.relpath(path, _PACKAGE) if path.startswith(_PACKAGE + os.sep) else os.path.basename(path)

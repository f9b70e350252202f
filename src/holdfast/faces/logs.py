"""The log on standard error: one line for each event, for a person at a terminal or as JSON for a program.

Contract:
- A line holds names, kinds, sizes and times: no argument, stored text, token or path of the machine.
- Of an exception it says the type and where it was raised, not its text, which may quote what was stored.
- Of what libraries log it says which one and where, for the same reason; the web server's words are kept.
- Standard output is never written to: it belongs to the protocol.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from typing import Any

LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("text", "json")

_FIELDS = "holdfast_fields"
_KNOWN = ("holdfast", "uvicorn")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def log_to_standard_error(level: str, form: str | None) -> None:
    """Write events of a level and above; without a form, as text to a terminal and as JSON elsewhere."""
    form = form or ("text" if sys.stderr.isatty() else "json")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(as_json=form == "json"))
    wanted: int = getattr(logging, level.upper())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(wanted, logging.WARNING))
    for name in _KNOWN:
        logging.getLogger(name).setLevel(wanted)
    own = logging.getLogger(_KNOWN[0])
    own.handlers[:], own.propagate = [handler], False


def log_event(level: int, event: str, **fields: object) -> None:
    """Log an event with what there is to say about it."""
    logging.getLogger(_KNOWN[0]).log(level, event, extra={_FIELDS: fields})


class LineFormatter(logging.Formatter):
    """Writes a record as one line."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            **_said(record),
            **{name: value for name, value in getattr(record, _FIELDS, {}).items() if value is not None},
        }
        if record.exc_info and record.exc_info[1] is not None:
            line |= _raised(record.exc_info[1])
        if self._as_json:
            return json.dumps(line, ensure_ascii=True)
        beside = (f"{name}={_shown(value)}" for name, value in list(line.items())[3:])
        return " ".join([line["time"], line["level"], line["event"], *beside])


def _said(record: logging.LogRecord) -> dict[str, str]:
    if (reference := getattr(record, "reference", None)) is not None:
        return {"event": "internal error", "reference": reference}
    if record.name.partition(".")[0] in _KNOWN:
        return {"event": " ".join(record.getMessage().split())}
    return {"event": "library", "logger": record.name, "where": f"{record.filename}:{record.lineno}"}


def _raised(failure: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(failure.__traceback__)
    return {
        "error": type(failure).__name__,
        "frames": [f"{_inside(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _inside(path: str) -> str:
    """Return a file's place within this package, or only its name."""
    return os.path.relpath(path, _PACKAGE) if path.startswith(_PACKAGE + os.sep) else os.path.basename(path)


def _shown(value: object) -> str:
    """Return a value that cannot be taken for another field or another line."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if text.isprintable() and not set(' ="') & set(text) else json.dumps(text)

"""The log on standard error: one line per event, as text for a terminal or as JSON for a program.

Contract:
- A line contains names, kinds, sizes and times, but no arguments, stored text, tokens or absolute paths.
- An exception is logged with its type and stack, but without its message, which may quote stored text.
- For the same reason, a library's log message is logged as the name of the library and the place in its code.
  Messages of the web server are logged in full.
- Nothing is written to standard output, which belongs to the protocol.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

from holdfast.kernel.telemetry.log_fields import FIELDS_ATTRIBUTE, exception_fields

LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("text", "json")

_OWN_LOGGER = "holdfast"
_LOGGED_IN_FULL = (_OWN_LOGGER, "uvicorn")
"""Loggers whose messages contain no stored text."""


def log_to_standard_error(level: str, log_format: str | None) -> None:
    """Log events of a level and above. The default format is text on a terminal and JSON elsewhere."""
    log_format = log_format or ("text" if sys.stderr.isatty() else "json")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(as_json=log_format == "json"))
    threshold: int = getattr(logging, level.upper())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(threshold, logging.WARNING))  # libraries log much at the lower levels
    for name in _LOGGED_IN_FULL:
        logging.getLogger(name).setLevel(threshold)
    holdfast_log = logging.getLogger(_OWN_LOGGER)
    holdfast_log.handlers[:] = [handler]
    holdfast_log.propagate = False


def log_event(level: int, event: str, **fields: object) -> None:
    """Log an event with its fields."""
    logging.getLogger(_OWN_LOGGER).log(level, event, extra={FIELDS_ATTRIBUTE: fields})


class LineFormatter(logging.Formatter):
    """Formats a record as one line."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        timestamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        timestamp = f"{timestamp}.{int(record.msecs):03d}Z"
        level = record.levelname.lower()
        event, fields = _event_and_fields(record)
        extra = getattr(record, FIELDS_ATTRIBUTE, {})
        fields |= {name: value for name, value in extra.items() if value is not None}
        if record.exc_info and record.exc_info[1] is not None:
            fields |= exception_fields(record.exc_info[1])
        if self._as_json:
            return json.dumps({"time": timestamp, "level": level, "event": event, **fields})
        texts = (f"{name}={_quote_if_needed(value)}" for name, value in fields.items())
        return " ".join([timestamp, level, event, *texts])


def _event_and_fields(record: logging.LogRecord) -> tuple[str, dict[str, Any]]:
    if (reference := getattr(record, "reference", None)) is not None:
        return "internal error", {"reference": reference}
    if record.name.partition(".")[0] in _LOGGED_IN_FULL:
        return " ".join(record.getMessage().split()), {}
    return "library", {"logger": record.name, "where": f"{record.filename}:{record.lineno}"}


def _quote_if_needed(value: object) -> str:
    """Return a value as text, quoted if it could be mistaken for other fields or lines."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if text.isprintable() and not set(' ="') & set(text) else json.dumps(text)

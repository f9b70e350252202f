"""Metrics, log lines and trace spans of one request: its name, its sizes, how it ended.

Contract:
- Never what was asked or answered: no argument, no stored text, no message of a failure.
- Names that a client made up are not repeated: an operation is named when it is one of ours, a method when
  the server has it.
- Each request is concluded once, with its answer, its failure, or because its client gave up.
- Nothing of OpenTelemetry is loaded, and nothing is sent, unless one of its own variables asks for it.
- A request is one server span, below the trace context that its client sent. What it runs are spans below it.
- The end waits a moment for what is still to be sent, and no longer.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from holdfast.faces.logs import tell
from holdfast.kernel.clock import monotonic
from holdfast.kernel.telemetry.statistics import STATISTICS

TRACE_HEADERS = ("traceparent", "tracestate")
"""Where the trace context of a request is, in the protocol's metadata and in headers alike."""

_TOLD = frozenset({"initialize", "resources/read", "prompts/get"})
"""What is told at the usual level, as operations are; lists and pings only to who wants every detail."""

_CLIENT_CHARACTERS = 64
_TRACE_PARENT = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_log = logging.getLogger("holdfast")


@dataclass(slots=True)
class Observation:
    """One request, from its arrival to its answer."""

    face: Literal["stdio", "http", "rest"]
    method: str | None = None
    operation: str | None = None
    request_id: str | int | None = None
    request_bytes: int = 0
    client: str | None = None
    carrier: Mapping[str, Any] | None = None
    """Where the client may have put its trace context."""
    trace: str | None = None
    """The trace that this request is part of, where it is traced here."""
    failure: str | None = None
    began: float = field(default_factory=monotonic)

    def conclude(self, response_bytes: int | None = None, failure: str | None = None) -> None:
        """Count the request and log its end."""
        self.failure = failure or self.failure
        seconds = monotonic() - self.began
        STATISTICS.count(self.operation or self.method or "unknown", seconds, failed=self.failure is not None)
        level = logging.INFO if self.operation or self.failure or self.method in _TOLD else logging.DEBUG
        if _log.isEnabledFor(level):
            self._log(level, seconds, response_bytes)

    def _log(self, level: int, seconds: float, response_bytes: int | None) -> None:
        tell(
            level,
            "request",
            face=self.face,
            method=self.method,
            operation=self.operation,
            ms=round(seconds * 1000, 3),
            outcome=self.failure or "ok",
            request_bytes=self.request_bytes,
            response_bytes=response_bytes,
            request_id=plain(self.request_id),
            trace_id=self.trace or self.trace_id,
            client=plain(self.client),
        )

    @property
    def trace_id(self) -> str | None:
        """Return the trace that the client says this request belongs to."""
        told = (self.carrier or {}).get("traceparent")
        found = _TRACE_PARENT.fullmatch(told) if isinstance(told, str) else None
        return None if found is None else found[1]


def plain(name: str | int | None) -> str | int | None:
    """Return what a client calls itself or its request, no longer than a name is."""
    if not isinstance(name, str):
        return name
    return "".join(character for character in name if character.isprintable())[:_CLIENT_CHARACTERS]

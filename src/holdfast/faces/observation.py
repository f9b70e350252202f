"""Metrics and the log line of one request: its name, its sizes, its outcome.

Contract:
- No argument, no stored text and no message of a failure is recorded.
- Names that a client made up are not repeated: operations and methods are named only if the server has them.
- Each request is concluded once: with its answer, its failure, or because its client gave up.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from holdfast.faces.logs import log_event
from holdfast.kernel.clock import monotonic
from holdfast.kernel.telemetry.statistics import STATISTICS

TRACE_HEADERS = ("traceparent", "tracestate")
"""Names of the trace context, in the protocol's metadata and in HTTP headers."""

_LOGGED_AT_INFO = frozenset({"initialize", "resources/read", "prompts/get"})
"""Methods logged at the usual level, as operations are; lists and pings are logged at debug level."""

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
    """The metadata or headers that may hold a trace context."""
    trace: str | None = None
    """The trace of this request, if this server records it."""
    failure: str | None = None
    began: float = field(default_factory=monotonic)

    def conclude(self, response_bytes: int | None = None, failure: str | None = None) -> None:
        """Count the request and log its outcome."""
        self.failure = failure or self.failure
        seconds = monotonic() - self.began
        STATISTICS.count(self.operation or self.method or "unknown", seconds, failed=self.failure is not None)
        level = (
            logging.INFO
            if self.operation or self.failure or self.method in _LOGGED_AT_INFO
            else logging.DEBUG
        )
        if _log.isEnabledFor(level):
            self._log(level, seconds, response_bytes)

    def _log(self, level: int, seconds: float, response_bytes: int | None) -> None:
        log_event(
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
        """Return the trace id that the client sent."""
        parent = (self.carrier or {}).get("traceparent")
        found = _TRACE_PARENT.fullmatch(parent) if isinstance(parent, str) else None
        return None if found is None else found[1]


def plain(name: str | int | None) -> str | int | None:
    """Return a client's name for itself or its request, printable and shortened."""
    if not isinstance(name, str):
        return name
    return "".join(character for character in name if character.isprintable())[:_CLIENT_CHARACTERS]

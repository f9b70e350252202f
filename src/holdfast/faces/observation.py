"""Records the metrics and the log line of one request: its name, its sizes and its outcome.

Contract:
- No argument, no stored text and no error message is recorded.
- Names that a client invents are not logged: operations and methods are named only if the server has them.
- Each request is concluded once: with its answer, its failure, or because its client disconnected.
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
"""The fields of the trace context, in the protocol's metadata and in HTTP headers (W3C Trace Context)."""

_INFO_METHODS = frozenset({"initialize", "resources/read", "prompts/get"})
"""Methods logged at info level, as operations are. Other methods, such as lists and pings, are logged at
debug level."""

_MAX_LOGGED_NAME_CHARACTERS = 64
"""A judgement: a client's name or a request id fits, and one client cannot flood the log."""
_TRACE_PARENT = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
"""Version, trace id, parent id and flags."""
_logger = logging.getLogger("holdfast")


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
    server_trace_id: str | None = None
    """The trace id of this request, if this server records traces."""
    failure: str | None = None
    """The kind of error with which the request failed, if it did."""
    began: float = field(default_factory=monotonic)

    def conclude(self, response_bytes: int | None = None, failure: str | None = None) -> None:
        """Count the request and log its outcome: `failure`, an earlier one, or success."""
        self.failure = failure or self.failure
        seconds = monotonic() - self.began
        STATISTICS.count(self.operation or self.method or "unknown", seconds, failed=self.failure is not None)
        is_notable = self.operation or self.failure or self.method in _INFO_METHODS
        level = logging.INFO if is_notable else logging.DEBUG
        if _logger.isEnabledFor(level):
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
            request_id=loggable_name(self.request_id),
            trace_id=self.server_trace_id or self._client_trace_id,
            client=loggable_name(self.client),
        )

    @property
    def _client_trace_id(self) -> str | None:
        parent = (self.carrier or {}).get("traceparent")
        match = _TRACE_PARENT.fullmatch(parent) if isinstance(parent, str) else None
        return None if match is None else match[1]


def loggable_name(name: str | int | None) -> str | int | None:
    """Return the name that a client gave itself or its request, shortened and printable."""
    if not isinstance(name, str):
        return name
    return "".join(character for character in name if character.isprintable())[:_MAX_LOGGED_NAME_CHARACTERS]

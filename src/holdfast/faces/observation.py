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
import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from holdfast import __version__
from holdfast.faces.logs import log_event
from holdfast.kernel.clock import monotonic
from holdfast.kernel.telemetry.statistics import STATISTICS
from holdfast.kernel.telemetry.tracing import TRACERS

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

TRACE_HEADERS = ("traceparent", "tracestate")
"""Where the trace context of a request is, in the protocol's metadata and in headers alike."""

_TOLD = frozenset({"initialize", "resources/read", "prompts/get"})
"""What is told at the usual level, as operations are; lists and pings only to who wants every detail."""

_CLIENT_CHARACTERS = 64
_TRACE_PARENT = re.compile(r"00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_log = logging.getLogger("holdfast")
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_FLUSH_SECONDS = 2.0
_INSTALL = "pip install 'holdfast[telemetry]'"
_providers: list[TracerProvider] = []
"""What makes spans and sends them: none, or one."""


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
        """Return the trace that the client says this request belongs to."""
        told = (self.carrier or {}).get("traceparent")
        found = _TRACE_PARENT.fullmatch(told) if isinstance(told, str) else None
        return None if found is None else found[1]


def plain(name: str | int | None) -> str | int | None:
    """Return what a client calls itself or its request, no longer than a name is."""
    if not isinstance(name, str):
        return name
    return "".join(character for character in name if character.isprintable())[:_CLIENT_CHARACTERS]


def begin_tracing() -> None:
    """Trace from now on, if the variables of OpenTelemetry ask for it and its exporter is installed."""
    otherwise = "otlp" if any(map(os.environ.get, _ENDPOINTS)) else "none"
    exporter = os.environ.get("OTEL_TRACES_EXPORTER") or otherwise
    if exporter == "none" or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    if exporter != "otlp":
        log_event(logging.WARNING, "telemetry has no such exporter; it has otlp")
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log_event(logging.WARNING, "telemetry is asked for and not installed", install=_INSTALL)
        return
    named = {"service.version": __version__, "service.name": os.environ.get("OTEL_SERVICE_NAME", "holdfast")}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _providers[:], TRACERS[:] = [provider], [_span]


def end_tracing() -> None:
    """Send what is left, as far as that takes no longer than a moment."""
    for provider in _providers:
        sending = threading.Thread(target=provider.shutdown, daemon=True)
        sending.start()
        sending.join(_FLUSH_SECONDS)


@contextmanager
def request_span(observed: Observation, **more: str) -> Iterator[None]:
    """Make what happens inside one server span, if anybody traces."""
    if not _providers:
        yield
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    told = observed.carrier or {}
    carrier = {name: told[name] for name in TRACE_HEADERS if isinstance(told.get(name), str)}
    context = TraceContextTextMapPropagator().extract(carrier)
    with _span(observed.method or "unknown", context=context, kind=SpanKind.SERVER) as span:
        observed.trace = f"{span.get_span_context().trace_id:032x}"
        try:
            yield
        except Exception as failure:
            observed.failure = observed.failure or getattr(failure, "kind", type(failure).__name__)
            raise
        finally:
            span.update_name(" ".join(filter(None, (observed.method or "unknown", observed.operation))))
            span.set_attributes(_attributes(observed) | more)
            if observed.failure is not None:
                _fail(span, observed.failure)


def _attributes(observed: Observation) -> dict[str, Any]:
    """Return what the conventions for the protocol, and for HTTP, call what is known of a request."""
    attributes: dict[str, Any] = {"network.transport": "pipe" if observed.face == "stdio" else "tcp"}
    if observed.face == "rest":
        return attributes | {"http.request.method": observed.method}
    attributes["mcp.method.name"] = observed.method or "unknown"
    attributes["jsonrpc.request.id"] = str(plain(observed.request_id))
    if observed.operation is not None:
        attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": observed.operation}
    return attributes


@contextmanager
def _span(name: str, **options: Any) -> Iterator[Any]:
    """Make a span of what happens inside; of an exception it says the kind."""
    options |= {"record_exception": False, "set_status_on_exception": False}
    with _providers[0].get_tracer("holdfast").start_as_current_span(name, **options) as span:
        try:
            yield span
        except BaseException as failure:
            _fail(span, getattr(failure, "kind", type(failure).__name__))
            raise


def _fail(span: Any, kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)

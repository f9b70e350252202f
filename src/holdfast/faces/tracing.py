"""Trace spans of requests, through OpenTelemetry if it is installed and configured.

Contract:
- OpenTelemetry is not loaded, and nothing is sent, unless its environment variables enable it.
- A request is one server span, a child of the span in the trace context that its client sent. Work within the
  request is recorded as child spans.
- A span holds no argument, no stored text and no error message.
- A process that ends waits at most two seconds for unsent spans.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast import __version__
from holdfast.faces.logs import log_event
from holdfast.faces.observation import TRACE_HEADERS, Observation, loggable_name
from holdfast.kernel.telemetry.tracing import TRACERS

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_ENDPOINT_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

_FLUSH_TIMEOUT_SECONDS = 2.0
"""A judgement: a collector nearby answers at once, and a user who stops the program should not wait long."""

_INSTALL_COMMAND = "pip install 'holdfast[telemetry]'"

_providers: list[TracerProvider] = []
"""The one provider that creates and sends spans; empty while tracing is off."""


def begin_tracing() -> None:
    """Start tracing if OpenTelemetry's environment variables enable it and its exporter is installed."""
    default_exporter = "otlp" if any(map(os.environ.get, _ENDPOINT_VARIABLES)) else "none"
    exporter = os.environ.get("OTEL_TRACES_EXPORTER") or default_exporter
    if exporter == "none" or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return
    if exporter != "otlp":
        log_event(logging.WARNING, "telemetry supports no exporter except otlp")
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log_event(logging.WARNING, "telemetry is enabled but not installed", install=_INSTALL_COMMAND)
        return
    name = os.environ.get("OTEL_SERVICE_NAME", "holdfast")
    service = {"service.version": __version__, "service.name": name}
    provider = TracerProvider(resource=Resource.create(service), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _providers[:] = [provider]
    TRACERS[:] = [_span]


def end_tracing() -> None:
    """Send unsent spans, for at most two seconds."""
    for provider in _providers:
        # In a daemon thread, so that an exporter that hangs cannot keep the process alive.
        shutdown = threading.Thread(target=provider.shutdown, daemon=True)
        shutdown.start()
        shutdown.join(_FLUSH_TIMEOUT_SECONDS)


@contextmanager
def request_span(observed: Observation, **extra_attributes: str) -> Iterator[None]:
    """Record the block as one server span, if tracing is on; its id is set in `observed`."""
    if not _providers:
        yield
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = observed.carrier or {}
    headers = {name: carrier[name] for name in TRACE_HEADERS if isinstance(carrier.get(name), str)}
    context = TraceContextTextMapPropagator().extract(headers)
    with _span(observed.method or "unknown", context=context, kind=SpanKind.SERVER) as span:
        observed.server_trace_id = f"{span.get_span_context().trace_id:032x}"
        try:
            yield
        except Exception as failure:
            observed.failure = observed.failure or getattr(failure, "kind", type(failure).__name__)
            raise
        finally:
            span.update_name(" ".join(filter(None, (observed.method or "unknown", observed.operation))))
            span.set_attributes(_attributes(observed) | extra_attributes)
            if observed.failure is not None:
                _set_failed(span, observed.failure)


def _attributes(observed: Observation) -> dict[str, Any]:
    """Return the attributes of a span, following OpenTelemetry's semantic conventions for MCP and HTTP."""
    attributes: dict[str, Any] = {"network.transport": "pipe" if observed.face == "stdio" else "tcp"}
    if observed.face == "rest":
        return attributes | {"http.request.method": observed.method}
    attributes["mcp.method.name"] = observed.method or "unknown"
    attributes["jsonrpc.request.id"] = str(loggable_name(observed.request_id))
    if observed.operation is not None:
        attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": observed.operation}
    return attributes


@contextmanager
def _span(name: str, **options: Any) -> Iterator[Any]:
    """Record the block as a span, which holds only the kind of an exception."""
    options |= {"record_exception": False, "set_status_on_exception": False}
    with _providers[0].get_tracer("holdfast").start_as_current_span(name, **options) as span:
        try:
            yield span
        except BaseException as failure:
            _set_failed(span, getattr(failure, "kind", type(failure).__name__))
            raise


def _set_failed(span: Any, kind: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("error.type", kind)
    span.set_status(StatusCode.ERROR)

"""Trace spans of requests, through OpenTelemetry where it is installed and configured.

Contract:
- Nothing of OpenTelemetry is loaded, and nothing is sent, unless one of its own variables asks for it.
- A request is one server span, below the trace context that its client sent. What it runs are spans below it.
- A span holds no argument, no stored text and no message of a failure.
- The end of the process waits for unsent spans for two seconds at most.
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
from holdfast.faces.observation import TRACE_HEADERS, Observation, plain
from holdfast.kernel.telemetry.tracing import TRACERS

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


_FLUSH_SECONDS = 2.0


_INSTALL = "pip install 'holdfast[telemetry]'"


_providers: list[TracerProvider] = []
"""What makes spans and sends them: none, or one."""


def begin_tracing() -> None:
    """Start tracing, if OpenTelemetry's variables enable it and its exporter is installed."""
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
        log_event(logging.WARNING, "telemetry is enabled but not installed", install=_INSTALL)
        return
    named = {"service.version": __version__, "service.name": os.environ.get("OTEL_SERVICE_NAME", "holdfast")}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _providers[:], TRACERS[:] = [provider], [_span]


def end_tracing() -> None:
    """Send unsent spans, for two seconds at most."""
    for provider in _providers:
        sending = threading.Thread(target=provider.shutdown, daemon=True)
        sending.start()
        sending.join(_FLUSH_SECONDS)


@contextmanager
def request_span(observed: Observation, **more: str) -> Iterator[None]:
    """Record the block as one server span, if tracing is on."""
    if not _providers:
        yield
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    sent = observed.carrier or {}
    carrier = {name: sent[name] for name in TRACE_HEADERS if isinstance(sent.get(name), str)}
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
    """Return the attributes of a span by OpenTelemetry's conventions for MCP and HTTP."""
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
    """Record the block as a span, which holds only the kind of an exception."""
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

"""Failures that exist only over HTTP, and responses with problem details (RFC 9457) for all failures."""

from __future__ import annotations

import math
from http.client import responses
from typing import Any

from starlette.responses import Response

from holdfast.faces.json_text import json_text
from holdfast.kernel.errors import Denied, HoldfastError, Invalid, NotFound, RateLimited, error_object


class Unauthenticated(Denied, kind="unauthenticated", number=4010, http_status=401):
    """The request has no credentials."""


class InvalidToken(Unauthenticated, kind="invalid_token", number=4011):
    """The request has a token that is not, or no longer, valid here."""


class InsufficientScope(Denied, kind="insufficient_scope", number=4031):
    """The access token is valid, but grants nothing here."""


class Misdirected(Denied, kind="misdirected", number=4210, http_status=421):
    """The request was meant for another host."""


class CrossSite(Denied, kind="cross_site", number=4032):
    """The request was sent by a page of another site."""


class UnknownRoute(NotFound, kind="unknown_route", number=4041):
    """There is nothing at that path."""


class MethodNotAllowed(Invalid, kind="method_not_allowed", number=4050, http_status=405):
    """The path exists, but not for this method."""


class TooSlow(Invalid, kind="too_slow", number=4080, http_status=408):
    """The request did not arrive in time."""


class UnsupportedMediaType(Invalid, kind="unsupported_media_type", number=4150, http_status=415):
    """The body is not JSON."""


MEDIA_TYPE = "application/problem+json"


def problem_document(error: HoldfastError, code: int | None = None) -> dict[str, Any]:
    """Return a failure as problem details, with a family's own code if it has one.

    The member `error` is the same object as in every other interface.
    """
    return {
        "type": f"urn:holdfast:problem:{error.kind}",
        "title": responses.get(error.http_status, error.kind),
        "status": error.http_status,
        "detail": error.sentence(),
        "error": error_object(error, error.number if code is None else code),
    }


def problem_response(
    error: HoldfastError, document: dict[str, Any] | None = None, headers: dict[str, str] | None = None
) -> Response:
    """Return the response for a failure, with `document` if it differs from `problem_document`'s."""
    document = problem_document(error) if document is None else document
    return Response(
        json_text(document, for_a_person=False),
        status_code=document["status"],
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store"} | _failure_headers(error) | (headers or {}),
    )


def _failure_headers(error: HoldfastError) -> dict[str, str]:
    if isinstance(error, RateLimited):
        milliseconds = float(str(error.data.get("retry_after_ms", 0)))
        return {"Retry-After": str(max(1, math.ceil(milliseconds / 1000)))}
    if isinstance(error, MethodNotAllowed):
        return {"Allow": str(error.data["allowed"])}
    return {}

"""Failures as problem details (RFC 9457), made from the error tree."""

from __future__ import annotations

import math
from typing import Any

from starlette.responses import Response

from holdfast.faces.http.refusals import MethodNotAllowed
from holdfast.faces.render.json_text import error_object, json_text
from holdfast.kernel.errors import HoldfastError, RateLimited

MEDIA_TYPE = "application/problem+json"


def problem_document(error: HoldfastError, code: int | None = None) -> dict[str, Any]:
    """Return a failure as problem details; `error` holds the same object as on every other face."""
    return {
        "type": f"urn:holdfast:problem:{error.kind}",
        "title": (type(error).__doc__ or error.kind).partition("\n")[0],
        "status": error.http_status,
        "detail": error.sentence(),
        "error": error_object(error, error.number if code is None else code),
    }


def problem(error: HoldfastError, code: int | None = None, headers: dict[str, str] | None = None) -> Response:
    """Return the response that tells a failure."""
    return Response(
        json_text(problem_document(error, code), for_a_person=False),
        status_code=error.http_status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store"} | _explaining_headers(error) | (headers or {}),
    )


def _explaining_headers(error: HoldfastError) -> dict[str, str]:
    if isinstance(error, RateLimited):
        return {"Retry-After": str(max(1, math.ceil(float(str(error.data.get("retry_after_ms", 0))) / 1000)))}
    if isinstance(error, MethodNotAllowed):
        return {"Allow": str(error.data["allowed"])}
    return {}

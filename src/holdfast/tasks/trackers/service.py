"""A JSON service over HTTP, the layer below every tracker: rate limits, retries, pages and errors.

Contract:
- A rate limit is respected: this module waits up to `LIMITS.web_wait_seconds`, and raises an error with the
  time to wait if that is longer.
- A read is repeated after a temporary failure. A request that changes something is repeated only after a rate
  limit, since the service has then done nothing.
- Every failure becomes one of our errors, with the service's message shortened and sanitised, and a hint.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlencode

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import (
    Conflict,
    Denied,
    HoldfastError,
    Invalid,
    NotFound,
    RateLimited,
    TooLarge,
    Unavailable,
)
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.text import one_line
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.network.client import WebClient, WebResponse

_MAX_ATTEMPTS = 3
"""A judgement: with waits of a quarter and half a second, the caller hardly notices a retry."""
_FIRST_RETRY_SECONDS = 0.25
"""The wait before the first retry; each further one is twice as long."""
_DEFAULT_WAIT_SECONDS = 60.0
"""The wait after a rate limit that names none: a minute, as GitHub recommends
(https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api)."""
_MAX_WAIT_SECONDS = 86_400.0
"""The longest wait that an error names. A judgement: a day, as a longer one is probably a faulty header."""
_POLL_SECONDS = 0.2
"""The interval at which a pause checks for cancellation. A judgement: people notice longer delays."""
_TRANSIENT_STATUSES = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded servers (RFC 9110), after which a repeated read often succeeds."""
MAX_MESSAGE_CHARACTERS = 200
"""The length to which a service's error message is cut. A judgement: a sentence or two."""
_MAX_NESTED_MESSAGES = 5
"""Messages shown of a list of errors. A judgement: the first few name the cause."""
_NEXT_LINK = re.compile(r'<(?P<url>[^>]+)>\s*;[^,]*\brel="?next"?')
_NO_QUERY: Mapping[str, Any] = MappingProxyType({})

Pause = Callable[[float], None]


def pause(seconds: float) -> None:
    """Wait; raise when the caller cancels or the deadline passes."""
    until, call = time.monotonic() + seconds, current_call()
    while (remaining := until - time.monotonic()) > 0:
        call.check()
        time.sleep(min(remaining, _POLL_SECONDS))


@dataclass(frozen=True)
class ServiceProfile:
    """What requests to a service and messages about it have in common."""

    name: str
    token_hint: str
    """Tells a user how to provide a token."""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Accept": "application/json"})


class _Failure(NamedTuple):
    """The error for a status."""

    error: type[HoldfastError]
    predicate: str
    """The message after the name of the service."""
    hint: str = ""
    """Empty for the service's hint on providing a token."""


_MISSING = _Failure(
    NotFound,
    "did not find it, or does not allow access to it",
    "Check the name of the project and the permissions of the token.",
)
_CONFLICTING = _Failure(Conflict, "reports a conflicting change", "Synchronise again.")
_REJECTED = _Failure(Invalid, "rejects the request", "Correct it as the service says.")
_FAILURES = {
    400: _REJECTED,
    401: _Failure(Denied, "does not accept the token"),
    403: _Failure(Denied, "refuses this", "Check the permissions of the token."),
    404: _MISSING,
    409: _CONFLICTING,
    410: _MISSING,
    412: _CONFLICTING,
    422: _REJECTED,
}
"""By status (RFC 9110). For all others, the service is unavailable."""


class Service:
    """One service: sends requests and returns responses that succeeded."""

    def __init__(
        self,
        client: WebClient,
        profile: ServiceProfile,
        *,
        pause: Pause = pause,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.client = client
        self.profile = profile
        self._pause = pause
        self._now = now

    def get(self, url: str, query: Mapping[str, Any] = _NO_QUERY, *, etag: str | None = None) -> WebResponse:
        """Send a GET request; with an `etag`, the status may be 304 (not modified)."""
        return self._request("GET", _with_query(url, query), {"If-None-Match": etag} if etag else {}, None)

    def send(self, method: str, url: str, body: Any) -> Any:
        """Send a request with a JSON body, and return the JSON of the response."""
        data = json.dumps(body, ensure_ascii=False).encode()
        return self._request(method, url, {"Content-Type": "application/json"}, data).json()

    def pages(self, first: WebResponse) -> Iterator[Any]:
        """Yield the JSON of a list's pages, following the `Link` header (RFC 8288)."""
        response = first
        for _ in self.page_numbers():
            yield response.json()
            following = _NEXT_LINK.search(response.headers.get("link", ""))
            if following is None:
                return
            response = self.get(following["url"])

    def page_numbers(self) -> Iterator[int]:
        """Yield the numbers of the pages of a list; raise `TooLarge` if the list does not end in time."""
        yield from range(LIMITS.sync_pages)
        raise TooLarge(
            f"{self.profile.name} has more than {LIMITS.sync_pages} pages of items.",
            hint="Narrow what is synchronised.",
            limit=LIMITS.sync_pages,
        )

    def _request(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> WebResponse:
        for attempt in range(_MAX_ATTEMPTS):
            response = self.client.request(
                method, url, headers={**self.profile.headers, **headers}, body=body
            )
            if response.status < 300 or response.status == 304:
                return response
            wait = self._requested_wait(response)
            if wait is None and method == "GET" and response.status in _TRANSIENT_STATUSES:
                wait = _FIRST_RETRY_SECONDS * 2**attempt
            elif wait is not None and wait > LIMITS.web_wait_seconds:
                raise self._rate_limited_error(wait)
            if wait is None or attempt == _MAX_ATTEMPTS - 1:
                raise self._failure(response)
            self._pause(wait)
        raise AssertionError("the last attempt returns or raises")

    def _requested_wait(self, response: WebResponse) -> float | None:
        """Return the seconds that a rate-limited response asks us to wait, or None for other responses."""
        if response.status not in (403, 429, 503):
            return None
        retry_after = response.headers.get("retry-after", "").strip()
        if retry_after.isdecimal():
            return min(float(retry_after), _MAX_WAIT_SECONDS)
        if response.headers.get("x-ratelimit-remaining", "").strip() == "0":
            reset = response.headers.get("x-ratelimit-reset", "").strip()
            seconds = float(reset) - self._now() if reset.isdecimal() else _DEFAULT_WAIT_SECONDS
            return min(max(0.0, seconds), _MAX_WAIT_SECONDS)
        return _DEFAULT_WAIT_SECONDS if response.status == 429 else None

    def _rate_limited_error(self, wait: float) -> RateLimited:
        seconds = int(wait) + 1
        return RateLimited(
            f"{self.profile.name} takes no more requests for now.",
            hint=f"Try again in {seconds} seconds; what was done before is stored.",
            retry_after=seconds,
        )

    def _failure(self, response: WebResponse) -> HoldfastError:
        name, reason = self.profile.name, _error_message(response)
        if response.status in (429, 503) and (wait := self._requested_wait(response)) is not None:
            return self._rate_limited_error(wait)
        failure = _FAILURES.get(response.status)
        if failure is None:
            return Unavailable(
                f"{name} answered with the status {response.status}{reason}.",
                hint="Try again later; nothing was lost.",
            )
        hint = failure.hint or self.profile.token_hint
        return failure.error(f"{name} {failure.predicate}{reason}.", hint=hint)


def _with_query(url: str, query: Mapping[str, Any]) -> str:
    values = {name: value for name, value in query.items() if value is not None}
    return f"{url}{'&' if '?' in url else '?'}{urlencode(values)}" if values else url


def _error_message(response: WebResponse) -> str:
    """Return the service's error message with a leading colon, to end a sentence; empty without one."""
    try:
        document = parse_json(response.body)
    except UnreadableDocument:
        return ""
    reason = one_line("; ".join(_messages(document)))[:MAX_MESSAGE_CHARACTERS].rstrip(".")
    return f": {reason}" if reason else ""


def _messages(document: object) -> Iterator[str]:
    """Yield the messages in the JSON of an error, under the names that the supported services use."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, list):
        for item in document[:_MAX_NESTED_MESSAGES]:
            yield from _messages(item)
    elif isinstance(document, dict):
        known = [name for name in ("message", "errorMessages", "error", "errors") if document.get(name)]
        for name in known:
            yield from _messages(document[name])
        if not known and isinstance(document.get("field"), str):
            yield f"{document['field']} is {document.get('code', 'refused')}"

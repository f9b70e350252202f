"""A JSON service over HTTP: rate limits are respected, retries are safe, and failures become our errors.

Contract:
- If a service asks us to wait, we do when the wait is short; otherwise the error says for how long. A request
  that changes something is repeated only if the service said that it did nothing.
- A failure becomes one of our errors, with the service's message shortened and cleaned, and with what to do
  next.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
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

_TRIES = 3
_LONGEST_WAIT = 86_400.0
_POLL_SECONDS = 0.2
_TRANSIENT = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded servers (RFC 9110), after which a repeated read often succeeds."""
_MESSAGE_CHARACTERS = 200
"""Judgements, all four: a caller waits seconds for a retry, and a message is a sentence or two."""
_NEXT = re.compile(r'<(?P<url>[^>]+)>\s*;[^,]*\brel="?next"?')
_NOTHING: Mapping[str, Any] = MappingProxyType({})

Pause = Callable[[float], None]


def pause(seconds: float) -> None:
    """Wait, unless the caller cancels."""
    until, call = time.monotonic() + seconds, current_call()
    never = threading.Event()
    while (left := until - time.monotonic()) > 0:
        call.check()
        never.wait(min(left, _POLL_SECONDS))


@dataclass(frozen=True)
class ServiceProfile:
    """What all requests to a service have in common: its name, its headers, where its token comes from."""

    name: str
    """Its name in messages."""
    token_hint: str
    """How a user provides a token."""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Accept": "application/json"})


class Service:
    """One service, with its client and profile."""

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

    def get(self, url: str, query: Mapping[str, Any] = _NOTHING, *, etag: str | None = None) -> WebResponse:
        """Send a GET request; with an `etag`, the status may be 304 (not modified)."""
        return self._ask("GET", _with_query(url, query), {"If-None-Match": etag} if etag else {}, None)

    def send(self, method: str, url: str, body: Any) -> Any:
        """Send a request with a JSON body, and return the JSON of the response."""
        data = json.dumps(body, ensure_ascii=False).encode()
        return self._ask(method, url, {"Content-Type": "application/json"}, data).json()

    def pages(self, first: WebResponse) -> Iterator[Any]:
        """Yield the JSON of a list's pages, following the `Link` header (RFC 8288)."""
        answer = first
        for _ in self.turns():
            yield answer.json()
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None:
                return
            answer = self.get(following["url"])

    def turns(self) -> Iterator[int]:
        """Yield once for each page of a list, and raise if the list does not end."""
        yield from range(LIMITS.sync_pages)
        raise TooLarge(
            f"{self.profile.name} has more than {LIMITS.sync_pages} pages of items.",
            hint="Narrow what is synchronised.",
            limit=LIMITS.sync_pages,
        )

    def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> WebResponse:
        for left in reversed(range(_TRIES)):
            answer = self.client.request(method, url, headers={**self.profile.headers, **headers}, body=body)
            if answer.status < 300 or answer.status == 304:
                return answer
            wait = self._wait(answer)
            if wait is None and method == "GET" and answer.status in _TRANSIENT:
                wait = 2.0 ** (_TRIES - 1 - left) / 4
            elif wait is not None and wait > LIMITS.web_wait_seconds:
                raise self._too_many(wait)
            if wait is None or not left:
                raise self._failure(answer)
            self._pause(wait)
        raise AssertionError("the last try returns or raises")

    def _wait(self, answer: WebResponse) -> float | None:
        """Return how long the service asks us to wait, or None if it does not."""
        if answer.status not in (403, 429, 503):
            return None
        asked = answer.headers.get("retry-after", "").strip()
        if asked.isdecimal():
            return min(float(asked), _LONGEST_WAIT)
        if answer.headers.get("x-ratelimit-remaining", "").strip() == "0":
            reset = answer.headers.get("x-ratelimit-reset", "").strip()
            asked_until = float(reset) - self._now() if reset.isdecimal() else 60.0
            return min(max(0.0, asked_until), _LONGEST_WAIT)
        return 60.0 if answer.status == 429 else None

    def _too_many(self, wait: float) -> RateLimited:
        seconds = int(wait) + 1
        return RateLimited(
            f"{self.profile.name} takes no more requests for now.",
            hint=f"Try again in {seconds} seconds; what was done so far is kept.",
            retry_after=seconds,
        )

    def _failure(self, answer: WebResponse) -> HoldfastError:
        name, said = self.profile.name, _error_message(answer)
        if answer.status in (429, 503) and (wait := self._wait(answer)) is not None:
            return self._too_many(wait)
        if answer.status == 401:
            return Denied(f"{name} does not accept the token{said}.", hint=self.profile.token_hint)
        if answer.status == 403:
            return Denied(f"{name} refuses this{said}.", hint="Check what the token may do.")
        if answer.status in (404, 410):
            return NotFound(
                f"{name} has no such thing, or does not show it to us{said}.",
                hint="Check the name of the project and what the token may see.",
            )
        if answer.status in (409, 412):
            return Conflict(f"{name} reports a conflicting change{said}.", hint="Synchronise again.")
        if answer.status in (400, 422):
            return Invalid(f"{name} rejects the request{said}.", hint="Correct it as the service says.")
        return Unavailable(
            f"{name} answered with the status {answer.status}{said}.",
            hint="Try again later; nothing was lost.",
        )


@dataclass
class ServiceTracker:
    """The base of most trackers: a service, and the settings for a project there."""

    service: Service
    settings: Mapping[str, Any]


def _with_query(url: str, query: Mapping[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return f"{url}{'&' if '?' in url else '?'}{urlencode(given)}" if given else url


def _error_message(answer: WebResponse) -> str:
    """Return the service's error message, as the end of a sentence."""
    try:
        found = parse_json(answer.body)
    except UnreadableDocument:
        return ""
    texts = list(_messages(found))
    said = one_line("; ".join(texts))[:_MESSAGE_CHARACTERS].rstrip(".")
    return f": {said}" if said else ""


def _messages(found: object) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, list):
        for item in found[:5]:
            yield from _messages(item)
    elif isinstance(found, dict):
        known = [name for name in ("message", "errorMessages", "error", "errors") if found.get(name)]
        for name in known:
            yield from _messages(found[name])
        if not known and isinstance(found.get("field"), str):
            yield f"{found['field']} is {found.get('code', 'refused')}"

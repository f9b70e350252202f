"""A JSON service over HTTP: rate limits kept, retries only where nothing changed, failures as ours.

Contract:
- A service that asks us to wait is waited for when the wait is short; otherwise the caller is told for how
  long. A request that changes something is repeated only when the service said that it did nothing.
- A failure becomes one of ours, with the service's own words shortened and cleaned, and with what to do next.
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
from holdfast.storage.files.foreign_document import UnreadableDocument, json_of
from holdfast.storage.network.client import WebClient, WebResponse

_TRIES = 3
_LONGEST_WAIT = 86_400.0
_MOMENT = 0.2
_TROUBLE = frozenset({502, 503, 504})
_WORDS = 200
_NEXT = re.compile(r'<(?P<url>[^>]+)>\s*;[^,]*\brel="?next"?')
_NOTHING: Mapping[str, Any] = MappingProxyType({})

Pause = Callable[[float], None]


def pause(seconds: float) -> None:
    """Wait, and stop waiting when the caller gives up."""
    until, call = time.monotonic() + seconds, current_call()
    never = threading.Event()
    while (left := until - time.monotonic()) > 0:
        call.check()
        never.wait(min(left, _MOMENT))


@dataclass(frozen=True)
class ServiceProfile:
    """What requests to a service have in common: its name, its headers, where its token comes from."""

    name: str
    """What people call it."""
    token_hint: str
    """Where its token comes from, for whoever has to provide one."""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Accept": "application/json"})


class Service:
    """One service and the way to ask it."""

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
        """Read something; with an `etag`, the answer may be 304: as it was."""
        return self._ask("GET", _with_query(url, query), {"If-None-Match": etag} if etag else {}, None)

    def send(self, method: str, url: str, body: Any) -> Any:
        """Change something, and return what the service says about it."""
        data = json.dumps(body, ensure_ascii=False).encode()
        return self._ask(method, url, {"Content-Type": "application/json"}, data).json()

    def pages(self, first: WebResponse) -> Iterator[Any]:
        """Yield the JSON of a list's pages, following the `Link` header."""
        answer = first
        for _ in self.turns():
            yield answer.json()
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None:
                return
            answer = self.get(following["url"])

    def turns(self) -> Iterator[int]:
        """Yield once for each page of a list, and raise where the list does not end."""
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
            if wait is None and method == "GET" and answer.status in _TROUBLE:
                wait = 2.0 ** (_TRIES - 1 - left) / 4
            elif wait is not None and wait > LIMITS.web_wait_seconds:
                raise self._too_many(wait)
            if wait is None or not left:
                raise self._failure(answer)
            self._pause(wait)
        raise AssertionError("the last try returns or raises")

    def _wait(self, answer: WebResponse) -> float | None:
        """Return how long the service asks us to wait, or None when it does not."""
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
        name, said = self.profile.name, _words(answer)
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
            return Conflict(f"{name} says that it changed meanwhile{said}.", hint="Synchronise again.")
        if answer.status in (400, 422):
            return Invalid(f"{name} refuses what was sent{said}.", hint="Mend it as the service says.")
        return Unavailable(
            f"{name} answered with the status {answer.status}{said}.",
            hint="Try again later; nothing was lost.",
        )


@dataclass
class OnService:
    """What most trackers are: a service, and what the settings say about the project there."""

    service: Service
    settings: Mapping[str, Any]


def _with_query(url: str, query: Mapping[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return f"{url}{'&' if '?' in url else '?'}{urlencode(given)}" if given else url


def _words(answer: WebResponse) -> str:
    """Return what the service says about a failure, as the end of a sentence."""
    try:
        found = json_of(answer.body)
    except UnreadableDocument:
        return ""
    texts = list(_messages(found))
    said = one_line("; ".join(texts))[:_WORDS].rstrip(".")
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

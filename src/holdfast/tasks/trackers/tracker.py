"""The interface of every tracker, the description of a kind of tracker, and access to foreign JSON.

A tracker's settings come from a person; they are checked once and stored without any secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.storage.files.foreign_document import UnreadableDocument, parse_json
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.client import WebClient
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.service import Pause, Service, ServiceProfile, pause


@dataclass(frozen=True)
class Account:
    """The account we use over there, and the project."""

    account: str
    project: str
    url: str | None = None


@dataclass
class Mark:
    """How far a tracker was read (a sync cursor). The tracker advances it; it is stored between runs."""

    since: str | None = None
    etag: str | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Mark:
        """Return a stored mark."""
        since, etag = stored.get("since"), stored.get("etag")
        return cls(since if isinstance(since, str) else None, etag if isinstance(etag, str) else None)

    def passing(self, tasks: Iterable[ForeignTask]) -> Iterator[ForeignTask]:
        """Yield items as they are read, advancing past each."""
        for task in tasks:
            if task.updated_at is not None and (self.since is None or task.updated_at > self.since):
                self.since = task.updated_at
            yield task


class Tracker(Protocol):
    """A project on another service."""

    @property
    def carries(self) -> frozenset[str]:
        """The fields that can be synchronised."""

    def whoami(self) -> Account:
        """Return our account, after a request that shows that it works."""

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield the items that changed since the mark, oldest first, and advance the mark."""

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an item, and return it as it is there."""

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change fields of an item so that it becomes `whole`, and return it as it is there."""


Authorization = Callable[[Mapping[str, Any], UsersConfiguration], dict[str, str]]
"""Returns the headers that authenticate us, given the settings."""


@dataclass(frozen=True)
class TrackerKind:
    """A kind of tracker: the settings of a project there, and how the service is reached."""

    name: str
    profile: ServiceProfile
    make: Callable[[Service, Mapping[str, Any]], Tracker]
    authorization: Authorization
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    """The settings that identify a project."""
    usual_address: str = ""
    address_variable: str | None = None
    """An environment variable with another address."""

    def address(self, settings: Mapping[str, Any], configuration: UsersConfiguration) -> str:
        """Return the address of the service: from the settings, the environment, or the usual one."""
        named = configuration.variable(self.address_variable) if self.address_variable else None
        return str(settings.get("base_url") or named or self.usual_address)

    def service(
        self, settings: Mapping[str, Any], configuration: UsersConfiguration, *, pause: Pause = pause
    ) -> Service:
        """Return the service; its host must be allowed."""
        allowed = configuration.allowed_hosts()
        address = self.address(settings, configuration)
        client = WebClient(address, allowed, secrets=lambda: self.authorization(settings, configuration))
        allowed.check(client.origin)
        return Service(client, self.profile, pause=pause)


def changed_pages(service: Service, mark: Mark, url: str, query: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the pages of a list, requested with the mark's ETag; none if nothing changed."""
    before, first = mark.since, service.get(url, query, etag=mark.etag)
    if first.status == 304:
        return
    yield from service.pages(first)
    # The ETag belongs to this page alone, not to another address or to further pages.
    alone = mark.since == before and "link" not in first.headers
    mark.etag = first.headers.get("etag") if alone else None


def token_of(configuration: UsersConfiguration, profile: ServiceProfile, *variables: str) -> str:
    """Return the token for a service, from the first of these variables that is set."""
    token = configuration.variable(*variables)
    if token is None:
        raise Unavailable(f"There is no token for {profile.name}.", hint=profile.token_hint)
    return token


def by_token(profile: ServiceProfile, *variables: str, scheme: str = "Bearer ") -> Authorization:
    """Return an authorization by the token in the first of these variables that is set."""
    return lambda _, configuration: {"Authorization": scheme + token_of(configuration, profile, *variables)}


def text_field(value: object, *names: str) -> str:
    """Return the first text in a foreign object under one of these names, or an empty one."""
    found = value if isinstance(value, dict) else {}
    return next((text for name in names if isinstance(text := found.get(name), str)), "")


def object_field(value: object, name: str) -> dict[str, Any]:
    """Return an object inside a foreign object, or an empty one."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def item_id(value: object, *names: str) -> str:
    """Return the id of a foreign object, or raise: without one it is no item."""
    found = value if isinstance(value, dict) else {}
    for name in names:
        given = found.get(name)
        if isinstance(given, str | int) and not isinstance(given, bool) and str(given).strip():
            return str(given)
    raise _unexpected("an item without an id")


def items(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return the objects of a required list: a missing list is not an empty one."""
    found = value.get(name) if name is not None and isinstance(value, dict) else value
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise _unexpected("no list of items")
    return found


def _unexpected(what: str) -> Unavailable:
    return Unavailable(
        f"The service answered with {what}.",
        hint="Check its address and the settings, then try again; nothing of that answer was used.",
    )


def object_list(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return the objects of a list, or of the list under a name, if there is one."""
    found = value.get(name) if name is not None and isinstance(value, dict) else value
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


_EXAMPLE = 'Give an object such as {"project": "KEY"}.'
_SECRET = re.compile(r"token|secret|password|api_?key|authorization|credential", re.IGNORECASE)
_LOOKS_SECRET = re.compile(r"(?:gh[pousr]_|github_pat_|lin_api_|xox[abp]-|ATATT|sk-)[\w-]{10,}")
_SETTING_CHARACTERS = 500
"""A judgement: addresses and names are far shorter."""


def parse_settings(text: str | None, *, needed: tuple[str, ...], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings in a JSON text, or raise naming what is missing, unknown or secret."""
    try:
        found = parse_json(text) if text else {}
    except UnreadableDocument as error:
        raise InvalidArguments(f"`config` is not valid JSON: {error}.", hint=_EXAMPLE) from None
    if not isinstance(found, dict):
        raise InvalidArguments("`config` is not a JSON object.", hint=_EXAMPLE)
    _refuse_secrets(found)
    if unknown := sorted(set(found) - {*needed, *known}):
        raise InvalidArguments(
            f"`config` names {', '.join(unknown)}, which this tracker does not know.",
            hint=f"It knows {', '.join((*needed, *known))}.",
        )
    if missing := [name for name in needed if not found.get(name)]:
        example = f'Give an object such as {{"{missing[0]}": "…"}}.'
        raise InvalidArguments(f"`config` does not name {', '.join(missing)}.", hint=example)
    _check_texts(found)
    return found


def text_table(settings: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return a table of texts in the settings."""
    found = settings.get(name)
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _refuse_secrets(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if _SECRET.search(name) or (isinstance(value, str) and _LOOKS_SECRET.search(value)):
            raise InvalidArguments(
                f"`config` has what looks like a secret under {name!a}; it was not stored.",
                hint="Put tokens into the environment; the documentation names the variables.",
            )
        if isinstance(value, dict):
            _refuse_secrets(value)


def _check_texts(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if isinstance(value, dict):
            _check_texts(value)
        elif (
            not isinstance(value, str) or not 0 < len(value) <= _SETTING_CHARACTERS or not value.isprintable()
        ):
            raise InvalidArguments(
                f"{name!a} in the config is not a text of 1 to {_SETTING_CHARACTERS} characters.",
                hint="Give it as a text.",
            )

"""The interface of trackers, the description of a kind of tracker, and helpers to read foreign JSON.

A tracker's settings come from a person. They are checked once, and contain no secrets.
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
    """The account that a token belongs to, and the project."""

    account: str
    project: str
    url: str | None = None


@dataclass
class SyncCursor:
    """The position up to which a tracker was read. The tracker advances it; it is stored between runs."""

    since: str | None = None
    """The time of the latest change that was read, as the tracker writes it."""
    etag: str | None = None
    """The ETag of the last response, if it is still valid."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> SyncCursor:
        """Return a stored cursor."""
        since, etag = stored.get("since"), stored.get("etag")
        return cls(since if isinstance(since, str) else None, etag if isinstance(etag, str) else None)

    def advance_over(self, tasks: Iterable[ForeignTask]) -> Iterator[ForeignTask]:
        """Yield items, and advance to the latest change among those yielded."""
        for task in tasks:
            if task.updated_at is not None and (self.since is None or task.updated_at > self.since):
                self.since = task.updated_at
            yield task


class Tracker(Protocol):
    """A project on another service."""

    @property
    def synced_fields(self) -> frozenset[str]:
        """The fields that can be synchronised."""

    def whoami(self) -> Account:
        """Return our account; fails if the settings or the token are invalid."""

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        """Yield the items that changed since the cursor, oldest first, and advance the cursor."""

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an item, and return it as the tracker stored it."""

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change the fields in `values`, after which the item equals `whole`; return it as stored."""


Authorization = Callable[[Mapping[str, Any], UsersConfiguration], dict[str, str]]
"""Returns the headers that authenticate us, given the settings."""


@dataclass(frozen=True)
class TrackerKind:
    """A kind of tracker: its settings, its address, its authorization, and how to create one."""

    name: str
    profile: ServiceProfile
    make: Callable[[Service, Mapping[str, Any]], Tracker]
    authorization: Authorization
    required_settings: tuple[str, ...]
    optional_settings: tuple[str, ...] = ()
    identifying_settings: tuple[str, ...] = ()
    """The settings that identify a project."""
    default_address: str = ""
    address_variable: str | None = None
    """The environment variable that overrides the default address."""

    def address(self, settings: Mapping[str, Any], configuration: UsersConfiguration) -> str:
        """Return the address of the service: from the settings, the environment, or the default."""
        override = configuration.variable(self.address_variable) if self.address_variable else None
        return str(settings.get("base_url") or override or self.default_address)

    def service(
        self, settings: Mapping[str, Any], configuration: UsersConfiguration, *, pause: Pause = pause
    ) -> Service:
        """Return the service; raise unless a person has allowed its host."""
        allowed = configuration.allowed_hosts()
        address = self.address(settings, configuration)
        client = WebClient(address, allowed, secrets=lambda: self.authorization(settings, configuration))
        allowed.check(client.origin)
        return Service(client, self.profile, pause=pause)


def changed_pages(service: Service, cursor: SyncCursor, url: str, query: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the pages of a list, requested with the cursor's ETag; none if nothing changed."""
    since_before = cursor.since
    first = service.get(url, query, etag=cursor.etag)
    if first.status == 304:
        return
    yield from service.pages(first)
    # An ETag is valid for this page only: not after `since` moved, and not if there are further pages.
    is_same_page = cursor.since == since_before and "link" not in first.headers
    cursor.etag = first.headers.get("etag") if is_same_page else None


def read_token(configuration: UsersConfiguration, profile: ServiceProfile, *variables: str) -> str:
    """Return the token for a service from the first environment variable that is set, or raise."""
    token = configuration.variable(*variables)
    if token is None:
        raise Unavailable(f"There is no token for {profile.name}.", hint=profile.token_hint)
    return token


def token_authorization(profile: ServiceProfile, *variables: str, scheme: str = "Bearer ") -> Authorization:
    """Return an authorization that sends the token from the first environment variable that is set."""
    return lambda _, configuration: {"Authorization": scheme + read_token(configuration, profile, *variables)}


def text_field(value: object, *names: str) -> str:
    """Return the first text of a foreign object under one of these names, or an empty text."""
    if isinstance(value, dict):
        for name in names:
            text = value.get(name)
            if isinstance(text, str):
                return text
    return ""


def object_field(value: object, name: str) -> dict[str, Any]:
    """Return an object inside a foreign object, or an empty one."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def item_id(value: object, *names: str) -> str:
    """Return the id of a foreign object; raise if it has none."""
    found = value if isinstance(value, dict) else {}
    for name in names:
        given = found.get(name)
        if isinstance(given, str | int) and not isinstance(given, bool) and str(given).strip():
            return str(given)
    raise _unexpected_answer("an item without an id")


def required_list(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return the objects of a list, or of the list under a name; raise if it is missing or malformed."""
    found = value.get(name) if name is not None and isinstance(value, dict) else value
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise _unexpected_answer("no list of items")
    return found


def _unexpected_answer(what: str) -> Unavailable:
    return Unavailable(
        f"The service answered with {what}.",
        hint="Check its address and the settings, then try again; nothing of that answer was used.",
    )


def object_list(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return the objects of a list, or of the list under a name; an empty list if it is missing."""
    found = value.get(name) if name is not None and isinstance(value, dict) else value
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


_CONFIG_EXAMPLE = 'Give an object such as {"project": "KEY"}.'
_SECRET_NAME = re.compile(r"token|secret|password|api_?key|authorization|credential", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"(?:gh[pousr]_|github_pat_|lin_api_|xox[abp]-|ATATT|sk-)[\w-]{10,}")
_MAX_SETTING_CHARACTERS = 500
"""The longest text in the settings. A judgement: addresses and names are far shorter."""


def parse_settings(
    text: str | None, *, required: tuple[str, ...], optional: tuple[str, ...]
) -> dict[str, Any]:
    """Return the settings in a JSON text, or raise naming what is missing, unknown or secret."""
    try:
        found = parse_json(text) if text else {}
    except UnreadableDocument as error:
        raise InvalidArguments(f"`config` is not valid JSON: {error}.", hint=_CONFIG_EXAMPLE) from None
    if not isinstance(found, dict):
        raise InvalidArguments("`config` is not a JSON object.", hint=_CONFIG_EXAMPLE)
    _refuse_secrets(found)
    if unknown := sorted(set(found) - {*required, *optional}):
        raise InvalidArguments(
            f"`config` names {', '.join(unknown)}, which this tracker does not know.",
            hint=f"It knows {', '.join((*required, *optional))}.",
        )
    if missing := [name for name in required if not found.get(name)]:
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
        if _SECRET_NAME.search(name) or (isinstance(value, str) and _SECRET_VALUE.search(value)):
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
            not isinstance(value, str)
            or not 0 < len(value) <= _MAX_SETTING_CHARACTERS
            or not value.isprintable()
        ):
            raise InvalidArguments(
                f"{name!a} in the config is not a text of 1 to {_MAX_SETTING_CHARACTERS} characters.",
                hint="Give it as a text.",
            )

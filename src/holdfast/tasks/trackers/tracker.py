"""The interface of trackers, and the description of a kind of tracker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.kernel.errors import Unavailable
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.client import WebClient
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.service import Service, ServiceProfile


@dataclass(frozen=True)
class Account:
    """The account that a token belongs to, and the project; fields of a `TrackerReport`."""

    account: str
    project: str
    """Its display name, or its key if it has none."""
    url: str | None = None
    """The address of the project for people."""


@dataclass
class SyncCursor:
    """The position up to which a tracker was read. The tracker advances it; it is stored between runs."""

    since: str | None = None
    """The time of the latest change that was read, as the tracker writes it."""
    etag: str | None = None
    """The ETag of the last response, if it is still valid."""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> SyncCursor:
        """Return a stored cursor; values of another type, as in a damaged row, are ignored."""
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
        """The fields, of those in `three_way_merge`, that the tracker can store."""

    def whoami(self) -> Account:
        """Return our account; fails if the settings or the token are invalid."""

    def changed_since(self, cursor: SyncCursor) -> Iterator[ForeignTask]:
        """Yield the items that changed since the cursor, oldest first, and advance the cursor."""

    def create(self, task: ForeignTask) -> ForeignTask:
        """Create an item, and return it as the tracker stored it."""

    def change(self, foreign_id: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change the fields in `values`, after which the item equals `whole`; return it as stored."""


@dataclass
class ServiceTracker:
    """The base class of most trackers: the service, and the settings of a project there."""

    service: Service
    settings: Mapping[str, Any]


Authorization = Callable[[Mapping[str, Any], UsersConfiguration], dict[str, str]]
"""Returns the headers that authenticate us, given the settings."""


@dataclass(frozen=True)
class TrackerKind:
    """A kind of tracker: the settings it takes, its address, and how to open one of its projects."""

    name: str
    profile: ServiceProfile
    make: Callable[[Service, Mapping[str, Any]], Tracker]
    authorization: Authorization
    required_settings: tuple[str, ...]
    optional_settings: tuple[str, ...] = ()
    identifying_settings: tuple[str, ...] = ()
    """The required settings that identify a project."""
    default_address: str = ""
    """Empty if `base_url` is required."""
    address_variable: str | None = None
    """The environment variable that overrides the default address."""

    def address(self, settings: Mapping[str, Any], configuration: UsersConfiguration) -> str:
        """Return the address of the service: from the settings, the environment, or the default."""
        override = configuration.variable(self.address_variable) if self.address_variable else None
        return str(settings.get("base_url") or override or self.default_address)

    def service(self, settings: Mapping[str, Any], configuration: UsersConfiguration) -> Service:
        """Return the service; raise unless a person has allowed its host."""
        allowed = configuration.allowed_hosts()
        address = self.address(settings, configuration)
        client = WebClient(address, allowed, secrets=lambda: self.authorization(settings, configuration))
        allowed.check(client.origin)
        return Service(client, self.profile)


def changed_pages(service: Service, cursor: SyncCursor, url: str, query: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the pages of a list. If the service says that nothing changed since the last run, yield none."""
    since_before = cursor.since
    first = service.get(url, query, etag=cursor.etag)
    if first.status == 304:
        return
    yield from service.pages(first)
    # The next run may reuse the ETag only if it requests the same address, and that has all changes.
    is_reusable = cursor.since == since_before and "link" not in first.headers
    cursor.etag = first.headers.get("etag") if is_reusable else None


def read_token(configuration: UsersConfiguration, profile: ServiceProfile, *variables: str) -> str:
    """Return the token for a service from the first of these environment variables that is set, or raise."""
    token = configuration.variable(*variables)
    if token is None:
        raise Unavailable(f"There is no token for {profile.name}.", hint=profile.token_hint)
    return token


def token_authorization(profile: ServiceProfile, *variables: str, scheme: str = "Bearer ") -> Authorization:
    """Return an authorization that sends the token from the first environment variable that is set."""
    return lambda _, configuration: {"Authorization": scheme + read_token(configuration, profile, *variables)}

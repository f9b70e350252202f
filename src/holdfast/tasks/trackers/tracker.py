"""What every tracker can do for us, whatever it is called there, and how a kind of tracker is described.

A tracker's settings are what a person says about it: checked once, kept without any secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.kernel.errors import InvalidArguments, Unavailable
from holdfast.storage.files.foreign_document import UnreadableDocument, json_of
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.client import WebClient
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.service import Pause, Service, ServiceProfile, pause


@dataclass(frozen=True)
class Account:
    """Who we are over there, and on which project."""

    account: str
    project: str
    url: str | None = None


@dataclass
class Mark:
    """How far we have read: handed to the tracker, moved on by it, kept for the next time."""

    since: str | None = None
    etag: str | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Mark:
        """Return a mark as it was kept."""
        since, etag = stored.get("since"), stored.get("etag")
        return cls(since if isinstance(since, str) else None, etag if isinstance(etag, str) else None)

    def passing(self, tasks: Iterable[ForeignTask]) -> Iterator[ForeignTask]:
        """Yield items as they are read, having moved past each."""
        for task in tasks:
            if task.updated_at is not None and (self.since is None or task.updated_at > self.since):
                self.since = task.updated_at
            yield task


class Tracker(Protocol):
    """A project on another service."""

    @property
    def carries(self) -> frozenset[str]:
        """Return the fields that can be kept in step."""

    def whoami(self) -> Account:
        """Return who we are there, having asked."""

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield what changed since the mark, oldest first, and move the mark on."""

    def create(self, task: ForeignTask) -> ForeignTask:
        """Make an item, and return it as it is there."""

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change fields of an item, of which `whole` is the result, and return it as it is there."""


Authorization = Callable[[Mapping[str, Any], UsersConfiguration], dict[str, str]]
"""Returns the headers that say who we are, given the settings."""


@dataclass(frozen=True)
class Kind:
    """A kind of tracker: what has to be said about a project there, and how it is reached."""

    name: str
    profile: ServiceProfile
    make: Callable[[Service, Mapping[str, Any]], Tracker]
    authorization: Authorization
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()
    """The settings that tell one project from another."""
    usual_address: str = ""
    address_variable: str | None = None
    """The variable of the environment that says where it is instead."""

    def address(self, settings: Mapping[str, Any], configuration: UsersConfiguration) -> str:
        """Return where the service is: what the settings or the environment say, or the usual place."""
        named = configuration.variable(self.address_variable) if self.address_variable else None
        return str(settings.get("base_url") or named or self.usual_address)

    def service(
        self, settings: Mapping[str, Any], configuration: UsersConfiguration, *, pause: Pause = pause
    ) -> Service:
        """Return the service, ready to be asked; its host has to be allowed."""
        allowed = configuration.allowed_hosts()
        address = self.address(settings, configuration)
        client = WebClient(address, allowed, secrets=lambda: self.authorization(settings, configuration))
        allowed.check(client.origin)
        return Service(client, self.profile, pause=pause)


def changed_pages(service: Service, mark: Mark, url: str, query: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the pages of a list that is asked for with the mark's tag; none where nothing changed."""
    before, first = mark.since, service.get(url, query, etag=mark.etag)
    if first.status == 304:
        return
    yield from service.pages(first)
    # The tag stands for this very page: it says nothing about another address, or about further pages.
    alone = mark.since == before and "link" not in first.headers
    mark.etag = first.headers.get("etag") if alone else None


def token_of(configuration: UsersConfiguration, profile: ServiceProfile, *variables: str) -> str:
    """Return the token for a service, from the first of these variables that has one."""
    token = configuration.variable(*variables)
    if token is None:
        raise Unavailable(f"There is no token for {profile.name}.", hint=profile.token_hint)
    return token


def by_token(profile: ServiceProfile, *variables: str, scheme: str = "Bearer ") -> Authorization:
    """Return what says who we are by the token in the first of these variables that has one."""
    return lambda _, configuration: {"Authorization": scheme + token_of(configuration, profile, *variables)}


def words(value: object, *names: str) -> str:
    """Return the first text that an object of somebody else's has under one of these names."""
    found = value if isinstance(value, dict) else {}
    return next((text for name in names if isinstance(text := found.get(name), str)), "")


def part(value: object, name: str) -> dict[str, Any]:
    """Return an object inside an object of somebody else's; an empty one where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def identity(value: object, *names: str) -> str:
    """Return what an object is called over there. Without that it is no item."""
    found = value if isinstance(value, dict) else {}
    for name in names:
        given = found.get(name)
        if isinstance(given, str | int) and not isinstance(given, bool) and str(given).strip():
            return str(given)
    raise _unexpected("an item without a name")


def items(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return the objects of a list that has to be there: a missing one is not an empty one."""
    found = value.get(name) if name is not None and isinstance(value, dict) else value
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise _unexpected("no list of items")
    return found


def _unexpected(what: str) -> Unavailable:
    return Unavailable(
        f"The service answered with {what}.",
        hint="Check its address and the settings, then try again; nothing was taken over from that answer.",
    )


def parts(value: object, name: str | None = None) -> list[dict[str, Any]]:
    """Return the objects of a list, or of the list under a name."""
    found = value.get(name) if name is not None and isinstance(value, dict) else value
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


_EXAMPLE = 'Give an object such as {"project": "KEY"}.'
_SECRET = re.compile(r"token|secret|password|api_?key|authorization|credential", re.IGNORECASE)
_LOOKS_SECRET = re.compile(r"(?:gh[pousr]_|github_pat_|lin_api_|xox[abp]-|ATATT|sk-)[\w-]{10,}")
_CHARACTERS = 500


def parse_settings(text: str | None, *, needed: tuple[str, ...], known: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings in a JSON text; what is missing, unknown or secret is named."""
    try:
        found = json_of(text) if text else {}
    except UnreadableDocument as error:
        raise InvalidArguments(f"`config` is not JSON that can be read: {error}.", hint=_EXAMPLE) from None
    if not isinstance(found, dict):
        raise InvalidArguments("`config` is no JSON object.", hint=_EXAMPLE)
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


def mapped(settings: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return a table of words in the settings."""
    found = settings.get(name)
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _refuse_secrets(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if _SECRET.search(name) or (isinstance(value, str) and _LOOKS_SECRET.search(value)):
            raise InvalidArguments(
                f"`config` holds what looks like a secret under {name!a}; it was not kept.",
                hint="Put tokens into the environment; the documentation names the variables.",
            )
        if isinstance(value, dict):
            _refuse_secrets(value)


def _check_texts(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        if isinstance(value, dict):
            _check_texts(value)
        elif not isinstance(value, str) or not 0 < len(value) <= _CHARACTERS or not value.isprintable():
            raise InvalidArguments(
                f"{name!a} in the config is no text of 1 to {_CHARACTERS} characters.",
                hint="Give it as a text.",
            )

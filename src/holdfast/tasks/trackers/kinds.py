"""The kinds of trackers there are, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.address import Origin, parse_address
from holdfast.storage.network.client import WebClient
from holdfast.tasks.trackers import asana, custom, jira, linear, trello
from holdfast.tasks.trackers import github_api as github
from holdfast.tasks.trackers.service import Manners, Pause, Service, pause
from holdfast.tasks.trackers.settings import parse_settings
from holdfast.tasks.trackers.tracker import Tracker

Headers = Callable[[Mapping[str, Any], UsersConfiguration], dict[str, str]]


@dataclass(frozen=True)
class Kind:
    """One kind of tracker."""

    title: str
    needed: tuple[str, ...]
    known: tuple[str, ...]
    names: tuple[str, ...]
    """The settings that tell one project from another."""
    address: str | None
    headers: Headers
    make: Callable[[Service, Mapping[str, Any]], Tracker]
    hint: str


_HOSTED = ((linear, linear.Linear, "team"), (asana, asana.Asana, "project"), (trello, trello.Trello, "board"))
_OWN = ((jira, jira.Jira, ("base_url", "project")), (custom, custom.Custom, ("base_url",)))

KINDS: Mapping[str, Kind] = {
    **{
        make.kind: Kind(
            make.__name__, module.NEEDED, module.KNOWN, (name,), module.USUAL_ADDRESS, module.headers, make,
            module.TOKEN_HINT,
        )
        for module, make, name in _HOSTED
    },
    **{
        make.kind: Kind(
            make.__name__, module.NEEDED, module.KNOWN, names, None, module.headers, make, module.TOKEN_HINT
        )
        for module, make, names in _OWN
    },
}  # fmt: skip


def settings_of(kind: str, config: str | None) -> dict[str, Any]:
    """Return the settings that a config gives for a kind of tracker, checked."""
    if kind == "github":
        found = parse_settings(config, needed=("repository",), known=())
        return {"repository": github.checked_project(found["repository"])}
    described = KINDS[kind]
    settings = parse_settings(config, needed=described.needed, known=described.known)
    parse_address(str(settings.get("base_url") or described.address))
    return settings


def name_of(kind: str, settings: Mapping[str, Any]) -> str:
    """Return what a tracker is called here: its kind and what tells its project from others."""
    if kind == "github":
        return f"github:{settings['repository']}"
    parts = [str(settings[name]).removeprefix("https://").rstrip("/") for name in KINDS[kind].names]
    return f"{kind}:{'/'.join(parts)}"


def origin_of(kind: str, settings: Mapping[str, Any], configuration: UsersConfiguration) -> Origin:
    """Return the server that a tracker is on."""
    if kind == "github":
        return parse_address(github.address_of(configuration)).origin
    return parse_address(str(settings.get("base_url") or KINDS[kind].address)).origin


def tracker_of(
    kind: str, settings: Mapping[str, Any], configuration: UsersConfiguration, *, pause: Pause = pause
) -> Tracker:
    """Return a tracker that can be asked; its host has to be allowed."""
    if kind == "github":
        return github.connected(str(settings["repository"]), configuration, pause=pause)
    described = KINDS[kind]
    allowed = configuration.allowed_hosts()
    address = str(settings.get("base_url") or described.address)
    client = WebClient(address, allowed, secrets=lambda: described.headers(settings, configuration))
    allowed.check(client.origin)
    service = Service(client, Manners(described.title, described.hint), pause=pause)
    return described.make(service, settings)

"""The actions of `taskpilot_remote_interface`: connects, tests, lists, synchronises and disconnects trackers.

Imported only when a tracker is used, because it loads the HTTP client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.address import parse_address
from holdfast.tasks.store.records import CallerIdentity
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import asana, counterparts, custom, github, jira, linear, trello
from holdfast.tasks.trackers.counterparts import StoredTracker
from holdfast.tasks.trackers.report import SyncOptions, TrackerOut, TrackerReport, step_fields
from holdfast.tasks.trackers.settings import parse_settings
from holdfast.tasks.trackers.synchronisation import Synchronisation
from holdfast.tasks.trackers.tracker import Tracker, TrackerKind
from holdfast.tasks.view.results import timestamp_or_none, workspace_ref

KINDS: Mapping[str, TrackerKind] = MappingProxyType(
    {module.KIND.name: module.KIND for module in (github, linear, asana, trello, jira, custom)}
)


def parse_config(kind: str, config: str | None) -> dict[str, Any]:
    """Return the settings in a JSON config, checked for a kind of tracker."""
    tracker_kind = KINDS[kind]
    settings = parse_settings(
        config, required=tracker_kind.required_settings, optional=tracker_kind.optional_settings
    )
    if kind == "github":
        github.validate_project(settings["repository"])
    else:
        parse_address(str(settings.get("base_url") or tracker_kind.default_address))
    return settings


def _tracker_name(kind: str, settings: Mapping[str, Any]) -> str:
    """Return our name for a tracker, such as `github:owner/name`: its kind and its project."""
    parts = [
        str(settings[name]).removeprefix("https://").rstrip("/") for name in KINDS[kind].identifying_settings
    ]
    return f"{kind}:{'/'.join(parts)}"


def find_connected(room: Tasks, kind: str, name: str | None) -> StoredTracker:
    """Return the only connected tracker of a kind or, with a name, the one of that name; raise otherwise."""
    connected = [
        item
        for item in counterparts.list_trackers(room, kind)
        if item.connected and name in (None, item.name)
    ]
    if not connected:
        raise NotFound(
            f"No tracker of the kind '{kind}' is connected.", hint="Connect it with the action 'connect'."
        )
    if len(connected) > 1:
        names = ", ".join(item.name for item in connected)
        raise InvalidArguments(f"Several of the kind '{kind}' are connected.", hint=f"Name one of: {names}.")
    return connected[0]


def list_trackers(room: Tasks, kind: str) -> TrackerReport:
    """Report all trackers of a kind, including disconnected ones."""
    stored = counterparts.list_trackers(room, kind)
    trackers = [tracker_out(item) for item in stored]
    return report(room, kind, "list", stored[0] if stored else None, dry_run=True, trackers=trackers)


def check_connection(room: Tasks, stored: StoredTracker) -> TrackerReport:
    """Test the connection to a tracker, and report our account."""
    account = _open_tracker(room, stored.kind, stored.settings).whoami()
    return report(room, stored.kind, "test", stored, dry_run=True, **asdict(account))


def synchronise(
    room: Tasks, who: CallerIdentity, stored: StoredTracker, options: SyncOptions
) -> TrackerReport:
    """Synchronise tasks with a tracker."""
    tracker = _open_tracker(room, stored.kind, stored.settings)
    outcome = Synchronisation(room, who, tracker, stored, options).run()
    steps = ["Turn `dry_run` off to do this."] if options.dry_run and outcome.steps else []
    if any(step.done == "conflict" for step in outcome.steps):
        steps.append("Resolve each conflict on one side, or pass prefer 'ours' or 'theirs'.")
    after = counterparts.find_tracker(room, stored.name) or stored
    return report(
        room, stored.kind, "sync", after, dry_run=options.dry_run, next_steps=steps, **step_fields(outcome)
    )


def disconnect(room: Tasks, stored: StoredTracker, *, dry_run: bool) -> TrackerReport:
    """Disconnect a tracker; in a dry run, report its current state."""
    if not dry_run:
        counterparts.store_disconnected(room, stored.name)
    after = counterparts.find_tracker(room, stored.name)
    return report(room, stored.kind, "disconnect", after, dry_run=dry_run)


def connect(room: Tasks, kind: str, settings: dict[str, Any], *, dry_run: bool, action: str) -> TrackerReport:
    """Test a tracker and, except in a dry run, store it as connected."""
    account = _open_tracker(room, kind, settings).whoami()
    name = _tracker_name(kind, settings)
    stored: StoredTracker | None = StoredTracker(name, kind, settings, {}, connected=False, synced_at=None)
    if not dry_run:
        counterparts.store_connected(room, name, kind, settings)
        stored = counterparts.find_tracker(room, name)
    step = "Turn `dry_run` off to connect it." if dry_run else "Synchronise it with the action 'sync'."
    return report(room, kind, action, stored, dry_run=dry_run, next_steps=[step], **asdict(account))


def report(
    room: Tasks, kind: str, action: str, stored: StoredTracker | None, *, dry_run: bool, **more: Any
) -> TrackerReport:
    """Return the report of an action on a kind of tracker, or on one tracker; `more` are further fields."""
    configuration = UsersConfiguration(room.repository)
    address = KINDS[kind].address({} if stored is None else stored.settings, configuration)
    return TrackerReport(
        operation="remote_interface" if kind != "github" else "github",
        workspace=workspace_ref(room.workspace()),
        action=action,
        dry_run=dry_run,
        allowed=bool(address) and configuration.allowed_hosts().allows(parse_address(address).origin),
        tracker=None if stored is None else tracker_out(stored),
        **more,
    )


def tracker_out(stored: StoredTracker) -> TrackerOut:
    """Return a tracker as results show it."""
    last_sync = timestamp_or_none(stored.synced_at)
    return TrackerOut(name=stored.name, kind=stored.kind, connected=stored.connected, last_sync=last_sync)


def _open_tracker(room: Tasks, kind: str, settings: Mapping[str, Any]) -> Tracker:
    return KINDS[kind].make(KINDS[kind].service(settings, UsersConfiguration(room.repository)), settings)

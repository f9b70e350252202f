"""The actions of `taskpilot_remote_interface`: connects, tests, lists, synchronises and disconnects trackers.

Imported only when a tracker is used, because it loads the HTTP client.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.storage.network.address import parse_address
from holdfast.tasks.store.records import CallerIdentity
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import asana, counterparts, custom, github, jira, linear, trello
from holdfast.tasks.trackers.counterparts import StoredTracker
from holdfast.tasks.trackers.report import SyncTerms, TrackerOut, TrackerReport, step_fields
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


def tracker_name(kind: str, settings: Mapping[str, Any]) -> str:
    """Return our name for a tracker, such as `github:owner/name`: its kind and its project."""
    parts = [
        str(settings[name]).removeprefix("https://").rstrip("/") for name in KINDS[kind].identifying_settings
    ]
    return f"{kind}:{'/'.join(parts)}"


def find_connected(room: Tasks, kind: str, name: str | None) -> StoredTracker:
    """Return the connected tracker of a kind; with a name, the one with that name."""
    found = [
        item
        for item in counterparts.list_trackers(room, kind)
        if item.connected and name in (None, item.name)
    ]
    if not found:
        raise NotFound(
            f"No tracker of the kind '{kind}' is connected.", hint="Connect it with the action 'connect'."
        )
    if len(found) > 1:
        names = ", ".join(item.name for item in found)
        raise InvalidArguments(f"Several of the kind '{kind}' are connected.", hint=f"Name one of: {names}.")
    return found[0]


def list_trackers(room: Tasks, kind: str) -> TrackerReport:
    """Report all trackers of a kind."""
    found = counterparts.list_trackers(room, kind)
    trackers = [tracker_out(item) for item in found]
    return report(room, "list", found[0] if found else None, dry_run=True, trackers=trackers)


def check_connection(room: Tasks, known: StoredTracker) -> TrackerReport:
    """Test the connection to a tracker, and report our account."""
    account = _open_tracker(room, known.kind, known.settings).whoami()
    return report(room, "test", known, dry_run=True, **vars(account))


def synchronise(room: Tasks, who: CallerIdentity, known: StoredTracker, terms: SyncTerms) -> TrackerReport:
    """Synchronise tasks with a tracker."""
    outcome = Synchronisation(room, who, _open_tracker(room, known.kind, known.settings), known, terms).run()
    steps = ["Turn `dry_run` off to do this."] if terms.dry_run and outcome.steps else []
    if any(step.done == "conflict" for step in outcome.steps):
        steps.append("Resolve each conflict on one side, or pass prefer 'ours' or 'theirs'.")
    after = next(
        (item for item in counterparts.list_trackers(room, known.kind) if item.name == known.name), known
    )
    return report(room, "sync", after, dry_run=terms.dry_run, next_steps=steps, **step_fields(outcome))


def disconnect(room: Tasks, known: StoredTracker, *, dry_run: bool) -> TrackerReport:
    """Disconnect a tracker; in a dry run, report its current state."""
    if not dry_run:
        counterparts.store_disconnected(room, known.name)
    after = next(item for item in counterparts.list_trackers(room, known.kind) if item.name == known.name)
    return report(room, "disconnect", after, dry_run=dry_run)


def connect(room: Tasks, kind: str, settings: dict[str, Any], *, dry_run: bool, action: str) -> TrackerReport:
    """Test a tracker and, except in a dry run, store it as connected."""
    account = _open_tracker(room, kind, settings).whoami()
    name = tracker_name(kind, settings)
    known = StoredTracker(name, kind, settings, {}, connected=False, synced_at=None)
    if not dry_run:
        counterparts.store_connected(room, name, kind, settings)
        known = next(item for item in counterparts.list_trackers(room, kind) if item.name == name)
    step = "Turn `dry_run` off to connect it." if dry_run else "Synchronise it with the action 'sync'."
    return report(room, action, known, dry_run=dry_run, next_steps=[step], **vars(account))


def report(
    room: Tasks, action: str, known: StoredTracker | None, *, dry_run: bool, **more: Any
) -> TrackerReport:
    """Return the report of an action on a tracker."""
    configuration = UsersConfiguration(room.repository)
    kind, settings = ("github", {}) if known is None else (known.kind, known.settings)
    origin = parse_address(KINDS[kind].address(settings, configuration)).origin
    return TrackerReport(
        operation="remote_interface" if kind != "github" else "github",
        workspace=workspace_ref(room.workspace()),
        action=action,
        dry_run=dry_run,
        allowed=configuration.allowed_hosts().allows(origin),
        tracker=None if known is None else tracker_out(known),
        **more,
    )


def tracker_out(known: StoredTracker) -> TrackerOut:
    """Return a tracker as results show it."""
    return TrackerOut(
        name=known.name,
        kind=known.kind,
        connected=known.connected,
        last_sync=timestamp_or_none(known.synced_at),
    )


def _open_tracker(room: Tasks, kind: str, settings: Mapping[str, Any]) -> Tracker:
    return KINDS[kind].make(KINDS[kind].service(settings, UsersConfiguration(room.repository)), settings)

"""Other trackers, connected, tested and kept in step. Loaded when a tracker is asked for, not before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.storage.git.credentials import UsersConfiguration
from holdfast.tasks.caller import acting
from holdfast.tasks.store.records import Who
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts as kept
from holdfast.tasks.trackers.counterparts import Known
from holdfast.tasks.trackers.kinds import name_of, origin_of, settings_of, tracker_of
from holdfast.tasks.trackers.report import RemoteInterface, Synchronising, TrackerOut, TrackerReport, steps_of
from holdfast.tasks.trackers.synchronisation import Synchronisation, Terms
from holdfast.tasks.view.results import moment_or_none, workspace_ref


def handled(room: Tasks, arguments: RemoteInterface) -> TrackerReport:
    """Do what an action asks for."""
    who = acting(room, arguments)
    action = arguments.action
    if action == "list":
        return _listed(room, arguments)
    if action in ("connect", "configure"):
        return _connected(room, arguments)
    known = chosen(room, arguments.interface_type, arguments.name)
    if known.kind == "github":
        _check_project(room, known.settings)
    if action == "test":
        return tested(room, known)
    if action == "disconnect":
        return disconnected(room, known, dry_run=arguments.dry_run)
    return synchronised(room, who, known, arguments)


def chosen(room: Tasks, kind: str, name: str | None) -> Known:
    """Return the connected tracker that is meant."""
    found = [item for item in kept.trackers(room, kind) if item.connected and name in (None, item.name)]
    if not found:
        raise NotFound(
            f"No tracker of the kind '{kind}' is connected.", hint="Connect it with the action 'connect'."
        )
    if len(found) > 1:
        names = ", ".join(item.name for item in found)
        raise InvalidArguments(f"Several of the kind '{kind}' are connected.", hint=f"Name one of: {names}.")
    return found[0]


def tested(room: Tasks, known: Known) -> TrackerReport:
    """Ask a tracker who we are."""
    standing = tracker_of(known.kind, known.settings, UsersConfiguration(room.repository)).standing()
    return report(
        room,
        "test",
        known,
        dry_run=True,
        account=standing.account,
        project=standing.project,
        url=standing.url,
    )


def synchronised(room: Tasks, who: Who, known: Known, arguments: Synchronising) -> TrackerReport:
    """Keep tasks and a tracker in step."""
    tracker = tracker_of(known.kind, known.settings, UsersConfiguration(room.repository))
    terms = Terms(
        dry_run=arguments.dry_run,
        direction=arguments.direction,
        prefer=arguments.prefer,
        create_missing=arguments.create_missing,
        include_finished=arguments.include_finished,
    )
    outcome = Synchronisation(room, who, tracker, known, terms).run()
    steps = ["Pass dry_run false to do this."] if arguments.dry_run and outcome.steps else []
    if any(step.done == "conflict" for step in outcome.steps):
        steps.append("Settle each conflict on one side, or pass prefer 'ours' or 'theirs'.")
    after = next((item for item in kept.trackers(room, known.kind) if item.name == known.name), known)
    return report(room, "sync", after, dry_run=arguments.dry_run, next_steps=steps, **steps_of(outcome))


def disconnected(room: Tasks, known: Known, *, dry_run: bool) -> TrackerReport:
    """Stop using a tracker."""
    if not dry_run:
        kept.disconnect(room, known.name)
    after = next(item for item in kept.trackers(room, known.kind) if item.name == known.name)
    return report(room, "disconnect", after, dry_run=dry_run)


def connected(
    room: Tasks, kind: str, settings: dict[str, Any], *, dry_run: bool, action: str
) -> TrackerReport:
    """Try a tracker, and keep it when that works and it is not a dry run."""
    standing = tracker_of(kind, settings, UsersConfiguration(room.repository)).standing()
    name = name_of(kind, settings)
    known = Known(name, kind, settings, {}, connected=False, created_at=room.now(), synced_at=None)
    if not dry_run:
        kept.connect(room, name, kind, settings)
        known = next(item for item in kept.trackers(room, kind) if item.name == name)
    return report(
        room,
        action,
        known,
        dry_run=dry_run,
        account=standing.account,
        project=standing.project,
        url=standing.url,
        next_steps=["Pass dry_run false to connect it."]
        if dry_run
        else ["Synchronise it with the action 'sync'."],
    )


def report(room: Tasks, action: str, known: Known | None, *, dry_run: bool, **more: Any) -> TrackerReport:
    """Return what was done with a tracker."""
    configuration = UsersConfiguration(room.repository)
    settings = {} if known is None else known.settings
    kind = "github" if known is None else known.kind
    allowed = configuration.allowed_hosts().permit(origin_of(kind, settings, configuration))
    return TrackerReport(
        operation="remote_interface" if kind != "github" else "github",
        workspace=workspace_ref(room.workspace()),
        action=action,
        dry_run=dry_run,
        allowed=allowed,
        tracker=None if known is None else tracker_out(known),
        **more,
    )


def tracker_out(known: Known) -> TrackerOut:
    """Return a tracker as results show it."""
    return TrackerOut(
        name=known.name, kind=known.kind, connected=known.connected, last_sync=moment_or_none(known.synced_at)
    )


def _listed(room: Tasks, arguments: RemoteInterface) -> TrackerReport:
    found = kept.trackers(room, arguments.interface_type)
    first = found[0] if found else None
    more = {"trackers": [tracker_out(item) for item in found]}
    return report(room, "list", first, dry_run=True, **more)


def _connected(room: Tasks, arguments: RemoteInterface) -> TrackerReport:
    kind = arguments.interface_type
    settings = settings_of(kind, arguments.config)
    if kind == "github":
        _check_project(room, settings)
    return connected(room, kind, settings, dry_run=arguments.dry_run, action=arguments.action)


def _check_project(room: Tasks, settings: Mapping[str, Any]) -> None:
    from holdfast.tasks.trackers.github_actions import check_project  # it builds on this module

    check_project(room, str(settings["repository"]))

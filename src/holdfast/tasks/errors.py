"""What can go wrong with tasks beyond what can go wrong with anything."""

from __future__ import annotations

from holdfast.kernel.errors import Conflict, Denied, Invalid, NotFound


class NotInitialized(NotFound):
    """The repository has no workspace for tasks yet."""

    kind = "not_initialized"
    number = 4048


class NotJoined(Denied):
    """The repository names a workspace of the team's database that nobody has joined here."""

    kind = "not_joined"
    number = 4033


class AlreadyClaimed(Conflict):
    """Somebody else holds the task."""

    kind = "already_claimed"
    number = 4092


class LeaseExpired(Conflict):
    """The caller held the task once, and does not any more."""

    kind = "lease_expired"
    number = 4093


class DependencyCycle(Invalid):
    """Tasks would wait for each other for ever."""

    kind = "dependency_cycle"
    number = 4063
    http_status = 422


class DoneGate(Conflict):
    """The task lacks what this workspace asks for before a task is done."""

    kind = "done_gate"
    number = 4094

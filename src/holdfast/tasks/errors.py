"""What can go wrong with tasks beyond what can go wrong with anything."""

from __future__ import annotations

from holdfast.kernel.errors import Conflict, Denied, Invalid, NotFound


class NotInitialized(NotFound, kind="not_initialized", number=4048):
    """The repository has no workspace for tasks yet."""


class NotJoined(Denied, kind="not_joined", number=4033):
    """The repository names a workspace of the team's database that nobody has joined here."""


class AlreadyClaimed(Conflict, kind="already_claimed", number=4092):
    """Somebody else holds the task."""


class LeaseExpired(Conflict, kind="lease_expired", number=4093):
    """The caller held the task once, and does not any more."""


class DependencyCycle(Invalid, kind="dependency_cycle", number=4063, http_status=422):
    """Tasks would wait for each other for ever."""


class DoneGate(Conflict, kind="done_gate", number=4094):
    """The task lacks what this workspace asks for before a task is done."""

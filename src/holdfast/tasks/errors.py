"""The errors that only operations on tasks raise, besides the general ones of the kernel."""

from __future__ import annotations

from holdfast.kernel.errors import Conflict, Denied, Invalid, NotFound


class NotInitialized(NotFound, kind="not_initialized", number=4048):
    """The repository has no task workspace yet."""


class NotJoined(Denied, kind="not_joined", number=4033):
    """The repository names a workspace of a shared database that this clone has not joined."""


class AlreadyClaimed(Conflict, kind="already_claimed", number=4092):
    """Someone else holds the task."""


class LeaseExpired(Conflict, kind="lease_expired", number=4093):
    """The caller's claim on the task has ended."""


class DependencyCycle(Invalid, kind="dependency_cycle", number=4063, http_status=422):
    """The dependencies would form a cycle."""


class DoneGate(Conflict, kind="done_gate", number=4094):
    """The task does not meet the workspace's done gate."""

"""Errors of watching. Only this package sees them: its modules scan or poll instead."""


class WatchUnavailable(Exception):
    """The system reports no changes, or no more directories may be watched."""


class EventsLost(Exception):
    """Some changes were not reported, so the watched directories must be scanned again."""

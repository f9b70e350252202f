"""Why changes are not reported; both stay inside this folder, whose callers scan or poll instead."""


class WatchUnavailable(Exception):
    """The system reports no changes, or no more directories may be watched."""


class EventsLost(Exception):
    """Some changes were not reported: the watched directories must be scanned again."""

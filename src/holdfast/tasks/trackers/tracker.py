"""What every tracker can do for us, whatever it is called there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from holdfast.kernel.errors import Unavailable
from holdfast.tasks.trackers.foreign import ForeignTask


@dataclass(frozen=True)
class Standing:
    """Who we are over there, and what of."""

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

    def moved_past(self, updated_at: str | None) -> None:
        """Take note of an item that was read."""
        if updated_at is not None and (self.since is None or updated_at > self.since):
            self.since = updated_at


class Tracker(Protocol):
    """A project on another service."""

    @property
    def kind(self) -> str:
        """Return what the service is called."""

    @property
    def carries(self) -> frozenset[str]:
        """Return the fields that can be kept in step."""

    def standing(self) -> Standing:
        """Return who we are there, having asked."""

    def changed(self, mark: Mark) -> Iterator[ForeignTask]:
        """Yield what changed since the mark, oldest first, and move the mark on."""

    def create(self, task: ForeignTask) -> ForeignTask:
        """Make an item, and return it as it is there."""

    def change(self, origin: str, values: Mapping[str, Any], whole: ForeignTask) -> ForeignTask:
        """Change fields of an item, of which `whole` is the result, and return it as it is there."""


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

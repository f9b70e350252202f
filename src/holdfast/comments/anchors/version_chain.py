"""What a comparison of versions is given: texts and numbers, so that it may happen in another process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from holdfast.comments.tracking.models import Anchor, Placement, Version


class Past(Protocol):
    """What is known about earlier versions of files."""

    def version_text(self, blob: str) -> str | None:
        """Return the text of a version by its id, where it is known."""

    def between(self, path: str, blob: str, commit: str | None) -> Sequence[Version]:
        """Return the revisions of a file after the version `blob`, written on `commit`, oldest first."""

    def dated(self, path: str) -> Sequence[tuple[int, str]]:
        """Return when each committed version of a file came, and its id, newest first."""


@dataclass(frozen=True)
class Journey:
    """Versions to follow some anchors through; the last is the present one."""

    versions: tuple[Version, ...]
    anchors: tuple[Anchor, ...]
    positions: tuple[int, ...]
    """Which comments of the sidecar the anchors belong to."""
    from_fragment: bool = False
    """Whether the first version is only the few lines that a marker keeps."""
    by_number: bool = False
    """Whether nothing but a line number and a date led to the first version."""


def travelled(journey: Journey) -> list[Placement]:
    """Follow the anchors of a journey."""
    from holdfast.comments.tracking.follow import follow

    return follow(journey.versions, journey.anchors)

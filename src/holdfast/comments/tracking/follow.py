"""Following anchors through the revisions of a file, and judging by whether the ways agree."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.comments.tracking.models import Anchor, Placement, Version
from holdfast.comments.tracking.track import track


def follow(versions: Sequence[Version], anchors: Sequence[Anchor]) -> list[Placement]:
    """Return where anchors of the first version are in the last; those between are its revisions in order."""
    return track(versions[0], versions[-1], anchors)

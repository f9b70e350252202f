"""How the comments of a work tree are watched: all of them, one file's, or which files have any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.comments.sidecar.source import sidecar_of
from holdfast.storage.watching.listing import Listing
from holdfast.storage.watching.source_folders import is_entered
from holdfast.storage.watching.topic_source import Probe, TopicSource, WatchedPlace

if TYPE_CHECKING:
    from holdfast.comments.store import Comments

EVERY_FILE = "*"
"""The part of a topic that stands for the list of files, a name that no file can have."""


def topic_source(room: Comments, sidecars: Listing, part: str) -> TopicSource:
    """Return how a part is watched; the empty part stands for all comments."""
    tree = WatchedPlace(room.repository.root, enters=is_entered)
    return TopicSource(_probe(room, sidecars, part), () if room.repository.bare else (tree,))


def _probe(room: Comments, sidecars: Listing, part: str) -> Probe:
    if not part:
        return room.fingerprint
    if part == EVERY_FILE:
        return lambda: tuple(room.sidecar_paths())
    sidecar, signature = sidecar_of(part), sidecars.signature
    return lambda: (signature(sidecar), signature(part), (moves := room.moves()) and moves.arriving.get(part))

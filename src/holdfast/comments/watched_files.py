"""Declares what subscribers can watch: all comments, those of one file, or the list of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.comments.sidecar.source import sidecar_of
from holdfast.storage.watching.listing import Listing
from holdfast.storage.watching.source_folders import is_entered
from holdfast.storage.watching.topic_source import Probe, TopicSource, WatchedPlace

if TYPE_CHECKING:
    from holdfast.comments.store import Comments

EVERY_FILE = "*"
"""The part of a topic that stands for the list of commented files; no file can have this name."""


def topic_source(room: Comments, sidecars: Listing, part: str) -> TopicSource:
    """Return what to watch for a part of the topic: empty for all comments, a path, or `EVERY_FILE`."""
    tree = WatchedPlace(room.repository.root, enters=is_entered)
    return TopicSource(_probe(room, sidecars, part), () if room.repository.bare else (tree,))


def _probe(room: Comments, sidecars: Listing, part: str) -> Probe:
    """Return a function whose result changes when the watched comments do."""
    if not part:
        return room.fingerprint
    if part == EVERY_FILE:
        return lambda: tuple(room.sidecar_paths())

    def probe_file() -> object:
        moves = room.moves()
        arriving = None if moves is None else moves.arriving.get(part)
        return sidecars.signature(sidecar_of(part)), sidecars.signature(part), arriving

    return probe_file

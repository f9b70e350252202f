"""Damaged sidecars: found, explained, and united again where git left both sides of a merge in one.

Contract: damaged bytes are never lost. Before a united sidecar takes their place, they are beside it, under a
name that no program takes for a sidecar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments import sidecar as sidecars
from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.names import sidecar_of
from holdfast.comments.schema import LOCKS_NAME
from holdfast.comments.union.conflicts import sides_of
from holdfast.comments.union.uniting import recovered, united
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.locks import Locks
from holdfast.storage.repo_path import RepoPath

if TYPE_CHECKING:
    from holdfast.comments.store import Comments

_UNITE = "`holdfast doctor --fix` unites both sides and keeps this file beside the result."
_ADD = "Look at it, then `git add` it."
_RESTORE = "Keep a copy, then take the file from git or from a backup."


@dataclass(frozen=True)
class FileFinding:
    """What was found out about one file of the work tree."""

    path: str | None
    is_damage: bool
    text: str
    next_step: str | None = None
    fixed: bool = False


def examined(room: Comments, *, fix: bool) -> Iterator[FileFinding]:
    """Look at every sidecar, and at what is kept beside them."""
    for text in room.archive.verify():
        yield FileFinding(None, True, text, _RESTORE)
    for source in room.sidecar_paths():
        path = RepoPath.parse(source)
        try:
            data = room.sidecar_bytes(path)
            if data is not None:
                sidecars.read(source, data)
        except CommentFileCorrupted as failure:
            yield _damaged(room, path, failure, fix=fix)
        except HoldfastError as failure:
            yield FileFinding(sidecar_of(source), False, failure.message, failure.hint)


def _damaged(room: Comments, path: RepoPath, failure: CommentFileCorrupted, *, fix: bool) -> FileFinding:
    place = sidecar_of(path.text)
    reason = str(failure.data["reason"])
    if _both_sides(room, path) is None:
        return FileFinding(place, True, f"The comments cannot be read: {reason}.", _RESTORE)
    text = "The file holds both sides of an unfinished merge."
    if not fix:
        return FileFinding(place, True, text, _UNITE)
    with Locks(room.repository, LOCKS_NAME).holding(path.text):
        kept = _unite(room, path)
    if kept is None:
        return FileFinding(place, True, text, _UNITE)
    return FileFinding(place, False, f"{text} They were united; the file as it was is '{kept}'.", _ADD, True)


def _unite(room: Comments, path: RepoPath) -> str | None:
    """Put the united sidecar in the place of a damaged one and return where that is now."""
    data, both = room.sidecar_bytes(path), _both_sides(room, path)
    if data is None or both is None:
        return None
    backup = _backup_of(room, path)
    room.tree.write(backup, data)
    room.tree.write(path.with_suffix_added(".comments"), both)
    return backup.text


def _both_sides(room: Comments, path: RepoPath) -> bytes | None:
    """Return what both sides say together: as the file has them, or else as git's index has them.

    What they come from is in the index too, unless somebody said that the conflict is over; without it a
    comment that one side deleted would come back.
    """
    data = room.sidecar_bytes(path)
    if data is None or sides_of(data) is None:
        return None
    base, ours, theirs = (room.history.staged(sidecar_of(path.text), stage) for stage in (1, 2, 3))
    if (found := recovered(data, base)) is not None:
        return found
    if ours is None or theirs is None:
        return None
    try:
        return united(base, ours, theirs)
    except ValueError:
        return None


def _backup_of(room: Comments, path: RepoPath) -> RepoPath:
    """Return a name that is free, and that neither we nor the extension take for a sidecar."""
    moment = f"{room.clock():%Y%m%dT%H%M%SZ}"
    number = 0
    while True:
        ending = f".backup-{moment}{f'-{number}' if number else ''}.comments"
        if not room.tree.exists(found := path.with_suffix_added(ending)):
            return found
        number += 1

"""Damaged sidecars: found, explained, and united again where git left a merge unfinished.

Contract: damaged bytes are never lost. Before a united sidecar takes their place, they are beside it, under a
name that no program takes for a sidecar.

Where the merge driver could not run, git leaves our side alone in the file, without a mark, and the other
side in its index only: whoever adds that file to the index loses the other side. That is found, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.source import sidecar_of
from holdfast.comments.store import Comments
from holdfast.comments.union.conflicts import sides_of
from holdfast.comments.union.three_way import recovered, united
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.repo_path import RepoPath

_UNITE = "`holdfast doctor --fix` unites both sides and keeps this file beside the result."
_BRING = "`holdfast doctor --fix` brings them in and keeps this file beside the result."
_ADD = "Look at it, then `git add` it."
_BEGUN_ANEW = "It is set aside and begun anew at its next use; the comments themselves are in their files."
_RESTORE = "Keep a copy, then take the file from git or from a backup."


Mend = Callable[[Comments, RepoPath], bytes | None]
"""Returns what should be in a sidecar's place, or None when nothing should."""


@dataclass(frozen=True)
class FileFinding:
    """What was found out about one file of the work tree."""

    path: str | None
    is_damage: bool
    text: str
    next_step: str | None = None
    fixed: bool = False


class SidecarCheck:
    """Looks for damage in the sidecars of a room."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def examine(self, *, fix: bool) -> Iterator[FileFinding]:
        """Look at every sidecar; `fix`: unite those in which git left both sides of a merge."""
        room = self._room
        for text in room.archive.verify():
            yield FileFinding(None, True, text, _BEGUN_ANEW)
        for source in room.sidecar_paths():
            path = RepoPath.parse(source)
            try:
                data = room.sidecar_bytes(path)
                if data is not None:
                    sidecars.read(source, data)
                    yield from _one_sided(room, path, fix=fix)
            except CommentFileCorrupted as failure:
                yield _damaged(room, path, failure, fix=fix)
            except HoldfastError as failure:
                yield FileFinding(sidecar_of(source), False, failure.message, failure.hint)


def _damaged(room: Comments, path: RepoPath, failure: CommentFileCorrupted, *, fix: bool) -> FileFinding:
    whole = None
    with suppress(CommentFileCorrupted):  # a pipe, or too large: it has no bytes to take apart
        whole = _both_sides(room, path)
    if whole is None:
        reason = str(failure.data["reason"])
        return FileFinding(sidecar_of(path.text), True, f"The comments cannot be read: {reason}.", _RESTORE)
    text = "The file holds both sides of an unfinished merge."
    return _mended(room, path, _both_sides, FileFinding(sidecar_of(path.text), True, text, _UNITE), fix=fix)


def _one_sided(room: Comments, path: RepoPath, *, fix: bool) -> Iterator[FileFinding]:
    if _with_other_side(room, path) is not None:
        text = "The file lacks comments of the other side of an unfinished merge."
        found = FileFinding(sidecar_of(path.text), True, text, _BRING)
        yield _mended(room, path, _with_other_side, found, fix=fix)


def _mended(room: Comments, path: RepoPath, mend: Mend, found: FileFinding, *, fix: bool) -> FileFinding:
    """Put a whole sidecar in the place of the one that was found, if that is wanted, and say so."""
    if not fix:
        return found
    with room.locks.holding(path.text):
        data, whole = room.sidecar_bytes(path), mend(room, path)
        if data is None or whole is None:
            return found
        kept = _backup_of(room, path)
        room.tree.write(kept, data)
        room.tree.write(path.with_suffix_added(".comments"), whole)
    text = f"{found.text} Both sides were united; the file as it was is '{kept.text}'."
    return FileFinding(found.path, False, text, _ADD, True)


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


def _with_other_side(room: Comments, path: RepoPath) -> bytes | None:
    """Return the sidecar with what the other side of an unfinished merge says; None if it has that."""
    data, theirs = room.sidecar_bytes(path), room.history.staged(sidecar_of(path.text), 3)
    if data is None or theirs is None:
        return None
    try:
        whole = united(room.history.staged(sidecar_of(path.text), 1), data, theirs)
        return None if _said_in(whole) <= _said_in(data) else whole
    except ValueError:
        return None


def _said_in(data: bytes) -> set[tuple[str, str, str, int]]:
    notes = sidecars.read("", data).comments
    return {(note.id, note.text, note.status, len(note.replies)) for note in notes}


def _backup_of(room: Comments, path: RepoPath) -> RepoPath:
    """Return a name that is free, and that neither we nor the extension take for a sidecar."""
    moment = f"{room.clock():%Y%m%dT%H%M%SZ}"
    number = 0
    while True:
        ending = f".backup-{moment}{f'-{number}' if number else ''}.comments"
        if not room.tree.exists(found := path.with_suffix_added(ending)):
            return found
        number += 1

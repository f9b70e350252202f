"""Finds and explains damaged sidecars, and repairs those in which git left a merge unfinished.

Contract: damaged bytes are never lost. Before a merged sidecar replaces them, they are copied beside it,
under a name that no program takes for a sidecar.

If the merge driver could not run, git leaves only our side in the file, without conflict markers, and the
other side only in its index: adding that file to the index would lose the other side. That is detected, too.
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

_MERGE = "`holdfast doctor --fix` merges both sides and keeps this file beside the result."
_ADD_OTHER_SIDE = "`holdfast doctor --fix` adds them and keeps this file beside the result."
_ADD = "Check it, then `git add` it."
_RECREATED = "It is set aside and recreated at its next use; the comments themselves are in their files."
_RESTORE = "Make a copy, then restore the file from git or from a backup."


Repair = Callable[[Comments, RepoPath], bytes | None]
"""Returns the repaired sidecar, or None if there is nothing to repair."""


@dataclass(frozen=True)
class SidecarFinding:
    """A problem with one file of the work tree, or what was done about it."""

    path: str | None
    is_damage: bool
    text: str
    next_step: str | None = None
    fixed: bool = False


class SidecarCheck:
    """Checks the sidecars of a work tree for damage."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def examine(self, *, fix: bool) -> Iterator[SidecarFinding]:
        """Check every sidecar; `fix`: merge those in which git left a merge unfinished."""
        room = self._room
        for text in room.archive.verify():
            yield SidecarFinding(None, True, text, _RECREATED)
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
                yield SidecarFinding(sidecar_of(source), False, failure.message, failure.hint)


def _damaged(room: Comments, path: RepoPath, failure: CommentFileCorrupted, *, fix: bool) -> SidecarFinding:
    whole = None
    with suppress(CommentFileCorrupted):  # a pipe, or too large to read
        whole = _both_sides(room, path)
    if whole is None:
        reason = str(failure.data["reason"])
        return SidecarFinding(
            sidecar_of(path.text), True, f"The comments cannot be read: {reason}.", _RESTORE
        )
    text = "The file holds both sides of an unfinished merge."
    return _repaired(
        room, path, _both_sides, SidecarFinding(sidecar_of(path.text), True, text, _MERGE), fix=fix
    )


def _one_sided(room: Comments, path: RepoPath, *, fix: bool) -> Iterator[SidecarFinding]:
    if _with_other_side(room, path) is not None:
        text = "The file lacks comments of the other side of an unfinished merge."
        found = SidecarFinding(sidecar_of(path.text), True, text, _ADD_OTHER_SIDE)
        yield _repaired(room, path, _with_other_side, found, fix=fix)


def _repaired(
    room: Comments, path: RepoPath, repair: Repair, found: SidecarFinding, *, fix: bool
) -> SidecarFinding:
    """Replace a damaged sidecar by its repaired version, if `fix`, and report it."""
    if not fix:
        return found
    with room.locks.holding(path.text):
        data, whole = room.sidecar_bytes(path), repair(room, path)
        if data is None or whole is None:
            return found
        backup = _backup_of(room, path)
        room.tree.write(backup, data)
        room.tree.write(path.with_suffix_added(".comments"), whole)
    text = f"{found.text} Both sides were merged; the previous file is '{backup.text}'."
    return SidecarFinding(found.path, False, text, _ADD, True)


def _both_sides(room: Comments, path: RepoPath) -> bytes | None:
    """Return the merge of both sides in the file or, if that fails, of those in git's index.

    The base is in the index too, unless the conflict was marked as resolved; without it a comment that one
    side deleted would come back.
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
    """Return the sidecar merged with the other side of an unfinished merge; None if it has it."""
    data, theirs = room.sidecar_bytes(path), room.history.staged(sidecar_of(path.text), 3)
    if data is None or theirs is None:
        return None
    try:
        whole = united(room.history.staged(sidecar_of(path.text), 1), data, theirs)
        return None if _contents(whole) <= _contents(data) else whole
    except ValueError:
        return None


def _contents(data: bytes) -> set[tuple[str, str, str, int]]:
    notes = sidecars.read("", data).comments
    return {(note.id, note.text, note.status, len(note.replies)) for note in notes}


def _backup_of(room: Comments, path: RepoPath) -> RepoPath:
    """Return a free name that neither we nor the extension take for a sidecar."""
    timestamp = f"{room.clock():%Y%m%dT%H%M%SZ}"
    number = 0
    while True:
        ending = f".backup-{timestamp}{f'-{number}' if number else ''}.comments"
        if not room.tree.exists(found := path.with_suffix_added(ending)):
            return found
        number += 1

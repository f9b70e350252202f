"""Finds damaged sidecars for `holdfast doctor`, and completes merges that git left unfinished.

Contract: damaged bytes are never lost. Before a merged sidecar replaces them, they are copied beside it,
under a name that no program takes for a sidecar.

If the merge driver could not run, git leaves only our side in the file, without conflict markers; the other
side is only in git's index, and adding the file to the index would lose it. Such files are found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.source import REPOSITORY_NOTES, SUFFIX, sidecar_of
from holdfast.comments.store import Comments
from holdfast.comments.union.conflicts import parse_conflict
from holdfast.comments.union.three_way import merge_conflicted_bytes, merge_sidecar_bytes
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.repo_path import RepoPath

_MERGE_STEP = "`holdfast doctor --fix` merges both sides and keeps this file beside the result."
_ADD_OTHER_SIDE_STEP = "`holdfast doctor --fix` adds them and keeps this file beside the result."
_GIT_ADD_STEP = "Check it, then `git add` it."
_DATABASE_STEP = "It is set aside and recreated at its next use; the comments themselves are in their files."
_CORRECT_STEP = "It is written only when that comment is changed. Correct it in the file."
_RESTORE_STEP = "Make a copy, then restore the file from git or from a backup."


Repair = Callable[[Comments, RepoPath], bytes | None]
"""Returns the repaired sidecar, or None if there is nothing to repair."""


@dataclass(frozen=True)
class SidecarFinding:
    """A problem with one file of the work tree, or what was done about it."""

    path: str | None
    """The path of the sidecar; None for the database."""
    is_damage: bool
    text: str
    next_step: str | None = None
    fixed: bool = False
    """Whether the problem was repaired."""


class SidecarCheck:
    """Checks the sidecars of a work tree for damage."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def examine(self, *, fix: bool) -> Iterator[SidecarFinding]:
        """Check every sidecar and yield the problems; with `fix`, complete unfinished merges."""
        room = self._room
        for text in room.archive.verify():
            yield SidecarFinding(None, True, text, _DATABASE_STEP)
        for source in [REPOSITORY_NOTES, *room.sidecar_paths()]:
            path = RepoPath((source,)) if source == REPOSITORY_NOTES else RepoPath.parse(source)
            try:
                data = room.sidecar_bytes(path)
                if data is not None:
                    yield from _list_damage(sidecars.parse_sidecar(source, data))
                    yield from _find_missing_side(room, path, fix=fix)
            except CommentFileCorrupted as error:
                yield _explain_damage(room, path, error, fix=fix)
            except HoldfastError as error:
                yield SidecarFinding(sidecar_of(source), False, error.message, error.hint)


def _list_damage(sidecar: sidecars.Sidecar) -> Iterator[SidecarFinding]:
    """Yield a finding for each damaged comment of a sidecar that can be read."""
    for note in sidecar.comments:
        if note.damage is not None:
            text = f"Comment {note.alias} is damaged: {note.damage}."
            yield SidecarFinding(sidecar.path, True, text, _CORRECT_STEP)


def _explain_damage(
    room: Comments, path: RepoPath, error: CommentFileCorrupted, *, fix: bool
) -> SidecarFinding:
    """Return what is wrong with a sidecar that cannot be parsed; repair it if it is an unfinished merge."""
    sidecar_path, merged = sidecar_of(path.text), None
    with suppress(CommentFileCorrupted):  # a pipe, or too large to read
        merged = _merge_conflict(room, path)
    if merged is None:
        text = f"The comments cannot be read: {error.data['reason']}."
        return SidecarFinding(sidecar_path, True, text, _RESTORE_STEP)
    text = "The file holds both sides of an unfinished merge."
    finding = SidecarFinding(sidecar_path, True, text, _MERGE_STEP)
    return _repair(room, path, _merge_conflict, finding, fix=fix)


def _find_missing_side(room: Comments, path: RepoPath, *, fix: bool) -> Iterator[SidecarFinding]:
    """Yield a finding if a sidecar lacks comments that are only in git's index."""
    if _merge_other_side(room, path) is not None:
        text = "The file lacks comments of the other side of an unfinished merge."
        finding = SidecarFinding(sidecar_of(path.text), True, text, _ADD_OTHER_SIDE_STEP)
        yield _repair(room, path, _merge_other_side, finding, fix=fix)


def _repair(
    room: Comments, path: RepoPath, repair: Repair, finding: SidecarFinding, *, fix: bool
) -> SidecarFinding:
    """With `fix`, replace a damaged sidecar with its repaired version; return the finding to report."""
    if not fix:
        return finding
    with room.locks.holding(path.text):
        data, merged = room.sidecar_bytes(path), repair(room, path)
        if data is None or merged is None:
            return finding
        backup = _free_backup_path(room, path)
        room.tree.write(backup, data)
        room.tree.write(path.with_suffix_added(SUFFIX), merged)
    text = f"{finding.text} Both sides were merged; the previous file is '{backup.text}'."
    return SidecarFinding(finding.path, False, text, _GIT_ADD_STEP, fixed=True)


def _merge_conflict(room: Comments, path: RepoPath) -> bytes | None:
    """Return the merge of both sides in the file or, if that fails, of those in git's index.

    The base is in the index too, unless the conflict was marked as resolved; without it a comment that one
    side deleted would come back.
    """
    data = room.sidecar_bytes(path)
    if data is None or parse_conflict(data) is None:
        return None
    base, ours, theirs = (room.history.staged(sidecar_of(path.text), stage) for stage in (1, 2, 3))
    merged = merge_conflicted_bytes(data, base)
    if merged is not None:
        return merged
    if ours is None or theirs is None:
        return None
    try:
        return merge_sidecar_bytes(base, ours, theirs)
    except ValueError:
        return None


def _merge_other_side(room: Comments, path: RepoPath) -> bytes | None:
    """Return the sidecar merged with the other side in git's index, or None if nothing is missing."""
    data, theirs = room.sidecar_bytes(path), room.history.staged(sidecar_of(path.text), 3)
    if data is None or theirs is None:
        return None
    try:
        merged = merge_sidecar_bytes(room.history.staged(sidecar_of(path.text), 1), data, theirs)
        return None if _comment_contents(merged) <= _comment_contents(data) else merged
    except ValueError:
        return None


def _comment_contents(data: bytes) -> set[tuple[str, str, str, int]]:
    """Return the id, text, status and number of replies of each comment."""
    notes = sidecars.parse_sidecar("", data).comments
    return {(note.id, note.text, note.status, len(note.replies)) for note in notes}


def _free_backup_path(room: Comments, path: RepoPath) -> RepoPath:
    """Return an unused path that neither Holdfast nor the VS Code extension takes for a sidecar."""
    timestamp = f"{room.clock():%Y%m%dT%H%M%SZ}"
    endings = chain([timestamp], (f"{timestamp}-{number}" for number in count(1)))
    backups = (path.with_suffix_added(f".backup-{ending}{SUFFIX}") for ending in endings)
    return next(backup for backup in backups if not room.tree.exists(backup))

"""Finds the file that code moved to, so its comments are shown there.

Example: `utils.py` is renamed to `text.py` without its sidecar. `utils.py.comments` is now a stray. git's
history says that the path was renamed, so its comments are shown with `text.py`; they are written to
`text.py.comments` with the next change there. If only one function moved, and `utils.py` still exists, its
comments are found by content when `text.py` is read.

Contract:
- Reading a file also looks for code that moved into it from another commented file, if the file contains the
  exact line of one of that file's comments; the result is reused until one of the files searched changes.
- Sidecars whose source is gone are strays; nothing is written to them here. Renames that git detected decide
  first, in commits since the comment was written or in the index; otherwise the content does, if it points to
  exactly one file. A comment without such a file stays an orphan with candidates.
- git is run and files are compared only if there are strays and something changed since: the last commit, the
  index, the list of files, or those sidecars.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from zlib import crc32

from holdfast.comments.anchors.lost_code import (
    CandidateFiles,
    files_of_same_kind,
    has_left,
    index_for,
    lost_code_of,
)
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import MOVED, Note, NoteLocation
from holdfast.comments.sidecar.source import source_of, source_path
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import CandidateLine, Confidence
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.file_history import PathEvent
from holdfast.storage.watching.listing import Listing, Signature

MAX_FILES, _MAX_NOTES, _MAX_COMMITS, _MAX_SIDECARS = 1000, 2000, 8, 500
"""How many files, comments, commits and sidecars a read compares; a scan compares the rest. Chosen bounds: a
read must stay interactive."""
_FEW = 50
"""Up to this many commented files, all are watched for changes; beyond it, only the file that is read. A
chosen bound on time."""
_MIN_SHARE = 0.5
"""Score that the only file with a comment's exact line needs, if it is not unambiguous. A judgement."""

Stray = tuple[str, Signature | None]
"""The path of a source that is gone, and the signature of its sidecar."""


def _own_line(note: Note) -> str:
    """Return the stored text of a comment's line; empty if it has no letters or digits."""
    line = str((note.marker or {}).get("lineText") or "").split("\n")[0].strip()
    return line if any(map(str.isalnum, line)) else ""


@contextmanager
def _unreadable_skipped() -> Iterator[None]:
    """Skip what cannot be read: reading that file itself reports the problem."""
    try:
        yield
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return


def _by_suffix(paths: Iterable[str]) -> Mapping[str, list[str]]:
    """Return files by the suffix of their names."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        found[os.path.splitext(path)[1]].append(path)
    return dict(found)


@dataclass(frozen=True)
class Moves:
    """Where the comments of all strays belong."""

    homes: Mapping[str, Mapping[str, str]]
    """The file that a comment belongs to now, by the path that is gone and the comment's id."""
    emptied: frozenset[str]
    """The paths that are gone and whose comments all belong elsewhere."""
    token: int
    """A checksum that changes when any of this, or one of the sidecars, does."""

    @cached_property
    def arriving(self) -> dict[str, list[tuple[str, str]]]:
        """For each file the comments that belong to it and are stored elsewhere: path and id."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path, homes in self.homes.items():
            for name, target in homes.items():
                found[target].append((path, name))
        return dict(found)

    def departed_from(self, path: str, load: Callable[[str], Sidecar]) -> Iterator[Note]:
        """Yield the comments that left a path, as shown there: orphaned, with the new place as candidate."""
        homes = self.homes.get(path, {})
        for target in dict.fromkeys(homes.values()):
            for note in load(target).comments:
                if homes.get(note.id) == target:
                    place = (CandidateLine(note.line, 1.0, target),)
                    note.location = NoteLocation(note.line, None, Confidence.NONE, MOVED, MOVED, place)
                    yield note

    def apply_to(self, sidecar: Sidecar, stored: Callable[[str], Sidecar]) -> None:
        """Add the comments that belong to a file, and remove those that belong elsewhere."""
        homes = self.homes.get(sidecar.source_path, {})
        sidecar.comments = [note for note in sidecar.comments if note.id not in homes]
        for source, name in self.arriving.get(sidecar.source_path, ()):
            note = stored(source).find(name)
            # In both files: the process that was moving it was killed. It is one comment.
            if note is not None and sidecar.find(name) is None:
                sidecar.comments.append(note)


class StraySidecars:
    """The comments of one work tree whose source is gone, or whose code left it."""

    def __init__(self, room: Comments, sidecars: Listing) -> None:
        self._room, self._sidecars = room, sidecars
        self._listed: list[str] | None = None
        self._sources: tuple[list[str], Mapping[str, list[str]]] = ([], {})
        self._known: tuple[object, Moves | None] = (None, None)
        self._left: VersionedCache[Mapping[str, str]] = VersionedCache()
        self._arrived: VersionedCache[Mapping[str, Mapping[str, str]]] = VersionedCache()

    def with_arrivals(self, path: str, lone: list[str], moves: Moves | None) -> Moves | None:
        """Return `moves` extended by comments whose code moved to a file from existing files."""
        if self._listed is not lone:  # the same object while no folder changes
            paths = self._sidecars.last_paths()
            if paths != self._sources[0]:
                self._sources = (paths, _by_suffix(map(source_of, paths)))
            self._listed = lone
        alike = self._sources[1].get(os.path.splitext(path)[1], [])
        others = [one for one in alike if one != path]
        if not 0 < len(others) <= _MAX_SIDECARS:
            return moves
        watched = {path, *others} if len(others) <= _FEW else {path}
        cache_version = (others, [self._sidecars.signature(one) for one in sorted(watched)])
        arrived = self._arrived.get(path, cache_version)
        if arrived is None:
            arrived = self._arrived.put(path, cache_version, dict(self._arrivals(path, others, moves)))
        known = moves or Moves({}, frozenset(), 0)
        return replace(known, homes={**known.homes, **arrived}) if arrived else moves

    def _arrivals(
        self, path: str, others: Sequence[str], moves: Moves | None
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the files that comments came from, with their ids and the file they moved to."""
        text = files_of_same_kind(self._room, [path]).text(path) or ""
        for other in others:
            current_call().check()
            with _unreadable_skipped():
                notes = self._room.stored(RepoPath.parse(other)).comments
                if any((line := _own_line(note)) and line in text for note in notes):
                    left = self._departures(other, self._room.load_owned(other, moves).comments)
                    arrived = {name: target for name, target in left.items() if target == path}
                    yield from [(other, arrived)] if arrived else ()

    def _departures(self, path: str, notes: Sequence[Note]) -> Mapping[str, str]:
        """Return by id the files that now have the code of comments that left an existing file."""
        uncertain = {note.id: note for note in notes if note.location.confidence is not Confidence.HIGH}
        files = files_of_same_kind(self._room, [path])
        signatures = files.signatures() if uncertain else {}
        cache_version = (signatures, tuple(uncertain))
        if not 0 < len(signatures) <= MAX_FILES or path not in signatures:
            return {}
        known = self._left.get(path, cache_version)
        if known is None:
            gone = [(path, note) for note in uncertain.values() if has_left(self._room, path, note)]
            left = {
                name: target
                for _, name, target in self._by_content(gone, files)
                if (line := _own_line(uncertain[name])) and line in (files.text(target) or "")
            }
            known = self._left.put(path, cache_version, left)
        return known

    def moves(self, strays: Sequence[Stray]) -> Moves:
        """Return where the comments of these strays belong; the same object while nothing changes."""
        files = files_of_same_kind(self._room, [path for path, _ in strays])
        key = (strays, self._room.history.state(), paths := files.paths())
        known, found = self._known
        if found is None or known != key:
            found = self._resolve(strays, files if len(paths) <= MAX_FILES else None)
            self._known = (key, found)
        return found

    def _resolve(self, strays: Sequence[Stray], files: CandidateFiles | None) -> Moves:
        homes: dict[str, dict[str, str]] = {}
        missing: list[tuple[str, Note]] = []
        counts: dict[str, int] = {}
        events: dict[str | None, Sequence[PathEvent]] = {}
        for path, _ in strays:
            current_call().check()
            with _unreadable_skipped():
                homes[path], lost, counts[path] = self._by_name(path, events)
                missing += [(path, note) for note in lost[: _MAX_NOTES - len(missing)]]
        # Of a split file, the larger part got the name, and another file this code.
        for path, name, target in self._by_content(missing, files) if missing and files else ():
            homes[path][name] = target
        emptied = frozenset(path for path, found in homes.items() if 0 < counts[path] == len(found))
        return Moves(homes, emptied, crc32(repr((strays, homes)).encode("utf-8", "replace")))

    def _by_name(
        self, path: str, events: dict[str | None, Sequence[PathEvent]]
    ) -> tuple[dict[str, str], list[Note], int]:
        """Return where git's renames put a stray's comments, those not found there, and their number."""
        sidecar = self._room.stored(RepoPath.parse(path))
        commits = {
            note.id: str((note.evidence or {}).get("commit") or "") or None for note in sidecar.comments
        }
        targets: dict[str | None, str | None] = {}
        for commit in dict.fromkeys(commits.values()):
            if commit not in events and len(events) < _MAX_COMMITS:
                events[commit] = self._room.history.path_events(commit)
            targets[commit] = self._renamed(path, events.get(commit, ()))
        homes = {name: home for name, commit in commits.items() if (home := targets[commit]) is not None}
        for target in dict.fromkeys(homes.values()):
            self._room.place(sidecar, RepoPath.parse(target))
        lost = [note for note in sidecar.comments if note.id not in homes or note.orphaned]
        return homes, lost, len(sidecar.comments)

    def _renamed(self, path: str, events: Sequence[PathEvent]) -> str | None:
        """Return what a path was last renamed to, unless another existing file has the same content."""
        gone = [number for number, event in enumerate(events) if event.old == path]
        blob = ""
        for event in events[gone[-1] :] if gone else ():
            if event.old == path:
                path, blob = event.new, event.blob
        twins = {event.new for event in events if event.blob == blob} - {path}
        return path if blob and self._exists(path) and not any(map(self._exists, twins)) else None

    def _exists(self, path: str) -> bool:
        try:
            return self._room.tree.signature(source_path(path)) is not None
        except HoldfastError:
            return False  # not a source path, or not readable for us

    def _by_content(
        self, notes: Sequence[tuple[str, Note]], files: CandidateFiles
    ) -> Iterator[tuple[str, str, str]]:
        """Yield the one file that contains a comment's code, where that is unambiguous."""
        missing = lost_code_of(self._room, notes)
        if not missing:
            return
        index = index_for(self._room, missing, files)
        for one in missing:
            for name, anchor in zip(one.names, one.anchors, strict=True):
                current_call().check()
                candidates = index.candidates(one.version, anchor, 2)
                if not candidates or candidates[0].placement.confidence is not Confidence.HIGH:
                    continue
                best, is_only = candidates[0], len(candidates) == 1
                if best.unambiguous or (is_only and best.share >= _MIN_SHARE):
                    yield one.path, name, best.path

"""Finds the file that code moved to, so that its comments are shown there.

Example: `utils.py` is renamed to `text.py` without its sidecar. `utils.py.comments` is now a stray. git's
history says that the path was renamed, so its comments are shown with `text.py`; they are written to
`text.py.comments` with the next change there. If only one function moved, and `utils.py` still exists, its
comments are found by content when `text.py` is read.

Contract:
- Reading a file also looks for code that moved into it from another commented file, if the file contains the
  exact line of one of that file's comments. The result is reused until one of the searched files changes or,
  if they are many, until the file itself does.
- A sidecar whose source is gone is a stray; nothing is written to it here. Renames that git detected, in
  commits since the comment was written or in the index, take precedence; otherwise the content decides, if
  exactly one file contains it. A comment without such a file stays an orphan with candidates.
- git is run and files are compared only if there are strays and one of these changed since the last time: the
  HEAD commit, the index, the list of files, or the strays.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from zlib import crc32

from holdfast.comments.anchors.lost_code import CandidateFiles, build_file_index, group_lost_code, has_left
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import MOVED_REASON, Note, NoteLocation
from holdfast.comments.sidecar.source import source_of, source_path
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import CandidateLine, Confidence
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.file_history import PathEvent
from holdfast.storage.watching.listing import Listing, Signature

MAX_COMPARED_FILES = 1000
"""Files that a read searches for moved code; with more of them the search is left to a scan. A judgement: it
opens all of them, and a read must stay interactive."""

_MAX_COMPARED_NOTES = 2000
"""Comments of strays that a read looks up by content; a scan looks up all. A judgement, as for files."""

_MAX_RENAME_COMMITS = 8
"""Commits from which a read asks git for the renames since. A judgement: each one is a run of git."""

_MAX_SEARCHED_SIDECARS = 500
"""Sidecars of other files that are searched for comments whose code moved to the file that is read. With more
of them the search is left to a scan. A judgement: it opens each of them."""

_MAX_WATCHED_FILES = 50
"""Up to this many commented files, the cached search depends on all their signatures; beyond it, only on the
file that is read. A judgement: each signature is a stat call in every read."""

_MIN_ONLY_FILE_SHARE = 0.5
"""Share of the highest score that the only candidate needs. A judgement: it also has the exact line."""

Stray = tuple[str, Signature | None]
"""The path of a source that is gone, and the signature of its sidecar."""

MovedComment = tuple[str, str, str]
"""The path under which a comment is stored, its id, and the file that has its code now."""


def _marked_line_text(note: Note) -> str:
    """Return the text of a comment's line as its marker stores it; empty if it has no letters or digits."""
    line = str((note.marker or {}).get("lineText") or "").split("\n")[0].strip()
    return line if any(map(str.isalnum, line)) else ""


@contextmanager
def skip_unreadable() -> Iterator[None]:
    """Skip a file that cannot be read: the problem is reported when that file itself is read."""
    try:
        yield
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return


def _group_by_suffix(paths: Iterable[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[os.path.splitext(path)[1]].append(path)
    return dict(groups)


@dataclass(frozen=True)
class Moves:
    """The comments whose code moved to another file, and that file."""

    homes: Mapping[str, Mapping[str, str]]
    """The file that each comment belongs to now, by the path it is stored under and its id."""
    emptied: frozenset[str]
    """The paths without a source whose comments all belong to other files."""
    token: int
    """A checksum of the moves and of the sidecars they were derived from."""

    @cached_property
    def arriving(self) -> dict[str, list[tuple[str, str]]]:
        """The comments that belong to each file but are stored elsewhere, as stored path and id."""
        arriving: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path, homes in self.homes.items():
            for comment_id, target in homes.items():
                arriving[target].append((path, comment_id))
        return dict(arriving)

    def departed_from(self, path: str, load: Callable[[str], Sidecar]) -> Iterator[Note]:
        """Yield the comments whose code left a path: orphaned there, with the new place as candidate."""
        homes = self.homes.get(path, {})
        for target in dict.fromkeys(homes.values()):
            for note in load(target).comments:
                if homes.get(note.id) == target:
                    new_place = (CandidateLine(note.line, 1.0, target),)
                    note.location = NoteLocation(
                        note.line, None, Confidence.NONE, MOVED_REASON, MOVED_REASON, new_place
                    )
                    yield note

    def apply_to(self, sidecar: Sidecar, stored: Callable[[str], Sidecar]) -> None:
        """Add the comments that belong to a sidecar's file, and remove those that belong to others.

        `stored` returns the sidecar of a source path as it is stored.
        """
        homes = self.homes.get(sidecar.source_path, {})
        sidecar.comments = [note for note in sidecar.comments if note.id not in homes]
        for source, comment_id in self.arriving.get(sidecar.source_path, ()):
            note = stored(source).find(comment_id)
            # A comment is in both files if the process that moved it was killed; it is one comment.
            if note is not None and sidecar.find(comment_id) is None:
                sidecar.comments.append(note)


class StraySidecars:
    """Finds the comments of one work tree whose source is gone or whose code left it, with caches."""

    def __init__(self, room: Comments, sidecars: Listing) -> None:
        self._room, self._sidecars = room, sidecars
        self._last_listing: list[str] | None = None
        self._sources_by_suffix: Mapping[str, list[str]] = {}
        """The commented files, as of `_last_listing`: grouping them in every read would take too long."""
        self._moves: VersionedCache[Moves] = VersionedCache(max_values=1)
        """The result of `moves`; its version is the strays, the state of the history, and the files."""
        self._departed: VersionedCache[Mapping[str, str]] = VersionedCache()
        """By path that comments left; the version is the files' signatures, and the uncertain comments."""
        self._arrived: VersionedCache[Mapping[str, Mapping[str, str]]] = VersionedCache()
        """By path that is read; the version is the other files, and the signatures of those watched."""

    def with_arrivals(self, path: str, without_source: list[str], moves: Moves | None) -> Moves | None:
        """Return `moves` with the comments added whose code moved to a file from existing files.

        `without_source` are the sidecars whose source is gone, as `self._sidecars` returned them.
        """
        if self._last_listing is not without_source:  # the same object while no folder changes
            self._sources_by_suffix = _group_by_suffix(map(source_of, self._sidecars.last_paths()))
            self._last_listing = without_source
        same_suffix = self._sources_by_suffix.get(os.path.splitext(path)[1], [])
        sources = [source for source in same_suffix if source != path]
        if not 0 < len(sources) <= _MAX_SEARCHED_SIDECARS:
            return moves
        watched = {path, *sources} if len(sources) <= _MAX_WATCHED_FILES else {path}
        version = (sources, list(map(self._sidecars.signature, sorted(watched))))
        arrived = self._arrived.get(path, version)
        if arrived is None:
            arrived = self._arrived.put(path, version, dict(self._arrivals(path, sources, moves)))
        if not arrived:
            return moves
        base = moves or Moves({}, frozenset(), 0)
        return replace(base, homes={**base.homes, **arrived})

    def _arrivals(
        self, path: str, sources: Sequence[str], moves: Moves | None
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield each file that comments came from, with the new file by the ids of those comments."""
        text = CandidateFiles(self._room, [path]).text(path) or ""
        for source in sources:
            current_call().check()
            with skip_unreadable():
                notes = self._room.stored(RepoPath.parse(source)).comments
                marked_lines = [line for line in map(_marked_line_text, notes) if line]
                if not any(line in text for line in marked_lines):
                    continue
                departed = self._departures(source, self._room.load_owned(source, moves).comments)
                arrived = {comment_id: target for comment_id, target in departed.items() if target == path}
                if arrived:
                    yield source, arrived

    def _departures(self, path: str, notes: Sequence[Note]) -> Mapping[str, str]:
        """Return the files, by comment id, that now have the code of comments that left an existing file."""
        uncertain = {note.id: note for note in notes if note.location.confidence is not Confidence.HIGH}
        files = CandidateFiles(self._room, [path])
        signatures = files.signatures() if uncertain else {}
        version = (signatures, tuple(uncertain))
        if not 0 < len(signatures) <= MAX_COMPARED_FILES or path not in signatures:
            return {}
        cached = self._departed.get(path, version)
        if cached is not None:
            return cached
        gone = [(path, note) for note in uncertain.values() if has_left(self._room, path, note)]
        departed = {}
        for _, comment_id, target in self._find_by_content(gone, files):
            line = _marked_line_text(uncertain[comment_id])
            if line and line in (files.text(target) or ""):
                departed[comment_id] = target
        return self._departed.put(path, version, departed)

    def moves(self, strays: Sequence[Stray]) -> Moves:
        """Return where the comments of these strays belong; the same object while nothing changes."""
        files = CandidateFiles(self._room, [path for path, _ in strays])
        paths = files.paths()
        version = (strays, self._room.history.state(), paths)
        moves = self._moves.get("moves", version)
        if moves is not None:
            return moves
        compared = files if len(paths) <= MAX_COMPARED_FILES else None
        return self._moves.put("moves", version, self._resolve(strays, compared))

    def _resolve(self, strays: Sequence[Stray], files: CandidateFiles | None) -> Moves:
        """Find the new files of strays by git's renames and, if there are files to search, by content."""
        homes: dict[str, dict[str, str]] = {}
        missing: list[tuple[str, Note]] = []
        counts: dict[str, int] = {}
        events: dict[str | None, Sequence[PathEvent]] = {}
        for path, _ in strays:
            current_call().check()
            with skip_unreadable():
                sidecar = self._room.stored(RepoPath.parse(path))
                homes[path] = found = self._find_by_rename(sidecar, events)
                counts[path] = len(sidecar.comments)
                lost = [note for note in sidecar.comments if note.id not in found or note.orphaned]
                missing += [(path, note) for note in lost[: _MAX_COMPARED_NOTES - len(missing)]]
        # If a file was split, git reports one part as renamed, and the comment's code may be in another.
        if files is not None:
            for path, comment_id, target in self._find_by_content(missing, files, file_is_gone=True):
                homes[path][comment_id] = target
        emptied = frozenset(path for path, targets in homes.items() if 0 < counts[path] == len(targets))
        return Moves(homes, emptied, crc32(repr((strays, homes)).encode("utf-8", "replace")))

    def _find_by_rename(
        self, sidecar: Sidecar, events: dict[str | None, Sequence[PathEvent]]
    ) -> dict[str, str]:
        """Return the file that each comment's file was renamed to, by its id, and locate the comments there.

        `events` has the renames that git reported since a commit; those that are still unknown are added.
        """
        commits = {
            note.id: str((note.evidence or {}).get("commit") or "") or None for note in sidecar.comments
        }
        targets: dict[str | None, str | None] = {}
        for commit in dict.fromkeys(commits.values()):
            if commit not in events and len(events) < _MAX_RENAME_COMMITS:
                events[commit] = self._room.history.path_events(commit)
            targets[commit] = self._renamed(sidecar.source_path, events.get(commit, ()))
        homes = {
            comment_id: target
            for comment_id, commit in commits.items()
            if (target := targets[commit]) is not None
        }
        for target in dict.fromkeys(homes.values()):
            self._room.place(sidecar, RepoPath.parse(target))
        return homes

    def _renamed(self, path: str, events: Sequence[PathEvent]) -> str | None:
        """Return what a path was last renamed to, unless another existing file has the same content."""
        rename_indices = [index for index, event in enumerate(events) if event.old == path]
        if not rename_indices:
            return None
        blob = ""
        for event in events[rename_indices[-1] :]:
            if event.old == path:
                path, blob = event.new, event.blob
            if not path:
                return None  # it was deleted; events of added files have no old path either
        twins = {event.new for event in events if event.blob == blob} - {path}
        return path if blob and self._exists(path) and not any(map(self._exists, twins)) else None

    def _exists(self, path: str) -> bool:
        try:
            return self._room.tree.signature(source_path(path)) is not None
        except HoldfastError:
            return False  # it is no source path, or cannot be read

    def _find_by_content(
        self, notes: Sequence[tuple[str, Note]], files: CandidateFiles, *, file_is_gone: bool = False
    ) -> Iterator[MovedComment]:
        """Yield the comments whose code is in exactly one other file.

        Their lines must be certain there, unless their file is gone: then they are at best for review there.
        """
        missing = group_lost_code(self._room, notes)
        if not missing:
            return
        index = build_file_index(self._room, missing, files)
        for lost in missing:
            for comment_id, anchor in zip(lost.ids, lost.anchors, strict=True):
                current_call().check()
                candidates = index.candidates(lost.version, anchor, limit=2)
                if not candidates:
                    continue
                best, is_only = candidates[0], len(candidates) == 1
                if file_is_gone:
                    is_found = best.placement.line is not None and (best.unambiguous or is_only)
                else:
                    is_certain = best.placement.confidence is Confidence.HIGH
                    is_near = is_only and best.share >= _MIN_ONLY_FILE_SHARE
                    is_found = is_certain and (best.unambiguous or is_near)
                if is_found:
                    yield lost.path, comment_id, best.path

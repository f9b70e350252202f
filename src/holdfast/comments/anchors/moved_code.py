"""Where code went that is no longer in its file, and with it the comments of files that are gone.

Contract:
- Every file of the wanted kinds is read once for one index, whatever the number of comments, and again only
  where a comment's code is most likely. Binary and large files are left out.
- Code that left a file which stays is looked for when a file is read that has the very line of a comment of
  another; again only when the files changed among which it is looked for.
- Sidecars whose source is gone are strays, and nothing is written about them here. What git saw renamed, in
  commits since a comment was written or in its index, decides first; else the content does, and only where
  one file is it, clearly. A comment without such a file stays, an orphan with the places that come near.
- Git is asked, and files are compared, when there are strays and something changed since: the last commit,
  the index, the names of files, or those sidecars.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING
from zlib import crc32

from holdfast.comments.sidecar.document import Sidecar, whole_line
from holdfast.comments.sidecar.note import MOVED, Location, Note, stored_symbol
from holdfast.comments.sidecar.source import SUFFIX, SourceSymbols, decoded, source_of, source_path
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Anchor, Candidate, Confidence, Version
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.history.file_history import PathEvent
from holdfast.storage.watching.listing import Listing, Signature

if TYPE_CHECKING:
    from holdfast.comments.tracking.moved_files import MovedFiles

MOST_FILES, _MOST_NOTES, _MOST_COMMITS, _MOST_SIDECARS = 1000, 2000, 8, 500
"""What a reader waits for, of files, comments, commits and sidecars; a scan of the workspace compares the
rest."""
_FEW = 50
"""Files with comments up to which each is looked at whenever one is read, not only when that one changed."""
_LIKELY = 0.5
"""What must speak for the only file that has a comment's line, though others are like it otherwise."""

Stray = tuple[str, Signature | None]
"""The path of a source that is gone, and the signature of its sidecar."""


@dataclass(frozen=True)
class Missing:
    """Comments of one version of one file whose code is gone from it."""

    path: str
    """The file that they belong to now."""
    version: Version
    anchors: tuple[Anchor, ...]
    names: tuple[str, ...]
    """The ids of the comments, in the order of the anchors."""


def missing_of(room: Comments, notes: Iterable[tuple[str, Note]]) -> list[Missing]:
    """Return comments whose code is gone, by the version they were written for, as far as it was kept."""
    groups: dict[tuple[str, str], list[Note]] = defaultdict(list)
    for path, note in notes:
        groups[path, str((note.evidence or {}).get("blob", note.id))].append(note)
    found = []
    for (path, _), group in groups.items():
        version = room.annotated_version(group[0].marker)
        if version is None and (data := room.history.committed(path)) is not None:
            version = Version(path, decoded(data))  # by another program, and only gone from the work tree
        if version is not None:
            # By the name of the file that they are missing from now; they may have come from elsewhere.
            anchors = tuple(map(written_for, group))
            found.append(Missing(path, Version(path, version.text), anchors, tuple(one.id for one in group)))
    return found


def written_for(note: Note) -> Anchor:
    """Return the line, or lines, that a comment was written for."""
    facts = note.evidence or {}
    return Anchor(whole_line(facts.get("line")) or note.line, whole_line(facts.get("endLine")))


class Workspace(Listing):
    """The source files among which code is looked for."""

    def __init__(self, room: Comments, suffixes: Iterable[str]) -> None:
        wanted = {suffix.lower() for suffix in suffixes}
        super().__init__(
            room.repository,
            lambda name: os.path.splitext(name)[1].lower() in wanted and not name.endswith(SUFFIX),
        )
        self._room = room

    def versions(self) -> Iterator[Version]:
        """Yield each file that can be read."""
        for path in self.paths():
            current_call().check()
            text = self.text(path)
            if text is not None:
                yield Version(path, text)

    def text(self, path: str) -> str | None:
        """Return the text of one file."""
        try:
            data = self._room.tree.read_bytes(RepoPath.parse(path), LIMITS.comment_source_bytes)
        except HoldfastError:
            return None
        return None if b"\0" in data[:8192] else decoded(data)


def files_like(room: Comments, paths: Iterable[str]) -> Workspace:
    """Return the files that are named like some others."""
    return Workspace(room, {os.path.splitext(path)[1] for path in paths})


def has_left(room: Comments, path: str, note: Note) -> bool:
    """Tell whether a comment's code is gone from its file, or what it is about is declared there no more."""
    if not note.location.needs_review:
        return note.orphaned
    symbol, present = stored_symbol(note.marker), room.present(RepoPath.parse(path))
    if symbol is None or present is None:
        return False
    return not SourceSymbols(path, present.text).declares(symbol.name)


def _own_line(note: Note) -> str:
    """Return the line that a comment was written for, as far as it is kept and says anything."""
    line = str((note.marker or {}).get("lineText") or "").split("\n")[0].strip()
    return line if any(map(str.isalnum, line)) else ""


def index_for(room: Comments, missing: Sequence[Missing], files: Workspace | None = None) -> MovedFiles:
    """Return an index of files, by default those that are named like the ones that something left."""
    from holdfast.comments.tracking.moved_files import MovedFiles

    files = files or files_like(room, [one.path for one in missing])
    return MovedFiles(files.versions(), [one.version for one in missing], files.text)


@contextmanager
def _damage_left_alone() -> Iterator[None]:
    """Pass over what cannot be read: whoever asks for it hears of that."""
    try:
        yield
    except (Cancelled, DeadlineExceeded):
        raise
    except HoldfastError:
        return


def _by_suffix(paths: Iterable[str]) -> Mapping[str, list[str]]:
    """Return files by the ending of their names."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        found[os.path.splitext(path)[1]].append(path)
    return dict(found)


@dataclass(frozen=True)
class Moves:
    """Where the comments of all strays belong."""

    homes: Mapping[str, Mapping[str, str]]
    """The file that a comment is in now, by the path that is gone and the id of the comment."""
    emptied: frozenset[str]
    """The paths that are gone and whose comments all belong elsewhere."""
    token: int
    """What differs when anything of this does, or one of the sidecars."""

    @cached_property
    def arriving(self) -> dict[str, list[tuple[str, str]]]:
        """What belongs to each file and lies elsewhere: where, and its id."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path, homes in self.homes.items():
            for name, target in homes.items():
                found[target].append((path, name))
        return dict(found)

    def gone_from(self, path: str, load: Callable[[str], Sidecar]) -> Iterator[Note]:
        """Yield what is shown elsewhere, as it is told where its file was: gone, and the place it has now."""
        homes = self.homes.get(path, {})
        for target in dict.fromkeys(homes.values()):
            for note in load(target).comments:
                if homes.get(note.id) == target:
                    place = (Candidate(note.line, 1.0, target),)
                    note.location = Location(note.line, None, Confidence.NONE, MOVED, MOVED, place)
                    yield note

    def gather(self, sidecar: Sidecar, stored: Callable[[str], Sidecar]) -> None:
        """Take in what belongs to a file, and leave out what does not."""
        homes = self.homes.get(sidecar.source_path, {})
        sidecar.comments = [note for note in sidecar.comments if note.id not in homes]
        for source, name in self.arriving.get(sidecar.source_path, ()):
            note = stored(source).find(name)
            # One that is in both was on its way when its writer was ended: it is one comment.
            if note is not None and sidecar.find(name) is None:
                sidecar.comments.append(note)


class Strays:
    """The comments of one room whose source is gone, or whose code left it."""

    def __init__(self, room: Comments, sidecars: Listing) -> None:
        self._room, self._sidecars = room, sidecars
        self._listed: list[str] | None = None
        self._sources: tuple[list[str], Mapping[str, list[str]]] = ([], {})
        self._known: tuple[object, Moves | None] = (None, None)
        self._left: VersionedCache[Mapping[str, str]] = VersionedCache()
        self._came: VersionedCache[Mapping[str, Mapping[str, str]]] = VersionedCache()

    def with_arrivals(self, path: str, lone: list[str], moves: Moves | None) -> Moves | None:
        """Return moves with those of comments whose code came to a file from others that stay."""
        if self._listed is not lone:  # the same list as long as no folder changed
            paths = self._sidecars.last_paths()
            if paths != self._sources[0]:
                self._sources = (paths, _by_suffix(map(source_of, paths)))
            self._listed = lone
        alike = self._sources[1].get(os.path.splitext(path)[1], [])
        others = [one for one in alike if one != path]
        if not 0 < len(others) <= _MOST_SIDECARS:
            return moves
        watched = {path, *others} if len(others) <= _FEW else {path}
        sign = (others, [self._sidecars.signature(one) for one in sorted(watched)])
        came = self._came.get(path, sign)
        if came is None:
            came = self._came.put(path, sign, dict(self._arrivals(path, others, moves)))
        known = moves or Moves({}, frozenset(), 0)
        return replace(known, homes={**known.homes, **came}) if came else moves

    def _arrivals(
        self, path: str, others: Sequence[str], moves: Moves | None
    ) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the files that comments came from, with the ids of these and the file they came to."""
        text = files_like(self._room, [path]).text(path) or ""
        for other in others:
            current_call().check()
            with _damage_left_alone():
                notes = self._room.stored(RepoPath.parse(other)).comments
                if any((line := _own_line(note)) and line in text for note in notes):
                    left = self._leaving(other, self._room.load_here(other, moves).comments)
                    came = {name: target for name, target in left.items() if target == path}
                    yield from [(other, came)] if came else ()

    def _leaving(self, path: str, notes: Sequence[Note]) -> Mapping[str, str]:
        """Return by their ids the files that comments are with now whose code left a file that stays."""
        unsure = {note.id: note for note in notes if note.location.confidence is not Confidence.HIGH}
        files = files_like(self._room, [path])
        signatures = files.signatures() if unsure else {}
        sign = (signatures, tuple(unsure))
        if not 0 < len(signatures) <= MOST_FILES or path not in signatures:
            return {}
        known = self._left.get(path, sign)
        if known is None:
            gone = [(path, note) for note in unsure.values() if has_left(self._room, path, note)]
            left = {
                name: target
                for _, name, target in self._by_content(gone, files)
                if (line := _own_line(unsure[name])) and line in (files.text(target) or "")
            }
            known = self._left.put(path, sign, left)
        return known

    def moves(self, strays: Sequence[Stray]) -> Moves:
        """Return where the comments of these strays belong; the same object while nothing changed."""
        files = files_like(self._room, [path for path, _ in strays])
        key = (strays, self._room.history.state(), paths := files.paths())
        known, found = self._known
        if found is None or known != key:
            found = self._found(strays, files if len(paths) <= MOST_FILES else None)
            self._known = (key, found)
        return found

    def _found(self, strays: Sequence[Stray], files: Workspace | None) -> Moves:
        homes: dict[str, dict[str, str]] = {}
        missing: list[tuple[str, Note]] = []
        counts: dict[str, int] = {}
        events: dict[str | None, Sequence[PathEvent]] = {}
        for path, _ in strays:
            current_call().check()
            with _damage_left_alone():
                homes[path], lost, counts[path] = self._by_name(path, events)
                missing += [(path, note) for note in lost[: _MOST_NOTES - len(missing)]]
        # Of a file that was split, the larger part has the name, and another one this code.
        for path, name, target in self._by_content(missing, files) if missing and files else ():
            homes[path][name] = target
        emptied = frozenset(path for path, found in homes.items() if 0 < counts[path] == len(found))
        return Moves(homes, emptied, crc32(repr((strays, homes)).encode("utf-8", "replace")))

    def _by_name(
        self, path: str, events: dict[str | None, Sequence[PathEvent]]
    ) -> tuple[dict[str, str], list[Note], int]:
        """Return where git says a stray's comments went, those not found there, and how many it has."""
        sidecar = self._room.stored(RepoPath.parse(path))
        commits = {
            note.id: str((note.evidence or {}).get("commit") or "") or None for note in sidecar.comments
        }
        targets: dict[str | None, str | None] = {}
        for commit in dict.fromkeys(commits.values()):
            if commit not in events and len(events) < _MOST_COMMITS:
                events[commit] = self._room.history.path_events(commit)
            targets[commit] = self._renamed(path, events.get(commit, ()))
        homes = {name: home for name, commit in commits.items() if (home := targets[commit]) is not None}
        for target in dict.fromkeys(homes.values()):
            self._room.place(sidecar, RepoPath.parse(target))
        lost = [note for note in sidecar.comments if note.id not in homes or note.orphaned]
        return homes, lost, len(sidecar.comments)

    def _renamed(self, path: str, events: Sequence[PathEvent]) -> str | None:
        """Return what a path became, by what happened to it last, unless another file is just like that."""
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
            return False  # no name for a source, or not for us to read

    def _by_content(
        self, notes: Sequence[tuple[str, Note]], files: Workspace
    ) -> Iterator[tuple[str, str, str]]:
        """Yield the one file that holds the code of a comment, where there is one that clearly does."""
        missing = missing_of(self._room, notes)
        if not missing:
            return
        index = index_for(self._room, missing, files)
        for one in missing:
            for name, anchor in zip(one.names, one.anchors, strict=True):
                current_call().check()
                offers = index.offers(one.version, anchor, 2)
                best = offers[0] if offers and offers[0].placement.confidence is Confidence.HIGH else None
                if best is not None and (best.clear or (len(offers) == 1 and best.share >= _LIKELY)):
                    yield one.path, name, best.path

"""Updates the stored lines of all comments of a work tree: only what changed, on every core, with progress.

Example: after a pull that changed 3 of 500 annotated files, the stat signatures of the other 497 match the
cache and are skipped. The 3 are tracked in parallel; sidecars whose comments moved are rewritten; comments
whose code left its file are searched for in all files of the same kind.

Contract:
- A file that has not changed since the last scan, and whose comments all have a certain line, costs two stat
  calls; neither it nor its sidecar is read.
- A sidecar is written only if a comment in it changed its line, its file or its state.
- A sidecar that cannot be read or written is one entry in the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from holdfast.comments.anchors.lost_code import has_left, index_for, lost_code_of, original_anchor
from holdfast.comments.anchors.moved_code import Moves
from holdfast.comments.anchors.plan import location_of
from holdfast.comments.anchors.tracking_pool import TrackingPool
from holdfast.comments.anchors.version_chain import VersionChain, track_chain
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.document import line_number_of
from holdfast.comments.sidecar.files import SidecarChange
from holdfast.comments.sidecar.note import MOVED_FILE, Note, NoteLocation
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import Moved
from holdfast.comments.tracking.placement import CandidateLine, Confidence, Placement
from holdfast.comments.tracking.track import track
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.files.repo_path import RepoPath

_FEW = 8
"""Up to this many files, each one's history is read by its own git process. A judgement: for a few files, one
process for all of them is slower."""

_READING, _COMPARING, _WRITING, _SEARCHING, _STEPS = range(5)
"""The steps of a scan; progress counts every file once for each."""


@dataclass(frozen=True)
class ScanOutcome:
    """What a scan found out about one comment."""

    name: str
    path: str
    location: NoteLocation
    from_line: int
    from_path: str | None = None


@dataclass
class ScanSummary:
    """The result of a scan."""

    files: int = 0
    changed: int = 0
    comments: int = 0
    outcomes: list[ScanOutcome] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)


Known = Mapping[VersionChain, Sequence[Placement]]
"""Placements computed in the pool, used when the sidecar is written."""


class Scan:
    """One scan of a work tree."""

    def __init__(self, room: Comments) -> None:
        self._room = room
        self._writer = CommentWriter(room)
        self.result = ScanSummary()
        self._missing: list[tuple[str, Note]] = []
        self._moving: dict[tuple[str, str], dict[str, NoteLocation]] = defaultdict(dict)
        """New locations by source and target file, then by comment id."""

    def run(self, only: RepoPath | None = None) -> ScanSummary:
        """Update the comments of all files, or of one."""
        self._store_arrivals(only)
        files, changed = self._room.changed_paths() if only is None else self._only_file(only)
        self.result.files, self.result.changed = files, len(changed)
        with self._room.versions.batching_git(changed) if len(changed) > _FEW else nullcontext():
            self._update(changed)
        return self.result

    def _store_arrivals(self, only: RepoPath | None) -> None:
        """Move the comments of renamed files to the sidecars of the new names."""
        moves = self._room.moves()
        if moves is None:
            return
        near = set() if only is None else {only.text, *moves.homes.get(only.text, {}).values()}
        for target in moves.arriving:
            if only is None or target in near:
                self._recording_damage(target, partial(self._store_arrivals_in, target, moves))

    def _store_arrivals_in(self, target: str, moves: Moves) -> None:
        for source, note in self._writer.store_arrivals(RepoPath.parse(target), moves):
            self.result.outcomes.append(ScanOutcome(note.alias, target, note.location, note.line, source))

    def _only_file(self, path: RepoPath) -> tuple[int, list[str]]:
        """Return one file as the only change, if it has comments; raise if it does not exist."""
        if self._room.sidecar_bytes(path) is not None:
            return 1, [path.text]
        if self._room.source_bytes(path) is None and not self.result.outcomes:
            raise self._room.not_found(path)
        return 0, []

    def _update(self, changed: Sequence[str]) -> None:
        known = self._track_in_parallel(changed)
        for position, path in enumerate(changed):
            self._report_progress(_WRITING, position, f"Writing {path}")
            self._recording_damage(path, partial(self._update_file, path, known))
        self._relocate()

    def _track_in_parallel(self, paths: Sequence[str]) -> Known:
        """Track all chains of the changed files, on every core."""
        known: dict[VersionChain, Sequence[Placement]] = {}
        if not paths:
            return known
        with TrackingPool(len(paths)) as pool:
            waiting = []
            for position, path in enumerate(paths):
                self._report_progress(_READING, position, f"Reading {path}")
                waiting += [(path, chain, pool.follow(chain)) for chain in self._chains(path)]
            for position, (path, chain, answer) in enumerate(waiting):
                self._report_progress(_COMPARING, position * len(paths) / len(waiting), f"Comparing {path}")
                known[chain] = answer()
        return known

    def _report_progress(self, step: int, done: float, message: str) -> None:
        """Report progress; this is also where a cancelled scan stops."""
        count = self.result.changed
        current_call().progress(step * count + done, _STEPS * count, message)

    def _chains(self, path: str) -> list[VersionChain]:
        found: list[VersionChain] = []
        self._recording_damage(path, lambda: found.extend(self._plan_of(path)), report=False)
        return found

    def _plan_of(self, path: str) -> list[VersionChain]:
        place = RepoPath.parse(path)
        return self._room.plan_for(place, self._room.stored(place)).chains

    def _update_file(self, path: str, known: Known) -> None:
        """Write the new locations of one file's comments; by now their chain may be another."""
        place = RepoPath.parse(path)
        source = self._room.tree.signature(place)
        with self._writer.changing(place, lambda chain: known.get(chain) or track_chain(chain)) as change:
            before = _lines_before(change)
            notes = list(change.sidecar.comments)
        self.result.comments += len(notes)
        for note in notes:
            self._record_outcome(path, note, before.get(note.id, note.line))
        if source is not None and self._room.tree.signature(place) == source:
            written = self._read_again(place, notes)
            # One that came from another file is checked every time: its code may return there.
            is_home = all(_home_of(path, note) == path for note in notes)
            self._room.cache_locations(place, written, source, written=is_home)

    def _read_again(self, place: RepoPath, notes: Sequence[Note]) -> sidecars.Sidecar:
        """Return the sidecar as it is on disk now, with the locations that were just found."""
        data = self._room.sidecar_bytes(place)
        sidecar = sidecars.empty(place.text) if data is None else sidecars.read(place.text, data)
        locations = {note.id: note.location for note in notes}
        for note in sidecar.comments:
            note.location = locations.get(note.id, note.location)
        return sidecar

    def _record_outcome(self, path: str, note: Note, before: int) -> None:
        location, home = note.location, _home_of(path, note)
        returned = self._placed_in(home, note) if home != path else None
        if returned is not None:
            self._moving[path, home][note.id] = returned
        elif has_left(self._room, path, note):
            self._missing.append((path, note))
        elif location.needs_review or location.line != before:
            self.result.outcomes.append(ScanOutcome(note.alias, path, location, before))

    def _placed_in(self, path: str, note: Note) -> NoteLocation | None:
        """Return where a comment is in another file, if that is certain."""
        try:
            current = self._room.current_source(source_path(path))
        except HoldfastError:
            return None  # the path comes from the sidecar and may name anything
        version = self._room.annotated_version(note.marker)
        if version is None or current is None:
            return None
        (placement,) = track(version, current.version, [original_anchor(note)])
        if placement.line is None or placement.confidence is not Confidence.HIGH:
            return None
        return NoteLocation(placement.line, placement.end_line, method=placement.method)

    # Code that moved to other files

    def _relocate(self) -> None:
        missing = lost_code_of(self._room, self._missing)
        if not missing:
            return self._move_or_report({})
        self._report_progress(_SEARCHING, 0, "Searching other files")
        index = index_for(self._room, missing)
        found: dict[str, tuple[str, Moved]] = {}
        for one in missing:
            current_call().check()
            for name, moved in zip(one.names, index.find(one.version, one.anchors), strict=True):
                if moved is not None:
                    found[f"{one.path}\0{name}"] = (one.path, moved)
        return self._move_or_report(found)

    def _move_or_report(self, found: dict[str, tuple[str, Moved]]) -> None:
        """Move comments whose new file is unambiguous, and report the others."""
        for path, note in self._missing:
            source, moved = found.get(f"{path}\0{note.id}", ("", None))
            location = None if moved is None or not moved.unambiguous else location_of(note, moved.placement)
            if location is None or moved is None or moved.placement.line is None:
                self._report_lost(path, note, moved)
            elif note.orphaned or location.confidence is Confidence.HIGH:
                # If the file is unambiguous and the line is not, the comment moves and needs review there.
                self._moving[source, moved.path][note.id] = location
            else:
                self._report_lost(path, note, moved)
        for (source, target), names in self._moving.items():
            self._recording_damage(source, partial(self._move, source, target, names))

    def _move(self, source: str, target: str, names: dict[str, NoteLocation]) -> None:
        lines = {note.id: note.line for path, note in self._missing if path == source}
        for note in self._writer.relocate(RepoPath.parse(source), RepoPath.parse(target), names):
            self.result.outcomes.append(
                ScanOutcome(note.alias, target, note.location, lines.get(note.id, note.line), source)
            )

    def _report_lost(self, path: str, note: Note, moved: Moved | None) -> None:
        location = note.location
        if moved is not None and moved.placement.line is not None and location.orphaned:
            candidate = CandidateLine(moved.placement.line, round(moved.share, 3), moved.path)
            location = replace(location, candidates=(candidate, *location.candidates))
            self._recording_damage(path, lambda: self._keep_candidates(path, note, location))
        self.result.outcomes.append(ScanOutcome(note.alias, path, location, note.line))

    def _keep_candidates(self, path: str, note: Note, location: NoteLocation) -> None:
        with self._writer.changing(RepoPath.parse(path)) as change:
            found = change.sidecar.find(note.id)
            if found is not None and found.orphaned:
                found.location, found.as_stored = location, False

    def _recording_damage(self, path: str, action: Callable[[], None], *, report: bool = True) -> None:
        try:
            action()
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError as failure:
            if report:
                self.result.damaged.append((path, failure.message))


def _home_of(path: str, note: Note) -> str:
    """Return the file that a comment followed its code from, or the one that it is in."""
    facts = note.evidence or {}
    moves = facts.get("history")
    ways = [move.get("by") for move in moves if isinstance(move, dict)] if isinstance(moves, list) else []
    # A comment without that method arrived with its sidecar: the file was copied or renamed.
    return str(facts.get("path") or path) if MOVED_FILE in (facts.get("method"), *ways) else path


def _lines_before(change: SidecarChange) -> dict[str, int]:
    """Return the lines that the sidecar stores, before the new ones are written."""
    found = {}
    for note in change.sidecar.comments:
        stored = line_number_of((note.marker or {}).get("line")) or line_number_of(note.raw.get("line"))
        found[note.id] = stored or note.line
    return found

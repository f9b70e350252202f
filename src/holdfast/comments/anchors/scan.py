"""Updates the stored lines of all comments of a work tree: only what changed, on every core, with progress.

Example: after a pull that changed 3 of 500 annotated files, the stat signatures of the other 497 match the
cache and are skipped. The 3 are tracked in parallel; sidecars whose comments moved are rewritten; comments
whose code left its file are searched for in all files of the same kind.

Contract:
- A file that has not changed since the last scan costs two stat calls if all its comments have a certain
  line; neither the file nor its sidecar is read.
- A sidecar is written only if a comment in it changed its line, its file or its state.
- A sidecar that cannot be read or written is one entry in the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from holdfast.comments.anchors.lost_code import build_file_index, group_lost_code, has_left
from holdfast.comments.anchors.moved_code import Moves
from holdfast.comments.anchors.plan import location_of
from holdfast.comments.anchors.tracking_pool import TrackingPool
from holdfast.comments.anchors.version_chain import VersionChain, track_chain
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.document import Sidecar, empty_sidecar, parse_sidecar
from holdfast.comments.sidecar.files import SidecarChange
from holdfast.comments.sidecar.note import MOVED_METHOD, Note, NoteLocation, as_line_number
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments
from holdfast.comments.tracking.moved_files import MovedCode
from holdfast.comments.tracking.placement import CandidateLine, Confidence, Placement
from holdfast.comments.tracking.track import track
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.files.repo_path import RepoPath

_MAX_FILES_WITH_OWN_GIT = 8
"""Up to this many files, a git process per file reads its history; for more, one process reads all. A
judgement: for a few files, one process for all of them is slower."""

_READING, _COMPARING, _WRITING, _SEARCHING, _STEPS = range(5)
"""The steps of a scan, in order, and their number; progress counts every file once for each step."""

TrackedChains = Mapping[VersionChain, Sequence[Placement]]
"""Placements computed in the pool, used when the sidecar is written."""


@dataclass(frozen=True)
class ScanOutcome:
    """What a scan found about a comment that moved or has no certain line."""

    comment_id: str
    """Its alias, which tools show and accept."""
    path: str
    location: NoteLocation
    from_line: int
    from_path: str | None = None
    """The file that it came from, if it moved to another."""


@dataclass
class ScanSummary:
    """The result of a scan."""

    files: int = 0
    """The number of files with comments."""
    changed: int = 0
    """The number of those that changed since the last scan or have uncertain comments."""
    comments: int = 0
    """The number of comments in the changed files."""
    outcomes: list[ScanOutcome] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)
    """The files whose sidecars could not be read or written, each with the reason."""


class Scan:
    """One scan of a work tree."""

    def __init__(self, room: Comments) -> None:
        self._room = room
        self._writer = CommentWriter(room)
        self.result = ScanSummary()
        self._missing: list[tuple[str, Note]] = []
        """The comments whose code left their file, each with the path of that file."""
        self._moving: dict[tuple[str, str], dict[str, NoteLocation]] = defaultdict(dict)
        """New locations by previous and new file, then by comment id."""

    def run(self, only: RepoPath | None = None) -> ScanSummary:
        self._store_arrivals(only)
        files, changed = self._room.changed_paths() if only is None else self._only_file(only)
        self.result.files, self.result.changed = files, len(changed)
        with (
            self._room.versions.batching_git(changed)
            if len(changed) > _MAX_FILES_WITH_OWN_GIT
            else nullcontext()
        ):
            self._update(changed)
        return self.result

    def _store_arrivals(self, only: RepoPath | None) -> None:
        """Move the comments of renamed files to the sidecars of the new names."""
        moves = self._room.moves()
        if moves is None:
            return
        related = set() if only is None else {only.text, *moves.homes.get(only.text, {}).values()}
        for target in moves.arriving:
            if only is None or target in related:
                self._record_damage(target, partial(self._store_arrivals_in, target, moves))

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
        tracked = self._track_in_parallel(changed)
        for position, path in enumerate(changed):
            self._report_progress(_WRITING, position, f"Writing {path}")
            self._record_damage(path, partial(self._update_file, path, tracked))
        self._relocate()

    def _track_in_parallel(self, paths: Sequence[str]) -> TrackedChains:
        tracked: dict[VersionChain, Sequence[Placement]] = {}
        if not paths:
            return tracked
        with TrackingPool(len(paths)) as pool:
            pending = []
            for position, path in enumerate(paths):
                self._report_progress(_READING, position, f"Reading {path}")
                pending += [(path, chain, pool.follow(chain)) for chain in self._chains(path)]
            for position, (path, chain, wait_for_placements) in enumerate(pending):
                self._report_progress(_COMPARING, position * len(paths) / len(pending), f"Comparing {path}")
                tracked[chain] = wait_for_placements()
        return tracked

    def _report_progress(self, step: int, done: float, message: str) -> None:
        """Report progress; this is also where a cancelled scan stops."""
        count = self.result.changed
        current_call().progress(step * count + done, _STEPS * count, message)

    def _chains(self, path: str) -> list[VersionChain]:
        chains: list[VersionChain] = []

        def plan() -> None:
            source = RepoPath.parse(path)
            chains.extend(self._room.plan_for(source, self._room.stored(source)).chains)

        # A failure is reported when the file is written.
        self._record_damage(path, plan, report=False)
        return chains

    def _update_file(self, path: str, tracked: TrackedChains) -> None:
        """Write the new locations of one file's comments; a chain that has changed since is tracked again."""
        source = RepoPath.parse(path)
        signature = self._room.tree.signature(source)
        with self._writer.changing(source, lambda chain: tracked.get(chain) or track_chain(chain)) as change:
            previous_lines = _stored_lines(change)
            notes = list(change.sidecar.comments)
        self.result.comments += len(notes)
        for note in notes:
            self._record_outcome(path, note, previous_lines.get(note.id, note.line))
        if signature is not None and self._room.tree.signature(source) == signature:
            written = self._read_again(source, notes)
            # A comment that came from another file is checked in every scan: its code may return there.
            are_home = all(_home_path(path, note) == path for note in notes)
            self._room.cache_locations(source, written, signature, written=are_home)

    def _read_again(self, source: RepoPath, notes: Sequence[Note]) -> Sidecar:
        """Return the sidecar as it is on disk now, with the locations that were just found."""
        data = self._room.sidecar_bytes(source)
        sidecar = empty_sidecar(source.text) if data is None else parse_sidecar(source.text, data)
        locations = {note.id: note.location for note in notes}
        for note in sidecar.comments:
            note.location = locations.get(note.id, note.location)
        return sidecar

    def _record_outcome(self, path: str, note: Note, previous_line: int) -> None:
        """Decide what to do about one comment: move it back, search its code, or report its new line."""
        location, home = note.location, _home_path(path, note)
        returned = self._placed_in(home, note) if home != path else None
        if returned is not None:
            self._moving[path, home][note.id] = returned
        elif has_left(self._room, path, note):
            self._missing.append((path, note))
        elif location.needs_review or location.line != previous_line:
            self.result.outcomes.append(ScanOutcome(note.alias, path, location, previous_line))

    def _placed_in(self, path: str, note: Note) -> NoteLocation | None:
        """Return where a comment is in another file, if that is certain."""
        try:
            current = self._room.current_source(source_path(path))
        except HoldfastError:
            return None  # the path comes from the sidecar, so it may be any text
        version = self._room.annotated_version(note)
        if version is None or current is None:
            return None
        (placement,) = track(version, current.version, [note.original_anchor])
        if placement.line is None or placement.confidence is not Confidence.HIGH:
            return None
        return NoteLocation(placement.line, placement.end_line, method=placement.method)

    # Code that moved to other files

    def _relocate(self) -> None:
        """Search other files for the code that left its file, and move or report its comments."""
        lost_code = group_lost_code(self._room, self._missing)
        found: dict[tuple[str, str], MovedCode] = {}
        if lost_code:
            self._report_progress(_SEARCHING, 0, "Searching other files")
            index = build_file_index(self._room, lost_code)
            for lost in lost_code:
                current_call().check()
                for comment_id, moved in zip(lost.ids, index.find(lost.version, lost.anchors), strict=True):
                    if moved is not None:
                        found[lost.path, comment_id] = moved
        self._move_or_report(found)

    def _move_or_report(self, found: Mapping[tuple[str, str], MovedCode]) -> None:
        """Move comments whose new file is unambiguous, and report the others.

        `found` has the new places by the file that stores a comment and its id.
        """
        for path, note in self._missing:
            moved = found.get((path, note.id))
            if moved is None or not moved.unambiguous or moved.placement.line is None:
                self._report_lost(path, note, moved)
                continue
            location = location_of(note, moved.placement)
            if note.orphaned or location.confidence is Confidence.HIGH:
                # If the file is unambiguous and the line is not, the comment moves and needs review there.
                self._moving[path, moved.path][note.id] = location
            else:
                self._report_lost(path, note, moved)
        for (source, target), locations in self._moving.items():
            self._record_damage(source, partial(self._move, source, target, locations))

    def _move(self, source: str, target: str, locations: dict[str, NoteLocation]) -> None:
        lines = {note.id: note.line for path, note in self._missing if path == source}
        for note in self._writer.relocate(RepoPath.parse(source), RepoPath.parse(target), locations):
            self.result.outcomes.append(
                ScanOutcome(note.alias, target, note.location, lines.get(note.id, note.line), source)
            )

    def _report_lost(self, path: str, note: Note, moved: MovedCode | None) -> None:
        location = note.location
        if moved is not None and moved.placement.line is not None and location.orphaned:
            candidate = CandidateLine(moved.placement.line, round(moved.share, 3), moved.path)
            location = replace(location, candidates=(candidate, *location.candidates))
            self._record_damage(path, lambda: self._keep_candidates(path, note, location))
        self.result.outcomes.append(ScanOutcome(note.alias, path, location, note.line))

    def _keep_candidates(self, path: str, note: Note, location: NoteLocation) -> None:
        with self._writer.changing(RepoPath.parse(path)) as change:
            orphan = change.sidecar.find(note.id)
            if orphan is not None and orphan.orphaned:
                orphan.location, orphan.as_stored = location, False

    def _record_damage(self, path: str, action: Callable[[], None], *, report: bool = True) -> None:
        """Run an action; if it fails for this file, record that (if `report`) and continue."""
        try:
            action()
        except (Cancelled, DeadlineExceeded):
            raise
        except HoldfastError as failure:
            if report:
                self.result.damaged.append((path, failure.message))


def _home_path(path: str, note: Note) -> str:
    """Return the file that a comment was written in if it followed its code to `path`, else `path`."""
    facts = note.evidence or {}
    history = facts.get("history")
    moves = [move for move in history if isinstance(move, dict)] if isinstance(history, list) else []
    methods = [facts.get("method"), *(move.get("by") for move in moves)]
    # Without this method the comment arrived with its sidecar: the file was copied or renamed.
    return str(facts.get("path") or path) if MOVED_METHOD in methods else path


def _stored_lines(change: SidecarChange) -> dict[str, int]:
    """Return the lines that the sidecar stores, by comment id, before the new ones are written."""
    lines = {}
    for note in change.sidecar.comments:
        stored = as_line_number((note.marker or {}).get("line")) or as_line_number(note.raw.get("line"))
        lines[note.id] = stored or note.line
    return lines

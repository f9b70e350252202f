"""Bringing all comments of a work tree up to date: only what changed, on every core, with progress.

Contract:
- A file that has not changed since the last scan, and all of whose comments have a sure line, costs a look at
  its signature and its sidecar's; neither is opened.
- A sidecar is written only when a comment in it is on another line, in another file, or in another state.
- One sidecar that cannot be read or written is one entry in the result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from holdfast.comments.anchors.moved_code import Moves, has_left, index_for, missing_of, written_for
from holdfast.comments.anchors.plan import location_of
from holdfast.comments.anchors.version_chain import VersionChain, followed
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.document import whole_line
from holdfast.comments.sidecar.files import Change
from holdfast.comments.sidecar.note import MOVED_FILE, Location, Note
from holdfast.comments.sidecar.source import source_path
from holdfast.comments.store import Comments, Writer
from holdfast.comments.tracking.moved_files import Moved
from holdfast.comments.tracking.placement import Candidate, Confidence, Placement
from holdfast.comments.tracking.track import track
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Cancelled, DeadlineExceeded, HoldfastError, Unavailable
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.processes.child import cores
from holdfast.storage.processes.pool import ProcessPool

_WORTH_IT = 40
"""Files to compare from which on starting processes costs less than it gains."""

Answer = Callable[[], Sequence[Placement]]


class Pool:
    """Follows chains: in this process when they are few, else in as many as there are cores."""

    def __init__(self, files: int) -> None:
        worth_it = files >= _WORTH_IT and cores() > 1
        self._executor = ProcessPool() if worth_it else None

    def follow(self, chain: VersionChain) -> Answer:
        """Begin to follow a chain and return how to ask for the end."""
        if self._executor is None:
            return lambda: followed(chain)
        with _ends_told():
            answer = self._executor.submit(followed, chain)

        def ask() -> Sequence[Placement]:
            with _ends_told():
                placements: Sequence[Placement] = answer.result()
                return placements

        return ask

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._executor is not None:
            self._executor.shutdown()


@contextmanager
def _ends_told() -> Iterator[None]:
    """Say that a process ended on its own: the system ends those that take too much memory."""
    try:
        yield
    except BrokenExecutor:
        raise Unavailable(
            "A process that compares texts ended before its answer; nothing was written.",
            hint="Free some memory and try again; a scan of one file needs no further process.",
        ) from None


_FEW = 8
"""Files up to which git is asked about each of them alone."""

_READING, _COMPARING, _WRITING, _SEARCHING, _STEPS = range(5)
"""What a scan does with all files, one after the other."""


@dataclass(frozen=True)
class Outcome:
    """What a scan found about one comment."""

    name: str
    path: str
    location: Location
    from_line: int
    from_path: str | None = None


@dataclass
class Scanned:
    """What a scan came to."""

    files: int = 0
    changed: int = 0
    comments: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    damaged: list[tuple[str, str]] = field(default_factory=list)


Known = Mapping[VersionChain, Sequence[Placement]]
"""What comparisons in the pool came to, for when the sidecar is written."""


class Scan:
    """One scan of a room."""

    def __init__(self, room: Comments) -> None:
        self._room = room
        self._writer = Writer(room)
        self.result = Scanned()
        self._missing: list[tuple[str, Note]] = []
        self._moving: dict[tuple[str, str], dict[str, Location]] = defaultdict(dict)
        """Where comments go, by the files that they leave and enter, and by their ids."""

    def run(self, only: RepoPath | None = None) -> Scanned:
        """Bring the comments of all files, or of one, up to date."""
        self._settle_strays(only)
        files, changed = self._room.changed_paths() if only is None else self._just(only)
        self.result.files, self.result.changed = files, len(changed)
        with self._room.versions.asking_git_once(changed) if len(changed) > _FEW else nullcontext():
            self._update(changed)
        return self.result

    def _settle_strays(self, only: RepoPath | None) -> None:
        """Take the comments of files that were renamed to where they are now."""
        moves = self._room.moves()
        if moves is None:
            return
        near = set() if only is None else {only.text, *moves.homes.get(only.text, {}).values()}
        for target in moves.arriving:
            if only is None or target in near:
                self._guarded(target, partial(self._settle_in, target, moves))

    def _settle_in(self, target: str, moves: Moves) -> None:
        for source, note in self._writer.settle(RepoPath.parse(target), moves):
            self.result.outcomes.append(Outcome(note.alias, target, note.location, note.line, source))

    def _just(self, path: RepoPath) -> tuple[int, list[str]]:
        """Return one file as all that changed, if it has comments; one that is nowhere is a mistake."""
        if self._room.sidecar_bytes(path) is not None:
            return 1, [path.text]
        if self._room.source_bytes(path) is None and not self.result.outcomes:
            raise self._room.not_found(path)
        return 0, []

    def _update(self, changed: Sequence[str]) -> None:
        known = self._compared(changed)
        for position, path in enumerate(changed):
            self._tell(_WRITING, position, f"Writing {path}")
            self._guarded(path, partial(self._settle, path, known))
        self._relocate()

    def _compared(self, paths: Sequence[str]) -> Known:
        """Follow, on every core, what has to be followed."""
        known: dict[VersionChain, Sequence[Placement]] = {}
        if not paths:
            return known
        with Pool(len(paths)) as pool:
            waiting = []
            for position, path in enumerate(paths):
                self._tell(_READING, position, f"Reading {path}")
                waiting += [(path, chain, pool.follow(chain)) for chain in self._chains(path)]
            for position, (path, chain, answer) in enumerate(waiting):
                self._tell(_COMPARING, position * len(paths) / len(waiting), f"Comparing {path}")
                known[chain] = answer()
        return known

    def _tell(self, step: int, done: float, message: str) -> None:
        """Say how far the scan is; here it ends when nobody waits for it any more."""
        count = self.result.changed
        current_call().progress(step * count + done, _STEPS * count, message)

    def _chains(self, path: str) -> list[VersionChain]:
        found: list[VersionChain] = []
        self._guarded(path, lambda: found.extend(self._planned(path)), report=False)
        return found

    def _planned(self, path: str) -> list[VersionChain]:
        place = RepoPath.parse(path)
        return self._room.planned(place, self._room.stored(place)).chains

    def _settle(self, path: str, known: Known) -> None:
        """Write where the comments of one file stand, if that changed; by now it may be another chain."""
        place = RepoPath.parse(path)
        source = self._room.tree.signature(place)
        with self._writer.changing(place, lambda chain: known.get(chain) or followed(chain)) as change:
            before = _lines_before(change)
            notes = list(change.sidecar.comments)
        self.result.comments += len(notes)
        for note in notes:
            self._note(path, note, before.get(note.id, note.line))
        if source is not None and self._room.tree.signature(place) == source:
            written = self._reread(place, notes)
            # One that came from another file is looked at every time: its code may return there.
            is_home = all(_home_of(path, note) == path for note in notes)
            self._room.keep_places(place, written, source, written=is_home)

    def _reread(self, place: RepoPath, notes: Sequence[Note]) -> sidecars.Sidecar:
        """Return the sidecar as it is on disk now, with the locations that were just found."""
        data = self._room.sidecar_bytes(place)
        sidecar = sidecars.empty(place.text) if data is None else sidecars.read(place.text, data)
        locations = {note.id: note.location for note in notes}
        for note in sidecar.comments:
            note.location = locations.get(note.id, note.location)
        return sidecar

    def _note(self, path: str, note: Note, before: int) -> None:
        location, home = note.location, _home_of(path, note)
        returned = self._placed_in(home, note) if home != path else None
        if returned is not None:
            self._moving[path, home][note.id] = returned
        elif has_left(self._room, path, note):
            self._missing.append((path, note))
        elif location.needs_review or location.line != before:
            self.result.outcomes.append(Outcome(note.alias, path, location, before))

    def _placed_in(self, path: str, note: Note) -> Location | None:
        """Return where a comment surely is in another file than its own."""
        try:
            present = self._room.present(source_path(path))
        except HoldfastError:
            return None  # a sidecar may say anything; what is no source of ours is no home
        version = self._room.annotated_version(note.marker)
        if version is None or present is None:
            return None
        (placement,) = track(version, present.version, [written_for(note)])
        if placement.line is None or placement.confidence is not Confidence.HIGH:
            return None
        return Location(placement.line, placement.end_line, method=placement.method)

    # Code that went to other files

    def _relocate(self) -> None:
        missing = missing_of(self._room, self._missing)
        if not missing:
            return self._carry_over({})
        self._tell(_SEARCHING, 0, "Looking in other files")
        index = index_for(self._room, missing)
        found: dict[str, tuple[str, Moved]] = {}
        for one in missing:
            current_call().check()
            for name, moved in zip(one.names, index.find(one.version, one.anchors), strict=True):
                if moved is not None:
                    found[f"{one.path}\0{name}"] = (one.path, moved)
        return self._carry_over(found)

    def _carry_over(self, found: dict[str, tuple[str, Moved]]) -> None:
        """Move what is sure into its new file, and report the rest where it is."""
        for path, note in self._missing:
            source, moved = found.get(f"{path}\0{note.id}", ("", None))
            location = None if moved is None or not moved.clear else location_of(note, moved.placement)
            if location is None or moved is None or moved.placement.line is None:
                self._report_lost(path, note, moved)
            elif note.orphaned or location.confidence is Confidence.HIGH:
                # Where the file is clear and the line is not, the comment goes along, to be reviewed there.
                self._moving[source, moved.path][note.id] = location
            else:
                self._report_lost(path, note, moved)
        for (source, target), names in self._moving.items():
            self._guarded(source, partial(self._move, source, target, names))

    def _move(self, source: str, target: str, names: dict[str, Location]) -> None:
        lines = {note.id: note.line for path, note in self._missing if path == source}
        for note in self._writer.relocate(RepoPath.parse(source), RepoPath.parse(target), names):
            self.result.outcomes.append(
                Outcome(note.alias, target, note.location, lines.get(note.id, note.line), source)
            )

    def _report_lost(self, path: str, note: Note, moved: Moved | None) -> None:
        location = note.location
        if moved is not None and moved.placement.line is not None and location.orphaned:
            candidate = Candidate(moved.placement.line, round(moved.share, 3), moved.path)
            location = replace(location, candidates=(candidate, *location.candidates))
            self._guarded(path, lambda: self._keep_candidates(path, note, location))
        self.result.outcomes.append(Outcome(note.alias, path, location, note.line))

    def _keep_candidates(self, path: str, note: Note, location: Location) -> None:
        with self._writer.changing(RepoPath.parse(path)) as change:
            found = change.sidecar.find(note.id)
            if found is not None and found.orphaned:
                found.location, found.as_stored = location, False

    def _guarded(self, path: str, action: Callable[[], None], *, report: bool = True) -> None:
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
    # One that came with its sidecar was copied or renamed by somebody.
    return str(facts.get("path") or path) if MOVED_FILE in (facts.get("method"), *ways) else path


def _lines_before(change: Change) -> dict[str, int]:
    """Return the lines that the document itself gives, before what was found is written there."""
    found = {}
    for note in change.sidecar.comments:
        stored = whole_line((note.marker or {}).get("line")) or whole_line(note.raw.get("line"))
        found[note.id] = stored or note.line
    return found

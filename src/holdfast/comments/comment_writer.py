"""Changes the comments of one work tree, one sidecar at a time.

Contract:
- Each change reads the sidecar again under its lock, so nothing that another process wrote is overwritten.
- Comments that belong to a file but are stored with another are moved to the file's own sidecar first, and
  each write moves the sidecars of renamed files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from holdfast.comments.anchors.plan import apply_placements, plan_tracking
from holdfast.comments.anchors.version_chain import VersionChain, track_chain
from holdfast.comments.errors import InvalidLineNumber
from holdfast.comments.sidecar.document import remove_comment, transfer_comment
from holdfast.comments.sidecar.files import CommentDraft, SidecarChange
from holdfast.comments.sidecar.note import MOVED_METHOD, AnchorSymbol, Note, NoteLocation, alias_of
from holdfast.comments.sidecar.source import decode_source, split_lines
from holdfast.comments.store import Comments
from holdfast.comments.tracking.placement import Placement
from holdfast.storage.files.repo_path import RepoPath

if TYPE_CHECKING:
    from holdfast.comments.anchors.moved_code import Moves

TrackChain = Callable[[VersionChain], Sequence[Placement]]
"""Tracks the anchors of a chain of versions."""


class PlacedComment(NamedTuple):
    """A comment that was written, and the symbol it is about."""

    note: Note
    marker_id: str
    symbol: AnchorSymbol | None
    """None if its line is in no symbol, or the language is not supported."""


class ChangedComment(NamedTuple):
    """A comment that was changed, and the file it belongs to."""

    path: RepoPath
    note: Note


class CommentWriter:
    """Adds, edits, moves and deletes the comments of one work tree."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def add(self, path: RepoPath, draft: CommentDraft, *, strict: bool = False) -> PlacedComment:
        """Add a comment on a line; if `strict`, not to source with syntax errors."""
        # Read before locking, so that an error leaves no trace on disk.
        source = self._room.require_source(path)
        self._store_moves(path)
        line_count = len(split_lines(decode_source(source)))
        last_line = max(draft.line, draft.end_line or 0)
        if last_line > line_count:
            raise InvalidLineNumber(path.text, last_line, line_count)
        with self._room.locks.holding(path.text):
            change = self._room.begin(path, source)
            if not change.is_ours:
                self._read_and_locate(change)
            if strict:
                change.normalizer.outline.require_valid_syntax()
            note = change.add(draft, self._room.numbers(2))
            self._room.finish(change)
            return _placed_comment(change, note)

    def edit(self, path: RepoPath, name: str, text: str) -> ChangedComment:
        """Replace the text of a comment; its tag, author and anchor stay."""
        with self.changing_one(path, name) as (change, note):
            note.raw["text"] = text
            change.mark(note)
            return ChangedComment(change.path, note)

    def delete(self, path: RepoPath, name: str) -> ChangedComment:
        """Remove a comment, and its marker if no other comment uses it."""
        with self.changing_one(path, name) as (change, note):
            remove_comment(change.sidecar, note)
            change.deleted.add(note.id)
            return ChangedComment(change.path, note)

    def resolve(self, path: RepoPath, name: str, status: str, by: str) -> ChangedComment:
        with self.changing_one(path, name) as (change, note):
            note.raw["status"] = status
            if status == "open":
                note.raw.pop("resolvedBy", None)
                note.raw.pop("resolvedAt", None)
            else:
                note.raw["resolvedBy"], note.raw["resolvedAt"] = by, change.time
            change.mark(note)
            return ChangedComment(change.path, note)

    def reply(self, path: RepoPath, name: str, text: str, author: str) -> ChangedComment:
        with self.changing_one(path, name) as (change, note):
            replies = note.raw.get("replies")
            reply = {
                "id": f"r_{self._room.numbers(1)}",
                "text": text,
                "author": author,
                "created": change.time,
                "contentType": "text",
            }
            note.raw["replies"] = [*(replies if isinstance(replies, list) else []), reply]
            change.mark(note)
            return ChangedComment(change.path, note)

    def move(self, source: RepoPath, target: RepoPath, name: str, line: int) -> tuple[int, PlacedComment]:
        """Move a comment to another line of the same or another file, and return its previous line."""
        source = self._home(source, name)
        with self._room.locks.holding(source.text, target.text):
            leaving = self._begin(source, must_exist=True)
            note = leaving.find(name)
            arriving = leaving if source == target else self._begin(target)
            if arriving.source is None:
                raise self._room.not_found(target)
            arriving.check_line(line)
            before = note.line
            if arriving is not leaving:
                transfer_comment(leaving.sidecar, arriving.sidecar, note)
                leaving.deleted.add(note.id)
            arriving.anchor(note, line)
            if arriving is leaving:
                self._room.finish(arriving)
            else:
                self._room.finish_both(arriving, leaving)
            return before, _placed_comment(arriving, note)

    def relocate(
        self, source: RepoPath, target: RepoPath, locations: Mapping[str, NoteLocation]
    ) -> list[Note]:
        """Move comments to the file that their code moved to, and return those that were moved.

        `locations` has their new locations by id. The version that they were written for is kept. A comment
        that the other file already has in a newer state is only removed.
        """
        with self._room.locks.holding(source.text, target.text):
            leaving, arriving = self._begin(source), self._begin(target)
            moved = []
            for comment_id, location in locations.items():
                note = leaving.sidecar.find(comment_id)
                if note is None or arriving.current is None:
                    continue
                leaving.deleted.add(note.id)
                existing = arriving.sidecar.find(note.id)
                if existing is not None and existing.updated >= note.updated:
                    remove_comment(leaving.sidecar, note)
                    continue
                transfer_comment(leaving.sidecar, arriving.sidecar, note)
                # If the source still exists, the comment returns when its code does.
                method = location.method if leaving.source is None else MOVED_METHOD
                note.location, note.as_stored = replace(location, method=method), False
                arriving.touched.add(note.id)
                moved.append(note)
            if leaving.deleted:
                self._room.finish_both(arriving, leaving)
            return moved

    def store_arrivals(self, target: RepoPath, moves: Moves | None = None) -> list[tuple[str, Note]]:
        """Move the comments that belong to a file into its sidecar; return each with its previous file."""
        moves = moves or self._room.moves(target.text)
        arriving = [] if moves is None else moves.arriving.get(target.text, [])
        if not arriving:
            return []
        notes = self._room.load_owned(target.text, moves).comments
        stored = []
        for source in dict.fromkeys(source for source, _ in arriving):
            locations = {note.id: note.location for note in notes if (source, note.id) in arriving}
            relocated = self.relocate(RepoPath.parse(source), target, locations)
            stored += [(source, note) for note in relocated]
        return stored

    def _store_moves(self, path: RepoPath) -> Moves | None:
        """Move the comments of renamed files, and those that belong to a file; return all known moves."""
        moves = self._room.moves(path.text)
        if moves is None:
            return None
        from holdfast.comments.anchors.moved_code import skip_unreadable  # few writes need it

        self.store_arrivals(path, moves)
        renamed = {target for source in moves.emptied for target in moves.homes[source].values()}
        for target in sorted(renamed - {path.text}):
            with skip_unreadable():
                self.store_arrivals(RepoPath.parse(target), moves)
        return moves

    def _home(self, path: RepoPath, name: str) -> RepoPath:
        """Return the file that a comment belongs to, given the one it was written for, and move it there."""
        moves = self._store_moves(path)
        homes = {} if moves is None else moves.homes.get(path.text, {})
        home = next((home for stored, home in homes.items() if name in (stored, alias_of(stored))), None)
        if home is not None:
            self.store_arrivals(RepoPath.parse(home), moves)
        elif self._room.tree.signature(path) is None and self._room.sidecar_bytes(path) is None:
            home = self._find_written_for(path.text, name)
        return path if home is None else RepoPath.parse(home)

    def _find_written_for(self, path: str, name: str) -> str | None:
        """Return the file that now has a comment written for a file that is gone with its sidecar."""
        from holdfast.comments.anchors.moved_code import skip_unreadable

        for other in self._room.sidecar_paths():
            with skip_unreadable():
                data = self._room.sidecar_bytes(RepoPath.parse(other)) or b""
                if name.encode() in data:
                    note = self._room.stored(RepoPath.parse(other)).find(name)
                    if note is not None and (note.evidence or {}).get("path") == path:
                        return other
        return None

    @contextmanager
    def changing(self, path: RepoPath, track: TrackChain = track_chain) -> Iterator[SidecarChange]:
        """Hold a sidecar's lock, yield its content, and write it if it changed and nothing was raised."""
        with self._room.locks.holding(path.text):
            change = self._begin(path, track=track)
            yield change
            self._room.finish(change)

    @contextmanager
    def changing_one(self, path: RepoPath, name: str) -> Iterator[tuple[SidecarChange, Note]]:
        """Hold the lock for a change of one comment; the others may be written as they are stored."""
        path = self._home(path, name)
        with self._room.locks.holding(path.text):
            change = self._begin(path, must_exist=True, locate_all=False)
            yield change, change.find(name)
            self._room.finish(change)

    def _begin(
        self,
        path: RepoPath,
        *,
        must_exist: bool = False,
        locate_all: bool = True,
        track: TrackChain = track_chain,
    ) -> SidecarChange:
        change = self._room.begin(path, self._room.source_bytes(path))
        if must_exist and change.source is None and change.before is None:
            raise self._room.not_found(path)
        if change.is_ours and not locate_all:
            self._room.read(change, as_stored=True)
        else:
            self._read_and_locate(change, track)
        return change

    def _read_and_locate(self, change: SidecarChange, track: TrackChain = track_chain) -> None:
        """Parse the document and locate every comment in the current text."""
        self._room.read(change)
        plan = plan_tracking(change.sidecar, change.current, self._room.versions)
        apply_placements(change.sidecar, plan, [track(chain) for chain in plan.chains])


def _placed_comment(change: SidecarChange, note: Note) -> PlacedComment:
    return PlacedComment(note, str(note.raw["ghostMarkerId"]), change.symbol_at(note.line))

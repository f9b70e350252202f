"""The comments of one work tree, each where its code is now: read, and changed one sidecar at a time.

Contract:
- Reading changes no file of the work tree. Comments that another program overwrote are there when read, and
  are written back with the next change of their sidecar, or by a scan.
- One sidecar that cannot be read is one failure; the others are read all the same.
- Reading one file's comments looks at no other file's, unless a sidecar lost its source or code may have left
  another file: comments are shown with the file that their code went to (`anchors/moved_code.py`), where the
  next change takes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.comments.anchors.cache import CachedLocations, LocationCache, signature_text
from holdfast.comments.anchors.plan import Plan, apply, plan
from holdfast.comments.anchors.version_chain import VersionChain, VersionHistory, followed
from holdfast.comments.errors import InvalidLineNumber
from holdfast.comments.sidecar.document import Sidecar, carry, remove
from holdfast.comments.sidecar.files import Change, Draft, SidecarFiles
from holdfast.comments.sidecar.note import MOVED_FILE, AnchorSymbol, Location, Note
from holdfast.comments.sidecar.source import (
    SourceSymbols,
    decoded,
    is_sidecar,
    name_symbols,
    sidecar_of,
    source_of,
    split_lines,
)
from holdfast.comments.tracking.placement import Candidate, Placement, Version
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.clock import Clock, utc_now
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.watching.file_signature import Sign, sign_of
from holdfast.storage.watching.listing import Listing, Signature, WatchedListing

if TYPE_CHECKING:
    from holdfast.comments.anchors.moved_code import Moves, Strays
    from holdfast.comments.search.index import SearchIndex

LENIENT = "HOLDFAST_COMMENTS_LENIENT"
"""The environment variable that lets comments be added to source that does not parse."""

EVERY_FILE = "*"
"""The part of a topic that stands for the list of files, a name that no file can have."""

Follow = Callable[[VersionChain], Sequence[Placement]]
"""Follows the anchors of a chain of versions."""


class Comments(SidecarFiles):
    """The room of comments."""

    def __init__(
        self, repository: Repository, *, clock: Clock = utc_now, lenient: bool | None = None
    ) -> None:
        super().__init__(repository, clock)
        self.lenient = bool(os.environ.get(LENIENT)) if lenient is None else lenient
        """Whether comments may be added to source that does not parse."""
        self.places = LocationCache(repository)
        self.versions = VersionHistory(self.archive, self.history)
        self.offers: VersionedCache[Mapping[tuple[str, str], Sequence[Candidate]]] = VersionedCache()
        """Where the code of orphans may be, as long as no file changes among which it was looked for."""
        self._sidecars = Listing(repository, is_sidecar, source_of)
        self._search = Lazy(self._open_search)

    @classmethod
    def open(cls, repository: Repository) -> Comments:
        """Return the comments of a repository; what it keeps beside them is opened at first use."""
        return cls(repository)

    def close(self) -> None:
        """Close what was opened."""
        super().close()
        self.places.close()
        self._search.close()

    @property
    def search(self) -> SearchIndex:
        """The index in which comments are searched, made at first use."""
        return self._search.get()

    def _open_search(self) -> SearchIndex:
        from holdfast.comments.search.index import SearchIndex

        sidecars = WatchedListing(self.repository.root, is_sidecar)
        return SearchIndex(self.repository, sidecars, self.load_here, self.moves)

    @cached_property
    def _strays(self) -> Strays:
        from holdfast.comments.anchors.moved_code import Strays

        return Strays(self, self._sidecars)

    def moves(self, path: str | None = None) -> Moves | None:
        """Return where comments belong whose source is gone, and, for a file, those whose code came to it."""
        lone = self._sidecars.lone()
        strays = tuple((source_of(one), self._sidecars.signature(one)) for one in lone)
        moves = self._strays.moves(strays) if strays else None
        return moves if path is None else self._strays.with_arrivals(path, lone, moves)

    def changed_paths(self) -> tuple[int, list[str]]:
        """Return how many files have comments, and which changed or have a comment without a sure line."""
        settled = self.places.settled()
        found = self._signatures()
        changed = [
            path
            for path, (sidecar, source) in found.items()
            if source is None
            or sidecar is None
            or settled.get(path) != (signature_text(source), signature_text(sidecar))
        ]
        return len(found), changed

    def sidecar_paths(self) -> list[str]:
        """Return the path of each source file that has comments, in order; the source may be gone."""
        paths, moves = map(source_of, self._sidecars.paths()), self.moves()
        return list(paths) if moves is None else sorted({*paths, *moves.arriving} - moves.emptied)

    def fingerprint(self) -> object:
        """Return a value that changes when a sidecar, or a source that has one, is written or removed."""
        return self._signatures(), self.moves()

    def probe(self, part: str) -> Callable[[], object]:
        """Return what looks at one file's comments, or, for `*`, at which files have any."""
        if part == EVERY_FILE:
            return lambda: tuple(self.sidecar_paths())
        sidecar = sidecar_of(part)
        look = self._sidecars.signature
        return lambda: (look(sidecar), look(part), (moves := self.moves()) and moves.arriving.get(part))

    def _signatures(self) -> dict[str, tuple[Signature | None, Signature | None]]:
        """Return the signatures of each sidecar and its source, by the path of the source."""
        return {
            source_of(path): (signature, self._sidecars.signature(source_of(path)))
            for path, signature in self._sidecars.signatures().items()
        }

    # One file

    def load(self, source_path: str) -> Sidecar:
        """Return a file's comments, each where its code is now, and those that went with it elsewhere."""
        moves = self.moves(source_path)
        sidecar = self.load_here(source_path, moves)
        if moves is not None:
            sidecar.comments += moves.gone_from(source_path, lambda path: self.load_here(path, moves))
        return sidecar

    def load_here(self, source_path: str, moves: Moves | None) -> Sidecar:
        """Return a file's comments without those that are shown with another file now."""
        path = RepoPath.parse(source_path)
        sidecar = self.stored(path)
        signature = self.tree.signature(path)
        if sidecar.digest is None and signature is None:
            self.existing(path)
        arriving = moves is not None and path.text in moves.arriving
        if moves is not None:
            moves.gather(sidecar, lambda one: self.stored(RepoPath.parse(one)))
        if not sidecar.comments:
            return sidecar
        key = _content_key(sidecar)
        known = None if signature is None or arriving else self.places.find(path.text, signature, key)
        if known is not None:
            for note, location in zip(sidecar.comments, known, strict=True):
                note.location = location
            return sidecar
        self.place(sidecar, path)
        if signature is not None and not arriving and self.tree.signature(path) == signature:
            self.keep_places(path, sidecar, signature)
        return sidecar

    def place(self, sidecar: Sidecar, path: RepoPath) -> None:
        """Find the comments of a sidecar in the present text of a file."""
        found = self.planned(path, sidecar)
        apply(sidecar, found, [followed(chain) for chain in found.chains])

    def planned(self, path: RepoPath, sidecar: Sidecar) -> Plan:
        """Return what is known about a sidecar's comments, and what has to be followed."""
        return plan(sidecar, self.present(path), self.versions)

    def keep_places(
        self, path: RepoPath, sidecar: Sidecar, source: Signature, *, written: bool = False
    ) -> None:
        """Remember where a sidecar's comments are, for the next time."""
        place = self.tree.signature(RepoPath.parse(sidecar.path))
        if place is not None:
            locations = [note.location for note in sidecar.comments]
            key = _content_key(sidecar)
            self.places.keep([CachedLocations(path.text, source, place, key, locations, written)])

    def load_named(self, source_path: str) -> Sidecar:
        """Return the same with the symbol that each comment is about now."""
        sidecar = self.load(source_path)
        if sidecar.comments and (data := self.source_bytes(RepoPath.parse(source_path))) is not None:
            name_symbols(sidecar.comments, SourceSymbols(source_path, decoded(data)))
        return sidecar

    def sign(self, source_path: str) -> Sign | None:
        """Return what tells, by a look, that neither the sidecar nor the source changed; see `signs`."""
        source = f"{self.repository.root}/{source_path}"
        sidecar = sign_of((sidecar_of(source),))
        # Most files have none, and then the source does not matter.
        return sidecar if sidecar is None or sidecar[0] is None else sign_of((sidecar_of(source), source))

    def is_settled(self, sidecar: Sidecar) -> bool:
        """Tell whether a sidecar is as we wrote it, or was never ours: then only its bytes matter."""
        return not self.archive.record(sidecar.path, sidecar.digest).entries

    def annotated_version(self, marker: Mapping[str, Any] | None) -> Version | None:
        """Return the version that a marker's comment was written for, where it is known."""
        facts = Note({"id": "", "text": ""}, dict(marker or {})).evidence
        if facts is None or not isinstance(facts.get("blob"), str):
            return None
        text = self.versions.text(facts["blob"])
        return None if text is None else Version(str(facts.get("path", "")), text)


def _content_key(sidecar: Sidecar) -> str:
    """Return what tells the content of a sidecar, restored comments included."""
    if sidecar.digest is None:
        return ""
    return f"{sidecar.digest}:{len(sidecar.comments)}"


class Placed(NamedTuple):
    """A comment that was written, and what it is about."""

    note: Note
    marker_id: str
    symbol: AnchorSymbol | None


class Writer:
    """Changes the comments of one room, each time on what the sidecar holds at that moment."""

    def __init__(self, room: Comments) -> None:
        self._room = room

    def add(self, path: RepoPath, draft: Draft, *, strict: bool = True) -> Placed:
        """Write a new comment on a line; where `strict`, not into source that does not parse."""
        # Read before anything is locked: a refusal leaves no trace on disk.
        source = self._room.existing(path)
        self.settle(path)
        count, last = len(split_lines(decoded(source))), max(draft.line, draft.end_line or 0)
        if last > count:
            raise InvalidLineNumber(path.text, last, count)
        with self._room.locks.holding(path.text):
            change = self._room.begin(path, source)
            if not change.is_ours:
                self._follow(change)
            if strict:
                change.completion.outline.refuse_errors()
            note = change.add(draft, self._room.numbers(2))
            self._room.finish(change)
            return _placed(change, note)

    def edit(self, path: RepoPath, name: str, text: str) -> Note:
        """Replace the text of a comment; its tag, author and anchor stay."""
        with self._changing_one(path, name) as (change, note):
            note.raw["text"] = text
            change.mark(note)
            return note

    def delete(self, path: RepoPath, name: str) -> Note:
        """Remove a comment, and its marker when no other comment is on it."""
        with self._changing_one(path, name) as (change, note):
            remove(change.sidecar, note)
            change.deleted.add(note.id)
            return note

    def resolve(self, path: RepoPath, name: str, status: str, by: str) -> Note:
        """Say whether a comment is settled."""
        with self._changing_one(path, name) as (change, note):
            note.raw["status"] = status
            if status == "open":
                note.raw.pop("resolvedBy", None)
                note.raw.pop("resolvedAt", None)
            else:
                note.raw["resolvedBy"], note.raw["resolvedAt"] = by, change.moment
            change.mark(note)
            return note

    def reply(self, path: RepoPath, name: str, text: str, author: str) -> Note:
        """Add an answer to a comment."""
        with self._changing_one(path, name) as (change, note):
            replies = note.raw.get("replies")
            answer = {
                "id": f"r_{self._room.numbers(1)}",
                "text": text,
                "author": author,
                "created": change.moment,
                "contentType": "text",
            }
            note.raw["replies"] = [*(replies if isinstance(replies, list) else []), answer]
            change.mark(note)
            return note

    def move(self, source: RepoPath, target: RepoPath, name: str, line: int) -> tuple[int, Placed]:
        """Put a comment on another line, of the same file or of another, and return where it was."""
        self.settle(source)
        with self._room.locks.holding(source.text, target.text):
            leaving = self._begin(source, must_exist=True)
            note = leaving.find(name)
            arriving = leaving if source == target else self._begin(target)
            if arriving.source is None:
                raise self._room.not_found(target)
            arriving.check_line(line)
            before = note.line
            if arriving is not leaving:
                carry(leaving.sidecar, arriving.sidecar, note)
                leaving.deleted.add(note.id)
            arriving.anchor(note, line)
            if arriving is leaving:
                self._room.finish(arriving)
            else:
                self._room.finish_both(arriving, leaving)
            return before, _placed(arriving, note)

    def relocate(self, source: RepoPath, target: RepoPath, names: Mapping[str, Location]) -> list[Note]:
        """Let comments follow their code into another file; what they were written for stays on record."""
        with self._room.locks.holding(source.text, target.text):
            leaving, arriving = self._begin(source), self._begin(target)
            moved = []
            for name, location in names.items():
                note = leaving.sidecar.find(name)
                if note is None or arriving.present is None:
                    continue
                leaving.deleted.add(note.id)
                known = arriving.sidecar.find(note.id)
                if known is not None and known.updated >= note.updated:
                    remove(leaving.sidecar, note)
                    continue
                carry(leaving.sidecar, arriving.sidecar, note)
                # Out of a file that stays it came with its code, and goes back when that does.
                way = location.method if leaving.source is None else MOVED_FILE
                note.location, note.as_stored = replace(location, method=way), False
                arriving.touched.add(note.id)
                moved.append(note)
            if leaving.deleted:
                self._room.finish_both(arriving, leaving)
            return moved

    def settle(self, target: RepoPath, moves: Moves | None = None) -> list[tuple[str, Note]]:
        """Take to a file the comments that are shown with it and lie elsewhere; return where each lay."""
        moves = moves or self._room.moves(target.text)
        coming = [] if moves is None else moves.arriving.get(target.text, [])
        here = self._room.load_here(target.text, moves).comments if coming else []
        found = []
        for source in dict.fromkeys(source for source, _ in coming):
            names = {note.id: note.location for note in here if (source, note.id) in coming}
            found += [(source, note) for note in self.relocate(RepoPath.parse(source), target, names)]
        return found

    @contextmanager
    def changing(self, path: RepoPath, follow: Follow = followed) -> Iterator[Change]:
        """Hold a sidecar's lock, yield what it holds, and write it when that went well and changed it."""
        with self._room.locks.holding(path.text):
            change = self._begin(path, follow=follow)
            yield change
            self._room.finish(change)

    @contextmanager
    def _changing_one(self, path: RepoPath, name: str) -> Iterator[tuple[Change, Note]]:
        """Do the same for one comment; those that nobody touches may stay as they are."""
        self.settle(path)
        with self._room.locks.holding(path.text):
            change = self._begin(path, must_exist=True, everything=False)
            yield change, change.find(name)
            self._room.finish(change)

    def _begin(
        self, path: RepoPath, *, must_exist: bool = False, everything: bool = True, follow: Follow = followed
    ) -> Change:
        change = self._room.begin(path, self._room.source_bytes(path))
        if must_exist and change.source is None and change.before is None:
            raise self._room.not_found(path)
        if change.is_ours and not everything:
            self._room.read(change, as_stored=True)
        else:
            self._follow(change, follow)
        return change

    def _follow(self, change: Change, follow: Follow = followed) -> None:
        """Take the document apart and find every comment in the present text."""
        self._room.read(change)
        found = plan(change.sidecar, change.present, self._room.versions)
        apply(change.sidecar, found, [follow(chain) for chain in found.chains])


def _placed(change: Change, note: Note) -> Placed:
    return Placed(note, str(note.raw["ghostMarkerId"]), change.symbol_at(note.line))

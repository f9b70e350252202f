"""Reads the comments of one work tree, each with its current line.

`Comments` is the object that all tools, resources and prompts for comments receive: the facade of this
toolset over one repository.

Contract:
- Reading changes no file of the work tree. Comments that another program overwrote are restored when read;
  they are written back with the next change of their sidecar, or by a scan.
- A sidecar that cannot be read is one error; the others are still read.
- Comments are returned with the file that their code moved to (`anchors/moved_code.py`), and stored there
  with its next change. Reading one file's comments reads other sidecars only if their sources are gone or
  their code may have moved to this file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.comments.anchors.cache import CachedLocations, LocationCache, signature_text
from holdfast.comments.anchors.plan import TrackingPlan, apply_placements, plan_tracking
from holdfast.comments.anchors.version_chain import VersionHistory, track_chain
from holdfast.comments.memory.surroundings import Surroundings
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.files import SidecarFiles
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import (
    REPOSITORY_NOTES,
    SourceSymbols,
    attach_symbols,
    decode_source,
    is_sidecar,
    sidecar_of,
    source_of,
)
from holdfast.comments.tracking.placement import CandidateLine, FileVersion
from holdfast.kernel.cache import VersionedCache
from holdfast.kernel.clock import Clock, utc_now
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from holdfast.storage.lazy import Lazy
from holdfast.storage.watching.file_signature import FileSignature, signature_of
from holdfast.storage.watching.listing import Listing, Signature
from holdfast.storage.watching.watched_listing import WatchedListing

if TYPE_CHECKING:
    from holdfast.comments.anchors.moved_code import Moves, StraySidecars
    from holdfast.comments.search.index import SearchIndex
    from holdfast.storage.watching.topic_source import TopicSource

LENIENT_VARIABLE = "HOLDFAST_COMMENTS_LENIENT"
"""The variable that lets the specification's server accept comments on source with syntax errors."""


class Comments(SidecarFiles):
    """The comments of a repository's work tree."""

    def __init__(
        self, repository: Repository, *, clock: Clock = utc_now, lenient: bool | None = None
    ) -> None:
        super().__init__(repository, clock)
        self.lenient = bool(os.environ.get(LENIENT_VARIABLE)) if lenient is None else lenient
        """Whether the specification's server accepts comments on source with syntax errors."""
        self.location_cache = LocationCache(repository)
        self.versions = VersionHistory(self.archive, self.history)
        self.candidate_cache: VersionedCache[Mapping[tuple[str, str], Sequence[CandidateLine]]] = (
            VersionedCache()
        )
        """Candidates for orphaned comments, valid while the files that were searched do not change."""
        self._surroundings: Callable[[], Surroundings] = Surroundings
        self._sidecars = Listing(repository, is_sidecar, source_of)
        self._search = Lazy(self._open_search)

    @classmethod
    def open(cls, repository: Repository) -> Comments:
        """Return the comments of a repository; databases are opened at first use."""
        return cls(repository)

    def close(self) -> None:
        super().close()
        self.location_cache.close()
        self._search.close()

    def set_surroundings(self, make_surroundings: Callable[[], Surroundings]) -> None:
        """Set what makes the view of the other rooms that memories use."""
        self._surroundings = make_surroundings

    @cached_property
    def surroundings(self) -> Surroundings:
        return self._surroundings()

    @property
    def search(self) -> SearchIndex:
        return self._search.get()

    def _open_search(self) -> SearchIndex:
        from holdfast.comments.search.index import SearchIndex

        repository_notes = sidecar_of(REPOSITORY_NOTES)
        listing = WatchedListing(
            self.repository.root, lambda name: name == repository_notes or is_sidecar(name)
        )
        return SearchIndex(self.repository, listing, self.load_owned, self.moves)

    @cached_property
    def _strays(self) -> StraySidecars:
        from holdfast.comments.anchors.moved_code import StraySidecars

        return StraySidecars(self, self._sidecars)

    # All files

    def moves(self, path: str | None = None) -> Moves | None:
        """Return the files to which the comments of missing sources belong now.

        With a path, the result includes the comments whose code moved to that file from existing files.
        """
        without_source = self._sidecars.without_companion()
        strays = tuple((source_of(path), self._sidecars.signature(path)) for path in without_source)
        moves = self._strays.moves(strays) if strays else None
        return moves if path is None else self._strays.with_arrivals(path, without_source, moves)

    def changed_paths(self) -> tuple[int, list[str]]:
        """Return the number of files with comments, and those that changed or have uncertain comments."""
        placed = self.location_cache.fully_placed()
        signatures = self._signatures()

        def is_unchanged(path: str, sidecar: Signature | None, source: Signature | None) -> bool:
            if sidecar is None or source is None:
                return False
            return placed.get(path) == (signature_text(source), signature_text(sidecar))

        changed = [path for path, pair in signatures.items() if not is_unchanged(path, *pair)]
        return len(signatures), changed

    def sidecar_paths(self) -> list[str]:
        """Return the sorted paths of all source files with comments; a source may be gone."""
        paths, moves = map(source_of, self._sidecars.paths()), self.moves()
        return list(paths) if moves is None else sorted({*paths, *moves.arriving} - moves.emptied)

    def fingerprint(self) -> object:
        """Return a value that changes when a sidecar or its source is written or removed."""
        return self._signatures(), self.moves()

    def topic(self, part: str) -> TopicSource:
        """Return what to watch for all comments (an empty part), one file, or `*`, the list of files."""
        from holdfast.comments.watched_files import topic_source  # few processes wait for changes

        return topic_source(self, self._sidecars, part)

    def _signatures(self) -> dict[str, tuple[Signature | None, Signature | None]]:
        return {
            source_of(path): (signature, self._sidecars.signature(source_of(path)))
            for path, signature in self._sidecars.signatures().items()
        }

    # One file

    def load(self, source_path: str) -> Sidecar:
        """Return a file's comments with their current lines, including those that moved to other files."""
        moves = self.moves(source_path)
        sidecar = self.load_owned(source_path, moves)
        if moves is not None:
            sidecar.comments += moves.departed_from(source_path, lambda path: self.load_owned(path, moves))
        return sidecar

    def load_owned(self, source_path: str, moves: Moves | None) -> Sidecar:
        """Return the comments that belong to a file now, without those that moved to other files."""
        if source_path == REPOSITORY_NOTES:
            return self.stored(RepoPath((REPOSITORY_NOTES,)))
        path = RepoPath.parse(source_path)
        sidecar = self.stored(path)
        signature = self.tree.signature(path)
        if sidecar.digest is None and signature is None:
            self.require_source(path)
        has_arrivals = moves is not None and path.text in moves.arriving
        if moves is not None:
            moves.apply_to(sidecar, lambda source: self.stored(RepoPath.parse(source)))
        if not sidecar.comments:
            return sidecar
        if signature is None or has_arrivals:
            self.place(sidecar, path)
            return sidecar
        cached = self.location_cache.find(path.text, signature, _content_key(sidecar))
        if cached is not None:
            for note, location in zip(sidecar.comments, cached, strict=True):
                note.location = location
            return sidecar
        self.place(sidecar, path)
        if self.tree.signature(path) == signature:
            self.cache_locations(path, sidecar, signature)
        return sidecar

    def place(self, sidecar: Sidecar, path: RepoPath) -> None:
        """Locate the comments of a sidecar in the current text of a file."""
        plan = self.plan_for(path, sidecar)
        apply_placements(sidecar, plan, [track_chain(chain) for chain in plan.chains])

    def plan_for(self, path: RepoPath, sidecar: Sidecar) -> TrackingPlan:
        """Return which of a sidecar's comments must be tracked, and the locations of the others."""
        return plan_tracking(sidecar, self.current_source(path), self.versions)

    def cache_locations(
        self, path: RepoPath, sidecar: Sidecar, source: Signature, *, written: bool = False
    ) -> None:
        """Cache the locations of a sidecar's comments; `written`: the sidecar contains them."""
        signature = self.tree.signature(RepoPath.parse(sidecar.path))
        if signature is not None:
            locations = [note.location for note in sidecar.comments]
            key = _content_key(sidecar)
            self.location_cache.put(CachedLocations(path.text, source, signature, key, locations, written))

    def load_with_symbols(self, source_path: str) -> Sidecar:
        """Return a file's comments, each with the symbol that it is about now."""
        sidecar = self.load(source_path)
        if sidecar.comments and (data := self.source_bytes(RepoPath.parse(source_path))) is not None:
            attach_symbols(sidecar.comments, SourceSymbols(source_path, decode_source(data)))
        return sidecar

    def sign(self, source_path: str) -> FileSignature | None:
        """Return a value from stat calls that changes with the sidecar or the source; see `signature_of`."""
        source = f"{self.repository.root}/{source_path}"
        sidecar = signature_of((sidecar_of(source),))
        if sidecar is None or sidecar[0] is None:
            return sidecar  # most files have no sidecar, and their source is then irrelevant
        return signature_of((sidecar_of(source), source))

    def is_unmodified(self, sidecar: Sidecar) -> bool:
        """Return whether no other program wrote a sidecar since we did, or we never wrote it."""
        return not self.archive.record(sidecar.path, sidecar.digest).entries

    def annotated_version(self, note: Note) -> FileVersion | None:
        """Return the version that a comment was written for, if its id is stored and its text is known."""
        facts = note.evidence
        if facts is None or not isinstance(facts.get("blob"), str):
            return None
        text = self.versions.text(facts["blob"])
        return None if text is None else FileVersion(str(facts.get("path", "")), text)


def _content_key(sidecar: Sidecar) -> str:
    """Return a key for the content of a sidecar, including restored comments."""
    if sidecar.digest is None:
        return ""
    return f"{sidecar.digest}:{len(sidecar.comments)}"

"""The comments of one work tree: sidecars beside the sources, read with every anchor where the code is now.

Contract:
- Reading changes no file of the work tree. Comments that another program overwrote are there when read, and
  are written back with the next change of their sidecar, or by a scan.
- One sidecar that cannot be read is one failure; the others are read all the same.
- Reading one file's comments looks at no other file's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdfast.comments.anchors.cache import Found, Places, signature_text
from holdfast.comments.anchors.plan import Plan, apply, plan
from holdfast.comments.anchors.version_chain import travelled
from holdfast.comments.errors import CommentFileCorrupted, SourceNotFound
from holdfast.comments.sidecar import document as sidecars
from holdfast.comments.sidecar.archive import (
    Archive,
    Circumstances,
    Merged,
    Record,
    blob_id,
    compared,
    put_back,
)
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import Note
from holdfast.comments.sidecar.source import (
    SUFFIX,
    Present,
    decoded,
    is_sidecar,
    refusals_named,
    sidecar_of,
    source_of,
)
from holdfast.comments.tracking.models import Version
from holdfast.kernel.clock import Clock, utc_now
from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge, closest
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.file_history import FileHistory
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.file_signature import Sign, sign_of
from holdfast.storage.watching.listing import Listing, Signature

if TYPE_CHECKING:
    from holdfast.comments.anchors.scan import Scanned
    from holdfast.comments.search.index import SearchIndex
    from holdfast.comments.union.recovery import FileFinding

LENIENT = "HOLDFAST_COMMENTS_LENIENT"
"""The environment variable that lets comments be added to source that does not parse."""

EVERY_FILE = "*"
"""The part of a topic that stands for the list of files, a name that no file can have."""

_MOST_REVISIONS = 24


class Comments:
    """The room of comments."""

    def __init__(
        self, repository: Repository, *, clock: Clock = utc_now, lenient: bool | None = None
    ) -> None:
        self.repository = repository
        self.clock = clock
        self.lenient = bool(os.environ.get(LENIENT)) if lenient is None else lenient
        """Whether comments may be added to source that does not parse."""
        self.tree = Tree(repository)
        self.archive = Archive(repository)
        self.places = Places(repository)
        self.history = FileHistory(repository)
        self._sidecars = Listing(repository, is_sidecar)
        self._revisions: dict[str, dict[str, list[str]]] | None = None

    @classmethod
    def open(cls, repository: Repository) -> Comments:
        """Return the comments of a repository; what it keeps beside them is opened at first use."""
        return cls(repository)

    def close(self) -> None:
        """Close what was opened."""
        self.archive.close()
        self.places.close()
        self.history.close()
        if "search" in self.__dict__:
            self.search.close()

    @cached_property
    def search(self) -> SearchIndex:
        """The index in which comments are searched, made at first use."""
        from holdfast.comments.search.index import SearchIndex
        from holdfast.storage.watching.watched_listing import WatchedListing

        return SearchIndex(self.repository, WatchedListing(self.repository.root, is_sidecar), self.load)

    def examine(self, *, fix: bool) -> Iterator[FileFinding]:
        """Look at every sidecar for damage; `fix`: unite those in which git left both sides of a merge."""
        from holdfast.comments.union.recovery import examined

        return examined(self, fix=fix)

    # What there is

    def changed_paths(self) -> tuple[int, list[str]]:
        """Return how many files have comments, and which changed or have a comment without a sure line."""
        settled = self.places.settled()
        found = self.signatures()
        changed = [
            path
            for path, (sidecar, source) in found.items()
            if source is None
            or sidecar is None
            or settled.get(path) != (signature_text(source), signature_text(sidecar))
        ]
        return len(found), changed

    def sidecar_paths(self) -> Iterator[str]:
        """Yield the path of each source file that has a sidecar, in order; the source may be gone."""
        for path in self._sidecars.paths():
            yield source_of(path)

    def fingerprint(self) -> object:
        """Return a value that changes when a sidecar, or a source that has one, is written or removed."""
        found = self._sidecars.signatures()
        sources = {path: self._sidecars.signature(source_of(path)) for path in found}
        return found, sources

    def probe(self, part: str) -> Callable[[], object]:
        """Return what looks at one file's comments, or, for `*`, at which files have any."""
        if part == EVERY_FILE:
            return lambda: tuple(self.sidecar_paths())
        sidecar = sidecar_of(part)
        return lambda: (self._sidecars.signature(sidecar), self._sidecars.signature(part))

    def signatures(self) -> dict[str, tuple[Signature | None, Signature | None]]:
        """Return the signatures of each sidecar and its source, by the path of the source."""
        return {
            source_of(path): (signature, self._sidecars.signature(source_of(path)))
            for path, signature in self._sidecars.signatures().items()
        }

    def scan(self) -> Scanned:
        """Bring the comments of all files up to date; progress goes to the call that runs this."""
        from holdfast.comments.anchors.scan import Scan

        return Scan(self).run()

    # One file

    def load(self, source_path: str) -> Sidecar:
        """Return a file's comments, each where its code is now."""
        path = RepoPath.parse(source_path)
        sidecar = self.stored(path)
        signature = self.tree.signature(path)
        if sidecar.digest is None and signature is None and self.source_bytes(path) is None:
            raise self.not_found(path)
        if not sidecar.comments:
            return sidecar
        key = _content_key(sidecar)
        if signature is not None and (known := self.places.find(path.text, signature, key)) is not None:
            for note, standing in zip(sidecar.comments, known, strict=True):
                note.placement = standing
            return sidecar
        present = self.present(path)
        found = self.planned(sidecar, present)
        apply(sidecar, found, [travelled(journey) for journey in found.journeys])
        if signature is not None and self.tree.signature(path) == signature:
            self.places.keep(self.found(path, sidecar, signature))
        return sidecar

    def found(
        self, path: RepoPath, sidecar: Sidecar, source: Signature, *, written: bool = False
    ) -> list[Found]:
        """Return where a sidecar's comments are, as it is kept for the next time."""
        place = self.tree.signature(RepoPath.parse(sidecar.path))
        if place is None:
            return []
        standings = [note.placement for note in sidecar.comments]
        return [Found(path.text, source, place, _content_key(sidecar), standings, written)]

    def load_named(self, source_path: str) -> Sidecar:
        """Return the same with the symbol that each comment is about now."""
        sidecar = self.load(source_path)
        if not sidecar.comments or (data := self.source_bytes(RepoPath.parse(source_path))) is None:
            return sidecar
        # Parsers are loaded where they are used: search and export do without.
        from holdfast.comments.sidecar.source import SourceSymbols, name_symbols

        name_symbols(sidecar.comments, SourceSymbols(source_path, decoded(data)))
        return sidecar

    def stored(self, path: RepoPath) -> Sidecar:
        """Return a file's comments where the sidecar says they are, with those that were overwritten."""
        data = self.sidecar_bytes(path)
        sidecar = sidecars.empty(path.text) if data is None else sidecars.read(path.text, data)
        merged = self.merged(sidecar, data, self.archive.record(sidecar.path, sidecar.digest))
        put_back(sidecar, merged.restored)
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

    def sidecar_bytes(self, path: RepoPath) -> bytes | None:
        """Return what a file's sidecar holds, or None when it has none."""
        place = sidecar_of(path.text)
        with refusals_named(path):
            try:
                return self.tree.read_bytes(RepoPath.parse(place), LIMITS.sidecar_bytes)
            except NotFound:
                return None
            except TooLarge:
                raise CommentFileCorrupted(place, f"it is larger than {LIMITS.sidecar_bytes} bytes") from None
            except InvalidPath as refusal:
                if "symbolic link" in refusal.message:
                    raise
                raise CommentFileCorrupted(place, "it is not a regular file") from None

    def put_sidecar(self, path: RepoPath, data: bytes) -> None:
        """Replace a file's sidecar."""
        with refusals_named(path):
            self.tree.write(RepoPath.parse(sidecar_of(path.text)), data)

    def merged(self, sidecar: Sidecar, data: bytes | None, record: Record) -> Merged:
        """Compare a sidecar with what we last wrote there, and put on record what that shows."""
        if data is None:
            # The file was removed as a whole, which no program does by mistake.
            return Merged()
        if record.digest == sidecar.digest or not record.entries:
            return Merged()
        circumstances = Circumstances(
            self.archive.sequence_in(sidecar.stamp),
            lambda: self.history.committed(sidecar.path) == data,
            lambda comment_id: self._is_only_elsewhere(sidecar.path, comment_id),
        )
        found = compared(sidecar, record, circumstances)
        if found.known or found.forgotten:
            digest = record.digest if found.restored else sidecar.digest
            self.archive.remember(sidecar.path, str(digest), record.sequence, found.known, found.forgotten)
        return found

    def _is_only_elsewhere(self, path: str, comment_id: str) -> bool:
        """Tell whether a comment is in some commit but not in the last: git, not a program, took it away."""
        last = self.history.committed(path)
        if last is not None and comment_id.encode() in last:
            return False
        return self.history.ever_held(path, comment_id)

    def present(self, path: RepoPath) -> Present | None:
        """Return the source file as it is now, or None when it is gone."""
        data = self.source_bytes(path)
        return None if data is None else Present(path.text, decoded(data), blob_id(data))

    def source_bytes(self, path: RepoPath) -> bytes | None:
        """Return the bytes of a source file, or None when it is gone."""
        with refusals_named(path):
            try:
                return self.tree.read_bytes(path, LIMITS.comment_source_bytes)
            except NotFound:
                return None

    def text_of(self, source_path: str) -> str:
        """Return the text of a source file."""
        path = RepoPath.parse(source_path)
        data = self.source_bytes(path)
        if data is None:
            raise self.not_found(path)
        return decoded(data)

    def not_found(self, path: RepoPath) -> SourceNotFound:
        """Return the failure to find a source file, with the one beside it that is called nearly the same."""
        try:
            beside = self.tree.files_in(RepoPath(path.segments[:-1]))
        except HoldfastError:
            return SourceNotFound(path.text)
        names = [one.name for one in beside if not one.name.endswith(SUFFIX)]
        best = closest(path.name, names)
        return SourceNotFound(path.text, None if best is None else "/".join((*path.segments[:-1], best)))

    # The versions that comments were written for

    def planned(self, sidecar: Sidecar, present: Present | None) -> Plan:
        """Return what is known about a sidecar's comments, and what has to be followed."""
        return plan(sidecar, present, self)

    def annotated_version(self, marker: Mapping[str, Any] | None) -> Version | None:
        """Return the version that a marker's comment was written for, where it is known."""
        facts = Note({"id": "", "text": ""}, dict(marker or {})).evidence
        if facts is None or not isinstance(facts.get("blob"), str):
            return None
        text = self.version_text(facts["blob"])
        return None if text is None else Version(str(facts.get("path", "")), text)

    def version_text(self, blob: str) -> str | None:
        """Return the text of a version by its id: kept by us, or by git."""
        data = self.archive.version(blob)
        if data is None:
            data = self.history.blob(blob)
        return None if data is None else decoded(data)

    def between(self, path: str, blob: str, commit: str | None) -> list[Version]:
        """Return the committed versions of a file since a comment was written, oldest first."""
        if commit is None or commit == self.history.head():
            return []
        if self._revisions is None:
            return self.revisions(path, blob, self.history.revisions(path, commit))
        if commit not in self._revisions:
            self._revisions[commit] = self.history.all_revisions(commit)
        return self.revisions(path, blob, self._revisions[commit].get(path, []))

    @contextmanager
    def asking_git_once(self) -> Iterator[None]:
        """Ask git for the revisions of all files together, for as long as many files are looked at."""
        self._revisions = {}
        try:
            yield
        finally:
            self._revisions = None

    def dated(self, path: str) -> list[tuple[int, str]]:
        """Return when each committed version of a file came, and its id, newest first."""
        return self.history.dated(path)

    def revisions(self, path: str, blob: str, blobs: list[str]) -> list[Version]:
        """Return some versions by their ids; of very many, a sample that keeps the last."""
        wanted = [one for one in dict.fromkeys(blobs) if one != blob]
        step = max(1, -(-len(wanted) // _MOST_REVISIONS))
        texts = (self.version_text(one) for one in wanted[::-1][::step][::-1])
        return [Version(path, text) for text in texts if text is not None]


def _content_key(sidecar: Sidecar) -> str:
    """Return what tells the content of a sidecar, restored comments included."""
    if sidecar.digest is None:
        return ""
    return f"{sidecar.digest}:{len(sidecar.comments)}"


def store_path(repository: Repository, name: str) -> str:
    """Return the place of a file of ours."""
    return os.path.join(repository.store_directory, name)

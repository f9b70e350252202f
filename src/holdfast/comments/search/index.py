"""The search index: compared with the sidecars before each answer.

Contract:
- An answer includes every change of a sidecar that was complete before the query, whoever made it: a pull, a
  merge, an editor or Holdfast. Only changed sidecars are read.
- Lines in an answer are current: comments whose source changed are tracked again before they are returned.
  Only the sources of files in the answer are checked for changes.
- A deleted, damaged or outdated index does not affect answers. An unreadable sidecar is named in the answer;
  the others are still found.
- Comments whose source is gone are found with the file that their code moved to.
- Reading a workspace without sidecars leaves no trace on disk.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.search.corpus import Corpus
from holdfast.comments.search.query import CommentHit, CommentHits, CommentQuery
from holdfast.comments.search.rows import APPLICATION_ID, INDEX_NAME, INDEX_VERSION, RowWriter, state_of
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import STATUSES
from holdfast.comments.sidecar.source import is_sidecar, source_of
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Busy, Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase, NotUsable
from holdfast.storage.watching.watched_listing import WatchedListing, WatchedSignature

if TYPE_CHECKING:
    from holdfast.comments.anchors.moved_code import Moves

_MAX_ATTEMPTS = 20
"""Attempts to answer while files keep changing. A judgement: each failed one needs a change in between, so a
caller that gets `Busy` is competing with a program that writes continuously."""

_SELECT_HITS = (
    "SELECT id, file, line, end_line, name, text, tag, author, created, status, standing, reason, ai, model,"
    " confidence FROM comment WHERE id IN ({})"
)

_SELECT_PATH = "SELECT path FROM file WHERE id = (SELECT file FROM comment WHERE name = ? LIMIT 1)"

_NO_SIDECAR = WatchedSignature(0, 0, 0, 0)

Result = TypeVar("Result")

Load = Callable[[str, "Moves | None"], Sidecar]
"""Returns the comments of a source path with their current lines, given the moves between files."""


class _Completeness(NamedTuple):
    """For which files and content the index is complete."""

    files: Mapping[str, WatchedSignature]
    state: tuple[str, int]

    def holds_for(self, files: Mapping[str, WatchedSignature], state: tuple[str, int]) -> bool:
        # `_current` returns the same object while nothing changes; comparing the contents takes far longer.
        return self.files is files and self.state == state


def _too_busy() -> Busy:
    return Busy("The comments change faster than they can be read.", hint="Try again shortly.")


class SearchIndex:
    """The index of one work tree's comments."""

    def __init__(
        self, repository: Repository, listing: WatchedListing, load: Load, moves: Callable[[], Moves | None]
    ) -> None:
        self._repository = repository
        self._listing = listing
        self._load = load
        self._moves = moves
        # Work trees of one repository share the folder; each has its own index. 48 bits tell a few apart.
        tree = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:12]
        self._database = DerivedDatabase(
            repository.store_directory,
            f"{INDEX_NAME}-{tree}",
            application_id=APPLICATION_ID,
            version=INDEX_VERSION,
            prepare=lambda _: None,
        )
        self._corpus = Corpus()
        self._files: dict[str, WatchedSignature] = {}
        self._last_listing: object = None
        self._last_moves: Moves | None = None
        self._caught_up: _Completeness | None = None
        self._lock = threading.Lock()

    def find(self, query: CommentQuery, *, everywhere: bool = False) -> CommentHits:
        """Return the matching comments; `everywhere`: first track all files whose source changed."""
        with self._lock:
            try:
                # Read once, because later changes need not be in the answer.
                files = self._current()
                for _ in range(_MAX_ATTEMPTS):
                    if (answer := self._attempt(files, query, everywhere=everywhere)) is not None:
                        return answer
            finally:
                if not self._listing.is_watching:
                    # A file written twice within one timestamp may seem unchanged: compare again next time.
                    self._caught_up = None
        raise _too_busy()

    def read(self, query: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Return what a query finds in the tables, brought up to date; None if there are no sidecars.

        Locations in the tables may be outdated: only sidecars are compared, not their sources.
        """
        with self._lock:
            files = self._current()
            try:
                for _ in range(_MAX_ATTEMPTS):
                    try:
                        with self._database.read() as connection:
                            if self._caught_up is not None and self._caught_up.holds_for(
                                files, state_of(connection)
                            ):
                                return query(connection)
                        self._catch_up(files)
                    except NotUsable:
                        if self._build(files) is not None:
                            return None
            finally:
                if not self._listing.is_watching:
                    self._caught_up = None
        raise _too_busy()

    def path_of(self, comment_id: str) -> str | None:
        """Return the file that the comment with this alias is shown with now, or None if there is none."""
        if not self.find(CommentQuery(limit=1)).total:  # this also updates the index
            return None
        with self._database.read() as connection:
            row = connection.execute(_SELECT_PATH, (comment_id,)).fetchone()
        return None if row is None else str(row[0])

    def counts(self) -> dict[str, int]:
        """Return the number of comments by status, of orphaned and uncertain comments, and of files."""
        files = sum(is_sidecar(path) for path in self._listing.current())
        if not files:
            return {}
        # The first query tracks every file, so the others count current states.
        orphaned = self.find(CommentQuery(standing="orphaned", limit=0), everywhere=True).total
        states = {status: self.find(CommentQuery(status=status, limit=0)).total for status in STATUSES}
        review = self.find(CommentQuery(standing="review", limit=0)).total
        return states | {"orphaned": orphaned, "to review": review, "files": files}

    def close(self) -> None:
        self._database.close()
        self._listing.close()

    def _current(self) -> Mapping[str, WatchedSignature]:
        """Return a signature of each source's comments; the same object while none changed."""
        listing, moves = self._listing.current(), self._moves()
        if self._last_listing is not listing or self._last_moves is not moves:
            self._last_listing, self._last_moves = listing, moves
            self._files = {source_of(path): signature for path, signature in listing.items()}
            if moves is not None:
                # The signature of a file whose comments moved also changes with the moves.
                for path in (*moves.homes, *moves.arriving):
                    signature = self._files.get(path, _NO_SIDECAR)
                    self._files[path] = signature._replace(inode=signature.inode + moves.token)
        return self._files

    def _attempt(
        self, files: Mapping[str, WatchedSignature], query: CommentQuery, *, everywhere: bool
    ) -> CommentHits | None:
        """Answer from the index, or update it as needed and return None."""
        try:
            with self._database.read() as connection:
                state = state_of(connection)
                answer: CommentHits | None = None
                if self._caught_up is not None and self._caught_up.holds_for(files, state):
                    self._corpus.refresh(connection, state)
                    answer = self._answer(connection, query)
            if answer is None:
                self._catch_up(files)
                return None
            checked = self._corpus.sources if everywhere else dict.fromkeys(hit.path for hit in answer.hits)
            changed = [path for path in checked if self.source_signature(path) != self._corpus.sources[path]]
            if not changed:
                return answer
            with self._database.write() as connection:
                RowWriter(connection, self._load_file).place(changed)
                self._caught_up = _Completeness(files, state_of(connection))
        except NotUsable:
            return self._build(files)
        return None

    def _catch_up(self, files: Mapping[str, WatchedSignature]) -> None:
        """Make the index contain exactly these files."""
        with self._database.write() as connection:
            RowWriter(connection, self._load_file).replace(files)
            self._caught_up = _Completeness(files, state_of(connection))

    def _build(self, files: Mapping[str, WatchedSignature]) -> CommentHits | None:
        """Rebuild the index, unless there is nothing to put into it."""
        if not files:
            return CommentHits(0, [], [])
        self._database.discard()
        self._repository.ensure_store()

        def fill(connection: sqlite3.Connection) -> None:
            RowWriter(connection, self._load_file).create(files)
            self._caught_up = _Completeness(files, state_of(connection))

        self._database.rebuild(fill)
        return None

    def _load_file(self, path: str) -> tuple[str, Sidecar | str]:
        """Return a source's signature, and its comments or the reason why they cannot be read."""
        current_call().check()
        source = self.source_signature(path)
        try:
            return source, self._load(path, self._last_moves)
        except (Cancelled, DeadlineExceeded, Busy):
            raise  # these concern the call, not the file
        except CommentFileCorrupted as failure:
            return source, failure.sentence()
        except HoldfastError as failure:
            if failure.data.get("newer"):
                raise  # this concerns the store, not the file
            return source, failure.message

    def source_signature(self, path: str) -> str:
        """Return a value that changes when a source file changes, appears or disappears."""
        return " ".join(map(str, self._listing.signature(path) or ()))

    def _answer(self, connection: sqlite3.Connection, query: CommentQuery) -> CommentHits:
        corpus = self._corpus
        total, chosen = corpus.find(query)
        placeholders = ",".join("?" * len(chosen))
        rows = connection.execute(_SELECT_HITS.format(placeholders), [fields.id for _, fields in chosen])
        columns_by_id = {comment_id: columns for comment_id, *columns in rows}
        hits = []
        for count, fields in chosen:
            file, *columns = columns_by_id[fields.id]
            hits.append(CommentHit(corpus.paths[file], count, *columns))
        return CommentHits(total, hits, list(corpus.damaged))

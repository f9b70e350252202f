"""The search index: compared with the sidecars before each answer.

Contract:
- An answer includes every change of a sidecar that was complete before the query: by pull, merge, editor,
  another process or us. Only changed sidecars are read.
- Lines in an answer are current: comments whose source changed are tracked again before they are returned.
  Only the sources of files in the answer are checked for that.
- Deleting, damaging or outdating the index changes no answer. An unreadable sidecar is named in the answer;
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
from typing import TYPE_CHECKING

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.search.corpus import Corpus
from holdfast.comments.search.query import CommentHit, CommentHits, CommentQuery
from holdfast.comments.search.rows import APPLICATION_ID, NAME, VERSION, RowWriter, state_of
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.note import STATUSES
from holdfast.comments.sidecar.source import source_of
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Busy, Cancelled, DeadlineExceeded, HoldfastError
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase, NotUsable
from holdfast.storage.watching.watched_listing import WatchedListing, WatchedSignature

if TYPE_CHECKING:
    from holdfast.comments.anchors.moved_code import Moves

_ATTEMPTS = 20
"""Retries while files keep changing. A chosen bound."""

_SHOWN = (
    "SELECT id, file, line, end_line, name, text, tag, author, created, status, standing, reason, ai, model,"
    " confidence FROM comment WHERE id IN ({})"
)

_FILE_OF = "SELECT path FROM file WHERE id = (SELECT file FROM comment WHERE name = ? LIMIT 1)"

Load = Callable[[str, "Moves | None"], Sidecar]
"""Returns the comments of a source path with their current lines, given the moves between files."""


class SearchIndex:
    """The index of one work tree's comments."""

    def __init__(
        self, repository: Repository, listing: WatchedListing, load: Load, moves: Callable[[], Moves | None]
    ) -> None:
        self._repository = repository
        self._listing = listing
        self._load = load
        self._moves = moves
        # Work trees of one repository share the folder, but not the index.
        tree = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:12]
        self._database = DerivedDatabase(
            repository.store_directory,
            f"{NAME}-{tree}",
            application_id=APPLICATION_ID,
            version=VERSION,
            prepare=lambda _: None,
        )
        self._corpus = Corpus()
        self._files: dict[str, WatchedSignature] = {}
        self._seen: tuple[object, Moves | None] = (None, None)
        # Contains `id(self._files)`, valid because `_files` keeps that mapping alive.
        self._caught_up: tuple[int, tuple[str, int]] | None = None
        self._lock = threading.Lock()

    def find(self, query: CommentQuery, *, everywhere: bool = False) -> CommentHits:
        """Return the matching comments; `everywhere`: first track all files whose source changed."""
        with self._lock:
            try:
                # Read once: later changes need not be in the answer.
                files = self._current()
                for _ in range(_ATTEMPTS):
                    if (answer := self._attempt(files, query, everywhere=everywhere)) is not None:
                        return answer
            finally:
                if not self._listing.is_watching:
                    # A file written twice within one timestamp may seem unchanged: compare again next time.
                    self._caught_up = None
        raise Busy("The comments change faster than they can be read.", hint="Try again shortly.")

    def path_of(self, name: str) -> str | None:
        """Return the file that the comment with this id is shown with now."""
        if not self.find(CommentQuery(limit=1)).total:
            return None
        with self._database.read() as connection:
            row = connection.execute(_FILE_OF, (name,)).fetchone()
        return None if row is None else str(row[0])

    def counts(self) -> dict[str, int]:
        """Return the number of comments by status, of orphaned and uncertain ones, and of files."""
        if not (files := len(self._listing.current())):
            return {}
        # The first query tracks every file, so the others count current states.
        orphaned = self.find(CommentQuery(standing="orphaned", limit=0), everywhere=True).total
        states = {status: self.find(CommentQuery(status=status, limit=0)).total for status in STATUSES}
        review = self.find(CommentQuery(standing="review", limit=0)).total
        return states | {"orphaned": orphaned, "to review": review, "files": files}

    def close(self) -> None:
        """Close the connections and stop watching."""
        self._database.close()
        self._listing.close()

    def _current(self) -> Mapping[str, WatchedSignature]:
        """Return a signature of each source's comments; the same object while none changed."""
        found, moves = self._listing.current(), self._moves()
        if self._seen[0] is not found or self._seen[1] is not moves:
            self._seen = (found, moves)
            self._files = {source_of(path): signature for path, signature in found.items()}
            if moves is not None:
                for path in (*moves.homes, *moves.arriving):
                    number, *rest = self._files.get(path, (0, 0, 0, 0))
                    self._files[path] = (number + moves.token, rest[0], rest[1], rest[2])
        return self._files

    def _attempt(
        self, files: Mapping[str, WatchedSignature], query: CommentQuery, *, everywhere: bool
    ) -> CommentHits | None:
        """Answer from the index, or update it as needed and return None."""
        try:
            with self._database.read() as connection:
                state = state_of(connection)
                if is_behind := self._caught_up != (id(files), state):
                    answer = CommentHits(0, [], [])
                else:
                    self._corpus.refresh(connection, state)
                    answer = self._answer(connection, query)
            if is_behind:
                self._catch_up(files)
                return None
            shown = self._corpus.sources if everywhere else dict.fromkeys(hit.path for hit in answer.hits)
            moved = [path for path in shown if self._source(path) != self._corpus.sources[path]]
            if not moved:
                return answer
            with self._database.write() as connection:
                RowWriter(connection, self._loaded).place(moved)
                self._caught_up = (id(files), state_of(connection))
        except NotUsable:
            return self._build(files)
        return None

    def _catch_up(self, files: Mapping[str, WatchedSignature]) -> None:
        """Make the index contain exactly these files."""
        with self._database.write() as connection:
            RowWriter(connection, self._loaded).replace(files)
            self._caught_up = (id(files), state_of(connection))

    def _build(self, files: Mapping[str, WatchedSignature]) -> CommentHits | None:
        """Rebuild the index, unless there is nothing to put into it."""
        if not files:
            return CommentHits(0, [], [])
        self._database.discard()
        self._repository.ensure_store()

        def fill(connection: sqlite3.Connection) -> None:
            RowWriter(connection, self._loaded).create(files)
            self._caught_up = (id(files), state_of(connection))

        self._database.rebuild(fill)
        return None

    def _loaded(self, path: str) -> tuple[str, Sidecar | str]:
        """Return a source's signature, and its comments or the reason why they cannot be read."""
        current_call().check()
        source = self._source(path)
        try:
            return source, self._load(path, self._seen[1])
        except (Cancelled, DeadlineExceeded, Busy):
            # About the call, not about the file.
            raise
        except CommentFileCorrupted as failure:
            return source, failure.sentence()
        except HoldfastError as failure:
            if failure.data.get("newer"):
                raise  # about the store, not about this file
            return source, failure.message

    def _source(self, path: str) -> str:
        """Return a value that changes when a source file does; also for a missing one."""
        return " ".join(map(str, self._listing.signature(path) or ()))

    def _answer(self, connection: sqlite3.Connection, query: CommentQuery) -> CommentHits:
        corpus = self._corpus
        total, chosen = corpus.find(query)
        marks = ",".join("?" * len(chosen))
        rows = connection.execute(_SHOWN.format(marks), [facts.id for _, facts in chosen])
        by_id = {row[0]: row[1:] for row in rows}
        found = ((count, *by_id[facts.id]) for count, facts in chosen)
        hits = [CommentHit(corpus.paths[file], count, *columns) for count, file, *columns in found]
        return CommentHits(total, hits, list(corpus.damaged))

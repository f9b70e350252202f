"""The search index: compared with the sidecars before each answer, and never trusted further than that.

Contract:
- An answer contains every change of a sidecar that was complete before it was asked for: by pull, merge,
  editor, another process or us. Only changed sidecars are read.
- Lines in an answer are where the comments are now: a file whose source changed since is placed anew before
  it is shown. For that, the sources of the files in the answer are looked at, and no others.
- Deleting the index, damaging it or leaving it behind changes no answer. A sidecar that cannot be read is
  named in the answer; the others are found all the same.
- Reading a workspace without a single sidecar leaves no trace on disk.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.search.corpus import Corpus
from holdfast.comments.search.query import Answer, Hit, Query
from holdfast.comments.search.rows import APPLICATION_ID, NAME, VERSION, RowWriter, state_of
from holdfast.comments.sidecar.document import Sidecar
from holdfast.comments.sidecar.source import source_of
from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Busy, HoldfastError
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import DerivedDatabase, NotUsable
from holdfast.storage.watching.listing import WatchedListing, WatchedSignature

_ATTEMPTS = 20
_SHOWN = (
    "SELECT id, file, line, end_line, name, text, tag, author, created, status, standing, reason, ai, model,"
    " confidence FROM comment WHERE id IN ({})"
)

Load = Callable[[str], Sidecar]
"""Given the path of a source, returns its comments where they are now."""


class SearchIndex:
    """The index of one work tree's comments."""

    def __init__(self, repository: Repository, listing: WatchedListing, load: Load) -> None:
        self._repository = repository
        self._listing = listing
        self._load = load
        # Work trees of one repository share the folder, but have files of their own.
        tree = hashlib.sha256(os.fsencode(repository.root)).hexdigest()[:12]
        self._database = DerivedDatabase(
            repository.store_directory,
            f"{NAME}-{tree}",
            application_id=APPLICATION_ID,
            version=VERSION,
            prepare=lambda _: None,
        )
        self._corpus = Corpus()
        self._files: Mapping[str, WatchedSignature] = {}
        self._caught_up: tuple[int, tuple[str, int]] | None = None
        self._lock = threading.Lock()

    def find(self, query: Query, *, everywhere: bool = False) -> Answer:
        """Return the comments that fit; `everywhere`: place all files anew whose source changed, first."""
        with self._lock:
            try:
                # Looked at once: what changes from now on need not be in the answer.
                files = self._listing.current()
                for _ in range(_ATTEMPTS):
                    if (answer := self._attempt(files, query, everywhere=everywhere)) is not None:
                        return answer
            finally:
                if not self._listing.is_watching:
                    # A file that was written twice in a moment may look unchanged: compare again next time.
                    self._caught_up = None
        raise Busy("The comments change faster than they can be read.", hint="Try again in a moment.")

    def close(self) -> None:
        """Close the connections and stop watching."""
        self._database.close()
        self._listing.close()

    def _attempt(
        self, files: Mapping[str, WatchedSignature], query: Query, *, everywhere: bool
    ) -> Answer | None:
        """Answer from the index, or bring it up to date as far as needed and return None."""
        try:
            with self._database.read() as connection:
                state = state_of(connection)
                if is_behind := self._caught_up != (id(files), state):
                    answer = Answer(0)
                else:
                    self._corpus.bring_up_to_date(connection, state)
                    answer = self._answered(connection, query)
            if is_behind:
                self._catch_up(files)
                return None
            shown = self._corpus.sources if everywhere else dict.fromkeys(hit.path for hit in answer.hits)
            moved = [path for path in shown if self._source(path) != self._corpus.sources[path]]
            if not moved:
                return answer
            with self._database.write() as connection:
                RowWriter(connection, self._loaded).place(moved)
                self._keep(files, state_of(connection))
        except NotUsable:
            return self._build(files)
        return None

    def _catch_up(self, files: Mapping[str, WatchedSignature]) -> None:
        """Make the index hold these files and no others."""
        with self._database.write() as connection:
            RowWriter(connection, self._loaded).replace(_by_source(files))
            self._keep(files, state_of(connection))

    def _keep(self, files: Mapping[str, WatchedSignature], state: tuple[str, int]) -> None:
        # The mapping itself is kept, too: its identity means something only as long as it is there.
        self._files = files
        self._caught_up = (id(files), state)

    def _build(self, files: Mapping[str, WatchedSignature]) -> Answer | None:
        """Build the index anew, unless there is nothing to put into it."""
        if not files:
            return Answer(0)
        self._database.discard()
        self._repository.ensure_store()

        def fill(connection: sqlite3.Connection) -> None:
            RowWriter(connection, self._loaded).begin(_by_source(files))
            self._keep(files, state_of(connection))

        self._database.rebuild(fill)
        return None

    def _loaded(self, path: str) -> tuple[str, Sidecar | str]:
        """Return the signature of a source, and its comments or why they cannot be read."""
        current_call().check()
        source = self._source(path)
        try:
            return source, self._load(path)
        except CommentFileCorrupted as failure:
            return source, failure.sentence()
        except HoldfastError as failure:
            return source, failure.message

    def _source(self, path: str) -> str:
        """Return what changes when a source file does; a missing one has a signature too."""
        return " ".join(map(str, self._listing.signature(path) or ()))

    def _answered(self, connection: sqlite3.Connection, query: Query) -> Answer:
        corpus = self._corpus
        total, chosen = corpus.found(query)
        marks = ",".join("?" * len(chosen))
        rows = connection.execute(_SHOWN.format(marks), [facts.id for _, facts in chosen])
        by_id = {row[0]: row[1:] for row in rows}
        hits = []
        for count, facts in chosen:
            file, *columns = by_id[facts.id]
            hits.append(Hit(corpus.paths[file], count, *columns))
        return Answer(total, hits, list(corpus.damaged))


def _by_source(files: Mapping[str, WatchedSignature]) -> dict[str, WatchedSignature]:
    return {source_of(path): signature for path, signature in files.items()}

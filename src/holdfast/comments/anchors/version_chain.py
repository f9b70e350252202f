"""The versions of a file through which a comment is tracked, from the one it was written for to the current
one.

Example: a comment was written for blob `a1` at commit `c1`; the file was changed in `c5` and `c9` and has
uncommitted edits. Its chain is (text of `a1`, text in `c5`, text in `c9`, current text).

Contract: a `VersionChain` contains only texts and numbers, so it can be sent to a worker process.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.source import decode_source
from holdfast.comments.tracking.placement import Anchor, FileVersion, Placement

if TYPE_CHECKING:
    from holdfast.comments.sidecar.archive import Archive
    from holdfast.storage.git.history.file_history import FileHistory

_MAX_INTERMEDIATE_VERSIONS = 24
"""Revisions between the first and the last version; of more, an even sample is taken. A judgement: each is
another comparison of texts."""


class VersionHistory:
    """Earlier versions of files, from the archive of Holdfast or from git."""

    def __init__(self, archive: Archive, history: FileHistory) -> None:
        self._archive = archive
        self._history = history
        self._batched_paths: frozenset[str] = frozenset()
        self._revisions: dict[str, dict[str, list[str]]] = {}

    def text(self, blob: str) -> str | None:
        """Return the text of a version by its blob id, or None if it is in neither."""
        data = self._archive.version(blob)
        if data is None:
            data = self._history.blob(blob)
        return None if data is None else decode_source(data)

    def revisions_since(
        self, path: str, blob: str, commit: str | None, current_path: str
    ) -> list[FileVersion]:
        """Return the committed versions of a file after `blob`, oldest first.

        `path` and `commit` are the file's path and the HEAD commit when that version was annotated.
        """
        if commit is None or commit == self._history.head():
            return []
        if path != current_path or path not in self._batched_paths:
            return self._sample(current_path, blob, self._history.revisions(path, commit, current_path))
        if commit not in self._revisions:
            self._revisions[commit] = self._history.all_revisions(commit, sorted(self._batched_paths))
        return self._sample(path, blob, self._revisions[commit].get(path, []))

    def dated_contents(self, path: str) -> list[tuple[int, str]]:
        """Return the time and blob id of each committed version of a file, newest first."""
        return self._history.dated_contents(path)

    @contextmanager
    def batching_git(self, paths: Sequence[str]) -> Iterator[None]:
        """Read the revisions of all these files with one git process while the context is open."""
        self._batched_paths = frozenset(paths)
        try:
            yield
        finally:
            self._batched_paths, self._revisions = frozenset(), {}

    def _sample(self, path: str, blob: str, blobs: list[str]) -> list[FileVersion]:
        """Return the distinct versions other than `blob`; of very many, a sample that includes the last."""
        distinct = [other for other in dict.fromkeys(blobs) if other != blob]
        step = max(1, math.ceil(len(distinct) / _MAX_INTERMEDIATE_VERSIONS))
        newest_first = distinct[::-1][::step]
        texts = (self.text(other) for other in reversed(newest_first))
        return [FileVersion(path, text) for text in texts if text is not None]


@dataclass(frozen=True)
class VersionChain:
    """Versions to track some anchors through; the last is the current one."""

    versions: tuple[FileVersion, ...]
    anchors: tuple[Anchor, ...]
    """The lines to track, in the first version."""
    positions: tuple[int, ...]
    """The positions in the sidecar of the comments that the anchors belong to."""
    from_fragment: bool = False
    """Whether the first version is only the few lines that a marker stores."""
    by_number: bool = False
    """Whether only a line number and a date led to the first version."""


def track_chain(chain: VersionChain) -> list[Placement]:
    """Return where the anchors of a chain are in its last version."""
    from holdfast.comments.tracking.follow import follow  # most reads find every location in the cache

    return follow(chain.versions, chain.anchors)

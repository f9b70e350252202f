"""The versions of a file that a comment is followed through, from the one it was written for to the present.

Contract: a `VersionChain` holds only texts and numbers, so that it may be followed in another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.comments.sidecar.source import decoded
from holdfast.comments.tracking.placement import Anchor, Placement, Version

if TYPE_CHECKING:
    from holdfast.comments.sidecar.archive import Archive
    from holdfast.storage.git.history.file_history import FileHistory

_MOST_REVISIONS = 24


class VersionHistory:
    """Earlier versions of files, as far as we or git kept them."""

    def __init__(self, archive: Archive, history: FileHistory) -> None:
        self._archive = archive
        self._history = history
        self._together: frozenset[str] = frozenset()
        self._revisions: dict[str, dict[str, list[str]]] = {}

    def text(self, blob: str) -> str | None:
        """Return the text of a version by its id: kept by us, or by git."""
        data = self._archive.version(blob)
        if data is None:
            data = self._history.blob(blob)
        return None if data is None else decoded(data)

    def since(self, path: str, blob: str, commit: str | None, now: str) -> list[Version]:
        """Return the committed versions of a file, `now` of that name, after `blob`, oldest first.

        `commit` is the one on which the first of them was written.
        """
        if commit is None or commit == self._history.head():
            return []
        if path != now or path not in self._together:
            return self._sample(now, blob, self._history.revisions(path, commit, now))
        if commit not in self._revisions:
            self._revisions[commit] = self._history.all_revisions(commit, sorted(self._together))
        return self._sample(path, blob, self._revisions[commit].get(path, []))

    def dated(self, path: str) -> list[tuple[int, str]]:
        """Return when each committed version of a file came, and its id, newest first."""
        return self._history.dated(path)

    @contextmanager
    def asking_git_once(self, paths: Sequence[str]) -> Iterator[None]:
        """Ask git for the revisions of files together, for as long as many are looked at."""
        self._together = frozenset(paths)
        try:
            yield
        finally:
            self._together, self._revisions = frozenset(), {}

    def _sample(self, path: str, blob: str, blobs: list[str]) -> list[Version]:
        """Return some versions by their ids; of very many, a sample that keeps the last."""
        wanted = [one for one in dict.fromkeys(blobs) if one != blob]
        step = max(1, -(-len(wanted) // _MOST_REVISIONS))
        texts = (self.text(one) for one in wanted[::-1][::step][::-1])
        return [Version(path, text) for text in texts if text is not None]


@dataclass(frozen=True)
class VersionChain:
    """Versions to follow some anchors through; the last is the present one."""

    versions: tuple[Version, ...]
    anchors: tuple[Anchor, ...]
    positions: tuple[int, ...]
    """Which comments of the sidecar the anchors belong to."""
    from_fragment: bool = False
    """Whether the first version is only the few lines that a marker keeps."""
    by_number: bool = False
    """Whether nothing but a line number and a date led to the first version."""


def followed(chain: VersionChain) -> list[Placement]:
    """Follow the anchors of a chain."""
    from holdfast.comments.tracking.follow import follow

    return follow(chain.versions, chain.anchors)

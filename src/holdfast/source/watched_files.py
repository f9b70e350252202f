"""Declares what subscribers can watch: the files of the work tree, and what is staged and committed.

Contract: the probe's value differs after every change that `read_source` or `read_diff` can show. It may also
differ after others, such as that of a file that git ignores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.source_folders import is_entered
from holdfast.storage.watching.topic_source import TopicSource, WatchedPlace, any_folder, file_place
from holdfast.storage.watching.watched_listing import WatchedListing, WatchedSignature

_TRUSTED_SECONDS = 600.0
"""How long inotify is trusted not to miss a write, such as one through another hard link: a judgement,
because scanning 10,000 files takes some 50 ms, and an open page is to cost next to nothing."""


class WatchedSource:
    """The files of a repository, and its index and refs, as a topic."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._listing = WatchedListing(repository.root, lambda _: True, trusted_seconds=_TRUSTED_SECONDS)
        self._files: Mapping[str, WatchedSignature] | None = None
        self._version = 0

    def topic_source(self) -> TopicSource:
        """Return what to watch."""
        return TopicSource(self._probe, tuple(self._places()))

    def close(self) -> None:
        """Stop watching."""
        self._listing.close()

    def _places(self) -> Iterator[WatchedPlace]:
        repository = self._repository
        if not repository.bare:
            yield WatchedPlace(repository.root, enters=is_entered)
        if repository.git_dir is not None and repository.common_dir is not None:
            yield from map(file_place, self._git_files())
            yield WatchedPlace(os.path.join(repository.common_dir, "refs"), enters=any_folder)

    def _probe(self) -> object:
        if not self._repository.bare:
            files = self._listing.current()
            # Another object even if a change came too soon after the last one to alter a file's times.
            self._version += files is not self._files
            self._files = files
        return self._version, [_signature(path) for path in (*self._git_files(), *self._refs())]

    def _git_files(self) -> tuple[str, ...]:
        git_dir, common_dir = self._repository.git_dir, self._repository.common_dir
        if git_dir is None or common_dir is None:
            return ()
        names = ("packed-refs", os.path.join("reftable", "tables.list"))
        own = (os.path.join(git_dir, name) for name in ("HEAD", "index"))
        return (*own, *(os.path.join(common_dir, name) for name in names))

    def _refs(self) -> Iterator[str]:
        """Yield the files of branches and tags; those of Holdfast's logs are topics of their own."""
        for kind in ("heads", "remotes", "tags"):
            for folder, _, names in os.walk(os.path.join(self._repository.common_dir or "", "refs", kind)):
                yield from (os.path.join(folder, name) for name in sorted(names))


def _signature(path: str) -> tuple[str, int, int, int] | None:
    with suppress(OSError):
        status = os.lstat(path)
        return path, status.st_ino, status.st_size, status.st_mtime_ns
    return None

"""Small packs for new commits, which `git gc` and `git prune` cannot remove.

Contract:
- Commits are not written as loose objects: a `git prune` that read the refs before a ref led to the commit
  would remove it, and the writer cannot detect that. No prune removes a pack, and no repack removes one with
  a `.keep` file beside it. That file exists from before the pack is written until the ref has moved.
- When the block of `adding` begins, the pack and its directory entries are on disk.
- A pack is named after its newest commit. Its first entry is its oldest commit, whose parent is the newest
  commit of the previous pack. So the packs of a log form a chain, in which many small packs are merged into a
  larger one, like the levels of a log-structured merge tree.
- A merged pack is a second younger than the packs it replaces. For an object in several packs git's
  `multi-pack-index` names the youngest; an older one may be gone, and the object would be hidden.
- Only the holder of the log's lock may add to it. So an existing `.keep` file of ours is a leftover.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.temporary import ORPHAN_AGE_SECONDS, sweep_orphans, temporary_file, temporary_name
from holdfast.storage.git.objects.pack_format import (
    HEADER_BYTES,
    Digest,
    decode_commits,
    decode_entry,
    encode_entry,
    encode_pack,
    object_count,
)
from holdfast.storage.git.ref_files import read_beginning

_KEEP_TEXT = b"holdfast: the ref moves next\n"
_MIN_PACKS_TO_MERGE = 15
"""A judgement: well below the 50 packs at which git repacks by itself (`gc.autoPackLimit`)."""
_GC_SECONDS = 12 * 3600
"""After this time git ignores the `gc.pid` of a `git gc` (`lock_repo_for_gc` in its builtin/gc.c)."""
_MIN_COMMITS_TO_KEEP = 4096
"""A judgement: packs with so many commits are rare enough to be left alone; a merge would delay a commit."""
_MAX_COMMITS = 2 * _MIN_COMMITS_TO_KEEP
"""More than any pack has: a merge takes fewer than half of `_MIN_COMMITS_TO_KEEP`, then one pack below it."""
_MAX_PACK_BYTES = 4 * 1024 * 1024
"""A judgement: a kilobyte for each of `_MIN_COMMITS_TO_KEEP`, more than a commit of a log usually has."""


class Pack(NamedTuple):
    """A pack of ours, without the empty tree in it."""

    path: str
    """Without a suffix."""
    commit_entries: dict[str, bytes]
    """The commits as they are encoded in the pack, by id, oldest first."""

    @property
    def previous_name(self) -> str | None:
        """The name of the previous pack: the parent of the oldest commit here."""
        _kind, oldest_commit = decode_entry(next(iter(self.commit_entries.values())))
        second_line = oldest_commit.split(b"\n", 2)[1]
        has_parent = second_line.startswith(b"parent ")
        return second_line.removeprefix(b"parent ").decode("ascii") if has_parent else None


class Packs:
    """Our packs in one repository."""

    def __init__(self, common_directory: str, digest: Digest) -> None:
        self._directory = os.path.join(common_directory, "objects", "pack")
        self._gc_pid = os.path.join(common_directory, "gc.pid")
        self._commits_until_merge = 0
        self._digest = digest

    def read(self, commit_id: str) -> tuple[str, bytes] | None:
        """Return the kind and content of a pack's newest commit, or None if there is no such sound pack."""
        pack = self._pack(commit_id, _MAX_COMMITS)
        if pack is None or commit_id not in pack.commit_entries:
            return None
        return decode_entry(pack.commit_entries[commit_id])

    @contextmanager
    def adding(
        self, commit_id: str, tip: str | None, objects: Mapping[str, tuple[str, bytes]]
    ) -> Iterator[None]:
        """Write a pack with a commit and its tree, and protect it from git while the caller moves the ref.

        `tip` is the id of the commit's parent. `objects` has the kind and content of both by id. Afterwards
        the packs that the new pack replaces are removed.
        """
        path = os.path.join(self._directory, f"pack-{commit_id}")
        with translate_disk_errors("objects/pack"):
            self._sweep()
            replaced = self._packs_to_merge(tip)
            entries: dict[str, bytes] = {}
            for pack in reversed(replaced):
                entries |= pack.commit_entries
            entries |= {key: encode_entry(kind, content) for key, (kind, content) in objects.items()}
            self._write(path, entries, [f"{pack.path}.pack" for pack in replaced])
            try:
                flush_directory(self._directory)
                yield
            finally:
                _remove(f"{path}.keep")
            for pack in replaced if not self._has_multi_pack_index() else ():
                # A git command that has listed the pack fails without its index. So only the pack is removed,
                # and the index later by `_sweep`, for which its age counts from now.
                with suppress(OSError):
                    os.utime(f"{pack.path}.idx")
                _remove(f"{pack.path}.pack")

    def _write(self, path: str, entries: dict[str, bytes], older: list[str]) -> None:
        pack, index = encode_pack(entries, self._digest)
        modified = max((int(_modification_time(name)) + 1 for name in older), default=0)
        # `git prune` removes leftovers by their names, which these temporary files do not have. The `.keep`
        # file need not survive a power failure.
        for suffix, data, durable in (
            (".keep", _KEEP_TEXT, False),
            (".pack", pack, True),
            (".idx", index, True),
        ):
            temporary = os.path.join(self._directory, temporary_name("pack"))
            with temporary_file(temporary, data, 0o444, durable=durable):
                if modified:
                    os.utime(temporary, (modified, modified))
                os.rename(temporary, path + suffix)

    def _sweep(self) -> None:
        """Create the directory; remove what killed processes left, and indexes without a pack."""
        os.makedirs(self._directory, exist_ok=True)
        sweep_orphans(self._directory)
        names = frozenset(os.listdir(self._directory))
        for stem in (name.removesuffix(".keep") for name in names if name.endswith(".keep")):
            path = os.path.join(self._directory, stem)
            if _content(f"{path}.keep", len(_KEEP_TEXT)) == _KEEP_TEXT:
                _remove(f"{path}.keep")
                if f"{stem}.idx" not in names:
                    _remove(f"{path}.pack")  # its writer was killed before it wrote the index
        if self._commits_until_merge > 1:
            return  # such indexes do no harm until the next merge, and there may be many
        for name in names:
            has_no_pack = name.endswith(".idx") and f"{name.removesuffix('.idx')}.pack" not in names
            if has_no_pack and _age(os.path.join(self._directory, name)) > ORPHAN_AGE_SECONDS:
                _remove(os.path.join(self._directory, name))

    def _packs_to_merge(self, tip: str | None) -> list[Pack]:
        """Return the packs, newest first, that the new pack should replace, to keep their number small.

        Usually there are none; also none while git uses them: `git fsck` reports a pack that disappears. They
        are the newest packs of one commit each and, once these are enough, every older one that has at most
        twice the commits of those before it. So packs grow geometrically along the chain.
        """
        self._commits_until_merge -= 1
        if self._commits_until_merge > 0 or self._has_multi_pack_index() or _age(self._gc_pid) < _GC_SECONDS:
            return []
        packs: list[Pack] = []
        name, max_commits = tip, 1
        while name and max_commits < _MIN_COMMITS_TO_KEEP:
            pack = self._pack(name, max_commits)
            if pack is None or os.path.lexists(f"{pack.path}.keep"):
                break  # too large, or kept by another program
            packs.append(pack)
            name = pack.previous_name
            if len(packs) >= _MIN_PACKS_TO_MERGE:
                max_commits = 2 * sum(len(merged.commit_entries) for merged in packs)
        self._commits_until_merge = max(1, _MIN_PACKS_TO_MERGE - len(packs))
        return packs if len(packs) >= _MIN_PACKS_TO_MERGE else []

    def _has_multi_pack_index(self) -> bool:
        """Return whether git has a multi-pack index, which may name our packs."""
        return os.path.lexists(os.path.join(self._directory, "multi-pack-index"))

    def _pack(self, name: str, max_commits: int) -> Pack | None:
        """Return the pack with this newest commit, if it is sound and not larger than `max_commits`."""
        path = os.path.join(self._directory, f"pack-{name}")
        header = _content(f"{path}.pack", HEADER_BYTES)
        if len(header) < HEADER_BYTES or object_count(header) > max_commits + 1:  # and one tree
            return None
        pack, index = _content(f"{path}.pack", _MAX_PACK_BYTES), _content(f"{path}.idx", _MAX_PACK_BYTES)
        commit_entries = decode_commits(pack, index, self._digest)
        return Pack(path, commit_entries) if commit_entries else None


def _content(path: str, limit: int) -> bytes:
    try:
        return read_beginning(path, limit)
    except OSError:
        return b""


def _modification_time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def _age(path: str) -> float:
    return time.time() - _modification_time(path)


def _remove(path: str) -> None:
    with suppress(OSError):  # the ref may have moved already, and a leftover does no harm
        os.unlink(path)

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
import struct
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.temporary import ORPHAN_AGE_SECONDS, sweep_orphans, temporary_file, temporary_name
from holdfast.storage.git.ref_files import read_beginning

_KEEP_TEXT = b"holdfast: the ref moves next\n"
_KINDS = ("", "commit", "tree")
_PACK_HEAD = struct.Struct(">4sII")
"""The signature `PACK`, the version, and the number of objects."""
_INDEX_HEAD = b"\xfftOc\x00\x00\x00\x02"
"""The signature and the version, 2."""
_IDS_START = len(_INDEX_HEAD) + 256 * 4
"""In an index of version 2 the ids follow the fan-out table of 256 numbers."""
_MIN_PACKS_TO_MERGE = 15
"""A judgement: well below the 50 packs at which git repacks by itself (`gc.autoPackLimit`)."""
_GC_SECONDS = 12 * 3600
"""After this time git ignores the `gc.pid` of a `git gc` (`lock_repo_for_gc` in its builtin/gc.c)."""
_MAX_MERGED_OBJECTS = 4096
"""A judgement: larger packs are rare enough to be left alone, and rewriting one would delay a commit."""
_MAX_PACK_BYTES = 4 * 1024 * 1024
"""A judgement: a kilobyte for each of `_MAX_MERGED_OBJECTS`, more than a commit of a log usually has."""

Digest = Callable[[bytes], bytes]


class Pack(NamedTuple):
    """A pack of ours: its path without suffix, and its raw commits by id, oldest first."""

    path: str
    entries: dict[str, bytes]

    @property
    def previous_name(self) -> str | None:
        """The name of the previous pack: the parent of the oldest commit here."""
        _, oldest_commit = _decode_entry(next(iter(self.entries.values())))
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

    def read(self, name: str) -> tuple[str, bytes] | None:
        """Return the kind and content of a pack's newest commit, or None if there is no such sound pack."""
        pack = self._pack(name, _MAX_MERGED_OBJECTS * 2)
        return _decode_entry(pack.entries[name]) if pack is not None and name in pack.entries else None

    @contextmanager
    def adding(self, name: str, tip: str | None, objects: Mapping[str, tuple[str, bytes]]) -> Iterator[None]:
        """Write a pack with a commit and its tree, and protect it from git while the caller moves the ref.

        Afterwards the packs that the new pack replaces are removed.
        """
        path = os.path.join(self._directory, f"pack-{name}")
        with translate_disk_errors("objects/pack"):
            self._sweep()
            replaced = self._packs_to_merge(tip)
            entries = {key: raw for pack in reversed(replaced) for key, raw in pack.entries.items()}
            entries |= {key: encode_entry(*content) for key, content in objects.items()}
            self._write(path, entries, [f"{pack.path}.pack" for pack in replaced])
            try:
                flush_directory(self._directory)
                yield
            finally:
                _remove(f"{path}.keep")
            for pack in replaced if not self._has_multi_pack_index() else ():
                # Only the pack is removed: a git command that has listed it fails without its index.
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

        Usually there are none; also none while git uses them: `git fsck` reports a pack that disappears.
        """
        self._commits_until_merge -= 1
        if self._commits_until_merge > 0 or self._has_multi_pack_index() or _age(self._gc_pid) < _GC_SECONDS:
            return []
        packs: list[Pack] = []
        name, max_commits = tip, 1  # first the packs of single commits
        while name and max_commits < _MAX_MERGED_OBJECTS:
            pack = self._pack(name, max_commits)
            if pack is None or os.path.lexists(f"{pack.path}.keep"):
                break  # too large, or kept by another program
            packs.append(pack)
            name = pack.previous_name
            if len(packs) >= _MIN_PACKS_TO_MERGE:
                max_commits = 2 * sum(len(merged.entries) for merged in packs)
        self._commits_until_merge = max(1, _MIN_PACKS_TO_MERGE - len(packs))
        return packs if len(packs) >= _MIN_PACKS_TO_MERGE else []

    def _has_multi_pack_index(self) -> bool:
        """Return whether git has a multi-pack index, which may name our packs."""
        return os.path.lexists(os.path.join(self._directory, "multi-pack-index"))

    def _pack(self, name: str, max_commits: int) -> Pack | None:
        """Return the pack with this newest commit, if it is sound and not larger than `max_commits`."""
        path = os.path.join(self._directory, f"pack-{name}")
        head = _content(f"{path}.pack", _PACK_HEAD.size)
        if len(head) < _PACK_HEAD.size or _PACK_HEAD.unpack(head)[2] > max_commits + 1:  # and one tree
            return None
        pack, index = _content(f"{path}.pack", _MAX_PACK_BYTES), _content(f"{path}.idx", _MAX_PACK_BYTES)
        entries = decode_commits(pack, index, self._digest)
        return Pack(path, entries) if entries else None


@contextmanager
def separate_objects(store: str, common_directory: str) -> Iterator[str]:
    """Yield an empty folder for fetched objects, and move their packs into the repository at the end.

    Git reads an object from any pack in which it is intact, so these packs repair damaged ones. A pack of the
    same name is moved to the store first.
    """
    from shutil import rmtree  # here, because it is rarely needed

    folder, target = os.path.join(store, "fetched"), os.path.join(common_directory, "objects", "pack")
    source, aside = os.path.join(folder, "pack"), os.path.join(store, "damaged")
    with translate_disk_errors("objects"):
        rmtree(folder, ignore_errors=True)
        os.makedirs(source)
        try:
            yield folder
            # The index comes last: once it exists, git expects the pack.
            for name in sorted(os.listdir(source), key=lambda name: name.endswith(".idx")):
                if os.path.lexists(os.path.join(target, name)):
                    os.makedirs(aside, exist_ok=True)
                    os.rename(os.path.join(target, name), os.path.join(aside, name))
                os.rename(os.path.join(source, name), os.path.join(target, name))
            flush_directory(target)
        finally:
            rmtree(folder, ignore_errors=True)


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


def encode_entry(kind: str, content: bytes) -> bytes:
    """Return an entry: kind and size (four bits, then seven per byte), then the compressed content."""
    last_byte = _KINDS.index(kind) << 4 | len(content) & 15
    size = len(content) >> 4
    head = bytearray()
    while size:
        head.append(last_byte | 128)  # the highest bit says that another byte follows
        last_byte, size = size & 127, size >> 7
    return bytes([*head, last_byte]) + zlib.compress(content, 1)


def _decode_entry(entry: bytes) -> tuple[str, bytes]:
    head_length = next(index for index, byte in enumerate(entry) if byte < 128) + 1
    return _KINDS[entry[0] >> 4 & 7], zlib.decompress(entry[head_length:])


def encode_pack(entries: dict[str, bytes], digest: Digest) -> tuple[bytes, bytes]:
    """Return a pack and its index, both of version 2 (see gitformat-pack(5))."""
    pack = b"".join([_PACK_HEAD.pack(b"PACK", 2, len(entries)), *entries.values()])
    checksum = digest(pack)
    offsets = accumulate(map(len, entries.values()), initial=_PACK_HEAD.size)
    rows = zip(map(bytes.fromhex, entries), map(zlib.crc32, entries.values()), offsets, strict=False)
    ids, crcs, offsets_by_id = zip(*sorted(rows), strict=True)
    fan_out = [bisect_right(ids, byte, key=itemgetter(0)) for byte in range(256)]  # ids up to each first byte
    index = b"".join([_INDEX_HEAD, _table(fan_out), *ids, _table(crcs), _table(offsets_by_id), checksum])
    return pack + checksum, index + digest(index)


def _table(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def decode_commits(pack: bytes, index: bytes, digest: Digest) -> dict[str, bytes]:
    """Return the commits of a pack in their order; none if it or its index is damaged."""
    id_size = len(digest(b""))
    if digest(pack[:-id_size]) != pack[-id_size:] or digest(index[:-id_size]) != index[-id_size:]:
        return {}
    count = _PACK_HEAD.unpack_from(pack)[2] if len(pack) >= _PACK_HEAD.size + id_size else 0
    # The ids are followed by a CRC and an offset of four bytes for each, and two checksums.
    if len(index) != _IDS_START + count * (id_size + 4 + 4) + 2 * id_size:
        return {}
    id_starts = (_IDS_START + id_size * row for row in range(count))
    ids = [index[start : start + id_size].hex() for start in id_starts]
    offsets = struct.unpack_from(f">{count}I", index, _IDS_START + count * (id_size + 4))
    rows = sorted(zip(offsets, ids, strict=True))
    ends = [*(offset for offset, _ in rows[1:]), len(pack) - id_size]
    entries = {object_id: pack[start:end] for (start, object_id), end in zip(rows, ends, strict=True)}
    commit_kind = _KINDS.index("commit")
    return {key: entry for key, entry in entries.items() if entry and entry[0] >> 4 & 7 == commit_kind}

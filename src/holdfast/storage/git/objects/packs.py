"""Small packs for new commits, which `git gc` and `git prune` cannot remove.

Contract:
- A loose object can be removed by a `git prune` that read the refs before one of them led to it, however long
  ago, and no check by the writer can exclude that. No prune touches a pack, and no repack drops one with a
  `.keep` file beside it. That file exists before the pack does, and until the ref has moved.
- When the block of `adding` begins, the pack and the names that lead to it are on disk.
- A pack is named after its newest commit and begins with its oldest, whose parent is the newest commit of the
  pack before it. So the packs of a log form a chain, in which many small ones are merged into a larger one,
  as the levels of a log-structured merge tree are.
- A merged pack is younger by a second than those it replaces. For an object in several packs git's
  `multi-pack-index` names the youngest, and would hide the object if it named a pack that is gone.
- Only the holder of the log's lock may add to it. So a `.keep` of ours that exists already was left behind.
"""

from __future__ import annotations

import os
import struct
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from holdfast.kernel.machine import translate_disk_errors
from holdfast.storage.files.directories import flush_directory
from holdfast.storage.files.temporary import ORPHAN_AGE_SECONDS, sweep_orphans, temporary_file, temporary_name
from holdfast.storage.git.ref_files import read_beginning

_KEPT = b"holdfast: the ref moves next\n"
_KINDS = ("", "commit", "tree")
_PACK_HEAD = struct.Struct(">4sII")
_INDEX_HEAD = b"\xfftOc\x00\x00\x00\x02"
_IDS_BEGIN = len(_INDEX_HEAD) + 256 * 4
_MERGED_PACKS = 15
"""A judgement: fewer than the 50 packs from which on git repacks by itself (`gc.autoPackLimit`)."""
_COLLECTING_SECONDS = 12 * 3600
"""How long git takes a `gc.pid` for that of a running `git gc` (`lock_repo_for_gc` in its builtin/gc.c)."""
_MAX_OBJECTS = 4096
_MAX_BYTES = 4 * 1024 * 1024
"""Judgements: larger packs are rare enough to stay as they are, and rewriting one would delay a commit."""

Digest = Callable[[bytes], bytes]


class Pack(NamedTuple):
    """A pack of ours: its path without suffix, and its raw commits by id, oldest first."""

    path: str
    entries: dict[str, bytes]

    @property
    def before(self) -> str | None:
        """The parent of the oldest commit here: the newest commit of the pack before."""
        lines = _unpacked(next(iter(self.entries.values())))[1].split(b"\n", 2)
        return lines[1].removeprefix(b"parent ").decode("ascii") if lines[1].startswith(b"parent ") else None


class Packs:
    """Our packs in one repository."""

    def __init__(self, common_directory: str, digest: Digest) -> None:
        self._directory = os.path.join(common_directory, "objects", "pack")
        self._gc_pid = os.path.join(common_directory, "gc.pid")
        self._commits_until_merge = 0
        self._digest = digest

    def read(self, name: str) -> tuple[str, bytes] | None:
        """Return kind and content of the newest commit of a pack, or None if no sound pack has it."""
        pack = self._pack(name, _MAX_OBJECTS * 2)
        return _unpacked(pack.entries[name]) if pack is not None and name in pack.entries else None

    @contextmanager
    def adding(self, name: str, tip: str | None, objects: Mapping[str, tuple[str, bytes]]) -> Iterator[None]:
        """Keep a commit and its tree on disk, safe from git, while the caller moves the ref.

        Afterwards the packs that the new one replaces are removed.
        """
        path = os.path.join(self._directory, f"pack-{name}")
        with translate_disk_errors("objects/pack"):
            self._sweep()
            replaced = self._packs_to_merge(tip)
            entries = {key: raw for pack in reversed(replaced) for key, raw in pack.entries.items()}
            entries |= {key: _entry(*content) for key, content in objects.items()}
            self._write(path, entries, [f"{pack.path}.pack" for pack in replaced])
            try:
                flush_directory(self._directory)
                yield
            finally:
                _remove(f"{path}.keep")
            for pack in replaced if not self._has_multi_pack_index() else ():
                # A git command that has listed the pack may still open its index, and fails if it cannot.
                with suppress(OSError):
                    os.utime(f"{pack.path}.idx")
                _remove(f"{pack.path}.pack")

    def _write(self, path: str, entries: dict[str, bytes], older: list[str]) -> None:
        pack, index = _files(entries, self._digest)
        modified = max((int(_modified(name)) + 1 for name in older), default=0)
        # Under names that `git prune` does not take for leftovers. Losing a `.keep` does no harm.
        for suffix, data, durable in ((".keep", _KEPT, False), (".pack", pack, True), (".idx", index, True)):
            temporary = os.path.join(self._directory, temporary_name("pack"))
            with temporary_file(temporary, data, 0o444, durable=durable):
                if modified:
                    os.utime(temporary, (modified, modified))
                os.rename(temporary, path + suffix)

    def _sweep(self) -> None:
        """Create the directory; remove what killed writers left, and indexes of packs that are gone."""
        os.makedirs(self._directory, exist_ok=True)
        sweep_orphans(self._directory)
        names = frozenset(os.listdir(self._directory))
        for stem in (name[:-5] for name in names if name.endswith(".keep")):
            path = os.path.join(self._directory, stem)
            if _content(f"{path}.keep", len(_KEPT)) == _KEPT:
                _remove(f"{path}.keep", *(() if f"{stem}.idx" in names else (f"{path}.pack",)))
        if self._commits_until_merge > 1:
            return  # there may be many indexes, and they do no harm until the next merge
        for name in (name for name in names if name.endswith(".idx") and f"{name[:-4]}.pack" not in names):
            if _age(os.path.join(self._directory, name)) > ORPHAN_AGE_SECONDS:
                _remove(os.path.join(self._directory, name))

    def _packs_to_merge(self, tip: str | None) -> list[Pack]:
        """Return the packs, newest first, that the new pack should replace, so that there are few.

        Usually none, and none while git works on them: a `git fsck` reports a pack that disappears.
        """
        self._commits_until_merge -= 1
        if (
            self._commits_until_merge > 0
            or self._has_multi_pack_index()
            or _age(self._gc_pid) < _COLLECTING_SECONDS
        ):
            return []
        found: list[Pack] = []
        name, most = tip, 1
        while name and most < _MAX_OBJECTS and (pack := self._pack(name, most)) is not None:
            if os.path.lexists(f"{pack.path}.keep"):
                break  # kept on request of another program
            found.append(pack)
            size = sum(len(one.entries) for one in found)
            name, most = pack.before, 1 if len(found) < _MERGED_PACKS else 2 * size
        self._commits_until_merge = max(1, _MERGED_PACKS - len(found))
        return found if len(found) >= _MERGED_PACKS else []

    def _has_multi_pack_index(self) -> bool:
        """Return whether git has an index that names our packs."""
        return os.path.lexists(os.path.join(self._directory, "multi-pack-index"))

    def _pack(self, name: str, most: int) -> Pack | None:
        """Return a pack by its newest commit, if it is sound and has at most `most` commits."""
        path = os.path.join(self._directory, f"pack-{name}")
        head = _content(f"{path}.pack", _PACK_HEAD.size)
        if len(head) < _PACK_HEAD.size or _PACK_HEAD.unpack(head)[2] > most + 1:
            return None
        pack, index = _content(f"{path}.pack", _MAX_BYTES), _content(f"{path}.idx", _MAX_BYTES)
        entries = _entries(pack, index, self._digest)
        return Pack(path, entries) if entries else None


@contextmanager
def separate_objects(store: str, common_directory: str) -> Iterator[str]:
    """Yield an empty folder for objects; at the end their packs are moved into the repository.

    Git reads an object from any pack that has it intact, so these repair what is damaged in others. A file of
    the same name is moved to the store.
    """
    from shutil import rmtree  # here, because it is rarely needed

    folder, target = os.path.join(store, "fetched"), os.path.join(common_directory, "objects", "pack")
    source, aside = os.path.join(folder, "pack"), os.path.join(store, "damaged")
    with translate_disk_errors("objects"):
        rmtree(folder, ignore_errors=True)
        os.makedirs(source)
        try:
            yield folder
            # The index comes last: once it exists, git expects the rest.
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


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def _age(path: str) -> float:
    return time.time() - _modified(path)


def _remove(*paths: str) -> None:
    for path in paths:
        with suppress(OSError):  # the ref may have moved already, and a file that remains does no harm
            os.unlink(path)


def _entry(kind: str, content: bytes) -> bytes:
    """Return a pack entry: kind and size (four bits, then seven per byte), then the compressed content."""
    first, size = _KINDS.index(kind) << 4 | len(content) & 15, len(content) >> 4
    head = bytearray()
    while size:
        head.append(first | 128)
        first, size = size & 127, size >> 7
    return bytes([*head, first]) + zlib.compress(content, 1)


def _unpacked(entry: bytes) -> tuple[str, bytes]:
    begin = next(place for place, byte in enumerate(entry) if byte < 128) + 1
    return _KINDS[entry[0] >> 4 & 7], zlib.decompress(entry[begin:])


def _files(entries: dict[str, bytes], digest: Digest) -> tuple[bytes, bytes]:
    """Return a pack and its index, both of version 2 (see gitformat-pack(5))."""
    pack = b"".join([_PACK_HEAD.pack(b"PACK", 2, len(entries)), *entries.values()])
    checksum = digest(pack)
    starts = accumulate((len(entry) for entry in entries.values()), initial=_PACK_HEAD.size)
    sums = map(zlib.crc32, entries.values())
    names, *numbers = zip(*sorted(zip(map(bytes.fromhex, entries), sums, starts, strict=False)), strict=True)
    counts = [bisect_right(names, byte, key=itemgetter(0)) for byte in range(256)]
    tables = [struct.pack(f">{len(row)}I", *row) for row in (counts, *numbers)]
    index = b"".join([_INDEX_HEAD, tables[0], *names, *tables[1:], checksum])
    return pack + checksum, index + digest(index)


def _entries(pack: bytes, index: bytes, digest: Digest) -> dict[str, bytes]:
    """Return the commits of a pack in their order; none if it or its index is damaged."""
    size = len(digest(b""))
    if digest(pack[:-size]) != pack[-size:] or digest(index[:-size]) != index[-size:]:
        return {}
    count = _PACK_HEAD.unpack_from(pack)[2] if len(pack) >= _PACK_HEAD.size + size else 0
    if len(index) != _IDS_BEGIN + count * (size + 8) + 2 * size:
        return {}
    names = [index[_IDS_BEGIN + size * row : _IDS_BEGIN + size * (row + 1)].hex() for row in range(count)]
    offsets = struct.unpack_from(f">{count}I", index, _IDS_BEGIN + count * (size + 4))
    rows = sorted(zip(offsets, names, strict=True))
    ends = [*(offset for offset, _ in rows[1:]), len(pack) - size]
    raw = {name: pack[start:end] for (start, name), end in zip(rows, ends, strict=True)}
    kind = _KINDS.index("commit")
    return {name: entry for name, entry in raw.items() if entry and entry[0] >> 4 & 7 == kind}

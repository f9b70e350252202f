"""The encoding of packs of commits and trees, and of their indexes: version 2 of both (gitformat-pack(5))."""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import itemgetter

_KINDS = ("", "commit", "tree")
"""The kinds of objects that we write, at the index of git's number for each."""
_HEADER = struct.Struct(">4sII")
"""The signature `PACK`, the version, and the number of objects."""
HEADER_BYTES = _HEADER.size
_INDEX_HEAD = b"\xfftOc\x00\x00\x00\x02"
"""The signature and the version, 2."""
_IDS_START = len(_INDEX_HEAD) + 256 * 4
"""In an index the ids follow the fan-out table of 256 numbers."""

Digest = Callable[[bytes], bytes]
"""The hash function of the repository."""


def encode_entry(kind: str, content: bytes) -> bytes:
    """Return a pack's entry: kind and size (four bits, then seven per byte), then the compressed content."""
    last_byte = _KINDS.index(kind) << 4 | len(content) & 15
    size = len(content) >> 4
    head = bytearray()
    while size:
        head.append(last_byte | 128)  # the highest bit says that another byte follows
        last_byte, size = size & 127, size >> 7
    return bytes([*head, last_byte]) + zlib.compress(content, 1)


def decode_entry(entry: bytes) -> tuple[str, bytes]:
    """Return the kind and content of an entry of a sound pack."""
    head_length = next(index for index, byte in enumerate(entry) if byte < 128) + 1
    return _KINDS[_kind_number(entry)], zlib.decompress(entry[head_length:])


def _kind_number(entry: bytes) -> int:
    return entry[0] >> 4 & 7


def object_count(pack: bytes) -> int:
    """Return the number of objects in a pack, of which only the header is needed."""
    _signature, _version, count = _HEADER.unpack_from(pack)
    return int(count)


def encode_pack(entries: dict[str, bytes], digest: Digest) -> tuple[bytes, bytes]:
    """Return a pack and its index from entries by object id."""
    pack = b"".join([_HEADER.pack(b"PACK", 2, len(entries)), *entries.values()])
    checksum = digest(pack)
    offsets = accumulate(map(len, entries.values()), initial=HEADER_BYTES)
    rows = zip(map(bytes.fromhex, entries), map(zlib.crc32, entries.values()), offsets, strict=False)
    ids, crcs, offsets_by_id = zip(*sorted(rows), strict=True)
    fan_out = [bisect_right(ids, byte, key=itemgetter(0)) for byte in range(256)]  # ids up to each first byte
    index = b"".join([_INDEX_HEAD, _table(fan_out), *ids, _table(crcs), _table(offsets_by_id), checksum])
    return pack + checksum, index + digest(index)


def _table(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def decode_commits(pack: bytes, index: bytes, digest: Digest) -> dict[str, bytes]:
    """Return the entries of a pack's commits by id, in their order; none if it or its index is damaged."""
    id_size = len(digest(b""))
    if digest(pack[:-id_size]) != pack[-id_size:] or digest(index[:-id_size]) != index[-id_size:]:
        return {}
    count = object_count(pack) if len(pack) >= HEADER_BYTES + id_size else 0
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
    return {key: entry for key, entry in entries.items() if entry and _kind_number(entry) == commit_kind}

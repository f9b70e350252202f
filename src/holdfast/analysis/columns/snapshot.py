"""Arrays computed from a project's files, by the key of each file's content, and kept in one file.

A table has rows of each file, in columns of equal length. `starts` divides the rows: those of the file with
number n are `starts[n]:starts[n + 1]`.

Contract:
- A snapshot that is missing, damaged, of another version of the code, or not written by this user is None.
- Arrays that were loaded are read-only, and are views of the content of the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.authenticated_file import read_authenticated, write_authenticated
from holdfast.storage.git.repository import Repository

if TYPE_CHECKING:
    from numpy import int64, intp
    from numpy.typing import NDArray

SUFFIX = ".arrays"
_HEADER_BYTES = 8
_ALIGNMENT = 8
"""Bytes to which each array is aligned, the size of the largest number."""


class Table(NamedTuple):
    """Rows of several files."""

    starts: NDArray[int64]
    columns: Mapping[str, NDArray[Any]]

    def take(self, files: NDArray[intp]) -> Table:
        """Return the rows of some files, in the order given."""
        import numpy as np

        counts = np.diff(self.starts)[files]
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))
        # Files that follow each other are copied at once.
        first = np.flatnonzero(np.diff(files, prepend=-2) != 1)
        last = np.append(first[1:], len(files))[: len(first)] - 1
        bounds = zip(self.starts[files[first]].tolist(), self.starts[files[last] + 1].tolist(), strict=True)
        slices = [slice(start, end) for start, end in bounds] or [slice(0)]
        return Table(
            starts,
            {
                name: np.concatenate([column[each] for each in slices])
                for name, column in self.columns.items()
            },
        )


@dataclass(frozen=True)
class ColumnSnapshot:
    """The tables of several files."""

    keys: tuple[str, ...]
    """The key of each file's content; equal contents may be there repeatedly."""
    tables: Mapping[str, Table]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each file, by key."""
        return {key: number for number, key in enumerate(self.keys)}

    def take(self, keys: Sequence[str]) -> ColumnSnapshot:
        """Return the rows of some of the files, in the order given."""
        if tuple(keys) == self.keys:
            return self
        import numpy as np

        files = np.array([self.numbers[key] for key in keys], np.intp)
        return ColumnSnapshot(tuple(keys), {name: table.take(files) for name, table in self.tables.items()})

    def joined(self, other: ColumnSnapshot) -> ColumnSnapshot:
        """Return the rows of two snapshots with the same tables, which have no file in common."""
        import numpy as np

        tables = {}
        for name, table in self.tables.items():
            added = other.tables[name]
            starts = np.concatenate((table.starts, added.starts[1:] + table.starts[-1]))
            columns = {
                column: np.concatenate((values, added.columns[column]))
                for column, values in table.columns.items()
            }
            tables[name] = Table(starts, columns)
        return ColumnSnapshot(self.keys + other.keys, tables)


class SnapshotFile:
    """The file of one snapshot in the store of a repository, which all its work trees share."""

    def __init__(self, repository: Repository, name: str, version: int) -> None:
        """`version` is that of the code that computes the arrays."""
        self._repository = repository
        self._path = os.path.join(repository.store_directory, name + SUFFIX)
        self._version = version

    def load(self) -> ColumnSnapshot | None:
        content = read_authenticated(self._path, LIMITS.record_cache_bytes)
        return None if content is None else _decode(content, self._version)

    def save(self, snapshot: ColumnSnapshot) -> None:
        """Replace the snapshot; without room or permission it is left out, which only costs time."""
        with suppress(HoldfastError):
            self._repository.ensure_store()
            write_authenticated(self._path, _encode(snapshot, self._version))


def _encode(snapshot: ColumnSnapshot, version: int) -> bytes:
    """Return the length of a header, the header, and the arrays it lists with their types and lengths."""
    arrays = [
        array for table in snapshot.tables.values() for array in (table.starts, *table.columns.values())
    ]
    header = json.dumps(
        {
            "version": version,
            "keys": snapshot.keys,
            "tables": {name: list(table.columns) for name, table in snapshot.tables.items()},
            "arrays": [(array.dtype.str, len(array)) for array in arrays],
        }
    ).encode()
    pieces = [len(header).to_bytes(_HEADER_BYTES, "little"), header, _padding(len(header))]
    for array in arrays:
        pieces += [array.tobytes(), _padding(array.nbytes)]
    return b"".join(pieces)


def _padding(length: int) -> bytes:
    return bytes(-length % _ALIGNMENT)


def _decode(content: memoryview, version: int) -> ColumnSnapshot | None:
    """Return the snapshot of a content that this user's Holdfast has written; None if for another version."""
    import numpy as np

    offset = _HEADER_BYTES + int.from_bytes(content[:_HEADER_BYTES], "little")
    header = json.loads(bytes(content[_HEADER_BYTES:offset]))
    if header["version"] != version:
        return None
    arrays = []
    for kind, length in header["arrays"]:
        offset += -offset % _ALIGNMENT
        arrays.append(np.frombuffer(content, kind, length, offset) if length else np.empty(0, kind))
        offset += arrays[-1].nbytes
    rest = iter(arrays)
    tables = {
        name: Table(next(rest), {column: next(rest) for column in columns})
        for name, columns in header["tables"].items()
    }
    return ColumnSnapshot(tuple(header["keys"]), tables)

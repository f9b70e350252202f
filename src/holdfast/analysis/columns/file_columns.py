"""Arrays computed from a project's files, by the key of each file's content.

A table has rows of each file, in columns of equal length. `starts` divides the rows: those of the file with
number n are `starts[n]:starts[n + 1]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy import int64, intp
    from numpy.typing import NDArray


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
class FileColumns:
    """The tables of several files."""

    keys: tuple[str, ...]
    """The key of each file's content; equal contents may be there repeatedly."""
    tables: Mapping[str, Table]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each file, by key."""
        return {key: number for number, key in enumerate(self.keys)}

    def take(self, keys: Sequence[str]) -> FileColumns:
        """Return the rows of some of the files, in the order given."""
        if tuple(keys) == self.keys:
            return self
        import numpy as np

        files = np.array([self.numbers[key] for key in keys], np.intp)
        return FileColumns(tuple(keys), {name: table.take(files) for name, table in self.tables.items()})

    def joined(self, other: FileColumns) -> FileColumns:
        """Return the rows of both, with the same tables, which have no file in common."""
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
        return FileColumns(self.keys + other.keys, tables)

"""A record in its cached form: compressed sections. Comments and names are decoded on first access, because
most analyses need only one of them, and decoding a section takes far longer than loading its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any
from zlib import compress, decompress

from holdfast.syntax.record import Comment, Names, Record, from_sections

Parts = tuple[bytes, bytes, bytes]
"""The compressed sections of a record: numbers with functions, comments, and names. The last is empty if
names were not read."""

_NO_NUMBERS = b'["",0,0,0,null,[]]'
"""Numbers of an empty record, with which another section is decoded alone."""


def pack(sections: Sequence[bytes]) -> Parts:
    """Compress sections, with or without the names."""
    numbers, comments, *names = (compress(section, 1) for section in sections)
    return numbers, comments, names[0] if names else b""


class StoredRecord(Record):
    """A record that decodes its sections lazily."""

    _parts: Parts

    def __new__(cls, parts: Parts) -> StoredRecord:
        """Decode the numbers; invalid parts raise here, or when a section is accessed."""
        record = tuple.__new__(cls, from_sections(decompress(parts[0])))
        record._parts = parts
        return record

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Record:  # type: ignore[override]
        return Record._make(iterable)  # `_replace` returns a plain record

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        return from_sections(_NO_NUMBERS, comments=decompress(self._parts[1])).comments

    @cached_property
    def names(self) -> Names:
        return from_sections(_NO_NUMBERS, names=decompress(self._parts[2])).names

    @property
    def is_whole(self) -> bool:
        """Whether its names were read; if not, accessing them fails."""
        return self._parts[2] != b""

    @property
    def weight(self) -> int:
        """The approximate size in memory, in bytes: that of the compressed sections."""
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._fields)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._parts)

"""The sections of a record, each packed into columns of numbers, and a record that unpacks them when needed.

A section consists of tables. A cell is a 32-bit number: a number, a truth value, the number of a text, or how
many texts a list has. Its numbers are, in the byte order of the machine:

- how many there are, itself included;
- for each table, how many cells it has, and how many texts in lists;
- the cells of all tables, row by row, then the texts of all lists.

The distinct texts follow in UTF-8, separated by a byte that UTF-8 never has.

Contract: `PackedRecord(pack(record)) == record`. `core/src/record.rs` packs equal records into equal bytes.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from holdfast.syntax.record import (
    NO_NAMES,
    CallSite,
    Comment,
    Definition,
    FunctionMetrics,
    ImportedName,
    Names,
    Record,
    Unused,
    Uses,
)

Parts = tuple[bytes, bytes, bytes]
"""The sections of a record: numbers with functions, comments, and names. The last is empty if names were not
read."""

_NUMBER: Final = "i"
_NUMBER_BYTES = 4
_SEPARATOR = b"\xff"

Row = TypeVar("Row", bound=tuple[Any, ...])


class _Head(NamedTuple):
    """The single row of the first table of the first section."""

    language: str
    lines: int
    code_lines: int
    comment_lines: int
    syntax_error: tuple[str, ...]
    """None or one."""


class _NamesHead(NamedTuple):
    """The single row of the first table of the names."""

    exports: tuple[str, ...]
    words: tuple[str, ...]
    is_entry: bool
    package: str


NUMBERS_TABLES = (_Head, FunctionMetrics)
COMMENTS_TABLES = (Comment,)
NAMES_TABLES = (_NamesHead, Definition, Uses, ImportedName, CallSite, Unused)


def pack(record: Record, *, with_names: bool = True) -> Parts:
    """Pack the sections of a record."""
    error = () if record.syntax_error is None else (record.syntax_error,)
    head = (record.language, record.lines, record.code_lines, record.comment_lines, error)
    names = record.names
    names_head = (names.exports, names.words, names.is_entry, names.package)
    tables = (names.definitions, names.uses, names.imports, names.calls, names.unused)
    return (
        _pack_section([head], record.functions),
        _pack_section(record.comments),
        _pack_section([names_head], *tables) if with_names else b"",
    )


def _pack_section(*tables: Iterable[Sequence[Any]]) -> bytes:
    ids: dict[str, int] = {}
    sizes, cells, listed = array(_NUMBER), array(_NUMBER), array(_NUMBER)
    for table in tables:
        before = len(cells), len(listed)
        for cell in (cell for row in table for cell in row):
            if isinstance(cell, str):
                cells.append(ids.setdefault(cell, len(ids)))
            elif isinstance(cell, tuple):
                cells.append(len(cell))
                listed.extend(ids.setdefault(text, len(ids)) for text in cell)
            else:
                cells.append(cell)
        sizes.extend((len(cells) - before[0], len(listed) - before[1]))
    count = array(_NUMBER, [1 + len(sizes) + len(cells) + len(listed)])
    return (count + sizes + cells + listed).tobytes() + _SEPARATOR.join(text.encode() for text in ids)


class Section:
    """A packed section, whose tables are unpacked one by one."""

    def __init__(self, packed: bytes, kinds: tuple[type[tuple[Any, ...]], ...]) -> None:
        """`kinds` are the named tuples of the rows of each table."""
        end = _NUMBER_BYTES * int.from_bytes(packed[:_NUMBER_BYTES], sys.byteorder)
        self._numbers = memoryview(packed)[:end].cast(_NUMBER)
        self._packed_texts = packed[end:]
        self._kinds = kinds

    @cached_property
    def _texts(self) -> list[str]:
        # Interned, because most texts occur in many files.
        return [sys.intern(text.decode()) for text in self._packed_texts.split(_SEPARATOR)]

    def rows(self, kind: type[Row]) -> tuple[Row, ...]:
        """Return the rows of the table that consists of such rows."""
        number, width, text_of = self._kinds.index(kind), len(_cell_kinds(kind)), self._texts.__getitem__
        cells, listed = self._table(number)
        if not cells:
            return ()
        lists = _lists(kind, cells, tuple(map(text_of, listed)))
        columns: list[Iterable[Any]] = []
        for position, cell_kind in enumerate(_cell_kinds(kind)):
            column = cells[position::width]
            if cell_kind == "str":
                columns.append(map(text_of, column))
            elif cell_kind == "bool":
                columns.append(map(bool, column))
            else:
                columns.append(column if cell_kind == "int" else next(lists))
        return tuple(map(partial(tuple.__new__, kind), zip(*columns, strict=True)))

    def _table(self, number: int) -> tuple[list[int], list[int]]:
        """Return the cells of a table, and the texts of its lists."""
        counts = len(self._kinds)
        sizes = self._numbers[1 : 1 + 2 * counts].tolist()
        start = 1 + 2 * counts + sum(sizes[: 2 * number : 2])
        listed = 1 + 2 * counts + sum(sizes[::2]) + sum(sizes[1 : 2 * number : 2])
        return (
            self._numbers[start : start + sizes[2 * number]].tolist(),
            self._numbers[listed : listed + sizes[2 * number + 1]].tolist(),
        )


@cache
def _cell_kinds(kind: type[tuple[Any, ...]]) -> tuple[str, ...]:
    """Return the types of a row's fields: `str`, `int`, `bool` or `tuple[str, ...]`."""
    return tuple(str(getattr(name, "__forward_arg__", name)) for name in kind.__annotations__.values())


def _lists(
    kind: type[tuple[Any, ...]], cells: list[int], texts: tuple[str, ...]
) -> Iterator[list[tuple[str, ...]]]:
    """Yield each column of lists."""
    kinds = _cell_kinds(kind)
    positions = [position for position, cell_kind in enumerate(kinds) if cell_kind.startswith("tuple")]
    if not positions:
        return
    columns = [cells[position :: len(kinds)] for position in positions]
    lengths = (length for row in zip(*columns, strict=True) for length in row)
    lists = [texts[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]
    yield from (lists[number :: len(positions)] for number in range(len(positions)))


class _Unpacked(tuple[Any, ...]):
    """A named tuple, some of whose fields are unpacked on first access."""

    _fields: ClassVar[tuple[str, ...]]

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in self._fields)

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))


class _PackedNames(_Unpacked, Names):  # type: ignore[misc]
    """Names that unpack each table on first access."""

    _section: Section

    def __new__(cls, packed: bytes) -> _PackedNames:
        section = Section(packed, NAMES_TABLES)
        (head,) = section.rows(_NamesHead)
        names = tuple.__new__(cls, NO_NAMES._replace(**head._asdict()))
        names._section = section
        return names

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        return self._section.rows(Definition)

    @cached_property
    def uses(self) -> tuple[Uses, ...]:
        return self._section.rows(Uses)

    @cached_property
    def imports(self) -> tuple[ImportedName, ...]:
        return self._section.rows(ImportedName)

    @property
    def calls(self) -> tuple[CallSite, ...]:
        """Unpacked anew each time: there are more calls than all else, and few analyses look at them."""
        return self._section.rows(CallSite)

    @cached_property
    def unused(self) -> tuple[Unused, ...]:
        return self._section.rows(Unused)


class PackedRecord(_Unpacked, Record):  # type: ignore[misc]
    """A record that unpacks each table on first access, as most analyses need only some of them."""

    parts: Parts
    _section: Section

    def __new__(cls, parts: Parts) -> PackedRecord:
        section = Section(parts[0], NUMBERS_TABLES)
        (head,) = section.rows(_Head)
        error = head.syntax_error[0] if head.syntax_error else None
        record = tuple.__new__(cls, (*head[:4], (), (), NO_NAMES, error))
        record.parts = parts
        record._section = section
        return record

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Record:  # type: ignore[override]
        return Record._make(iterable)  # `_replace` returns a plain record

    @cached_property
    def functions(self) -> tuple[FunctionMetrics, ...]:
        return self._section.rows(FunctionMetrics)

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        return Section(self.parts[1], COMMENTS_TABLES).rows(Comment)

    @cached_property
    def names(self) -> Names:
        if not self.is_whole:
            raise ValueError("The names of this record were not read.")
        return _PackedNames(self.parts[2])

    @property
    def is_whole(self) -> bool:
        """Whether its names were read."""
        return self.parts[2] != b""

    @property
    def weight(self) -> int:
        """The approximate size in memory, in bytes: that of the packed sections."""
        return sum(map(len, self.parts))

    def __hash__(self) -> int:
        return hash(self.parts)

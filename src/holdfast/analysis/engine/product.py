"""What is made of each file and kept by its content: its record, or its tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from holdfast.analysis.engine.stored_record import Parts, StoredRecord, packed
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.syntax.lexer import lexed
from holdfast.syntax.record import read_record, sections


class SourceText(NamedTuple):
    """The text of a file in one of our languages."""

    path: str
    language: str
    text: bytes


class FileProduct(Protocol):
    """What any product tells of its file."""

    @property
    def language(self) -> str:
        """The name of the language."""

    @property
    def weight(self) -> int:
        """Roughly the bytes that it takes."""

    @property
    def is_whole(self) -> bool:
        """Whether no part is missing."""


Made = TypeVar("Made", bound=FileProduct, covariant=True)


@dataclass(frozen=True)
class Product(Generic[Made]):
    """One thing that can be made of a file."""

    name: str
    """That of the cache, too."""
    make: Callable[[SourceText], Parts | None]
    """From a text to what is kept; nothing where the file is no source after all."""
    restored: Callable[[Parts], Made]
    worth_bytes: int
    """How much source there must be for each process, or starting it costs more than it gains."""
    is_whole: bool = False
    """Whether one that was made without its last part does not do."""


def _record(source: SourceText) -> Parts | None:
    record = read_record(source.path, source.text)
    return None if record is None else packed(sections(record))


def _numbers(source: SourceText) -> Parts | None:
    record = read_record(source.path, source.text, names=False)
    return None if record is None else packed(sections(record)[:2])


def _tokens(source: SourceText) -> Parts:
    text = source.text
    lines = text.count(b"\n") + (not text.endswith(b"\n")) if text else 0
    return f"{source.language} {lines}".encode(), *lexed(source.language, text)


RECORDS = Product("records", _record, StoredRecord, 1_000_000, is_whole=True)
NUMBERS = Product("numbers", _numbers, StoredRecord, 1_000_000)
"""Records without names, read in half the time, unless whole ones are kept."""
TOKENS = Product("tokens", _tokens, TokenStream, 3_000_000)
PRODUCTS = {product.name: product for product in (RECORDS, NUMBERS, TOKENS)}

"""The products that are made of each file and cached by its content: its record, or its tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from holdfast.analysis.engine.stored_record import Parts, StoredRecord, packed
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.syntax.lexer import tokenize
from holdfast.syntax.record import read_record, sections


class SourceText(NamedTuple):
    """The text of a file in a supported language."""

    path: str
    language: str
    text: bytes


class FileProduct(Protocol):
    """The attributes of every product."""

    @property
    def language(self) -> str:
        """The name of the language."""

    @property
    def weight(self) -> int:
        """Its approximate size in memory, in bytes."""

    @property
    def is_whole(self) -> bool:
        """Whether no part is missing."""


Made = TypeVar("Made", bound=FileProduct, covariant=True)


@dataclass(frozen=True)
class Product(Generic[Made]):
    """A kind of result that can be made of a file."""

    name: str
    """Also the name of its cache."""
    make: Callable[[SourceText], Parts | None]
    """Makes the cached parts from a text; None if the file turns out not to be source."""
    restored: Callable[[Parts], Made]
    worth_bytes: int
    """Bytes of source that justify another process: for fewer, starting it costs more than it saves."""
    is_whole: bool = False
    """Whether all parts are required."""


def _record(source: SourceText) -> Parts | None:
    record = read_record(source.path, source.text)
    return None if record is None else packed(sections(record))


def _numbers(source: SourceText) -> Parts | None:
    record = read_record(source.path, source.text, names=False)
    return None if record is None else packed(sections(record)[:2])


def _tokens(source: SourceText) -> Parts:
    text = source.text
    lines = text.count(b"\n") + (not text.endswith(b"\n")) if text else 0
    return f"{source.language} {lines}".encode(), *tokenize(source.language, text)


RECORDS = Product("records", _record, StoredRecord, 1_000_000, is_whole=True)
NUMBERS = Product("numbers", _numbers, StoredRecord, 1_000_000)
"""Records without names, made in half the time; whole ones are used if they are cached."""
TOKENS = Product("tokens", _tokens, TokenStream, 3_000_000)
PRODUCTS = {product.name: product for product in (RECORDS, NUMBERS, TOKENS)}

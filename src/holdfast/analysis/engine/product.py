"""The products of a file, computed from its content alone and cached: its record, and its tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.syntax.core.library import read_records, read_tokens
from holdfast.syntax.core.sections import PackedRecord, Parts, pack
from holdfast.syntax.lexer import tokenize
from holdfast.syntax.record import read_record

if TYPE_CHECKING:
    from holdfast._core import ReadFailure


class SourceText(NamedTuple):
    """The text of a file in a supported language."""

    path: str
    language: str
    text: bytes


class FileProduct(Protocol):
    """The attributes that every product has."""

    @property
    def language(self) -> str:
        """The name of the file's language."""

    @property
    def weight(self) -> int:
        """Its approximate size in memory, in bytes."""

    @property
    def is_whole(self) -> bool:
        """Whether it has all parts; a record may lack its names."""


Made = TypeVar("Made", bound=FileProduct, covariant=True)


@dataclass(frozen=True)
class Product(Generic[Made]):
    """A kind of product: how to compute it from a file, and how to restore it from the cache."""

    name: str
    """Also the name of the cache, if a scanner is made for this product."""
    make: Callable[[SourceText], Parts | None]
    """Computes the parts to cache from a text; None if the file turns out not to be source."""
    restore: Callable[[Parts], Made]
    make_compiled: Callable[[Sequence[SourceText], int], list[Parts | ReadFailure]]
    """Computes the same from several texts with the compiled core, in so many threads."""
    bytes_per_process: int
    """Bytes of source that justify another process: a judgement, as starting it takes about as long as
    reading fewer."""
    is_whole: bool = False
    """Whether the product must have all parts."""


def _record_parts(source: SourceText) -> Parts | None:
    record = read_record(source.path, source.text)
    return None if record is None else pack(record)


def _record_parts_without_names(source: SourceText) -> Parts | None:
    record = read_record(source.path, source.text, with_names=False)
    return None if record is None else pack(record, with_names=False)


def _compiled_records(
    sources: Sequence[SourceText], threads: int, with_names: bool = True
) -> list[Parts | ReadFailure]:
    no_names = () if with_names else (b"",)
    results = read_records(sources, threads, with_names=with_names)
    return [(*result, *no_names) if isinstance(result, list) else result for result in results]


def _token_parts(source: SourceText) -> Parts:
    return _token_head(source), *tokenize(source.language, source.text)


def _compiled_tokens(sources: Sequence[SourceText], threads: int) -> list[Parts | ReadFailure]:
    return [
        (_token_head(source), result[0], result[1]) if isinstance(result, list) else result
        for source, result in zip(sources, read_tokens(sources, threads), strict=True)
    ]


def _token_head(source: SourceText) -> bytes:
    lines = source.text.count(b"\n")
    if source.text and not source.text.endswith(b"\n"):
        lines += 1
    return f"{source.language} {lines}".encode()


RECORDS = Product(
    "records", _record_parts, PackedRecord, _compiled_records, bytes_per_process=1_000_000, is_whole=True
)
NUMBERS = Product(
    "numbers",
    _record_parts_without_names,
    PackedRecord,
    partial(_compiled_records, with_names=False),
    bytes_per_process=1_000_000,
)
"""Records without names, computed in half the time; cached records with names are used as they are."""
TOKENS = Product("tokens", _token_parts, TokenStream, _compiled_tokens, bytes_per_process=3_000_000)
PRODUCTS = {product.name: product for product in (RECORDS, NUMBERS, TOKENS)}

"""`find_files`: find files and symbols by a few letters of their names."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.clock import monotonic
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.quick_open import QuickOpenIndex
from holdfast.source.room import Source
from holdfast.source.toolset import source

_DEFAULT_MATCHES = 20
"""Matches that are returned by default. A judgement: a list that fits on a screen."""

_MAX_SYMBOL_AGE_SECONDS = 300
"""Age of the cached symbols; the list of files is always current. A judgement: symbols seldom change."""


class FindFiles(Input):
    """The letters to search, and how many matches to return."""

    query: str = Field(
        min_length=1, max_length=LIMITS.name_characters, description="Letters of a name or path, in order."
    )
    limit: Integer = count_field(
        _DEFAULT_MATCHES, LIMITS.list_page, "How many of the best matches to return."
    )


class FoundPlace(Output):
    """A file, or a symbol in a file."""

    path: UntrustedText
    name: UntrustedText | None = Field(description="The name of a symbol; null for a file.")
    kind: str = Field(description="`file`, or the kind of a symbol, such as `function`.")
    line: int | None = Field(description="The line of the symbol's name; null for a file.")


class FoundPlaces(Output):
    """Files and symbols, the best first."""

    matches: list[FoundPlace]
    files_with_symbols: int = Field(
        description="The number of files whose symbols are known because an analysis has read them."
    )


def _render(result: FoundPlaces) -> str:
    lines = (
        place.path if place.line is None else f"{place.path}:{place.line}  {place.kind} {place.name}"
        for place in result.matches
    )
    return "\n".join(lines) or "Nothing found."


@source.operation(
    "find_files",
    title="Find files and symbols",
    effect=Effect.READ,
    command="find",
    positional=("query",),
    example="holdfast source find wrktree",
    listed=False,
    text=_render,
)
def find_files(room: Source, args: FindFiles) -> FoundPlaces:
    """Find files and symbols by letters of their names, in order: `wrktree` finds `work_tree.py`.

    Searches the files that git tracks or would add, and the symbols of files that an analysis has read.
    """
    _, paths = room.files(".")
    cache_version = (hash(tuple(paths)), int(monotonic() / _MAX_SYMBOL_AGE_SECONDS))
    index = room.quick_open.get("", cache_version)  # one index, so its key does not matter
    if index is None:
        index = room.quick_open.put("", cache_version, QuickOpenIndex(paths, room.symbols()))
    return FoundPlaces(
        matches=[FoundPlace(**place._asdict()) for place in index.find(args.query, args.limit)],
        files_with_symbols=index.files_with_symbols,
    )

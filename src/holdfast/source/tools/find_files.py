"""`find_files`: files and symbols by a few letters of their names."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.clock import monotonic
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Input, Integer, Output, count_field
from holdfast.kernel.operation import Effect
from holdfast.kernel.untrusted import UntrustedText
from holdfast.source.jumps import Jumps
from holdfast.source.room import Source
from holdfast.source.toolset import source

_SHOWN = 20
_SECONDS = 300
"""How old the known symbols may be; files are those of this moment."""


class FindFiles(Input):
    """Which letters, and how many places."""

    query: str = Field(
        min_length=1, max_length=LIMITS.name_characters, description="Letters of a name or path, in order."
    )
    limit: Integer = count_field(_SHOWN, LIMITS.list_page, "How many to return, the best.")


class FoundPlace(Output):
    """A file, or a symbol in one."""

    path: UntrustedText
    name: UntrustedText | None = Field(description="Of a symbol; null for a file.")
    kind: str = Field(description="`file`, or what a symbol is, such as `function`.")
    line: int | None = Field(description="Where the symbol's name stands; null for a file.")


class FoundPlaces(Output):
    """Files and symbols, the best first."""

    matches: list[FoundPlace]
    files_with_symbols: int = Field(
        description="Files whose symbols are known, because an analysis read them."
    )


def _words(result: FoundPlaces) -> str:
    lines = (
        one.path if one.line is None else f"{one.path}:{one.line}  {one.kind} {one.name}"
        for one in result.matches
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
    text=_words,
)
def find_files(room: Source, args: FindFiles) -> FoundPlaces:
    """Find files and symbols by letters of their names, in order: `wrktree` finds `work_tree.py`.

    Files are those that git tracks or would add; symbols those of files that an analysis has read.
    """
    _, paths = room.files(".")
    sign = (hash(tuple(paths)), int(monotonic() / _SECONDS))
    jumps = room.jumps.get("", sign) or room.jumps.put("", sign, Jumps(paths, room.symbols()))
    return FoundPlaces(
        matches=[FoundPlace(**place._asdict()) for place in jumps.find(args.query, args.limit)],
        files_with_symbols=jumps.files_with_symbols,
    )

"""The compiled core, which `core/` defines. `syntax/core/` and `analysis/graph/adjacency.py` call it."""

from collections.abc import Mapping, Sequence
from re import Pattern
from typing import Any, final

from holdfast.syntax.languages import Language

@final
class ReadFailure:
    """Why a file could not be read."""

    @property
    def too_long(self) -> bool:
        """Whether it is too long, or takes too long to read."""

    @property
    def message(self) -> str: ...

@final
class Tables:
    """The tables of all languages, and the regular expressions that all of them use."""

    def __new__(
        cls,
        languages: Sequence[tuple[Language, Mapping[str, str], Mapping[str, Pattern[Any]]]],
        patterns: Mapping[str, Pattern[Any]],
    ) -> Tables: ...

@final
class Graph:
    """An `analysis.graph.adjacency.Adjacency`."""

    def __new__(cls, starts: Sequence[int], targets: Sequence[int]) -> Graph: ...
    def shortest_paths(self, sources: Sequence[int]) -> tuple[list[float], list[int], list[int]]: ...
    def leiden_pass(self, membership: Sequence[int]) -> list[int]: ...

def read_records(
    tables: Tables, files: Sequence[tuple[str, str, bytes]], with_names: bool, threads: int
) -> list[list[bytes] | ReadFailure]:
    """Return the packed sections of the record of each file, given by path, language and text."""

def read_tokens(
    tables: Tables, files: Sequence[tuple[str, str, bytes]], threads: int
) -> list[list[bytes] | ReadFailure]:
    """Return the tokens and line ends of each file, given by path, language and text."""

"""The complexity of functions, counted in one of two dialects, and its aggregates by file and project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log
from statistics import median
from typing import Literal, NamedTuple

from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.syntax.record import FunctionMetrics, Record

Dialect = Literal["statements", "extended"]
"""What adds to cyclomatic complexity: branching statements, or (`extended`) also the operators in
conditions."""


class FunctionComplexity(NamedTuple):
    """A function with its complexity, counted with the requested options."""

    file: str
    function: FunctionMetrics
    cyclomatic: int
    cognitive: int


@dataclass(frozen=True)
class ComplexityCounting:
    """Counts the complexity of functions, with these options."""

    dialect: Dialect = "statements"
    counts_recursion: bool = True
    """Whether recursion adds one to the cognitive complexity of a function."""

    def measure_file(self, path: str, record: Record | None) -> list[FunctionComplexity]:
        functions = () if record is None else record.functions
        return [
            FunctionComplexity(
                path,
                function,
                cyclomatic=function.extended if self.dialect == "extended" else function.cyclomatic,
                cognitive=function.cognitive - int(function.recursive and not self.counts_recursion),
            )
            for function in functions
        ]

    def measure_files(self, files: Mapping[str, Record]) -> list[FunctionComplexity]:
        """Return the complexity of all functions, by file and line."""
        return [function for path, record in files.items() for function in self.measure_file(path, record)]

    def increased_functions(self, files: Mapping[str, Record], base: BaseCommit) -> list[FunctionComplexity]:
        """Return the functions that are new since a commit, or of which a complexity is higher than in it."""
        return [
            new
            for new, old in self.compare_with_base(files, base)
            if old is None or new.cyclomatic > old.cyclomatic or new.cognitive > old.cognitive
        ]

    def compare_with_base(
        self, files: Mapping[str, Record], base: BaseCommit
    ) -> Iterator[tuple[FunctionComplexity, FunctionComplexity | None]]:
        """Yield each function of the files changed since a commit, with the same function in that commit.

        Functions are the same if they have the same name; of several, the first is compared with the first.
        """
        for path, former_record in base.changed_records(files):
            former: dict[str, list[FunctionComplexity]] = {}
            for function in self.measure_file(path, former_record):
                former.setdefault(function.function.name, []).append(function)
            for function in self.measure_file(path, files[path]):
                same_name = former.get(function.function.name)
                yield function, same_name.pop(0) if same_name else None


class FileComplexity(NamedTuple):
    """The complexity of a file, over all its functions."""

    path: str
    function_count: int
    lines_of_code: int
    max_cyclomatic: int
    avg_cognitive: float
    functions: Sequence[FunctionComplexity]

    @property
    def total_score(self) -> float:
        """The score by which files are ranked, from 0 to 90: a convention, stated in docs/analysis.md."""
        return round(
            0.4 * min(self.max_cyclomatic, 50) / 50 * 100
            + 0.4 * min(self.avg_cognitive, 100)
            + 0.2 * min(self.function_count, 100) / 100 * 50,
            2,
        )


def group_by_file(functions: Iterable[FunctionComplexity]) -> dict[str, list[FunctionComplexity]]:
    """Group functions, which are ordered by file, by their file."""
    return {path: list(group) for path, group in groupby(functions, lambda function: function.file)}


def file_complexities(
    files: Mapping[str, Record], functions: Iterable[FunctionComplexity]
) -> list[FileComplexity]:
    """Return the complexity of each file that has functions, the highest score first."""
    rows = [
        FileComplexity(
            path,
            len(group),
            files[path].code_lines,
            max(each.cyclomatic for each in group),
            round(sum(each.cognitive for each in group) / len(group), 2),
            group,
        )
        for path, group in group_by_file(functions).items()
    ]
    return sorted(rows, key=lambda row: (-row.total_score, row.path))


def maintainability_index(functions: Sequence[FunctionComplexity]) -> float | None:
    """Return the maintainability index of the average function, from 0 to 100; None without functions.

    It is the formula of Coleman and Oman (1994), scaled to 100 as Visual Studio does:
    171 - 5.2 ln(volume) - 0.23 complexity - 16.2 ln(lines), with Halstead's volume, the extended cyclomatic
    complexity, and the lines of code.
    """
    if not functions:
        return None
    count = len(functions)
    volume = sum(each.function.volume for each in functions) / count
    complexity = sum(each.function.extended for each in functions) / count
    lines = sum(each.function.lines_of_code for each in functions) / count
    index = 171 - 5.2 * log(max(volume, 1)) - 0.23 * complexity - 16.2 * log(max(lines, 1))
    return round(min(100.0, max(0.0, index * 100 / 171)), 2)


class Spread(NamedTuple):
    """The distribution of a metric; None without values."""

    median: float | None = None
    highest: int | None = None
    p90: int | None = None
    """The 90th percentile."""


def summarize(values: Iterable[int]) -> Spread:
    """Return the distribution of values."""
    ordered = sorted(values)
    if not ordered:
        return Spread()
    return Spread(median(ordered), highest=ordered[-1], p90=ordered[int(0.9 * len(ordered))])

"""The figures of a project's functions, as asked for, and what they add up to."""

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


class Measure(NamedTuple):
    """A function and its figures in the dialect that was asked for."""

    file: str
    function: FunctionMetrics
    cyclomatic: int
    cognitive: int


@dataclass(frozen=True)
class Reading:
    """How figures are read."""

    dialect: Dialect = "statements"
    recursion: bool = True
    """Whether the cognitive complexity has one more for a function that calls itself."""

    def of(self, path: str, record: Record | None) -> list[Measure]:
        """Return the figures of a file's functions."""
        extended, lenient = self.dialect == "extended", not self.recursion
        return [
            Measure(
                path,
                each,
                each.extended if extended else each.cyclomatic,
                each.cognitive - (lenient and each.recursive),
            )
            for each in (record.functions if record is not None else ())
        ]

    def all(self, files: Mapping[str, Record]) -> list[Measure]:
        """Return the figures of all functions, by file and line."""
        return [measure for path, record in files.items() for measure in self.of(path, record)]

    def worse(self, files: Mapping[str, Record], base: BaseCommit) -> list[Measure]:
        """Return the figures of functions that are new since a commit, or higher than there."""
        return [
            new
            for new, old in self.compared(files, base)
            if old is None or new.cyclomatic > old.cyclomatic or new.cognitive > old.cognitive
        ]

    def compared(
        self, files: Mapping[str, Record], base: BaseCommit
    ) -> Iterator[tuple[Measure, Measure | None]]:
        """Yield the functions of files that changed since a commit, with what each was there, if it was."""
        for path, before in base.changed(files):
            known: dict[str, list[Measure]] = {}
            for each in self.of(path, before):
                known.setdefault(each.function.name, []).append(each)
            for new in self.of(path, files[path]):
                same = known.get(new.function.name)
                yield new, same.pop(0) if same else None


class FileMeasure(NamedTuple):
    """The figures of a file."""

    path: str
    functions: int
    lines_of_code: int
    max_cyclomatic: int
    avg_cognitive: float
    measures: Sequence[Measure]

    @property
    def total_score(self) -> float:
        """From 0 to 90: four tenths the most complex function, four the average, two how many there are."""
        return round(
            0.4 * min(self.max_cyclomatic, 50) / 50 * 100
            + 0.4 * min(self.avg_cognitive, 100)
            + 0.2 * min(self.functions, 100) / 100 * 50,
            2,
        )


def by_file(measures: Iterable[Measure]) -> dict[str, list[Measure]]:
    """Return the figures of the functions of each file that has some."""
    return {path: list(group) for path, group in groupby(measures, lambda measure: measure.file)}


def file_measures(files: Mapping[str, Record], measures: Iterable[Measure]) -> list[FileMeasure]:
    """Return the figures of each file that has functions, the highest score first."""
    rows = [
        FileMeasure(
            path,
            len(group),
            files[path].code_lines,
            max(each.cyclomatic for each in group),
            round(sum(each.cognitive for each in group) / len(group), 2),
            group,
        )
        for path, group in by_file(measures).items()
    ]
    return sorted(rows, key=lambda row: (-row.total_score, row.path))


def maintainability(measures: Sequence[Measure]) -> float | None:
    """Return the maintainability index from 0 to 100 by the means of functions; None where there are none.

    Coleman and Oman's formula, scaled as Visual Studio does: 171 - 5.2 ln(volume) - 0.23 complexity
    - 16.2 ln(lines), where volume is Halstead's, complexity the extended one, and lines those of code.
    """
    if not measures:
        return None
    count = len(measures)
    volume = sum(each.function.volume for each in measures) / count
    complexity = sum(each.function.extended for each in measures) / count
    lines = sum(each.function.lines_of_code for each in measures) / count
    index = 171 - 5.2 * log(max(volume, 1)) - 0.23 * complexity - 16.2 * log(max(lines, 1))
    return round(min(100.0, max(0.0, index * 100 / 171)), 2)


class Spread(NamedTuple):
    """Where the values of one figure lie."""

    median: float | None
    highest: int | None
    p90: int | None


def spread(values: Iterable[int]) -> Spread:
    """Return the middle, the highest and the value that nine in ten do not exceed."""
    known = sorted(values)
    if not known:
        return Spread(None, None, None)
    return Spread(median(known), known[-1], known[int(0.9 * len(known))])

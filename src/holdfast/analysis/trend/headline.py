"""The headline numbers of a project: which there are, and those that its records alone tell."""

from __future__ import annotations

from statistics import fmean
from typing import Literal, NamedTuple, get_args

from holdfast.analysis.complexity.measure import spread
from holdfast.analysis.debt.debt_item import file_debt
from holdfast.analysis.survey import Survey
from holdfast.kernel.call import current_call
from holdfast.syntax.record import Record

Metric = Literal[
    "files", "code_lines", "functions", "mean_cyclomatic", "p90_cyclomatic", "max_cyclomatic",
    "mean_cognitive", "p90_cognitive", "max_cognitive", "debt_items", "duplication", "dead_code",
    "mean_defect_probability", "max_defect_probability", "tdg", "coverage", "health",
]  # fmt: skip
METRICS: tuple[Metric, ...] = get_args(Metric)


class FileFigures(NamedTuple):
    """What one file adds to the numbers."""

    code_lines: int
    cyclomatic: tuple[int, ...]
    cognitive: tuple[int, ...]
    debts: int


FiguresKnown = dict[tuple[str, Record], FileFigures]
"""Figures of files that several commits have alike."""


def headline(survey: Survey, known: FiguresKnown | None = None) -> dict[str, float]:
    """Return the numbers that a survey tells; nothing where it has no file."""
    memory = FiguresKnown() if known is None else known
    files = [_figures(path, record, memory) for path, record in survey.files.items()]
    if not files:
        return {}
    found: dict[str, float] = {
        "files": len(files),
        "code_lines": sum(file.code_lines for file in files),
        "functions": sum(len(file.cyclomatic) for file in files),
        "debt_items": sum(file.debts for file in files),
    }
    values = {
        "cyclomatic": [value for file in files for value in file.cyclomatic],
        "cognitive": [value for file in files for value in file.cognitive],
    }
    for name, counted in values.items() if found["functions"] else ():
        _, highest, p90 = spread(counted)
        spreads = {"mean": round(fmean(counted), 3), "p90": p90, "max": highest}
        found |= {f"{which}_{name}": value for which, value in spreads.items() if value is not None}
    return found


def _figures(path: str, record: Record, memory: FiguresKnown) -> FileFigures:
    if (found := memory.get((path, record))) is None:
        current_call().check()
        found = memory[path, record] = FileFigures(
            record.code_lines,
            tuple(function.cyclomatic for function in record.functions),
            tuple(function.cognitive for function in record.functions),
            sum(1 for _ in file_debt(path, record, None)),
        )
    return found

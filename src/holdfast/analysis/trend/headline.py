"""The headline numbers of a project: which there are, and those that its records alone tell."""

from __future__ import annotations

from statistics import fmean
from typing import Literal, get_args

from holdfast.analysis.complexity.measure import spread
from holdfast.analysis.debt.debt_item import certain_debts
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis

Metric = Literal[
    "files", "code_lines", "functions", "mean_cyclomatic", "p90_cyclomatic", "max_cyclomatic",
    "mean_cognitive", "p90_cognitive", "max_cognitive", "debt_items", "duplication", "dead_code",
    "mean_defect_probability", "max_defect_probability", "tdg", "coverage", "health",
]  # fmt: skip
METRICS: tuple[Metric, ...] = get_args(Metric)


def headline(room: Analysis, scan: Scan) -> dict[str, float]:
    """Return the numbers that a scan tells; nothing where it has no file."""
    if not scan.files:
        return {}
    functions = [function for record in scan.files.values() for function in record.functions]
    found: dict[str, float] = {
        "files": len(scan.files),
        "code_lines": sum(record.code_lines for record in scan.files.values()),
        "functions": len(functions),
        "debt_items": len(certain_debts(room, scan)),
    }
    values = {
        "cyclomatic": [function.cyclomatic for function in functions],
        "cognitive": [function.cognitive for function in functions],
    }
    for name, counted in values.items() if functions else ():
        _, highest, p90 = spread(counted)
        spreads = {"mean": round(fmean(counted), 3), "p90": p90, "max": highest}
        found |= {f"{which}_{name}": value for which, value in spreads.items() if value is not None}
    return found

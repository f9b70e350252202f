"""The headline numbers of a project: which there are, and the results they are taken from."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, get_args

from holdfast.analysis.complexity.function_complexity import summarize
from holdfast.analysis.debt.debt_item import certain_items
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis

if TYPE_CHECKING:
    from holdfast.analysis.context.scorecard import Scorecard

Metric = Literal[
    "files", "code_lines", "functions", "mean_cyclomatic", "p90_cyclomatic", "max_cyclomatic",
    "mean_cognitive", "p90_cognitive", "max_cognitive", "debt_items", "duplication", "dead_code",
    "mean_defect_probability", "max_defect_probability", "tdg", "coverage", "health",
]  # fmt: skip
METRICS: tuple[Metric, ...] = get_args(Metric)

MetricValues = dict[Metric, float | None]


def headline(room: Analysis, scan: Scan) -> dict[str, float]:
    """Return the numbers that follow from a scan alone; nothing if it has no file."""
    if not scan.files:
        return {}
    functions = [function for record in scan.files.values() for function in record.functions]
    found: dict[str, float] = {
        "files": len(scan.files),
        "code_lines": sum(record.code_lines for record in scan.files.values()),
        "functions": len(functions),
        "debt_items": len(certain_items(room, scan)),
    }
    values = {
        "cyclomatic": [function.cyclomatic for function in functions],
        "cognitive": [function.cognitive for function in functions],
    }
    for name, counted in values.items() if functions else ():
        _, highest, p90 = summarize(counted)
        spreads = {"mean": round(fmean(counted), 3), "p90": p90, "max": highest}
        found |= {f"{which}_{name}": value for which, value in spreads.items() if value is not None}
    return found


def section_numbers(sections: Mapping[str, Mapping[str, Any]]) -> MetricValues:
    """Return the numbers in the sections of a comprehensive analysis; None for what it did not measure."""

    def number(section: str, name: str) -> float | None:
        value: float | None = sections.get(section, {}).get(name)
        return value

    gradient = sections.get("tdg", {})
    return {
        "dead_code": number("dead_code", "at_least_medium"),
        "mean_defect_probability": number("defects", "mean_probability"),
        "max_defect_probability": number("defects", "max_probability"),
        "duplication": number("duplicates", "duplication"),
        # Without a component the gradient has other weights, and is another number.
        "tdg": None if gradient.get("not_measured") else number("tdg", "score"),
    }


def scorecard_numbers(card: Scorecard) -> MetricValues:
    """Return the numbers of a scorecard."""
    return {"health": card.overall_health, "coverage": card.test_coverage}

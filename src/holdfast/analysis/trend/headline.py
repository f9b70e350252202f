"""The headline numbers of a project, by which its trend is shown, and the results that they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """Return the numbers that can be computed from a scan alone; none if it has no file."""
    if not scan.files:
        return {}
    functions = [function for record in scan.files.values() for function in record.functions]
    numbers: dict[str, float] = {
        "files": len(scan.files),
        "code_lines": sum(record.code_lines for record in scan.files.values()),
        "functions": len(functions),
        "debt_items": len(certain_items(room, scan)),
    }
    if functions:
        numbers |= _distribution("cyclomatic", [function.cyclomatic for function in functions])
        numbers |= _distribution("cognitive", [function.cognitive for function in functions])
    return numbers


def _distribution(name: str, values: Sequence[int]) -> dict[str, float]:
    _, highest, p90 = summarize(values)
    distribution = {f"mean_{name}": round(fmean(values), 3), f"p90_{name}": p90, f"max_{name}": highest}
    return {name: value for name, value in distribution.items() if value is not None}


def section_numbers(sections: Mapping[str, Mapping[str, Any]]) -> MetricValues:
    """Return the numbers in the sections of a comprehensive analysis; None if not measured."""

    def number(section: str, name: str) -> float | None:
        value: float | None = sections.get(section, {}).get(name)
        return value

    gradient = sections.get("tdg", {})
    return {
        "dead_code": number("dead_code", "at_least_medium"),
        "mean_defect_probability": number("defects", "mean_probability"),
        "max_defect_probability": number("defects", "max_probability"),
        "duplication": number("duplicates", "duplication"),
        # If a component is missing, the others weigh more, so the gradient cannot be compared.
        "tdg": None if gradient.get("not_measured") else number("tdg", "score"),
    }


def scorecard_numbers(scorecard: Scorecard) -> MetricValues:
    """Return the numbers of a scorecard."""
    return {"health": scorecard.overall_health, "coverage": scorecard.test_coverage}

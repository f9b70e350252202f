"""The headline numbers of a project, which show its trend, from three sources: a scan, the sections of a
comprehensive analysis, and the scorecard of a deep context."""

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
    "files",
    "code_lines",  # without blank lines and comments
    "functions",
    "mean_cyclomatic",  # complexity of functions; p90 is the 90th percentile
    "p90_cyclomatic",
    "max_cyclomatic",
    "mean_cognitive",
    "p90_cognitive",
    "max_cognitive",
    "debt_items",  # comments with a debt marker
    "duplication",  # share of lines in exact or renamed clones, from 0 to 1
    "dead_code",  # items of at least medium confidence
    "mean_defect_probability",  # over files, from 0 to 1
    "max_defect_probability",
    "tdg",  # technical debt gradient of the project, from 0 to 5; higher is worse
    "coverage",  # percent of the lines that tests could run
    "health",  # the scorecard's overall health, from 0 to 100; higher is better
]
METRICS: tuple[Metric, ...] = get_args(Metric)

MetricValues = dict[Metric, float | None]
"""None if a number was not measured."""


def scan_numbers(room: Analysis, scan: Scan) -> dict[str, float]:
    """Return the numbers that a scan alone determines; none if it has no file."""
    if not scan.files:
        return {}
    functions = [function for record in scan.files.values() for function in record.functions]
    numbers: dict[str, float] = {
        "files": len(scan.files),
        "code_lines": sum(record.code_lines for record in scan.files.values()),
        "functions": len(functions),
        "debt_items": len(certain_items(room, scan)),
    }
    numbers |= _distribution("cyclomatic", [function.cyclomatic for function in functions])
    numbers |= _distribution("cognitive", [function.cognitive for function in functions])
    return numbers


def _distribution(name: str, values: Sequence[int]) -> dict[str, float]:
    spread = summarize(values)
    if spread.p90 is None or spread.highest is None:
        return {}
    return {f"mean_{name}": round(fmean(values), 3), f"p90_{name}": spread.p90, f"max_{name}": spread.highest}


def section_numbers(sections: Mapping[str, Mapping[str, Any]]) -> MetricValues:
    """Return the numbers in the sections of a comprehensive analysis."""
    dead_code, defects = sections.get("dead_code", {}), sections.get("defects", {})
    gradient = sections.get("tdg", {})
    return {
        "dead_code": dead_code.get("total"),
        "mean_defect_probability": defects.get("mean_probability"),
        "max_defect_probability": defects.get("max_probability"),
        "duplication": sections.get("duplicates", {}).get("duplication"),
        # If a component is missing, the others weigh more, so the gradient cannot be compared.
        "tdg": None if gradient.get("not_measured") else gradient.get("score"),
    }


def scorecard_numbers(scorecard: Scorecard) -> MetricValues:
    """Return the numbers of a scorecard that are headline numbers: health and coverage."""
    return {"health": scorecard.overall_health, "coverage": scorecard.test_coverage}

"""The technical debt gradient (TDG): a grade for each file and for the project, the weighted mean of five
components.

Contract: a component that was not measured is None, has a reason and no weight. The formula and all its
constants are a convention, documented in docs/analysis.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements

Level = Literal["critical", "warning", "normal"]
GradientComponent = Literal["complexity", "churn", "duplication", "coupling", "debt"]

WEIGHTS: Mapping[GradientComponent, float] = {
    "complexity": 0.30,
    "churn": 0.25,
    "duplication": 0.20,
    "coupling": 0.15,
    "debt": 0.10,
}
MAX_SCORE = 5.0
"""The score if every component is 1, its worst value."""
CRITICAL_SCORE = 2.5
"""A higher score is critical: by convention, half of the maximum."""
WARNING_SCORE = 1.5
"""A higher score is a warning: by convention, three tenths of the maximum."""
MAX_IMPORTS = 20
"""The number of imported files from which on coupling is 1."""
MAX_DEBT_MINUTES_PER_LINE = 0.3
"""The minutes of admitted debt per line of code from which on debt is 1."""
_ANALYSES: Mapping[str, str] = {"duplication": "duplicates"}
"""The analysis that measures a component, if it has another name."""


@dataclass(frozen=True)
class Gradient:
    """The gradient of a file or of a project."""

    score: float | None
    """From 0 to 5; higher is worse. None if no component was measured."""
    components: Mapping[GradientComponent, float | None]
    """Each from 0 to 1; None if it was not measured."""

    @property
    def level(self) -> Level | None:
        if self.score is None:
            return None
        if self.score > CRITICAL_SCORE:
            return "critical"
        return "warning" if self.score > WARNING_SCORE else "normal"


def gradients(measured: ProjectMeasurements, min_lines: int) -> dict[str, Gradient]:
    """Return the gradient of each file with at least `min_lines` lines of code, the highest first."""
    by_file = {
        path: _combine(_components(file, measured.findings_by_file.get(path, ()), measured))
        for path, file in measured.files.items()
        if file.code_lines >= min_lines
    }
    return dict(sorted(by_file.items(), key=lambda item: (-(item[1].score or 0), item[0])))


def project_gradient(measured: ProjectMeasurements, files: Mapping[str, Gradient]) -> Gradient:
    """Return the gradient of a project: each component is the mean over files, weighted by lines of code."""
    means: dict[GradientComponent, float | None] = {}
    for name in WEIGHTS:
        means[name] = _weighted_mean([
            (measured.files[path].code_lines, gradient.components[name]) for path, gradient in files.items()
        ])  # fmt: skip
    return _combine(means)


def missing_components(measured: ProjectMeasurements, whole: Gradient) -> dict[str, str]:
    """Return why components are missing."""
    return {
        name: "there is no file to measure"
        if _ANALYSES.get(name, name) in measured.analyses
        else measured.reason_missing(_ANALYSES.get(name, name))
        for name, value in whole.components.items()
        if value is None
    }


def _combine(components: Mapping[GradientComponent, float | None]) -> Gradient:
    mean = _weighted_mean([(WEIGHTS[name], value) for name, value in components.items()])
    rounded = {name: None if value is None else round(value, 4) for name, value in components.items()}
    return Gradient(None if mean is None else round(MAX_SCORE * mean, 3), rounded)


def _components(
    file: FileMeasurements, findings: Sequence[CodeFinding], measured: ProjectMeasurements
) -> dict[GradientComponent, float | None]:
    complexity = coupling = debt = None
    if file.complex_lines is not None:
        complexity = file.complex_lines / max(file.function_lines, 1)
    if file.import_count is not None:
        coupling = min(1.0, file.import_count / MAX_IMPORTS)
    if "debt" in measured.analyses:
        minutes = sum(finding.minutes for finding in findings if finding.kind == "technical-debt")
        debt = min(1.0, minutes / (MAX_DEBT_MINUTES_PER_LINE * max(file.code_lines, 1)))
    return {
        "complexity": complexity,
        "churn": file.churn_score,
        "duplication": file.duplicated_share,
        "coupling": coupling,
        "debt": debt,
    }


def _weighted_mean(weighted: Sequence[tuple[float, float | None]]) -> float | None:
    """Return the mean of the values that are not None, given as weight and value."""
    measured = [(weight, value) for weight, value in weighted if value is not None]
    total = sum(weight for weight, _ in measured)
    return sum(weight * value for weight, value in measured) / total if total else None

"""The technical debt gradient (TDG): a grade for each file and for the project, the weighted mean of four
components.

Contract: a component that was not measured is None, has a reason and no weight. The formula and its constants
are documented in docs/analysis.md. They were chosen on 16 repositories by `bench/gradient.py`, so that files
which later need fixes come first; docs/accuracy.md has the results on others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements

Level = Literal["critical", "warning", "normal"]
GradientComponent = Literal["size", "churn", "complexity", "debt"]

WEIGHTS: Mapping[GradientComponent, float] = {"size": 0.6, "churn": 0.2, "complexity": 0.1, "debt": 0.1}
"""Tuned on 16 repositories, docs/accuracy.md#technical-debt-gradient. Size has the largest weight, since
nothing else orders files as well; duplication and imports made the order worse."""
MAX_SCORE = 5.0
"""The score if every component is 1, its worst value."""
CRITICAL_SCORE = 2.95
"""A higher score is critical: the mean of the 90th percentiles of the 16 repositories."""
WARNING_SCORE = 2.35
"""A higher score is a warning: the mean of their 70th percentiles."""
PERIOD_DAYS = 365
"""The days of history in which commits count: the number on which the weights were tuned."""
MAX_LINES = 2000
"""The lines of code from which on size is 1."""
MAX_COMMITS = 50
"""The commits in the period from which on churn is 1."""
MAX_DEBT_MINUTES = 480
"""The minutes of admitted debt, a working day, from which on debt is 1."""


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
        if name == "size" or name in measured.analyses
        else measured.reason_missing(name)
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
    complexity = churn = debt = None
    if file.complex_lines is not None:
        complexity = file.complex_lines / max(file.function_lines, 1)
    if file.commits is not None:
        churn = _logarithmic_share(file.commits, MAX_COMMITS)
    if "debt" in measured.analyses:
        minutes = sum(finding.minutes for finding in findings if finding.kind == "technical-debt")
        debt = _logarithmic_share(minutes, MAX_DEBT_MINUTES)
    size = _logarithmic_share(file.code_lines, MAX_LINES)
    return {"size": size, "churn": churn, "complexity": complexity, "debt": debt}


def _logarithmic_share(value: float, maximum: float) -> float:
    """Return ln(1 + value) / ln(1 + maximum), at most 1."""
    return min(1.0, log(1 + value) / log(1 + maximum))


def _weighted_mean(weighted: Sequence[tuple[float, float | None]]) -> float | None:
    """Return the mean of the values that are not None, given as weight and value."""
    measured = [(weight, value) for weight, value in weighted if value is not None]
    total = sum(weight for weight, _ in measured)
    return sum(weight * value for weight, value in measured) / total if total else None

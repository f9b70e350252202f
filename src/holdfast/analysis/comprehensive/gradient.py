"""The technical debt gradient (TDG) of files and of a project: a documented formula, with all its parts.

Contract: a component that was not measured is null, has a reason and no weight. The formula and its constants
are a convention, documented in docs/analysis.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.measurements import FileMeasures, Measurements

Level = Literal["critical", "warning", "normal"]
GradientComponent = Literal["complexity", "churn", "duplication", "coupling", "debt"]

WEIGHTS: Mapping[GradientComponent, float] = {
    "complexity": 0.30,
    "churn": 0.25,
    "duplication": 0.20,
    "coupling": 0.15,
    "debt": 0.10,
}
FULL = 5.0
"""The score if every component is at its worst."""
CRITICAL, WARNING = 2.5, 1.5
"""The scores above which a level starts."""
COUPLED = 20
"""The number of imported files at which the coupling is at its worst."""
DEBT_MINUTES_A_LINE = 0.3
"""The minutes of admitted debt per line of code at which the debt is at its worst."""
ANALYSES: Mapping[GradientComponent, str] = {
    "complexity": "complexity",
    "churn": "churn",
    "duplication": "duplicates",
    "coupling": "coupling",
    "debt": "debt",
}
"""The analysis that measures each component."""


@dataclass(frozen=True)
class Gradient:
    """The gradient of a file or of a project."""

    score: float | None
    """From 0 to 5; higher is worse. None if no component was measured."""
    components: Mapping[GradientComponent, float | None]
    """Each from 0 to 1."""

    @property
    def level(self) -> Level | None:
        """The level of the score."""
        if self.score is None:
            return None
        return "critical" if self.score > CRITICAL else "warning" if self.score > WARNING else "normal"


def gradients(measured: Measurements, min_lines: int) -> dict[str, Gradient]:
    """Return the gradient of each file with at least `min_lines` lines of code, the highest first."""
    found = {
        path: _of(_components(file, measured.by_file.get(path, ()), measured))
        for path, file in measured.files.items()
        if file.code_lines >= min_lines
    }
    return dict(sorted(found.items(), key=lambda item: (-(item[1].score or 0), item[0])))


def project_gradient(measured: Measurements, files: Mapping[str, Gradient]) -> Gradient:
    """Return the gradient of a project, each component the mean over files weighted by lines of code."""
    return _of({
        name: _mean([(measured.files[path].code_lines, one.components[name]) for path, one in files.items()])
        for name in WEIGHTS
    })  # fmt: skip


def missing(measured: Measurements, whole: Gradient) -> dict[str, str]:
    """Return why components are missing."""
    return {
        name: "there is no file to measure"
        if ANALYSES[name] in measured.measured
        else measured.reason_missing(ANALYSES[name])
        for name, value in whole.components.items()
        if value is None
    }


def _of(components: Mapping[GradientComponent, float | None]) -> Gradient:
    known = {name: value for name, value in components.items() if value is not None}
    weight = sum(WEIGHTS[name] for name in known)
    score = FULL * sum(WEIGHTS[name] * value for name, value in known.items()) / weight if known else None
    rounded = {name: None if value is None else round(value, 4) for name, value in components.items()}
    return Gradient(None if score is None else round(score, 3), rounded)


def _components(
    file: FileMeasures, findings: Sequence[CodeFinding], measured: Measurements
) -> dict[GradientComponent, float | None]:
    owed = sum(finding.minutes for finding in findings if finding.kind == "technical-debt")
    allowed = DEBT_MINUTES_A_LINE * max(file.code_lines, 1)
    return {
        "complexity": None
        if file.complex_lines is None
        else file.complex_lines / max(file.function_lines, 1),
        "churn": file.churn_score,
        "duplication": file.duplicated,
        "coupling": None if file.imports is None else min(1.0, file.imports / COUPLED),
        "debt": min(1.0, owed / allowed) if "debt" in measured.measured else None,
    }


def _mean(values: Sequence[tuple[int, float | None]]) -> float | None:
    known = [(lines, value) for lines, value in values if value is not None]
    total = sum(lines for lines, _ in known)
    return sum(lines * value for lines, value in known) / total if total else None

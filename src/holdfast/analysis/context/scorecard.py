"""The quality scorecard of a project: its overall health, and the parts that this is the weighted mean of.

Contract: a part that was not measured is null, has a reason, and is left out of the mean. The formulas are
documented in docs/analysis.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import Field

from holdfast.analysis.complexity.risk_profile import NO_RISK, profile_score
from holdfast.analysis.context.modularity import modularity_score
from holdfast.analysis.engine.code_finding import FindingKind
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements, coverage_percent
from holdfast.kernel.models import Output
from holdfast.kernel.untrusted import UntrustedText

WEIGHTS: Mapping[str, float] = {
    "complexity_score": 0.3,
    "maintainability_index": 0.3,
    "modularity_score": 0.2,
    "test_coverage": 0.2,
}
"""The weights of the parts: a convention, documented in docs/analysis.md."""
FINDING_KINDS: Mapping[str, FindingKind] = {
    "complexity": "complexity",
    "satd": "technical-debt",
    "dead-code": "dead-code",
}
"""The analyses whose findings a deep context counts, with the kind of these findings."""


class Scorecard(Output):
    """The quality of a project, from 0 to 100; higher is better."""

    overall_health: float | None = Field(
        description="The weighted mean of the measured parts; not for comparing projects."
    )
    complexity_score: float | None = Field(
        description="By the shares of lines in functions of moderate, high and very high complexity."
    )
    maintainability_index: float | None = Field(description="The mean of complexity_score and change_score.")
    change_score: float | None = Field(description="Like complexity_score, weighted by changed lines.")
    modularity_score: float | None = Field(
        description="100 minus the propagation cost: percent of pairs of files in which the first imports"
        " the second, directly or indirectly."
    )
    test_coverage: float | None = Field(description="Percent, from coverage reports; never estimated.")
    technical_debt_hours: float | None = Field(description="The estimated effort of fixing all findings.")
    debt_minutes: dict[str, float] = Field(description="That effort in minutes, by kind of finding.")
    weights: dict[str, float] = Field(description="The weight of each measured part.")
    not_measured: dict[str, UntrustedText] = Field(description="Parts that are null, and why.")


def scorecard(measured: ProjectMeasurements, coverage_reason: str | None) -> Scorecard:
    """Return the scorecard of a project; `coverage_reason` says why no coverage report was used."""
    files = measured.files.values()
    complexity, change = _profile_score(files), _profile_score(files, by_changes=True)
    index = None if complexity is None or change is None else round((complexity + change) / 2, 1)
    modularity = None if measured.graph is None else modularity_score(measured.graph)
    parts = {
        "complexity_score": complexity,
        "maintainability_index": index,
        "modularity_score": modularity,
        "test_coverage": coverage_percent(files),
    }
    minutes = _debt_minutes(measured)
    values = parts | {
        "overall_health": _weighted_mean(parts),
        "change_score": change,
        "technical_debt_hours": round(sum(minutes.values()) / 60, 1) if minutes else None,
    }
    reasons = _reasons_not_measured(measured, coverage_reason)
    return Scorecard.model_validate(
        values
        | {
            "debt_minutes": minutes,
            "weights": {name: WEIGHTS[name] for name, value in parts.items() if value is not None},
            "not_measured": {name: reasons[name] for name in sorted(values) if values[name] is None},
        }
    )


def _reasons_not_measured(measured: ProjectMeasurements, coverage_reason: str | None) -> dict[str, str]:
    """Return, for each part, the reason that applies if the part is null."""
    has_complexity, has_churn = "complexity" in measured.analyses, "churn" in measured.analyses
    complexity = "there are no functions" if has_complexity else measured.reason_missing("complexity")
    unchanged = f"no file with functions changed in {measured.period}"
    churn = unchanged if has_churn else measured.reason_missing("churn")
    has_graph = measured.graph is not None
    return {
        "overall_health": "no part was measured",
        "complexity_score": complexity,
        "change_score": churn if has_complexity else complexity,
        "maintainability_index": churn if has_complexity else complexity,
        "modularity_score": "there are fewer than two files" if has_graph else measured.reason_missing("dag"),
        "test_coverage": coverage_reason or "no file of the project is in a report",
        "technical_debt_hours": "none of complexity, satd and dead-code was measured",
    }


def _profile_score(files: Iterable[FileMeasurements], *, by_changes: bool = False) -> float | None:
    """Return the score of the risk profile of all functions; None without functions.

    With `by_changes`, files are weighted by changed lines, not by function lines.
    """
    total = 0.0
    lines = [0.0] * len(NO_RISK)
    for file in files:
        weight = file.changed_lines if by_changes else file.function_lines
        if weight is None or file.risk_lines is None or not file.function_lines:
            continue
        total += weight
        for risk, count in enumerate(file.risk_lines):
            lines[risk] += weight * count / file.function_lines
    return round(profile_score([100 * count / total for count in lines]), 1) if total else None


def _debt_minutes(measured: ProjectMeasurements) -> dict[str, float]:
    """Return the minutes to fix the findings of each kind that was analysed."""
    return {
        kind: round(sum(finding.minutes for finding in measured.findings_of_kind(kind)), 1)
        for analysis, kind in FINDING_KINDS.items()
        if analysis in measured.analyses
    }


def _weighted_mean(parts: Mapping[str, float | None]) -> float | None:
    """Return the weighted mean of the parts that were measured."""
    measured = {name: value for name, value in parts.items() if value is not None}
    total_weight = sum(WEIGHTS[name] for name in measured)
    if not measured:
        return None
    return round(sum(WEIGHTS[name] * value for name, value in measured.items()) / total_weight, 1)

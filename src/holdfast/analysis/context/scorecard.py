"""The quality scorecard of a project: its overall health, and the parts that this is the weighted mean of.

Contract: a part that was not measured is null, has a reason, and is left out of the mean. The formulas are
documented in docs/analysis.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import Field

from holdfast.analysis.engine.analysis_report import ImportGraph
from holdfast.analysis.engine.code_finding import FindingKind
from holdfast.analysis.engine.measurements import FileMeasurements, ProjectMeasurements
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

    overall_health: float | None = Field(description="The weighted mean of the measured parts.")
    complexity_score: float | None = Field(
        description="Percent of function lines in functions within thresholds."
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
    complexity, change = percent_within_thresholds(files), percent_within_thresholds(files, by_changes=True)
    index = None if complexity is None or change is None else round((complexity + change) / 2, 1)
    modularity = None if measured.graph is None else modularity_score(measured.graph)
    parts = {
        "complexity_score": complexity,
        "maintainability_index": index,
        "modularity_score": modularity,
        "test_coverage": coverage_percent(files),
    }
    minutes = debt_minutes(measured)
    values = parts | {
        "overall_health": weighted_mean(parts),
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
    unchanged = f"no file with functions changed in {measured.period_days} days"
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


def percent_within_thresholds(files: Iterable[FileMeasurements], *, by_changes: bool = False) -> float | None:
    """Return the percentage of function lines that are in functions within the complexity thresholds.

    With `by_changes`, files are weighted by changed lines, not by function lines. None without functions.
    """
    total = within = 0.0
    for file in files:
        if (
            file.complex_lines is None
            or not file.function_lines
            or (by_changes and file.changed_lines is None)
        ):
            continue
        weight = (file.changed_lines or 0) if by_changes else file.function_lines
        total += weight
        within += weight * (1 - file.complex_lines / file.function_lines)
    return round(100 * within / total, 1) if total else None


def modularity_score(graph: ImportGraph) -> float | None:
    """Return 100 minus the propagation cost; None if there are no pairs of files.

    MacCormack, Rusnak and Baldwin, "Exploring the Structure of Complex Software Designs" (2006).
    """
    count = len(graph.edges)
    if count < 2:
        return None
    connected_pairs = sum(files.bit_count() - 1 for files in _reachable_files(graph))
    return round(100 * (1 - connected_pairs / (count * (count - 1))), 1)


def _reachable_files(graph: ImportGraph) -> list[int]:
    """Return the transitive closure: for each file a bit set of the files that it imports, directly or
    indirectly, itself included."""
    indexes = {path: index for index, path in enumerate(graph.edges)}
    imports = [
        [indexes[target] for target in targets if target in indexes] for targets in graph.edges.values()
    ]
    reachable = [1 << index for index in range(len(imports))]
    changed = True
    while changed:  # at most once per file of the longest chain, and usually far less often
        changed = False
        for index in reversed(range(len(reachable))):
            files = reachable[index]
            for target in imports[index]:
                files |= reachable[target]
            if files != reachable[index]:
                reachable[index], changed = files, True
    return reachable


def coverage_percent(files: Iterable[FileMeasurements]) -> float | None:
    """Return the percentage of coverable lines that tests ran; None if no coverage is known."""
    covered = coverable = 0
    for file in files:
        if file.coverable_lines:
            covered += file.covered_lines or 0
            coverable += file.coverable_lines
    return round(100 * covered / coverable, 1) if coverable else None


def debt_minutes(measured: ProjectMeasurements) -> dict[str, float]:
    """Return the minutes to fix the findings of each kind that was analysed."""
    return {
        kind: round(sum(finding.minutes for finding in measured.findings_of_kind(kind)), 1)
        for analysis, kind in FINDING_KINDS.items()
        if analysis in measured.analyses
    }


def weighted_mean(parts: Mapping[str, float | None]) -> float | None:
    """Return the weighted mean of the parts that were measured."""
    known = [(WEIGHTS[name], value) for name, value in parts.items() if value is not None]
    total = sum(weight for weight, _ in known)
    return round(sum(weight * value for weight, value in known) / total, 1) if known else None

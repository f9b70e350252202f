"""`analyze_defect_probability`: which files are likely to need a fix within a year, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Literal

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.defects.defect_report import (
    Baseline,
    DefectReport,
    Prediction,
    Risk,
    RiskyCommit,
    defect_finding,
)
from holdfast.analysis.defects.logistic import Model
from holdfast.analysis.defects.measures import FEATURES
from holdfast.analysis.defects.prediction import (
    CONFIDENCE_COSTS,
    MIN_HIGH_PROBABILITY,
    MIN_MEDIUM_PROBABILITY,
    cached_predictions,
)
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.render.sarif import SarifResult
from holdfast.analysis.render.text_layout import lines, shown_line, skipped_files_line
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEFECT_RULE
from holdfast.analysis.tools import arguments
from holdfast.analysis.toolset import analyze
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.models import Integer, Output, count_field, optional
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import table
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.git.project_files import checked_project

DefectFormat = Literal["summary", "detailed", "json", "sarif"]
RankedBy = Literal["probability", "risk-per-line"]
_DEFAULT_FILES = 50
"""Files in a result by default: a judgement, about a screen of text."""
_MAX_FILES_SHOWN = 10
"""Files in the text of a summary: a judgement, so that it stays short."""
_RISKS: tuple[Risk, ...] = ("High", "Medium", "Low")
_METHOD = (
    "Probability that a fixing commit (by its message) changes the file within 365 days: logistic"
    " regression on size and six features, trained on other repositories and adapted to the last year of this"
    " one if it has enough fixes."
    f" High from {MIN_HIGH_PROBABILITY:g}, Medium from {MIN_MEDIUM_PROBABILITY:g}."
    " Confidence is 1 minus a deduction for each feature that was not measured ("
    + ", ".join(f"{name} {cost:g}" for name, cost in CONFIDENCE_COSTS.items())
    + "), times 0.9 if the model was not adapted to this repository, times 0.8 below ten lines of code."
    " docs/accuracy.md reports the accuracy."
)
_ADVICE: dict[str, str] = {
    "size": "Split it where its parts are unrelated: more lines, more to go wrong.",
    "complexity": "Simplify its most complex functions, or test their paths before changing them.",
    "churn": "Review changes to it with care, and find out why it keeps changing or needing fixes.",
    "duplication": "Move what it shares with other files to one place, so that a fix reaches all copies.",
    "coupling": "Reduce its dependencies and dependents, or test it at that boundary.",
    "name_quality": "Rename its least clear names after what they hold.",
    "test_coverage": "Cover the lines that no test runs.",
}
_MIN_FACTOR_LOG_ODDS = 0.2
"""The minimum contribution of a listed factor: a judgement, 0.2 multiplies the odds by 1.2."""
_MAX_RECOMMENDATIONS = 3
"""Factors that recommendations are given for: a judgement, more would not be followed."""


class AnalyzeDefectProbability(arguments.ProjectInput):
    """The files to predict, and the confidence required."""

    min_confidence: StrictFloat = Field(
        default=0.7, ge=0, le=1, description="Only predictions with at least this confidence."
    )
    explain: StrictBool = Field(
        default=False,
        description="Also return the measures of each file and the contribution of each feature.",
    )
    sarif: StrictBool = Field(default=False, description="Return SARIF, regardless of `format`.")
    format: DefectFormat = Field(default="summary", description="The format of the text.")
    rank_by: RankedBy = Field(
        default="probability",
        description="`risk-per-line` lists those files first in which reviewing a hundred lines finds most.",
    )
    limit: Integer = count_field(
        _DEFAULT_FILES, LIMITS.defect_files, "The maximum number of files, the riskiest first."
    )


class DefectPrediction(Output):
    """The prediction for one file."""

    file: UntrustedText
    probability: float
    confidence: float
    risk_level: Risk
    risk_per_100_lines: float
    contributing_factors: list[str] = Field(description="The largest contributions to the risk, in log-odds.")
    recommendations: list[str]
    missing: dict[str, UntrustedText] = Field(description="Features that were not measured, and why.")
    measures: dict[str, float | None] | None = optional("All inputs of the model, if `explain` is set.")
    contributions: dict[str, float] | None = optional(
        "Log-odds that size and each feature add to the model's intercept, if `explain` is set."
    )


class DefectSummary(Output):
    """Counts over all files, including those not listed."""

    total_files: int
    predictions: int = Field(description="Files with sufficient confidence.")
    below_confidence: int = Field(description="Files without sufficient confidence.")
    highest_confidence: float | None = Field(description="The highest of any file; null without files.")
    high_risk: int
    medium_risk: int
    low_risk: int
    missing: dict[str, int] = Field(description="The number of files in which each feature was not measured.")
    reasons: dict[str, UntrustedText] = Field(
        description="Features missing for all files for the same reason, with the reason."
    )


class Defects(SarifResult):
    """The files of a project that are likely to need a fix."""

    format: DefectFormat
    project_path: UntrustedText
    min_confidence: float
    rank_by: RankedBy
    summary: DefectSummary
    predictions: list[DefectPrediction] = Field(description="`summary.predictions` is the total number.")
    model: Model
    baseline: Baseline
    recent_commits: list[RiskyCommit] = Field(description="The riskiest of the last 90 days.")
    method: str


def _prediction_view(found: Prediction, *, explain: bool) -> DefectPrediction:
    factors = sorted(found.contributions.items(), key=lambda item: (-item[1], item[0]))
    largest = [
        (name, log_odds) for name, log_odds in factors if log_odds >= _MIN_FACTOR_LOG_ODDS and name in _ADVICE
    ]
    advice = [_ADVICE[name] for name, _ in largest[:_MAX_RECOMMENDATIONS]]
    return DefectPrediction(
        file=found.file,
        probability=found.probability,
        confidence=found.confidence,
        risk_level=found.risk,
        risk_per_100_lines=found.per_100_lines,
        contributing_factors=[f"{name} +{log_odds:.2f}" for name, log_odds in largest],
        recommendations=[] if found.risk == "Low" else advice,
        missing=dict(found.missing),
        measures=dict(found.measures) if explain else None,
        contributions=dict(found.contributions) if explain else None,
    )


def _summary(report: DefectReport, confident: list[Prediction]) -> DefectSummary:
    files = report.predictions
    risks = Counter(prediction.risk for prediction in confident)
    missing = {
        feature: [prediction.missing[feature] for prediction in files if feature in prediction.missing]
        for feature in FEATURES
    }
    return DefectSummary(
        total_files=len(files),
        predictions=len(confident),
        below_confidence=len(files) - len(confident),
        highest_confidence=max((prediction.confidence for prediction in files), default=None),
        high_risk=risks["High"],
        medium_risk=risks["Medium"],
        low_risk=risks["Low"],
        missing={name: len(reasons) for name, reasons in missing.items() if reasons},
        reasons={
            name: reasons[0]
            for name, reasons in missing.items()
            if len(reasons) == len(files) and len(set(reasons)) == 1
        },
    )


def _text(result: Defects, width: int) -> str:
    summary, is_detailed = result.summary, result.format == "detailed"
    shown = result.predictions if is_detailed else result.predictions[:_MAX_FILES_SHOWN]
    counts = [
        f"{count} {name} ({100 * count / summary.predictions:.0f} %)"
        for name, count in zip(
            _RISKS, (summary.high_risk, summary.medium_risk, summary.low_risk), strict=True
        )
        if summary.predictions
    ]
    head = ("probability", "risk", "confidence", "file", "main factors")
    rows = [head, *map(_cells, shown)] if shown and not is_detailed else []
    return lines(
        f"Files analysed: {summary.total_files}; predictions with a confidence of at least"
        f" {result.min_confidence:g}: {summary.predictions}" + (f": {', '.join(counts)}." if counts else "."),
        f"Less confident and not shown: {summary.below_confidence}; the highest confidence is"
        f" {summary.highest_confidence:g}."
        if summary.below_confidence
        else "",
        skipped_files_line(result),
        (f"Not measured: {name}: {reason}." for name, reason in summary.reasons.items()),
        _baseline_line(result),
        map(_detailed_text, shown) if is_detailed else (),
        table(rows, width, flexible=(3, 4)),
        shown_line(len(shown), summary.predictions),
        (f"Risky commit: {each.id[:12]} ({each.risk:.2f}) {each.subject}" for each in result.recent_commits),
        result.method,
    )


def _baseline_line(result: Defects) -> str:
    found = result.baseline
    if found.model_auc is None or found.size_auc is None:
        return f"Not compared with ranking by size: {found.reason}."
    return (
        f"On the last year here ({found.mended} of {found.files} files fixed) the area under the ROC curve is"
        f" {found.model_auc:.3f}, by size alone {found.size_auc:.3f}."
    )


def _cells(found: DefectPrediction) -> tuple[str, ...]:
    factors = ", ".join(found.contributing_factors[:_MAX_RECOMMENDATIONS])
    return f"{found.probability:.0%}", found.risk_level, f"{found.confidence:.2f}", found.file, factors


def _detailed_text(found: DefectPrediction) -> str:
    text_lines = [
        f"{found.file}: {found.risk_level}, {found.probability:.1%}, confidence {found.confidence:.0%}",
        f"  Factors (log-odds): {', '.join(found.contributing_factors) or 'none'}",
        *(f"  Not measured: {name}: {reason}" for name, reason in found.missing.items()),
        *(f"  {advice}" for advice in found.recommendations),
    ]
    for title, numbers in (("Measured", found.measures), ("Contributions", found.contributions)):
        known = [f"{name} {number:.4g}" for name, number in (numbers or {}).items() if number is not None]
        if known:
            text_lines.append(f"  {title}: {', '.join(known)}")
    return "\n".join(text_lines)


def _finding_with_advice(finding: CodeFinding, shown: DefectPrediction) -> CodeFinding:
    message = " ".join([finding.message, *shown.recommendations])
    return replace(finding, message=message, properties={**finding.properties, **shown.wire()})


@analyze.operation(
    "analyze_defect_probability",
    title="Analyze the probability of defects",
    effect=Effect.READ,
    command="defects",
    example="holdfast analyze defects src --explain --format detailed",
    **arguments.project_options(_text, sarif=Defects.sarif_text),
)
def analyze_defect_probability(room: Analysis, args: AnalyzeDefectProbability) -> Defects:
    """Predict which files are likely to need a fix within a year, with probability, confidence and reasons.

    The model uses complexity, churn, duplication, coupling, names and coverage, as far as they were measured.
    The result compares it with ranking by size alone.
    """
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project)
    report = cached_predictions(room, project, scan)
    confident = [found for found in report.predictions if found.confidence >= args.min_confidence]
    if args.rank_by == "risk-per-line":
        confident.sort(key=lambda found: (-found.per_100_lines, found.file))
    result = Defects(
        **scan.counts.result_fields(project.path, "sarif" if args.sarif else args.format),
        min_confidence=args.min_confidence,
        rank_by=args.rank_by,
        summary=_summary(report, confident),
        predictions=[_prediction_view(found, explain=args.explain) for found in confident[: args.limit]],
        model=report.model,
        baseline=report.baseline,
        recent_commits=list(report.commits),
        method=_METHOD,
    )
    return result.with_findings(
        map(_finding_with_advice, map(defect_finding, confident), result.predictions),
        rules=[replace(DEFECT_RULE, help=_METHOD)],
        total=len(confident),
        properties={"summary": result.summary.wire(), "baseline": result.baseline.wire()},
        notes=[_METHOD],
    )

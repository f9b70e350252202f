"""`analyze_defect_probability`: which files are likely to need a fix within a year, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Literal, get_args

from pydantic import Field, StrictBool, StrictFloat

from holdfast.analysis.defects.activity import RECENT_DAYS, YEAR_DAYS
from holdfast.analysis.defects.defect_report import (
    SMALL_FILE_LINES,
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
    SMALL_FILE_FACTOR,
    UNADAPTED_FACTOR,
    cached_predictions,
)
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.render.sarif import ResultWithFindings
from holdfast.analysis.render.text_layout import MAX_ITEMS_IN_SUMMARY, lines, shown_line, skipped_files_line
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
_METHOD = (
    f"Probability that a fixing commit (by its message) changes the file within {YEAR_DAYS} days: logistic"
    f" regression on size and {len(FEATURES)} features, trained on other repositories and adapted to the last"
    " year of this one if it has enough fixes."
    f" High from {MIN_HIGH_PROBABILITY:g}, Medium from {MIN_MEDIUM_PROBABILITY:g}."
    " Confidence is 1 minus a deduction for each feature that was not measured ("
    + ", ".join(f"{name} {cost:g}" for name, cost in CONFIDENCE_COSTS.items())
    + f"), times {UNADAPTED_FACTOR:g} if the model was not adapted to this repository, times"
    f" {SMALL_FILE_FACTOR:g} below {SMALL_FILE_LINES} lines of code. docs/accuracy.md reports the accuracy."
)
_ADVICE: dict[str, str] = {
    "size": "Split it where its parts are unrelated: larger files need more fixes.",
    "complexity": "Simplify its most complex functions, or test their paths before changing them.",
    "churn": "Review changes to it with care, and find out why it keeps changing or needing fixes.",
    "duplication": "Move what it shares with other files to one place, so that a fix reaches all copies.",
    "coupling": "Reduce its dependencies and dependents, or test it at that boundary.",
    "name_quality": "Rename its least clear names after what they hold.",
    "test_coverage": "Cover the lines that no test runs.",
}
_MIN_FACTOR_LOG_ODDS = 0.2
"""The minimum log-odds that a listed factor adds: a judgement, as 0.2 multiplies the odds by only 1.2."""
_SHORT_ID_CHARACTERS = 12
"""Characters of a commit id in the text: as many as the Linux kernel's documents ask for."""
_MAX_RECOMMENDATIONS = 3
"""Factors that recommendations are given for: a judgement, as a reader follows few."""


class AnalyzeDefectProbability(arguments.ProjectInput):
    """The files to predict, and the confidence required."""

    min_confidence: StrictFloat = Field(
        default=0.7, ge=0, le=1, description="Only predictions with at least this confidence."
    )
    explain: StrictBool = Field(
        default=False,
        description="Also return the measures of each file and the contribution of each feature.",
    )
    sarif: StrictBool = Field(default=False, description="Return SARIF, whatever `format` is.")
    format: DefectFormat = Field(default="summary", description="The format of the text.")
    rank_by: RankedBy = Field(
        default="probability",
        description="`risk-per-line` ranks files by risk per line: what a review finds for its effort.",
    )
    limit: Integer = count_field(
        _DEFAULT_FILES, LIMITS.defect_files, "The maximum number of files, the riskiest first."
    )


class DefectPrediction(Output):
    """The prediction for one file."""

    file: UntrustedText
    probability: float = Field(description="From 0 to 1, that the file needs a fix within a year.")
    confidence: float = Field(description="From 0 to 1; lower if fewer features were measured.")
    risk_level: Risk
    risk_per_100_lines: float = Field(description="The probability per hundred lines of code.")
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


class Defects(ResultWithFindings):
    """The files of a project that are likely to need a fix."""

    format: DefectFormat
    project_path: UntrustedText
    min_confidence: float
    rank_by: RankedBy
    summary: DefectSummary
    predictions: list[DefectPrediction] = Field(description="`summary.predictions` is the total number.")
    model: Model
    baseline: Baseline
    recent_commits: list[RiskyCommit] = Field(
        description=f"The riskiest of the {RECENT_DAYS} days to HEAD's newest commit."
    )
    method: str


def _prediction_view(prediction: Prediction, *, explain: bool) -> DefectPrediction:
    factors = sorted(prediction.contributions.items(), key=lambda item: (-item[1], item[0]))
    largest = [
        (name, log_odds) for name, log_odds in factors if log_odds >= _MIN_FACTOR_LOG_ODDS and name in _ADVICE
    ]
    advice = [_ADVICE[name] for name, _ in largest[:_MAX_RECOMMENDATIONS]]
    return DefectPrediction(
        file=prediction.file,
        probability=prediction.probability,
        confidence=prediction.confidence,
        risk_level=prediction.risk,
        risk_per_100_lines=prediction.per_100_lines,
        contributing_factors=[f"{name} +{log_odds:.2f}" for name, log_odds in largest],
        recommendations=[] if prediction.risk == "Low" else advice,
        missing=dict(prediction.missing),
        measures=dict(prediction.measures) if explain else None,
        contributions=dict(prediction.contributions) if explain else None,
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
    shown = result.predictions if is_detailed else result.predictions[:MAX_ITEMS_IN_SUMMARY]
    counts = [
        f"{count} {name} ({100 * count / summary.predictions:.0f} %)"
        for name, count in zip(
            get_args(Risk), (summary.high_risk, summary.medium_risk, summary.low_risk), strict=True
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
        (
            f"Risky commit: {commit.id[:_SHORT_ID_CHARACTERS]} ({commit.risk:.2f}) {commit.subject}"
            for commit in result.recent_commits
        ),
        result.method,
    )


def _baseline_line(result: Defects) -> str:
    baseline = result.baseline
    if baseline.model_auc is None or baseline.size_auc is None:
        return f"Not compared with ranking by size: {baseline.reason}."
    return (
        f"In the year to HEAD's newest commit ({baseline.fixed} of {baseline.files} files fixed) the area"
        f" under the ROC curve is {baseline.model_auc:.3f}, by size alone {baseline.size_auc:.3f}."
    )


def _cells(shown: DefectPrediction) -> tuple[str, ...]:
    factors = ", ".join(shown.contributing_factors[:_MAX_RECOMMENDATIONS])
    return f"{shown.probability:.0%}", shown.risk_level, f"{shown.confidence:.2f}", shown.file, factors


def _detailed_text(shown: DefectPrediction) -> str:
    text_lines = [
        f"{shown.file}: {shown.risk_level}, {shown.probability:.1%}, confidence {shown.confidence:.0%}",
        f"  Factors (log-odds): {', '.join(shown.contributing_factors) or 'none'}",
        *(f"  Not measured: {name}: {reason}" for name, reason in shown.missing.items()),
        *(f"  {advice}" for advice in shown.recommendations),
    ]
    for title, numbers in (("Measured", shown.measures), ("Contributions", shown.contributions)):
        cells = [f"{name} {number:.4g}" for name, number in (numbers or {}).items() if number is not None]
        if cells:
            text_lines.append(f"  {title}: {', '.join(cells)}")
    return "\n".join(text_lines)


def _finding_with_advice(prediction: Prediction, shown: DefectPrediction) -> CodeFinding:
    finding = defect_finding(prediction)
    message = " ".join([finding.message, *shown.recommendations])
    return replace(finding, message=message, properties={**finding.properties, **shown.wire()})


@analyze.operation(
    "analyze_defect_probability",
    title="Analyze the probability of defects",
    effect=Effect.READ,
    command="defects",
    example="holdfast analyze defects src --explain --format detailed",
    **arguments.project_options(_text, stages=5, sarif=Defects.sarif_text),
)
def analyze_defect_probability(room: Analysis, args: AnalyzeDefectProbability) -> Defects:
    """Predict which files are likely to need a fix within a year, with probability, confidence and reasons.

    The model uses complexity, churn, duplication, coupling, names and coverage, as far as they were measured.
    The result compares it with ranking by size alone.
    """
    project = Project(checked_project(room.repository, args.project_path))
    scan = room.scan(project)
    report = cached_predictions(room, project, scan)
    confident = [
        prediction for prediction in report.predictions if prediction.confidence >= args.min_confidence
    ]
    if args.rank_by == "risk-per-line":
        confident.sort(key=lambda prediction: (-prediction.per_100_lines, prediction.file))
    views = [_prediction_view(prediction, explain=args.explain) for prediction in confident]
    result = Defects(
        **scan.counts.result_fields(project.path, "sarif" if args.sarif else args.format),
        min_confidence=args.min_confidence,
        rank_by=args.rank_by,
        summary=_summary(report, confident),
        predictions=views[: args.limit],
        model=report.model,
        baseline=report.baseline,
        recent_commits=list(report.commits),
        method=_METHOD,
    )
    return result.with_findings(
        map(_finding_with_advice, confident[: arguments.document_limit(args)], views),
        rules=[replace(DEFECT_RULE, help=_METHOD)],
        total=len(confident),
        properties={"summary": result.summary.wire(), "baseline": result.baseline.wire()},
        notes=[_METHOD],
    )

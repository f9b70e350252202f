"""The sections of a comprehensive analysis: each is the report of one analysis as JSON, within the requested
limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from holdfast.analysis import reports
from holdfast.analysis.complexity.complexity_report import ComplexityReport
from holdfast.analysis.context.sections import Section, complexity_lists
from holdfast.analysis.dead_code.dead_code_report import DeadCodeReport
from holdfast.analysis.dead_code.unused_code import LEVELS
from holdfast.analysis.debt.debt_report import DebtReport
from holdfast.analysis.defects.defect_report import DefectReport, Prediction, defect_finding
from holdfast.analysis.duplicates.clone import FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.engine.analysis_run import Component, Components
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scope import AnalysisScope
from holdfast.kernel.untrusted import visible_in


@dataclass(frozen=True)
class ReportLimits:
    """Which findings a comprehensive analysis reports, and how many of them it lists."""

    confidence: float
    """The minimum confidence of dead code and of predictions."""
    min_lines: int
    """The minimum lines of a clone, and lines of code of a file for which defects are predicted."""
    limit: int
    """The maximum length of a list."""
    brief: bool
    """Whether to report only numbers, without findings."""

    @property
    def max_findings(self) -> int:
        """The maximum length of a list of findings."""
        return 0 if self.brief else self.limit

    def components(self) -> Components:
        """Return the analyses of a comprehensive analysis, in the order of its sections."""
        return {
            "duplicates": Component(
                partial(reports.duplicates, min_lines=self.min_lines),
                partial(duplicates_section, self),
                self._unless_brief(lambda report, _: report.findings),
            ),
            "dead_code": Component(
                reports.dead_code,
                partial(dead_code_section, self),
                self._unless_brief(lambda report, _: report.at_least(self.confidence).findings),
            ),
            "defects": Component(
                reports.defects,
                partial(defects_section, self),
                self._unless_brief(partial(_high_risk_findings, self)),
            ),
            "complexity": Component(reports.complexity, partial(complexity_section, self)),
            "debt": Component(reports.debt, partial(debt_section, self)),
            "churn": Component(reports.churn_before_head, _no_section),
            "coupling": Component(reports.dependencies, _no_section),
        }

    def _unless_brief(
        self, findings: Callable[[Any, AnalysisScope], Iterable[CodeFinding]]
    ) -> Callable[[Any, AnalysisScope], Iterable[CodeFinding]]:
        return (lambda *_: ()) if self.brief else findings


def _no_section(*_: object) -> Section:
    return {}


def duplicates_section(limits: ReportLimits, report: CloneReport, _: AnalysisScope) -> Section:
    """Show the duplication and the clone groups."""
    section = {
        "clone_classes": len(report.groups),
        "by_kind": report.by_kind,
        "duplicate_lines": sum(report.duplicate_lines.values()),
        "total_lines": report.total_lines,
        "duplication": round(report.duplication, 4) if report.total_lines else None,
        "classes": [clone_entry(clone) for clone in report.groups[: limits.max_findings]],
    }
    return {"duplicates": visible_in(section)}


def clone_entry(clone: FragmentGroup) -> dict[str, object]:
    """Return a clone group as the report lists it."""
    places = [
        {"file": fragment.file, "line": fragment.start_line, "end_line": fragment.end_line}
        for fragment in clone.fragments
    ]
    return {"id": clone.id, "kind": clone.kind, "similarity": clone.similarity, "fragments": places}


def dead_code_section(limits: ReportLimits, report: DeadCodeReport, _: AnalysisScope) -> Section:
    """Show unused code at the requested confidence."""
    confident = report.at_least(limits.confidence)
    section = {
        "total": len(confident.items),
        "by_level": {level: confident.by_level[level] for level in LEVELS},
        "by_kind": confident.by_kind,
        "below_threshold": len(report.items) - len(confident.items),
        "at_least_medium": len(report.at_least("medium").items),
        "findings": [asdict(item) for item in confident.most_confident_first[: limits.max_findings]],
    }
    return {"dead_code": visible_in(section)}


def _confident_predictions(
    limits: ReportLimits, report: DefectReport, scope: AnalysisScope
) -> list[Prediction]:
    """Return the predictions with enough confidence, for files that are long enough."""
    long_files = _predictions_for_long_files(limits, report, scope)
    return [prediction for prediction in long_files if prediction.confidence >= limits.confidence]


def _predictions_for_long_files(
    limits: ReportLimits, report: DefectReport, scope: AnalysisScope
) -> list[Prediction]:
    files = scope.scan.files
    return [
        prediction
        for prediction in report.predictions
        if files[prediction.file].code_lines >= limits.min_lines
    ]


def _high_risk_findings(
    limits: ReportLimits, report: DefectReport, scope: AnalysisScope
) -> Iterable[CodeFinding]:
    confident = _confident_predictions(limits, report, scope)
    return (defect_finding(prediction) for prediction in confident if prediction.risk == "High")


def defects_section(limits: ReportLimits, report: DefectReport, scope: AnalysisScope) -> Section:
    """Show the confident predictions; mean and maximum probability are over all files."""
    confident = _confident_predictions(limits, report, scope)
    long_files = _predictions_for_long_files(limits, report, scope)
    risks = [prediction.risk for prediction in confident]
    probabilities = [prediction.probability for prediction in report.predictions]
    section = {
        "files": len(confident),
        "by_risk": {risk: risks.count(risk) for risk in ("High", "Medium", "Low")},
        "below_threshold": len(long_files) - len(confident),
        "too_short": len(report.predictions) - len(long_files),
        "mean_probability": round(sum(probabilities) / len(probabilities), 4) if probabilities else None,
        "max_probability": max(probabilities, default=None),
        "predictions": [prediction_entry(prediction) for prediction in confident[: limits.max_findings]],
    }
    return {"defects": visible_in(section)}


def prediction_entry(prediction: Prediction) -> dict[str, object]:
    """Return the prediction for a file as the report lists it."""
    return {
        "file": prediction.file,
        "probability": prediction.probability,
        "confidence": prediction.confidence,
        "risk": prediction.risk,
        "missing": dict(prediction.missing),
    }


def complexity_section(limits: ReportLimits, report: ComplexityReport, _: AnalysisScope) -> Section:
    """Show the totals, the costliest functions over a threshold, and the hotspots."""
    return {"complexity": report.summary.wire() | complexity_lists(report, limits.limit)}


def debt_section(limits: ReportLimits, report: DebtReport, _: AnalysisScope) -> Section:
    """Show the debt items with a marker; the model is not used."""
    section = {
        "total": len(report.items),
        "by_severity": report.by_severity,
        "by_category": report.by_category,
        "items": [asdict(item) for item in report.items[: limits.limit]],
    }
    return {"debt": visible_in(section)}

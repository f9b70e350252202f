"""The sections of a comprehensive analysis, and which findings of each report count."""

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
from holdfast.analysis.duplicates.clone import CloneClass
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.engine.analysis_run import Component, Components
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scope import AnalysisScope
from holdfast.kernel.untrusted import visible_in


@dataclass(frozen=True)
class ReportLimits:
    """Which findings count, and how many are listed."""

    confidence: float
    """The least confidence of dead code and of predictions."""
    min_lines: int
    """The least lines of a clone, and the least lines of code of a file whose defects are predicted."""
    limit: int
    """The most entries of a list."""
    brief: bool
    """Whether there are only numbers, without findings."""

    @property
    def listed(self) -> int:
        """The most entries of a list of findings."""
        return 0 if self.brief else self.limit

    def components(self) -> Components:
        """Return the analyses of a comprehensive one, in the order of its sections."""
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
                self._unless_brief(partial(_high_risks, self)),
            ),
            "complexity": Component(reports.complexity, partial(complexity_section, self)),
            "debt": Component(reports.debt, partial(debt_section, self)),
            "churn": Component(reports.churn_before_head, _numbers_alone),
            "coupling": Component(reports.dependencies, _numbers_alone),
        }

    def _unless_brief(
        self, findings: Callable[[Any, AnalysisScope], Iterable[CodeFinding]]
    ) -> Callable[[Any, AnalysisScope], Iterable[CodeFinding]]:
        return (lambda *_: ()) if self.brief else findings


def _numbers_alone(*_: object) -> Section:
    return {}


def duplicates_section(limits: ReportLimits, report: CloneReport, _: AnalysisScope) -> Section:
    """Show the duplication, and the classes of clones."""
    section = {
        "clone_classes": len(report.classes),
        "by_kind": report.by_kind,
        "duplicate_lines": sum(report.duplicate_lines.values()),
        "total_lines": report.total_lines,
        "duplication": round(report.duplication, 4) if report.total_lines else None,
        "classes": [_clone(one) for one in report.classes[: limits.listed]],
    }
    return {"duplicates": visible_in(section)}


def _clone(one: CloneClass) -> dict[str, object]:
    places = [
        {"file": each.file, "line": each.start_line, "end_line": each.end_line} for each in one.fragments
    ]
    return {"id": one.id, "kind": one.kind, "similarity": one.similarity, "fragments": places}


def dead_code_section(limits: ReportLimits, report: DeadCodeReport, _: AnalysisScope) -> Section:
    """Show unused code at the requested confidence."""
    counted = report.at_least(limits.confidence)
    section = {
        "total": len(counted.items),
        "by_level": {level: counted.by_level[level] for level in LEVELS},
        "by_kind": counted.by_kind,
        "below_threshold": len(report.items) - len(counted.items),
        "at_least_medium": len(report.at_least("medium").items),
        "findings": [asdict(item) for item in counted.most_confident_first[: limits.listed]],
    }
    return {"dead_code": visible_in(section)}


def _confident_predictions(
    limits: ReportLimits, report: DefectReport, scope: AnalysisScope
) -> list[Prediction]:
    """Return the predictions for long enough files, with enough confidence."""
    return [one for one in _of_long_files(limits, report, scope) if one.confidence >= limits.confidence]


def _of_long_files(limits: ReportLimits, report: DefectReport, scope: AnalysisScope) -> list[Prediction]:
    files = scope.scan.files
    return [one for one in report.predictions if files[one.file].code_lines >= limits.min_lines]


def _high_risks(limits: ReportLimits, report: DefectReport, scope: AnalysisScope) -> Iterable[CodeFinding]:
    counted = _confident_predictions(limits, report, scope)
    return (defect_finding(one) for one in counted if one.risk == "High")


def defects_section(limits: ReportLimits, report: DefectReport, scope: AnalysisScope) -> Section:
    """Show the defect predictions that count."""
    counted = _confident_predictions(limits, report, scope)
    long_files = _of_long_files(limits, report, scope)
    risks = [one.risk for one in counted]
    probabilities = [one.probability for one in report.predictions]
    section = {
        "files": len(counted),
        "by_risk": {risk: risks.count(risk) for risk in ("High", "Medium", "Low")},
        "below_threshold": len(long_files) - len(counted),
        "too_short": len(report.predictions) - len(long_files),
        "mean_probability": round(sum(probabilities) / len(probabilities), 4) if probabilities else None,
        "max_probability": max(probabilities, default=None),
        "predictions": [_prediction(one) for one in counted[: limits.listed]],
    }
    return {"defects": visible_in(section)}


def _prediction(one: Prediction) -> dict[str, object]:
    return {
        "file": one.file,
        "probability": one.probability,
        "confidence": one.confidence,
        "risk": one.risk,
        "missing": dict(one.missing),
    }


def complexity_section(limits: ReportLimits, report: ComplexityReport, _: AnalysisScope) -> Section:
    """Show the totals, the costliest functions over a threshold, and the hotspots."""
    return {"complexity": report.summary.wire() | complexity_lists(report, limits.limit)}


def debt_section(limits: ReportLimits, report: DebtReport, _: AnalysisScope) -> Section:
    """Show the debts that a marker in a comment admits; the model is not used."""
    section = {
        "total": len(report.items),
        "by_severity": report.by_severity,
        "by_category": report.by_category,
        "items": [asdict(item) for item in report.items[: limits.limit]],
    }
    return {"debt": visible_in(section)}

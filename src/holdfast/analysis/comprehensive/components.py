"""The sections of a comprehensive analysis: each is the report of one analysis as JSON, within the requested
limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from holdfast.analysis import reports
from holdfast.analysis.complexity.complexity_report import ComplexityReport
from holdfast.analysis.context.sections import Section, complexity_lists
from holdfast.analysis.dead_code.dead_code_report import DeadCodeReport
from holdfast.analysis.dead_code.unused_code import LEVELS
from holdfast.analysis.debt.debt_report import DebtReport
from holdfast.analysis.defects.defect_report import DefectReport, Prediction, defect_finding
from holdfast.analysis.duplicates.clone import FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport, clone_finding
from holdfast.analysis.engine.analysis_run import Component, Components
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.engine.scope import AnalysisScope
from holdfast.kernel.untrusted import visible_in


@dataclass(frozen=True)
class ReportLimits:
    """Which findings a comprehensive analysis reports and how many it lists, with its sections."""

    confidence: float
    """The minimum confidence of dead code and of predictions, from 0 to 1."""
    min_lines: int
    """The minimum lines of a clone that is listed, and lines of code of a file for which defects are
    predicted."""
    limit: int
    """The maximum length of a list."""
    brief: bool
    """Whether to report only numbers, without findings."""

    @property
    def max_findings(self) -> int:
        return 0 if self.brief else self.limit

    def components(self) -> Components:
        """Return the analyses of a comprehensive analysis, in the order of its sections."""
        return {
            "duplicates": Component(
                reports.duplicates,
                self._duplicates,
                self._unless_brief(
                    lambda report, _: [
                        clone_finding(group, group.fragments[0]) for group in self._long_clones(report)
                    ]
                ),
            ),
            "dead_code": Component(
                reports.dead_code,
                self._dead_code,
                self._unless_brief(lambda report, _: report.at_least(self.confidence).findings),
            ),
            "defects": Component(
                reports.defects, self._defects, self._unless_brief(self._high_risk_findings)
            ),
            "complexity": Component(reports.complexity, self._complexity),
            "debt": Component(reports.debt, self._debt),
            "churn": Component(reports.churn_after_a_commit, _no_section),
        }

    def _unless_brief(
        self, findings: Callable[[Any, AnalysisScope], Iterable[CodeFinding]]
    ) -> Callable[[Any, AnalysisScope], Iterable[CodeFinding]]:
        return (lambda *_: ()) if self.brief else findings

    def _long_clones(self, report: CloneReport) -> list[FragmentGroup]:
        return [group for group in report.groups if group.fragments[0].line_count >= self.min_lines]

    def _duplicates(self, report: CloneReport, _: AnalysisScope) -> Section:
        long_clones = self._long_clones(report)
        section = {
            "clone_classes": len(report.groups),
            "by_kind": report.by_kind,
            "duplicate_lines": report.code.duplicate,
            "total_lines": report.code.lines,
            "duplication": round(report.code.share, 4) if report.code.lines else None,
            "too_short": len(report.groups) - len(long_clones),
            "classes": [clone_entry(clone) for clone in long_clones[: self.max_findings]],
        }
        return {"duplicates": visible_in(section)}

    def _dead_code(self, report: DeadCodeReport, _: AnalysisScope) -> Section:
        confident = report.at_least(self.confidence)
        section = {
            "total": len(report.at_least("medium").items),
            "by_level": {level: report.by_level[level] for level in LEVELS},
            "at_threshold": len(confident.items),
            "by_kind": confident.by_kind,
            "below_threshold": len(report.items) - len(confident.items),
            "findings": [asdict(item) for item in confident.most_confident_first[: self.max_findings]],
        }
        return {"dead_code": visible_in(section)}

    def _predictions_for_long_files(self, report: DefectReport, scope: AnalysisScope) -> list[Prediction]:
        files = scope.scan.files
        return [each for each in report.predictions if files[each.file].code_lines >= self.min_lines]

    def _high_risk_findings(self, report: DefectReport, scope: AnalysisScope) -> list[CodeFinding]:
        long_files = self._predictions_for_long_files(report, scope)
        return [
            defect_finding(each)
            for each in long_files
            if each.confidence >= self.confidence and each.risk == "High"
        ]

    def _defects(self, report: DefectReport, scope: AnalysisScope) -> Section:
        """Show the confident predictions for long files; the mean and the maximum are over these."""
        long_files = self._predictions_for_long_files(report, scope)
        confident = [each for each in long_files if each.confidence >= self.confidence]
        risks = Counter(each.risk for each in confident)
        probabilities = [each.probability for each in confident]
        section = {
            "files": len(confident),
            "by_risk": {risk: risks[risk] for risk in ("High", "Medium", "Low")},
            "below_threshold": len(long_files) - len(confident),
            "too_short": len(report.predictions) - len(long_files),
            "mean_probability": round(fmean(probabilities), 4) if probabilities else None,
            "max_probability": max(probabilities, default=None),
            "predictions": [prediction_entry(each) for each in confident[: self.max_findings]],
        }
        return {"defects": visible_in(section)}

    def _complexity(self, report: ComplexityReport, _: AnalysisScope) -> Section:
        return {"complexity": report.summary.wire() | complexity_lists(report, self.limit)}

    def _debt(self, report: DebtReport, _: AnalysisScope) -> Section:
        section = {
            "total": len(report.items),
            "by_severity": report.by_severity,
            "by_category": report.by_category,
            "items": [asdict(item) for item in report.items[: self.limit]],
        }
        return {"debt": visible_in(section)}


def _no_section(*_: object) -> Section:
    """Show nothing: the analysis is only run for the technical debt gradient."""
    return {}


def clone_entry(clone: FragmentGroup) -> dict[str, object]:
    """Return a clone group as the section lists it."""
    places = [
        {"file": fragment.file, "line": fragment.start_line, "end_line": fragment.end_line}
        for fragment in clone.fragments
    ]
    return {"id": clone.id, "kind": clone.kind, "similarity": clone.similarity, "fragments": places}


def prediction_entry(prediction: Prediction) -> dict[str, object]:
    """Return the prediction for a file as the section lists it."""
    return {
        "file": prediction.file,
        "probability": prediction.probability,
        "confidence": prediction.confidence,
        "risk": prediction.risk,
        "missing": dict(prediction.missing),
    }

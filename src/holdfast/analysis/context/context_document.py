"""The schema of a deep context, the document that `analyze_deep_context` returns."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from pydantic import Field

from holdfast.analysis.context.annotated_tree import FileTree
from holdfast.analysis.context.correlation import Correlation
from holdfast.analysis.context.hotspots import Hotspot
from holdfast.analysis.context.provenance import Provenance
from holdfast.analysis.context.recommendations import Recommendation
from holdfast.analysis.context.scorecard import FINDING_KINDS, Scorecard
from holdfast.analysis.coverage.coverage_report import CoverageSummary
from holdfast.analysis.engine.code_finding import FINDING_SEVERITIES
from holdfast.analysis.engine.duration import Duration
from holdfast.analysis.engine.measurements import ProjectMeasurements
from holdfast.analysis.engine.scan import CacheStrategy, FileCounts
from holdfast.analysis.trend.trend_point import TrendPoint
from holdfast.kernel.models import Output, optional
from holdfast.kernel.untrusted import UntrustedText

Format = Literal["markdown", "json", "sarif", "html"]


class CacheStats(Output):
    """Use of the record cache."""

    hits: int
    misses: int
    hit_rate: float | None = Field(description="From 0 to 1; null if no file was looked up.")


class Metadata(Output):
    """When and how the document was made."""

    generated_at: str
    tool_version: str
    project_root: UntrustedText = Field(description="From the root of the repository.")
    analyses: list[str] = Field(description="The requested analyses.")
    period_days: float = Field(description="Of the history that ends with HEAD's newest commit.")
    cache_strategy: CacheStrategy
    cache_stats: CacheStats
    compared_with: str | None = optional("The base commit; only new or worse findings are listed.")
    analysis_duration: Duration
    trend: TrendPoint


class DefectSummary(Output):
    """Numbers of findings."""

    total_defects: int
    by_severity: dict[str, int]
    by_type: dict[str, int] = Field(description="Dead code is that of high confidence.")
    defect_density: float | None = Field(description="Per 1,000 lines of code; null without code.")


class DeepContext(FileCounts):
    """All analyses of a project in one document. Lists are cut to `limit`, totals are complete."""

    format: Format
    metadata: Metadata
    quality_scorecard: Scorecard
    defect_summary: DefectSummary
    hotspots: list[Hotspot] = Field(
        description="Files to improve first, by cost of findings, complexity and commits."
    )
    total_hotspots: int
    recommendations: list[Recommendation]
    defect_correlation: Correlation
    coverage: CoverageSummary
    template_provenance: Provenance | None
    template_provenance_reason: str | None = Field(description="Why it is null.")
    analyses: dict[str, Any] = Field(description="The section of each requested analysis.")
    failures: dict[str, UntrustedText] = Field(description="Failed analyses, with reasons.")
    file_tree: FileTree
    sarif: dict[str, Any] | None = optional("The findings as SARIF 2.1.0, in that format.")


def defect_summary(measured: ProjectMeasurements) -> DefectSummary:
    """Count the findings by severity and by kind."""
    code_lines = sum(file.code_lines for file in measured.files.values())
    kinds = [kind for analysis, kind in FINDING_KINDS.items() if analysis in measured.analyses]
    severities = Counter(finding.severity for finding in measured.findings)
    return DefectSummary(
        total_defects=len(measured.findings),
        by_severity={severity: severities[severity] for severity in FINDING_SEVERITIES},
        by_type={kind: len(measured.findings_of_kind(kind)) for kind in kinds},
        defect_density=round(1000 * len(measured.findings) / code_lines, 2) if code_lines else None,
    )

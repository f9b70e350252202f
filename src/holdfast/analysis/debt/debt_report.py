"""The report on the technical debt that comments admit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from holdfast.analysis.debt.debt_item import (
    DebtItem,
    certain_items,
    debt_items,
    new_items,
    probability_threshold,
)
from holdfast.analysis.debt.marker import Severity
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.code_finding import CodeFinding, FindingLevel, FindingSeverity
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEBT_RULES

_LEVELS: Mapping[Severity, tuple[FindingLevel, FindingSeverity]] = {
    "Critical": ("error", "critical"),
    "High": ("warning", "high"),
    "Medium": ("note", "medium"),
    "Low": ("note", "low"),
}
MINUTES: Mapping[FindingSeverity, int] = {"critical": 120, "high": 60, "medium": 30, "low": 15}
"""The estimated minutes to resolve a debt item: a convention, stated in docs/analysis.md."""


@dataclass(frozen=True, eq=False)
class DebtReport(AnalysisReport):
    """The debt items of a project, the most severe first."""

    items: tuple[DebtItem, ...]

    @property
    def certain(self) -> list[DebtItem]:
        """The items with a marker."""
        return [item for item in self.items if item.certainty == "certain"]

    @cached_property
    def findings(self) -> tuple[CodeFinding, ...]:
        """The certain items."""
        return tuple(map(debt_finding, self.certain))

    @property
    def by_severity(self) -> dict[str, int]:
        return dict(sorted(Counter(item.severity for item in self.items).items()))

    @property
    def by_category(self) -> dict[str, int]:
        return dict(sorted(Counter(item.category for item in self.items).items()))

    @property
    def by_file(self) -> dict[str, tuple[int, int]]:
        """For each file with items, their number and the line of the most severe one."""
        counts = Counter(item.file for item in self.items)
        return {item.file: (counts[item.file], item.line) for item in reversed(self.items)}


def debt_report(
    room: Analysis,
    scan: Scan,
    base: BaseCommit | None = None,
    *,
    probable: bool = False,
    min_probability: float | None = None,
) -> DebtReport:
    """Report on a scan: the items with a marker, and with `probable` those that the model finds.

    With a base, only items that the file did not have in that commit are reported.
    """
    if probable:
        threshold = probability_threshold(min_probability)
        items = room.cached(f"debt from probability {threshold}", scan, lambda: debt_items(scan, threshold))
    else:
        threshold = None
        items = certain_items(room, scan)
    return DebtReport(tuple(items if base is None else new_items(items, base, threshold)))


def debt_finding(item: DebtItem) -> CodeFinding:
    """Return an item as a finding."""
    level, severity = _LEVELS[item.severity]
    properties = {"category": item.category, "severity": item.severity, "certainty": item.certainty}
    optional_properties = {"marker": item.marker, "probability": item.probability}
    return CodeFinding(
        DEBT_RULES[item.category],
        level,
        item.text,
        item.file,
        item.line,
        column=item.column,
        properties=properties
        | {name: value for name, value in optional_properties.items() if value is not None},
        severity=severity,
        minutes=MINUTES[severity],
    )

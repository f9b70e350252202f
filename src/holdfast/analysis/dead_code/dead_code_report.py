"""The report on code that nothing uses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property

from holdfast.analysis.dead_code.detection import newly_dead_code
from holdfast.analysis.dead_code.unused_code import MIN_CONFIDENCE, Level, UnusedCode
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.base_commit import BaseCommit
from holdfast.analysis.engine.code_finding import CodeFinding, FindingLevel
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.room import Analysis
from holdfast.analysis.rules import DEAD_CODE_RULES

_MINUTES_TO_REMOVE = 5
"""The estimated minutes to remove unused code: a judgement, stated in docs/analysis.md."""
_LEVELS: dict[Level, FindingLevel] = {"high": "warning", "medium": "note", "low": "note"}


@dataclass(frozen=True, eq=False)
class DeadCodeReport(AnalysisReport):
    """The unused code in some files of a repository."""

    items: tuple[UnusedCode, ...]

    def at_least(self, confidence: float | Level) -> DeadCodeReport:
        """Return a report on the items with at least this confidence or level."""
        minimum = confidence if isinstance(confidence, float | int) else MIN_CONFIDENCE[confidence]
        return DeadCodeReport(tuple(item for item in self.items if item.confidence >= minimum))

    @cached_property
    def findings(self) -> tuple[CodeFinding, ...]:
        """A finding for each item, in the same order."""
        return tuple(map(unused_finding, self.items))

    @property
    def most_confident_first(self) -> list[UnusedCode]:
        """The items by confidence, then by file and line."""
        return sorted(self.items, key=lambda item: (-item.confidence, item.file, item.line, item.name))

    @property
    def by_level(self) -> Counter[str]:
        return Counter(item.level for item in self.items)

    @property
    def by_kind(self) -> dict[str, int]:
        return dict(sorted(Counter(item.kind for item in self.items).items()))

    @property
    def dead_lines(self) -> int:
        """The number of lines that the items cover, each line counted once."""
        covered: dict[str, set[int]] = defaultdict(set)
        for item in self.items:
            covered[item.file].update(range(item.line, item.end_line + 1))
        return sum(map(len, covered.values()))


def dead_code_report(
    room: Analysis, repository: Scan, files: Container[str], base: BaseCommit | None = None
) -> DeadCodeReport:
    """Report on some files of a repository, by file and line; the whole repository is searched for uses.

    With a base, only code that was not dead in that commit is reported.
    """
    items = newly_dead_code(room, repository, base)
    return DeadCodeReport(tuple(item for item in items if item.file in files))


def unused_finding(item: UnusedCode) -> CodeFinding:
    """Return unused code as a finding."""
    return CodeFinding(
        DEAD_CODE_RULES[item.kind],
        _LEVELS[item.level],
        item.message,
        item.file,
        item.line,
        item.end_line,
        subject=item.name,
        properties={"confidence": item.confidence},
        minutes=_MINUTES_TO_REMOVE,
    )

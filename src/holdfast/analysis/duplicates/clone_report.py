"""The report on duplicates: the classes of clones, and how many lines of each file are in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from holdfast.analysis.duplicates.clone import CloneClass, Fragment, GpuUse
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.rules import DUPLICATE_RULES

_MAX_FRAGMENTS_LISTED = 20
"""The other fragments that a finding lists: a judgement. Some classes have hundreds of fragments, and
`copies` has their number."""


@dataclass(frozen=True)
class CloneReport(AnalysisReport):
    """The clones of a project."""

    classes: tuple[CloneClass, ...]
    lines: Mapping[str, int]
    """The number of lines of each file."""
    duplicate_lines: Mapping[str, int]
    """The number of lines of each file in exact or renamed clones, each counted once."""
    near_lines: Mapping[str, int]
    """The number of other lines of each file in gapped clones."""
    gpu: GpuUse = field(default_factory=GpuUse)

    unmentioned: ClassVar[Mapping[str, Any]] = {"duplicated": 0.0}

    @property
    def total_lines(self) -> int:
        """The number of lines of all files."""
        return sum(self.lines.values())

    @property
    def duplication(self) -> float:
        """The share of lines that are duplicates, from 0 to 1."""
        return sum(self.duplicate_lines.values()) / (self.total_lines or 1)

    @property
    def by_kind(self) -> dict[str, int]:
        """The number of classes of each kind."""
        return dict(sorted(Counter(clone.kind for clone in self.classes).items()))

    @cached_property
    def findings(self) -> tuple[CodeFinding, ...]:
        """One finding for each class, at its first fragment."""
        return tuple(clone_finding(clone, clone.fragments[0]) for clone in self.classes)

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the share of each file's lines that is in an exact or renamed clone."""
        return {
            path: {"duplicated": self.duplicate_lines.get(path, 0) / lines}
            for path, lines in self.lines.items()
            if lines
        }


def clone_finding(clone: CloneClass, fragment: Fragment) -> CodeFinding:
    """Return a class of clones as a finding at one of its fragments."""
    rule = DUPLICATE_RULES[clone.kind]
    others = [
        f"{other.file}:{other.start_line}-{other.end_line}" for other in clone.fragments if other != fragment
    ]
    return CodeFinding(
        rule,
        rule.level,
        f"{rule.summary} {len(clone.fragments)} copies, also at {others[0]}.",
        fragment.file,
        fragment.start_line,
        fragment.end_line,
        subject=clone.id,
        properties={
            "id": clone.id,
            "copies": len(clone.fragments),
            "similarity": clone.similarity,
            "others": others[:_MAX_FRAGMENTS_LISTED],
        },
    )

"""The report on duplicates: the clone groups, and how many lines of each file are in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from holdfast.analysis.duplicates.clone import Fragment, FragmentGroup
from holdfast.analysis.duplicates.gpu_use import GpuUse
from holdfast.analysis.engine.analysis_report import AnalysisReport
from holdfast.analysis.engine.code_finding import CodeFinding
from holdfast.analysis.rules import DUPLICATE_RULES

_MAX_FRAGMENTS_LISTED = 20
"""The other fragments that a finding lists: a judgement, as groups may have hundreds. `copies` counts all."""


class DuplicatedLines(NamedTuple):
    """How many lines of some files are in clones."""

    files: int
    lines: int
    duplicate: int
    """Lines in exact or renamed clones, each counted once."""
    gapped: int
    """Other lines in gapped clones."""

    @property
    def share(self) -> float:
        """The share of duplicate lines, from 0 to 1."""
        return self.duplicate / (self.lines or 1)


@dataclass(frozen=True)
class CloneReport(AnalysisReport):
    """The clones of a project."""

    groups: tuple[FragmentGroup, ...]
    """Those outside tests first; leads come after all others."""
    line_counts: Mapping[str, int]
    """The number of lines of each file."""
    duplicate_lines: Mapping[str, int]
    """The number of lines in exact or renamed clones, each counted once, of each file with any. Clones that
    only a comparison of functions finds are not among them."""
    gapped_lines: Mapping[str, int]
    """The number of other lines in clones that comparing functions found, of each file with any."""
    test_files: frozenset[str] = frozenset()
    """The tests and examples, which are reported separately; none if there are no other files."""
    gpu: GpuUse = field(default_factory=GpuUse)

    default_numbers: ClassVar[Mapping[str, Any]] = {"duplicated_share": 0.0}

    @cached_property
    def code(self) -> DuplicatedLines:
        """The lines outside tests."""
        return self._lines_of(self.line_counts.keys() - self.test_files)

    @cached_property
    def tests(self) -> DuplicatedLines:
        """The lines in tests."""
        return self._lines_of(self.test_files)

    def _lines_of(self, files: Collection[str]) -> DuplicatedLines:
        counts = (self.line_counts, self.duplicate_lines, self.gapped_lines)
        return DuplicatedLines(len(files), *(sum(lines.get(path, 0) for path in files) for lines in counts))

    def is_in_tests(self, group: FragmentGroup) -> bool:
        """Return whether all fragments of a group are in tests."""
        return all(fragment.file in self.test_files for fragment in group.fragments)

    @property
    def by_kind(self) -> dict[str, int]:
        """The number of groups of each kind that was found."""
        return dict(sorted(Counter(group.kind for group in self.groups).items()))

    @cached_property
    def findings(self) -> tuple[CodeFinding, ...]:
        """One finding for each group, at its first fragment."""
        return tuple(clone_finding(group, group.fragments[0]) for group in self.groups)

    def file_numbers(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the share of the lines of each file, unless it is empty, in exact or renamed clones."""
        return {
            path: {"duplicated_share": self.duplicate_lines.get(path, 0) / lines}
            for path, lines in self.line_counts.items()
            if lines
        }


def clone_finding(group: FragmentGroup, fragment: Fragment) -> CodeFinding:
    """Return a clone group as a finding at one of its fragments; the message names one other."""
    rule = DUPLICATE_RULES[group.kind]
    others = [
        f"{other.file}:{other.start_line}-{other.end_line}" for other in group.fragments if other != fragment
    ]
    return CodeFinding(
        rule,
        rule.level,
        f"{rule.summary} {len(group.fragments)} copies, also at {others[0]}.",
        fragment.file,
        fragment.start_line,
        fragment.end_line,
        subject=group.id,
        properties={
            "id": group.id,
            "copies": len(group.fragments),
            "similarity": group.similarity,
            "others": others[:_MAX_FRAGMENTS_LISTED],
        },
    )

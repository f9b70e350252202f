"""A finding: a place in the code that an analysis recommends changing, as all formats render it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FindingKind = Literal["complexity", "technical-debt", "dead-code", "duplication", "defect", "coverage"]
FindingSeverity = Literal["critical", "high", "medium", "low"]
FindingLevel = Literal["none", "note", "warning", "error"]
"""The levels of SARIF 2.1.0, section 3.27.10."""
FINDING_SEVERITIES: tuple[FindingSeverity, ...] = ("critical", "high", "medium", "low")


@dataclass(frozen=True)
class FindingRule:
    """What an analysis requires of code; a finding is a violation of it."""

    id: str
    """Words joined by hyphens, such as `cyclomatic-complexity`, after a group and a slash if it has one."""
    summary: str
    """A sentence that says what violates it."""
    kind: FindingKind
    level: FindingLevel = "warning"
    help: str = ""
    """What to do about it."""


@dataclass(frozen=True)
class CodeFinding:
    """A place in the code that an analysis recommends changing, with the estimated effort."""

    rule: FindingRule
    level: FindingLevel
    message: str
    path: str
    """Relative to the root of the repository."""
    line: int | None = None
    """None if the finding is about the whole file."""
    end_line: int | None = None
    column: int | None = None
    """Counted in characters from 1, like lines."""
    subject: str = ""
    """What the finding is about, such as the name of a function; it identifies the finding after its lines
    moved."""
    properties: Mapping[str, Any] = field(default_factory=dict)
    severity: FindingSeverity = "low"
    minutes: float = 0
    """The estimated effort of fixing it."""

    @property
    def kind(self) -> FindingKind:
        return self.rule.kind

    @property
    def order(self) -> tuple[str, int, str, str]:
        """A sort key: by place, then by rule."""
        return self.path, self.line or 0, self.rule.id, self.subject or self.message

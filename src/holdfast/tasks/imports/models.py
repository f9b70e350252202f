"""What an import takes and returns."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.trackers.foreign import Problem
from holdfast.tasks.trackers.outcome import Outcome, Side
from holdfast.tasks.trackers.report import SyncStep

Format = Literal["auto", "todo", "backlog", "task-master"]
_MOST = 50


class ImportTasks(InSession):
    """Which file or folder to import."""

    format: Format = Field(
        description="A check list, a Backlog.md folder, or task-master's JSON; auto looks at the path."
    )
    path: str = Field(
        min_length=1,
        max_length=LIMITS.path_characters,
        description="The file or folder inside the repository.",
    )
    prefer: Side | None = Field(
        default=None, description="Which side wins where a task was changed here and there."
    )
    dry_run: bool = Field(default=False, description="Only say what would be done.")


class ImportProblem(Result):
    """Something that could not be taken over as it stands, and what was done instead."""

    file: UntrustedText
    line: int | None = None
    message: UntrustedText


class ImportReport(Reported):
    """What an import did. Importing the same again changes nothing."""

    format: Format
    path: UntrustedText
    dry_run: bool
    created: int
    changed: int
    unchanged: int
    steps: list[SyncStep] = Field(description=f"What was done; {_MOST} at most.")
    problems: list[ImportProblem] = Field(description=f"What to look at; {_MOST} at most.")
    total_problems: int

    @property
    def exit_code(self) -> int:
        """Tell a script that not everything came over as it stands."""
        return 1 if self.problems or any(step.done in ("conflict", "refused") for step in self.steps) else 0


def told(outcome: Outcome, problems: list[Problem]) -> dict[str, Any]:
    """Return what was done as fields of a report, what needs attention first."""
    ordered = sorted(outcome.steps, key=lambda step: step.done not in ("conflict", "refused"))
    shown = [ImportProblem(file=item.file, line=item.line, message=item.message) for item in problems[:_MOST]]
    return {
        "created": sum(step.done == "created_here" for step in ordered),
        "changed": len({step.origin for step in ordered if step.done == "changed_here"}),
        "unchanged": outcome.unchanged,
        "steps": [SyncStep.of(step) for step in ordered[:_MOST]],
        "problems": shown,
        "total_problems": len(problems),
    }

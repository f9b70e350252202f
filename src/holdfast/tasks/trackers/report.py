"""The options of a synchronisation, the steps it took, and the report that tools return."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import Field, StrictBool

from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import InSession, Reported, Result

Side = Literal["ours", "theirs"]
Direction = Literal["both", "pull", "push"]
StepKind = Literal[
    "created_here", "created_there", "changed_here", "changed_there", "conflict", "refused", "failed"
]

_MAX_STEPS_SHOWN = 50
"""Steps listed in a report, those that need attention first. A judgement: about 7,000 bytes, the budget of a
result (`view/budget.py`)."""
NEED_ATTENTION = frozenset({"failed", "conflict", "refused"})
"""Steps that were not carried out."""
_STEP_LABELS = {
    "created_here": "new task",
    "created_there": "new item there",
    "changed_here": "changed here",
    "changed_there": "changed there",
    "conflict": "CONFLICT",
    "refused": "REFUSED",
    "failed": "FAILED",
}


class SyncOptions(InSession):
    """The options of a synchronisation."""

    direction: Direction = Field(default="both", description="Whose changes are applied to the other side.")
    prefer: Side | None = Field(
        default=None, description="Which side wins where both changed; by default neither does."
    )
    create_missing: StrictBool = Field(
        default=False, description="Also create items there for tasks that have none."
    )
    include_finished: StrictBool = Field(
        default=False, description="Also create tasks for items that are finished there."
    )
    dry_run: StrictBool = Field(
        default=True, description="Only show what would be done; turn it off to do it."
    )

    @property
    def pulls(self) -> bool:
        return self.direction != "push"

    @property
    def pushes(self) -> bool:
        return self.direction != "pull"


class SyncStep(Result):
    """One change that was made or, in a dry run, would be made."""

    done: StepKind
    title: UntrustedText
    task_id: str | None = None
    origin: UntrustedText | None = Field(default=None, description="Id of the item in the tracker.")
    fields: list[str] | None = None
    detail: UntrustedText | None = None
    url: UntrustedText | None = None


class Item(Protocol):
    """Something in a tracker or file: an item, a counterpart or a pull request."""

    @property
    def foreign_id(self) -> str: ...

    @property
    def url(self) -> str | None: ...


@dataclass
class SyncOutcome:
    """The steps of a synchronisation or, in a dry run, those it would take."""

    steps: list[SyncStep] = field(default_factory=list)
    unchanged: int = 0
    skipped: int = 0
    """Number of finished items for which no tasks were created."""

    def record(
        self, done: StepKind, task_id: str | None, title: str, item: Item | None = None,
        fields: Iterable[str] = (), detail: str | None = None,
    ) -> None:  # fmt: skip
        origin, url = (None, None) if item is None else (item.foreign_id, item.url)
        self.steps.append(
            SyncStep(
                done=done, title=title, task_id=task_id, origin=origin, fields=list(fields) or None,
                detail=detail, url=url,
            )
        )  # fmt: skip


class TrackerOut(Result):
    """A tracker that tasks are synchronised with."""

    name: UntrustedText
    kind: str
    connected: bool
    last_sync: str | None = None


class TrackerReport(Reported):
    """The result of an action on a tracker or, in a dry run, what it would be."""

    action: str
    dry_run: bool = Field(description="Whether this only shows what would change.")
    allowed: bool = Field(description="Whether the user allowed its host.")
    tracker: TrackerOut | None = None
    trackers: list[TrackerOut] | None = None
    account: UntrustedText | None = Field(default=None, description="The account that the token belongs to.")
    project: UntrustedText | None = None
    url: UntrustedText | None = None
    steps: list[SyncStep] | None = Field(
        default=None, description=f"What was done; {_MAX_STEPS_SHOWN} at most."
    )
    total_steps: int | None = None
    conflicts: int | None = Field(default=None, description="Number of conflicts, refused and failed steps.")
    unchanged: int | None = None
    skipped: int | None = Field(default=None, description="Finished items that were not imported.")

    @property
    def exit_code(self) -> int:
        """The exit status of the command: 1 if a step was not carried out."""
        return 1 if any(step.done in NEED_ATTENTION for step in self.steps or ()) else 0


def step_fields(outcome: SyncOutcome) -> dict[str, Any]:
    """Return an outcome as fields of a report, with the steps that need attention first."""
    ordered = sorted(outcome.steps, key=lambda step: step.done not in NEED_ATTENTION)
    return {
        "steps": ordered[:_MAX_STEPS_SHOWN],
        "total_steps": len(ordered),
        "conflicts": sum(step.done in NEED_ATTENTION for step in ordered),
        "unchanged": outcome.unchanged,
        "skipped": outcome.skipped,
    }


def report_text(report: TrackerReport) -> str:
    """Return the action and its tracker, then all trackers or the steps, one per line."""
    lines = [_summary_line(report)]
    if report.account is not None:
        account = one_line(report.account) or "an unnamed account"
        lines.append(f"As {account}, on {one_line(report.project or '')}")
    for tracker in report.trackers or ():
        state = "connected" if tracker.connected else "disconnected"
        last = f", last synchronised {tracker.last_sync}" if tracker.last_sync else ""
        lines.append(f"{one_line(tracker.name)}: {state}{last}")
    lines += [_step_line(step) for step in report.steps or ()]
    if report.total_steps is not None:
        counts = f"{report.total_steps} changes and findings, {report.unchanged} unchanged"
        lines.append(f"{counts}, {report.skipped} skipped")
    return "\n".join([*lines, *(report.next_steps or ())])


def _summary_line(report: TrackerReport) -> str:
    name = one_line(report.tracker.name) if report.tracker is not None else "No tracker is connected"
    dry = " (dry run: nothing was changed)" if report.dry_run else ""
    allowed = "" if report.allowed else " Its host is not allowed."
    return f"{report.action}: {name}{dry}.{allowed}"


def _step_line(step: SyncStep) -> str:
    names = " = ".join(filter(None, [step.task_id, one_line(step.origin or "")]))
    fields = f" [{', '.join(step.fields)}]" if step.fields else ""
    detail = f": {one_line(step.detail)}" if step.detail else ""
    return f"{_STEP_LABELS[step.done]}  {names}  {one_line(step.title)}{fields}{detail}"

"""What the operations on other trackers take and return."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.trackers.outcome import Direction, Done, Outcome, Side, Step

InterfaceType = Literal["github", "jira", "linear", "asana", "trello", "custom"]
_MOST_STEPS = 50


class Synchronising(InSession):
    """How to keep tasks and a tracker in step."""

    direction: Direction = Field(default="both", description="Whose changes are carried over.")
    prefer: Side | None = Field(
        default=None, description="Which side wins where both changed; left out, neither does."
    )
    create_missing: bool = Field(default=False, description="Also make items there for tasks that have none.")
    include_finished: bool = Field(
        default=False, description="Also make tasks of items that are finished there."
    )
    dry_run: bool = Field(
        default=True, description="Only say what would be done. Pass false once that is what you want."
    )


class RemoteInterface(Synchronising):
    """Which tracker, and what to do with it."""

    interface_type: InterfaceType = Field(description="What kind of tracker it is.")
    action: Literal["connect", "configure", "list", "test", "sync", "disconnect"] = Field(
        description="What to do."
    )
    config: str | None = Field(
        default=None,
        max_length=10_000,
        description='Settings as JSON, such as {"project": "KELP"}; never a token.',
    )
    name: str | None = Field(
        default=None, max_length=300, description="Which one, where several of a kind are connected."
    )


class SyncStep(Result):
    """One thing that was done, or would be."""

    done: Done
    title: UntrustedText
    task_id: str | None = None
    origin: UntrustedText | None = Field(default=None, description="What it is called over there.")
    fields: list[str] | None = None
    detail: UntrustedText | None = None
    url: UntrustedText | None = None

    @classmethod
    def of(cls, step: Step) -> SyncStep:
        """Return a step as a result."""
        return cls(
            done=step.done,
            title=step.title,
            task_id=step.task_id,
            origin=step.origin,
            fields=list(step.fields) or None,
            detail=step.detail,
            url=step.url,
        )


class TrackerOut(Result):
    """A tracker that tasks are kept in step with."""

    name: UntrustedText
    kind: str
    connected: bool
    last_sync: str | None = None


class TrackerReport(Reported):
    """What was done with a tracker, or would be."""

    action: str
    dry_run: bool = Field(description="Whether nothing was changed, here or there.")
    allowed: bool = Field(description="Whether a person allowed its host.")
    tracker: TrackerOut | None = None
    trackers: list[TrackerOut] | None = None
    account: UntrustedText | None = Field(default=None, description="Who we are over there.")
    project: UntrustedText | None = None
    url: UntrustedText | None = None
    steps: list[SyncStep] | None = Field(default=None, description=f"What was done; {_MOST_STEPS} at most.")
    total_steps: int | None = None
    conflicts: int | None = None
    unchanged: int | None = None
    skipped: int | None = Field(default=None, description="Finished items that were left there.")

    @property
    def exit_code(self) -> int:
        """Tell a script that something was left undone."""
        return 1 if any(step.done in ("conflict", "refused", "failed") for step in self.steps or ()) else 0


def steps_of(outcome: Outcome) -> dict[str, Any]:
    """Return what was done as fields of a report, what needs attention first."""
    urgent = ("failed", "conflict", "refused")
    ordered = sorted(outcome.steps, key=lambda step: step.done not in urgent)
    return {
        "steps": [SyncStep.of(step) for step in ordered[:_MOST_STEPS]],
        "total_steps": len(ordered),
        "conflicts": sum(step.done in urgent for step in ordered),
        "unchanged": outcome.unchanged,
        "skipped": outcome.skipped,
    }

"""Reports about other trackers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.text import one_line

if TYPE_CHECKING:
    from holdfast.tasks.trackers.report import SyncStep, TrackerReport

_WORDS = {
    "created_here": "new task",
    "created_there": "new item there",
    "changed_here": "changed here",
    "changed_there": "changed there",
    "conflict": "CONFLICT",
    "refused": "REFUSED",
    "failed": "FAILED",
}


def report_words(report: TrackerReport) -> str:
    """Return what was done with a tracker, or would be, in a few lines."""
    lines = [_head(report)]
    if report.account is not None:
        account = one_line(report.account) or "nobody in particular"
        lines.append(f"As {account}, on {one_line(report.project or '')}")
    for tracker in report.trackers or ():
        state = "connected" if tracker.connected else "disconnected"
        last = f", last synchronised {tracker.last_sync}" if tracker.last_sync else ""
        lines.append(f"{one_line(tracker.name)}: {state}{last}")
    lines += [_step(step) for step in report.steps or ()]
    if report.total_steps is not None:
        found = f"{report.total_steps} changes and findings, {report.unchanged} unchanged"
        lines.append(f"{found}, {report.skipped} left there")
    return "\n".join([*lines, *(report.next_steps or ())])


def _head(report: TrackerReport) -> str:
    name = one_line(report.tracker.name) if report.tracker is not None else "No tracker is connected"
    dry = " (dry run: nothing was changed)" if report.dry_run else ""
    allowed = "" if report.allowed else " Its host is not allowed."
    return f"{report.action}: {name}{dry}.{allowed}"


def _step(step: SyncStep) -> str:
    names = " = ".join(filter(None, [step.task_id, one_line(step.origin or "")]))
    fields = f" [{', '.join(step.fields)}]" if step.fields else ""
    detail = f": {one_line(step.detail)}" if step.detail else ""
    return f"{_WORDS[step.done]}  {names}  {one_line(step.title)}{fields}{detail}"

"""`taskpilot_import`: tasks that another program keeps in files."""

from __future__ import annotations

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.tasks.caller import acting
from holdfast.tasks.imports.models import ImportReport, ImportTasks
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import PLANNING, tasks


def import_words(report: ImportReport) -> str:
    """Return what an import did, in a few lines."""
    begin = "Would import" if report.dry_run else "Imported"
    counts = f"{report.created} new, {report.changed} changed, {report.unchanged} unchanged"
    lines = [f"{begin} {one_line(report.path)}: {counts}."]
    lines += [
        f"{step.done.upper()} {step.task_id}: {one_line(step.detail or '')}"
        for step in report.steps
        if step.done in ("conflict", "refused")
    ]
    for problem in report.problems:
        place = one_line(problem.file) + (f":{problem.line}" if problem.line else "")
        lines.append(f"{place}: {one_line(problem.message)}")
    return "\n".join(lines)


@tasks.operation(
    "taskpilot_import",
    title="Import tasks",
    effect=Effect.WRITE,
    idempotent=True,
    seconds=300,
    listed=False,
    command="import",
    positional=("format", "path"),
    example="holdfast tasks import todo todo.md",
    text=import_words,
    annotations=PLANNING,
)
def import_tasks(room: Tasks, arguments: ImportTasks) -> ImportReport:
    """Import a Markdown check list, a Backlog.md folder, or task-master's JSON.

    Ids of origin are kept: importing again brings what changed there, and says where both sides changed.
    """
    from holdfast.tasks.imports.importer import imported  # here, because it loads parsers

    return imported(room, acting(room, arguments), arguments)

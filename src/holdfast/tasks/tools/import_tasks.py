"""`taskpilot_import`: imports tasks from the files of other programs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, StrictBool

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.caller import identify_caller
from holdfast.tasks.connected_files import resolve_typed_paths
from holdfast.tasks.models import FileName, InSession, Reported, Result
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import PLANNING, tasks
from holdfast.tasks.trackers.report import NEED_ATTENTION, Side, SyncStep
from holdfast.tasks.view.results import workspace_ref

Format = Literal["auto", "todo", "backlog", "task-master"]
_MAX_ENTRIES_SHOWN = 50
"""Steps, and problems, in a report. A judgement: more than a person goes through before importing again."""


class ImportTasks(InSession):
    """The file or folder to import."""

    format: Format = Field(
        description="A check list, a Backlog.md folder, or task-master's JSON; auto goes by the path."
    )
    path: FileName = Field(description="The file or folder inside the repository.")
    prefer: Side | None = Field(default=None, description="Which side wins if both changed the same field.")
    dry_run: StrictBool = Field(default=False, description="Only report what would be done.")


class ImportProblem(Result):
    """Something that could not be imported as it is, and what was done instead."""

    file: UntrustedText
    line: int | None = None
    message: UntrustedText


class ImportReport(Reported):
    """What an import did and, in a dry run, would do. The counts are numbers of tasks."""

    format: Format
    path: UntrustedText
    dry_run: bool
    created: int
    changed: int
    unchanged: int
    steps: list[SyncStep] = Field(description=f"What was done; {_MAX_ENTRIES_SHOWN} at most.")
    problems: list[ImportProblem] = Field(description=f"What needs attention; {_MAX_ENTRIES_SHOWN} at most.")
    total_problems: int

    @property
    def exit_code(self) -> int:
        """The exit status of the command: 1 if anything could not be imported as it is."""
        return 1 if self.problems or any(step.done in NEED_ATTENTION for step in self.steps) else 0


def import_text(report: ImportReport) -> str:
    """Return the counts of an import, its conflicts and refusals, and its problems."""
    verb = "Would import" if report.dry_run else "Imported"
    counts = f"{report.created} new, {report.changed} changed, {report.unchanged} unchanged"
    lines = [f"{verb} {one_line(report.path)}: {counts}."]
    lines += [
        f"{step.done.upper()} {step.task_id}: {one_line(step.detail or '')}"
        for step in report.steps
        if step.done in NEED_ATTENTION
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
    text=import_text,
    fill_in=resolve_typed_paths,
    annotations=PLANNING,
)
def import_tasks(room: Tasks, arguments: ImportTasks) -> ImportReport:
    """Import a Markdown check list, a Backlog.md folder, or task-master's JSON.

    Importing again applies what changed in the source, and reports conflicts with changes made here.
    """
    from holdfast.tasks.imports.importer import Import  # imported here because it loads the parsers

    who, path = identify_caller(room, arguments), RepoPath.parse(arguments.path)
    importer = Import(room, who, path, arguments.prefer)
    detected_format = importer.run(arguments.format, dry_run=arguments.dry_run)
    steps = sorted(importer.outcome.steps, key=lambda step: step.done not in NEED_ATTENTION)
    return ImportReport(
        operation="import",
        workspace=workspace_ref(room.workspace()),
        format=detected_format,
        path=path.text,
        dry_run=arguments.dry_run,
        next_steps=["Import again without the dry run."] if arguments.dry_run and steps else None,
        created=sum(step.done == "created_here" for step in steps),
        changed=len({step.origin for step in steps if step.done == "changed_here"}),
        unchanged=importer.outcome.unchanged,
        steps=steps[:_MAX_ENTRIES_SHOWN],
        problems=[
            ImportProblem.model_validate(problem, from_attributes=True)
            for problem in importer.problems[:_MAX_ENTRIES_SHOWN]
        ],
        total_problems=len(importer.problems),
    )

"""`holdfast tasks export` and `restore`: write a workspace to a file, and load it elsewhere."""

from __future__ import annotations

from pydantic import Field

from holdfast.kernel.errors import Conflict, Invalid
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import counted
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.caller import check_workspace
from holdfast.tasks.connected_files import resolve_typed_paths
from holdfast.tasks.imports.archive import export_lines, parse_export
from holdfast.tasks.imports.restoration import restore_export
from holdfast.tasks.models import FileName, Reported, Scoped
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import join_new_workspace, write_marker
from holdfast.tasks.toolset import tasks
from holdfast.tasks.view.results import workspace_ref

_MAX_TASKS_SHOWN = 50
"""Renumbered or conflicting tasks listed in a result. A judgement: more than a person goes through."""
_MAX_SECONDS = 600
"""A judgement: more than other operations have, because these read or write a whole workspace."""


class ExportTasks(Scoped):
    """The file to write an export to."""

    file: str | None = Field(
        default=None,
        max_length=LIMITS.path_characters,
        description="A new file in the repository; by default the lines are printed.",
    )


class TasksExported(Reported):
    """The exported lines, or the file that has them."""

    lines: int
    file: UntrustedText | None = None
    text: UntrustedText | None = None


class RestoreTasks(Scoped):
    """The export to restore."""

    file: FileName = Field(description="A file written by export.")


class TasksRestored(Reported):
    """The result of a restore."""

    added: int
    advanced: int = Field(description="Tasks whose history in the file continued the one here.")
    unchanged: int
    renumbered: list[str] | None = Field(
        default=None, description="Numbers that were taken here, and the new ones."
    )
    conflicts: list[str] | None = Field(
        default=None, description="Tasks whose history here has diverged; they were left alone."
    )
    held: list[str] | None = Field(
        default=None,
        description="Tasks that the file continues but somebody holds here; they were left alone.",
    )

    @property
    def exit_code(self) -> int:
        return Conflict.exit_code if self.conflicts or self.held else 0


def _restored_text(result: TasksRestored) -> str:
    lines = [f"{result.added} added, {result.advanced} updated, {result.unchanged} unchanged."]
    lines += result.renumbered or ()
    lines += [f"{name} has a different history here and was left alone." for name in result.conflicts or ()]
    lines += [f"{name} is held here and was left alone: restore it later." for name in result.held or ()]
    return "\n".join(lines)


@tasks.operation(
    "taskpilot_export",
    title="Export the tasks",
    effect=Effect.WRITE,
    command="export",
    positional=("file",),
    example="holdfast tasks export tasks.jsonl",
    command_only=True,
    seconds=_MAX_SECONDS,
    text=lambda result: result.text or f"Wrote {counted(result.lines, 'line')} to {result.file}.",
    fill_in=resolve_typed_paths,
)
def export(room: Tasks, arguments: ExportTasks) -> TasksExported:
    """Write all tasks with their history as lines of JSON; the output is reproducible."""
    check_workspace(room, arguments)
    with room.reading() as transaction:
        workspace = transaction.workspace
        lines = list(export_lines(transaction, workspace))
    body = "".join(f"{line}\n" for line in lines)
    result = TasksExported(operation="export", workspace=workspace_ref(workspace), lines=len(lines))
    if arguments.file is None:
        return result.model_copy(update={"text": body.rstrip("\n")})
    path, tree = RepoPath.parse(arguments.file), Tree(room.repository)
    if tree.exists(path):
        raise Conflict(f"The file '{path.text}' already exists.", hint="Choose another name.")
    tree.make_parents(path)
    tree.write(path, body.encode())
    return result.model_copy(update={"file": path.text})


@tasks.operation(
    "taskpilot_restore",
    title="Restore exported tasks",
    effect=Effect.WRITE,
    idempotent=True,
    command="restore",
    positional=("file",),
    example="holdfast tasks restore tasks.jsonl",
    command_only=True,
    seconds=_MAX_SECONDS,
    text=_restored_text,
    fill_in=resolve_typed_paths,
)
def restore(room: Tasks, arguments: RestoreTasks) -> TasksRestored:
    """Restore what `export` wrote, from SQLite into PostgreSQL or back, or from another clone.

    Ids and history are preserved. Restoring the same file again changes nothing.
    """
    path = RepoPath.parse(arguments.file)
    try:
        text = Tree(room.repository).read_bytes(path, LIMITS.git_output_bytes).decode()
    except UnicodeDecodeError:
        raise Invalid(f"The file '{path.text}' is not UTF-8 text.", hint="Export it again.") from None
    exported = parse_export(text.split("\n"))  # not splitlines(): texts may contain other line separators
    identity = str(exported.workspace["id"])
    with room.writing() as transaction:
        join_new_workspace(room, transaction, identity)
        report = restore_export(
            room.store, transaction, room.find_workspace(transaction), exported, transaction.now
        )
    write_marker(room.repository, identity)
    renumbered = [f"{old} is {new} here" for old, new in report.renumbered.items()]
    return TasksRestored(
        operation="restore",
        workspace=workspace_ref(room.workspace()),
        added=report.added,
        advanced=report.advanced,
        unchanged=report.unchanged,
        renumbered=renumbered[:_MAX_TASKS_SHOWN] or None,
        conflicts=report.conflicts[:_MAX_TASKS_SHOWN] or None,
        held=report.held[:_MAX_TASKS_SHOWN] or None,
    )

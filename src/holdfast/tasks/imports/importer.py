"""Imports tasks from another program's files, and updates them when the files are imported again.

Contract:
- New tasks are created all or none, with parents and dependencies. Their states are set afterwards, subtasks
  before parents, and have to meet the done gate as any other change.
- A task is identified by its foreign id. The next import applies changes in the file by a three-way merge
  with the previous import; changes here stay. If both sides changed a field, that is a conflict: it is
  reported, and the field stays as it is unless the caller prefers a side.
- Tasks that were removed from the file stay here. The file itself is never written.
- A dependency that would close a cycle is skipped and reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from holdfast.kernel.call import current_call
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.errors import AlreadyClaimed, DependencyCycle
from holdfast.tasks.imports.cycles import remove_cycles
from holdfast.tasks.imports.problem import Problem
from holdfast.tasks.imports.sources import Format, SourceFormat, detect_format, read_source
from holdfast.tasks.store.change import apply_change
from holdfast.tasks.store.records import CallerIdentity, Change, Draft, Task, TaskLink
from holdfast.tasks.store.rows import find_task
from holdfast.tasks.store.states import Kind
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import TaskTransaction
from holdfast.tasks.trackers import counterparts
from holdfast.tasks.trackers.adapter import (
    FittedTask,
    draft_of,
    fit_to_limits,
    our_task,
    seen_values,
    synced_values,
)
from holdfast.tasks.trackers.counterparts import Counterpart
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.report import Side, StepKind, SyncOutcome
from holdfast.tasks.trackers.task_updates import apply_values, move
from holdfast.tasks.trackers.three_way_merge import merge_values

_TASKS_PER_TRANSACTION = 500
"""A judgement: the cost of making a transaction durable then hardly counts, and others wait only briefly."""
_MAX_REF_CHARACTERS = 500
"""The length to which refs of links to the source are cut. A judgement: paths of titles can be very long."""


class Import:
    """One import of one source, with its outcome and problems."""

    def __init__(self, room: Tasks, who: CallerIdentity, path: RepoPath, prefer: Side | None) -> None:
        self._room = room
        self._who = who
        self._path = path
        self._file = path.text
        self._prefer = prefer
        self._reason = f"Imported from {path.text}"
        self._source = ""
        """The name under which the counterparts are stored, such as `todo:TODO.md`; set by `run`."""
        self.outcome = SyncOutcome()
        self.problems: list[Problem] = []

    def run(self, format: Format, *, dry_run: bool) -> SourceFormat:  # noqa: A002 - as in the input
        """Import, or with `dry_run` only record what would be done; return the format of the source."""
        chosen = detect_format(self._room.repository, format, self._path)
        self._source = f"{chosen}:{self._file}"
        parsed, self.problems = read_source(self._room.repository, chosen, self._path)
        tasks = self._fit_tasks(remove_cycles(parsed, self.problems, self._file))
        if dry_run:
            self._report_plan(tasks)
        else:
            counterparts.store_connected(self._room, self._source, chosen, {"path": self._file})
            self._execute(tasks)
        return chosen

    def _report_plan(self, tasks: list[FittedTask]) -> None:
        pairs = counterparts.read_counterparts(self._room, self._source)
        new = {item.task.foreign_id for item in tasks} - pairs.keys()
        for item in tasks:
            if item.task.foreign_id in new:
                self._draft(item.task, new, pairs)  # reports its problems
                self._report("created_here", None, item.task)
            else:
                self._update(pairs[item.task.foreign_id], item, pairs, dry_run=True)

    def _execute(self, tasks: list[FittedTask]) -> None:
        pairs = counterparts.read_counterparts(self._room, self._source)
        new = [item for item in tasks if item.task.foreign_id not in pairs]
        pairs |= self._create(new, pairs)
        created = {item.task.foreign_id for item in new if pairs[item.task.foreign_id].seen}
        for number, item in enumerate(item for item in tasks if item.task.foreign_id not in created):
            current_call().progress(number, len(tasks))
            updated = self._update(pairs[item.task.foreign_id], item, pairs, dry_run=False)
            if updated != pairs[item.task.foreign_id]:
                counterparts.store_counterparts(self._room, self._source, updated)
        counterparts.store_cursor(self._room, self._source, {})

    def _fit_tasks(self, parsed: list[ForeignTask]) -> list[FittedTask]:
        """Return the tasks cut to our limits; report and skip those with too long a description."""
        tasks = []
        for task in parsed:
            item = fit_to_limits(task)
            if "description" in item.cut:
                message = f"The text of '{task.foreign_id}' is too long; the task was skipped."
                self.problems.append(Problem(self._file, task.line, message))
            else:
                tasks.append(item)
        return tasks

    # New tasks.

    def _create(self, new: list[FittedTask], pairs: Mapping[str, Counterpart]) -> dict[str, Counterpart]:
        """Create the tasks; return their counterparts by foreign id.

        If an interrupted import created a task, its `seen` is empty: the task must then be merged.
        """
        foreign_ids = {item.task.foreign_id for item in new}
        drafts = [self._draft(item.task, foreign_ids, pairs) for item in new]
        created = self._room.create(drafts, self._who) if drafts else []
        stored: dict[str, Counterpart] = {}
        # Subtasks before parents: a task cannot be done while a subtask is open.
        backwards = list(zip(new, created, strict=True))[::-1]
        for start in range(0, len(backwards), _TASKS_PER_TRANSACTION):
            batch = backwards[start : start + _TASKS_PER_TRANSACTION]
            current_call().progress(start, len(backwards))
            with self._room.writing(self._who) as transaction:
                bases = [
                    self._set_initial_state(transaction, task, item.task) if is_new else None
                    for item, (task, is_new) in batch
                ]
            for (item, (task, _)), base in zip(batch, bases, strict=True):
                foreign_id = item.task.foreign_id
                stored[foreign_id] = (
                    Counterpart(
                        foreign_id, task.uid, None, synced_values(our_task(self._room, task.uid).item), {}
                    )
                    if base is None
                    else Counterpart(foreign_id, task.uid, None, base, seen_values(item))
                )
        for item, (task, is_new) in zip(new, created, strict=True):
            if is_new:
                self._report("created_here", task, item.task)
        counterparts.store_counterparts(self._room, self._source, *stored.values())
        return stored

    def _set_initial_state(
        self, transaction: TaskTransaction, task: Task, item: ForeignTask
    ) -> dict[str, Any]:
        """Check the criteria and set the state of a new task; return the values that both sides agree on."""
        checked: list[int | str] = [
            number for number, criterion in enumerate(item.criteria, 1) if criterion.checked
        ]
        if checked:
            apply_change(transaction, task.uid, Change(check=checked, reason=self._reason))
        base = synced_values(item)
        if item.status != task.status and (why := move(transaction, task.uid, item.status, self._reason)):
            base["status"] = find_task(transaction, task.uid).status
            self._report("refused", task, item, ("status",), why)
        return base

    def _draft(self, task: ForeignTask, new: set[str], pairs: Mapping[str, Counterpart]) -> Draft:
        """Return a new task as a draft; report the parents and dependencies that do not exist."""

        def resolve(foreign_id: str, what: str) -> str | None:
            if foreign_id in new:
                return f"#{foreign_id}"
            if foreign_id in pairs:
                return pairs[foreign_id].task
            message = (
                f"The {what} {foreign_id!a} of '{task.foreign_id}' is missing, and was added to the notes."
            )
            self.problems.append(Problem(self._file, task.line, message))
            notes.append(f"{what}: {foreign_id}")
            return None

        notes = [task.notes] if task.notes else []
        depends_on: list[tuple[str, Kind]] = [
            (name, "blocks") for foreign_id in task.depends_on if (name := resolve(foreign_id, "dependency"))
        ]
        parent = None if task.parent is None else resolve(task.parent, "parent")
        ref = f"{self._file}#{task.foreign_id}"[:_MAX_REF_CHARACTERS]
        draft = draft_of(
            task, TaskLink("file", ref, title=task.title), key=f"{self._source}#{task.foreign_id}"
        )
        return draft._replace(parent=parent, depends_on=depends_on, notes="\n".join(notes) or None)

    # Tasks of an earlier import.

    def _update(
        self, pair: Counterpart, item: FittedTask, pairs: Mapping[str, Counterpart], *, dry_run: bool
    ) -> Counterpart:
        """Merge an item into its task; return the counterpart with the new base and values."""
        task, ours = our_task(self._room, pair.task, pair.foreign_id)
        seen = seen_values(item)
        merged = merge_values(pair.base, synced_values(ours), seen, prefer=self._prefer)
        base = dict(merged.base)
        for conflict in merged.conflicts:
            detail = f"{conflict.field} is {conflict.ours!a} here and {conflict.theirs!a} there"
            self._report("conflict", task, item.task, (conflict.field,), detail)
        additions = self._list_additions(ours, pair, item, pairs)
        refused: dict[str, str] = {}
        if not dry_run:
            refused = self._apply_list_additions(task, additions)
            refused |= apply_values(self._room, task.uid, merged.for_us, self._who, self._reason)
        for name, why in refused.items():
            if name in base:
                base[name] = pair.base.get(name)
            elif name == "check":
                seen["checked"] = pair.seen.get("checked", [])  # so that the next import tries again
            self._report("refused", task, item.task, (name,), why)
        changed = (
            *(name for name in merged.for_us if name not in refused),
            *additions.add,
            *(["check"] if additions.check else []),
        )
        if changed:
            self._report("changed_here", task, item.task, changed)
        elif not refused and not merged.conflicts:
            self.outcome.unchanged += 1
        return replace(pair, base=base, seen=seen)

    def _apply_list_additions(self, task: Task, additions: Change) -> dict[str, str]:
        """Add new list items to a task; return why criteria or dependencies were refused, by field.

        Only the holder may add criteria, and dependencies must not close a cycle. What was refused is removed
        from `additions`.
        """
        depends_on = additions.add.pop("depends_on", [])
        refused: dict[str, str] = {}
        if additions.add or additions.check:
            try:
                self._room.update(task.uid, additions, self._who)
            except AlreadyClaimed as held:
                refused = dict.fromkeys(
                    (*additions.add, *(["check"] if additions.check else [])), held.message
                )
                additions.add, additions.check = {}, []
        if depends_on:
            change = Change(add={"depends_on": depends_on}, reason=self._reason)
            try:
                self._room.update(task.uid, change, self._who)
            except DependencyCycle as cycle:
                return {**refused, "depends_on": cycle.message}
            additions.add["depends_on"] = depends_on
        return refused

    def _list_additions(
        self, ours: ForeignTask, pair: Counterpart, item: FittedTask, pairs: Mapping[str, Counterpart]
    ) -> Change:
        """Return the criteria, checks and dependencies that are new in the file; none are ever removed."""
        change = Change(reason=self._reason)
        is_checked = {criterion.text: criterion.checked for criterion in ours.criteria}
        new = [criterion.text for criterion in item.task.criteria if criterion.text not in is_checked]
        if new:
            change.add["criteria"] = new
        checked_before = set(pair.seen.get("checked", ()))
        change.check = [
            criterion.text
            for criterion in item.task.criteria
            if criterion.checked
            and not is_checked.get(criterion.text)
            and criterion.text not in checked_before
        ]
        needed_before = set(pair.seen.get("needs", ()))
        needed = [
            foreign_id
            for foreign_id in item.task.depends_on
            if foreign_id in pairs and foreign_id not in needed_before
        ]
        if needed:
            change.add["depends_on"] = [(pairs[foreign_id].task, "blocks") for foreign_id in needed]
        return change

    def _report(
        self, done: StepKind, task: Task | None, item: ForeignTask, fields: tuple[str, ...] = (),
        detail: str | None = None,
    ) -> None:  # fmt: skip
        detail = detail or (None if item.line is None else f"line {item.line}")
        self.outcome.record(done, None if task is None else task.id, item.title, item, fields, detail)

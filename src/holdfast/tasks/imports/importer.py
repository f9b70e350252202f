"""Imports the tasks of another program's files, and updates them when imported again.

Contract:
- New tasks are created all or none, with parents and dependencies. Their states are set afterwards, subtasks
  before parents, through the same done gate as any other change.
- A task is identified by its origin. A three-way merge with the previous import decides: changes in the file
  are applied, changes here are kept, and if both sides changed a field, it is left alone and reported as a
  conflict, unless a side is preferred.
- Tasks that were removed from the file stay here. The file itself is never written.
- A dependency that would close a cycle is skipped and reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from holdfast.kernel.call import current_call
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.imports.cycles import without_cycles
from holdfast.tasks.imports.sources import Format, SourceFormat, detect_format, read
from holdfast.tasks.store.records import Change, Draft, Task, TaskLink, Who
from holdfast.tasks.store.states import Kind
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts as kept
from holdfast.tasks.trackers.adapter import FittedTask, apply, draft_of, fit, move, ours, seen_of, values_of
from holdfast.tasks.trackers.counterparts import Counterpart
from holdfast.tasks.trackers.foreign import ForeignTask, Problem
from holdfast.tasks.trackers.report import Done, Side, SyncOutcome
from holdfast.tasks.trackers.three_way_merge import reconcile


class Import:
    """One import of one source, with its outcome and problems."""

    def __init__(self, room: Tasks, who: Who, path: RepoPath, prefer: Side | None) -> None:
        self._room = room
        self._who = who
        self._place = path
        self._path = path.text
        self._prefer = prefer
        self._reason = f"Imported from {path.text}"
        self._source = ""
        self.outcome = SyncOutcome()
        self.problems: list[Problem] = []

    def run(self, format: Format, *, dry_run: bool) -> SourceFormat:  # noqa: A002 - as in the input
        """Import, or with `dry_run` determine what that would do; return the format of the source."""
        chosen = detect_format(self._room.repository, format, self._place)
        self._source = f"{chosen}:{self._path}"
        found, self.problems = read(self._room.repository, chosen, self._place)
        tasks = self._within_limits(without_cycles(found, self.problems, self._path))
        if dry_run:
            self._plan(tasks)
        else:
            kept.connect(self._room, self._source, chosen, {"path": self._path})
            self._execute(tasks)
        return chosen

    def _plan(self, tasks: list[FittedTask]) -> None:
        pairs = kept.counterparts(self._room, self._source)
        new = {item.task.origin for item in tasks} - pairs.keys()
        for item in tasks:
            if item.task.origin in new:
                self._draft(item.task, new, pairs)  # reports its problems
                self._report("created_here", None, item.task)
            else:
                self._update(pairs[item.task.origin], item, pairs, dry_run=True)

    def _execute(self, tasks: list[FittedTask]) -> None:
        pairs = kept.counterparts(self._room, self._source)
        new = [item for item in tasks if item.task.origin not in pairs]
        pairs |= self._create(new, pairs)
        created = {item.task.origin for item in new if pairs[item.task.origin].seen}
        for number, item in enumerate(item for item in tasks if item.task.origin not in created):
            current_call().progress(number, len(tasks))
            updated = self._update(pairs[item.task.origin], item, pairs, dry_run=False)
            if updated != pairs[item.task.origin]:
                kept.put(self._room, self._source, updated)
        kept.move_mark(self._room, self._source, {})

    def _within_limits(self, found: list[ForeignTask]) -> list[FittedTask]:
        """Return the tasks adapted to our limits; report and skip those whose description is too long."""
        tasks = []
        for task in found:
            item = fit(task)
            if "description" in item.cut:
                message = f"The text of '{task.origin}' is too long; the task was skipped."
                self.problems.append(Problem(self._path, task.line, message))
            else:
                tasks.append(item)
        return tasks

    # New tasks.

    def _create(self, new: list[FittedTask], pairs: Mapping[str, Counterpart]) -> dict[str, Counterpart]:
        origins = {item.task.origin for item in new}
        drafts = [self._draft(item.task, origins, pairs) for item in new]
        created = self._room.create(drafts, self._who) if drafts else []
        bases = {item.task.origin: values_of(item.task) for item in new}
        # Subtasks before parents: a task cannot be done while a subtask is open.
        for item, (task, is_new) in reversed(list(zip(new, created, strict=True))):
            if not is_new:
                # Created by an interrupted import: its current values are the base of the merge.
                bases[item.task.origin] = values_of(ours(self._room, task.uid)[1])
                continue
            checked: list[int | str] = [
                number for number, one in enumerate(item.task.criteria, 1) if one.checked
            ]
            if checked:
                self._room.update(task.uid, Change(check=checked, reason=self._reason), self._who)
            if why := move(self._room, task.uid, item.task.status, self._who, self._reason):
                bases[item.task.origin]["status"] = self._room.get(task.uid).status
                self._report("refused", task, item.task, ("status",), why)
        found = {}
        for item, (task, is_new) in zip(new, created, strict=True):
            origin = item.task.origin
            seen = seen_of(item) if is_new else {}
            found[origin] = Counterpart(origin, task.uid, None, bases[origin], seen)
            if is_new:
                self._report("created_here", task, item.task)
        kept.put(self._room, self._source, *found.values())
        return found

    def _draft(self, task: ForeignTask, new: set[str], pairs: Mapping[str, Counterpart]) -> Draft:
        def named(origin: str, what: str) -> str | None:
            if origin in new:
                return f"#{origin}"
            if origin in pairs:
                return pairs[origin].task
            message = f"The {what} {origin!a} of '{task.origin}' does not exist, and was added to the notes."
            self.problems.append(Problem(self._path, task.line, message))
            notes.append(f"{what}: {origin}")
            return None

        notes = [task.notes] if task.notes else []
        needs: list[tuple[str, Kind]] = [
            (name, "blocks") for origin in task.depends_on if (name := named(origin, "dependency"))
        ]
        parent = None if task.parent is None else named(task.parent, "parent")
        link = TaskLink("file", f"{self._path}#{task.origin}"[:500], None, task.title)
        draft = draft_of(task, link, f"{self._source}#{task.origin}")
        return draft._replace(parent=parent, depends_on=needs, notes="\n".join(notes) or None)

    # Known tasks.

    def _update(
        self, pair: Counterpart, item: FittedTask, pairs: Mapping[str, Counterpart], *, dry_run: bool
    ) -> Counterpart:
        task, mine = ours(self._room, pair.task, pair.origin)
        seen = seen_of(item)
        found = reconcile(pair.base, values_of(mine), seen, prefer=self._prefer)
        base = dict(found.base)
        for clash in found.clashes:
            detail = f"{clash.field} is {clash.ours!a} here and {clash.theirs!a} there"
            self._report("conflict", task, item.task, (clash.field,), detail)
        more = self._more(mine, pair, item, pairs)
        refused: dict[str, str] = {}
        if not dry_run:
            refused = self._add_more(task, more)
            refused |= apply(self._room, task.uid, found.for_us, self._who, self._reason)
        for name, why in refused.items():
            base[name] = pair.base.get(name)
            self._report("refused", task, item.task, (name,), why)
        changed = (
            *(name for name in found.for_us if name not in refused),
            *more.add,
            *(["check"] * bool(more.check)),
        )
        if changed:
            self._report("changed_here", task, item.task, changed)
        elif not refused and not found.clashes:
            self.outcome.unchanged += 1
        return replace(pair, base=base, seen=seen)

    def _add_more(self, task: Task, more: Change) -> dict[str, str]:
        """Add new list items from the file; a dependency that closes a cycle with ours is refused."""
        refused = {}
        needs = more.add.pop("depends_on", [])
        if more.add or more.check:
            self._room.update(task.uid, more, self._who)
        if needs:
            try:
                change = Change(add={"depends_on": needs}, reason=self._reason)
                self._room.update(task.uid, change, self._who)
                more.add["depends_on"] = needs
            except DependencyCycle as cycle:
                refused["depends_on"] = cycle.message
        return refused

    def _more(
        self, mine: ForeignTask, pair: Counterpart, item: FittedTask, pairs: Mapping[str, Counterpart]
    ) -> Change:
        """Return the file's new list items, which are only ever added: criteria, checks, dependencies."""
        change = Change(reason=self._reason)
        known = {one.text: one.checked for one in mine.criteria}
        if new := [one.text for one in item.task.criteria if one.text not in known]:
            change.add["criteria"] = new
        checked_before = set(pair.seen.get("checked", ()))
        change.check = [
            one.text
            for one in item.task.criteria
            if one.checked and not known.get(one.text) and one.text not in checked_before
        ]
        before = set(pair.seen.get("needs", ()))
        needs = [origin for origin in item.task.depends_on if origin not in before and origin in pairs]
        if needs:
            change.add["depends_on"] = [(pairs[origin].task, "blocks") for origin in needs]
        return change

    def _report(
        self, done: Done, task: Task | None, item: ForeignTask, fields: tuple[str, ...] = (),
        detail: str | None = None,
    ) -> None:  # fmt: skip
        detail = detail or (None if item.line is None else f"line {item.line}")
        self.outcome.record(done, None if task is None else task.id, item.title, item, fields, detail)

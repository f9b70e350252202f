"""Tasks of another program's files, made and kept up to date here.

Contract:
- New tasks are made all at once or not at all, with their parents and what they need. Their states come
  afterwards, parts before wholes, through the same gate as everybody's.
- A task is known by its origin. What changed in the file since the last import is taken over; what changed
  here stays; where both changed, the task is left alone and named, unless a side is preferred.
- What the file no longer has stays here. The file itself is never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from holdfast.kernel.call import current_call
from holdfast.storage.files.repo_path import RepoPath
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.imports.circles import without_circles
from holdfast.tasks.imports.models import ImportReport, ImportTasks, told
from holdfast.tasks.imports.source import read, recognised
from holdfast.tasks.store import rows
from holdfast.tasks.store.records import Change, Draft, Link, Task, Who
from holdfast.tasks.store.states import Kind
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts as kept
from holdfast.tasks.trackers.adapter import Fitted, as_foreign, draft_of, fitted, seen_of, values_of
from holdfast.tasks.trackers.applying import apply, move
from holdfast.tasks.trackers.counterparts import Counterpart
from holdfast.tasks.trackers.foreign import ForeignTask, Problem
from holdfast.tasks.trackers.outcome import Done, Outcome, Side, Step
from holdfast.tasks.trackers.three_way_merge import reconcile
from holdfast.tasks.view.results import workspace_ref


def imported(room: Tasks, who: Who, arguments: ImportTasks) -> ImportReport:
    """Import a file or folder, or say what that would do."""
    path = RepoPath.parse(arguments.path)
    chosen = recognised(room.repository, arguments.format, path)
    found, problems = read(room.repository, chosen, path)
    found = without_circles(found, problems, path.text)
    run = Import(room, who, Source(f"{chosen}:{path.text}", chosen, path.text), arguments.prefer)
    outcome = run.planned(found, problems) if arguments.dry_run else run.carried_out(found, problems)
    return ImportReport(
        operation="import",
        workspace=workspace_ref(room.workspace()),
        format=chosen,
        path=path.text,
        dry_run=arguments.dry_run,
        next_steps=["Import again without the dry run."] if arguments.dry_run and outcome.steps else None,
        **told(outcome, problems),
    )


@dataclass(frozen=True)
class Source:
    """Where tasks come from, and what that is called here."""

    name: str
    kind: str
    path: str


class Import:
    """One run over one source."""

    def __init__(self, room: Tasks, who: Who, source: Source, prefer: Side | None) -> None:
        self._room = room
        self._who = who
        self._source = source
        self._prefer = prefer
        self._reason = f"Imported from {source.path}"
        self._outcome = Outcome()

    def planned(self, found: list[ForeignTask], problems: list[Problem]) -> Outcome:
        """Return what an import would do."""
        pairs = self._pairs()
        fitting = self._fitting(found, problems)
        new = {item.task.origin for item in fitting} - pairs.keys()
        for item in fitting:
            if item.task.origin in new:
                self._draft(item.task, new, pairs, problems)  # for what is odd about it
                self._tell("created_here", None, item.task)
            else:
                self._renew(pairs[item.task.origin], item, pairs, dry_run=True)
        return self._outcome

    def carried_out(self, found: list[ForeignTask], problems: list[Problem]) -> Outcome:
        """Import, and return what was done."""
        kept.connect(self._room, self._source.name, self._source.kind, {"path": self._source.path})
        pairs = self._pairs()
        fitting = self._fitting(found, problems)
        fresh = [item for item in fitting if item.task.origin not in pairs]
        pairs |= self._make(fresh, pairs, problems)
        settled_now = {origin for origin, pair in pairs.items() if pair.seen} & {
            item.task.origin for item in fresh
        }
        for number, item in enumerate(item for item in fitting if item.task.origin not in settled_now):
            current_call().progress(number, len(fitting))
            settled = self._renew(pairs[item.task.origin], item, pairs, dry_run=False)
            if settled != pairs[item.task.origin]:
                kept.put(self._room, self._source.name, settled)
        kept.move_mark(self._room, self._source.name, {})
        return self._outcome

    def _pairs(self) -> dict[str, Counterpart]:
        with self._room.reading() as connection:
            workspace = self._room.workspace_in(connection).id
            return kept.counterparts(connection, workspace, self._source.name)

    def _fitting(self, found: list[ForeignTask], problems: list[Problem]) -> list[Fitted]:
        """Return the tasks that fit whole; a text that is too long is named, and its task left out."""
        fitting = []
        for task in found:
            item = fitted(task)
            if "description" in item.cut:
                message = f"The text of '{task.origin}' is too long; the task was left out."
                problems.append(Problem(self._source.path, task.line, message))
            else:
                fitting.append(item)
        return fitting

    # New tasks.

    def _make(
        self, fresh: list[Fitted], pairs: Mapping[str, Counterpart], problems: list[Problem]
    ) -> dict[str, Counterpart]:
        origins = {item.task.origin for item in fresh}
        drafts = [self._draft(item.task, origins, pairs, problems) for item in fresh]
        made = self._room.create(drafts, self._who) if drafts else []
        bases = {item.task.origin: values_of(item.task) for item in fresh}
        # Parts before wholes: a task is not done while a part of it is open.
        for item, (task, is_new) in reversed(list(zip(fresh, made, strict=True))):
            if not is_new:
                # Made by an import that was interrupted: what it has is where we stand.
                bases[item.task.origin] = self._values(task)
                continue
            checked: list[int | str] = [
                number for number, one in enumerate(item.task.criteria, 1) if one.checked
            ]
            if checked:
                self._room.update(task.uid, Change(check=checked, reason=self._reason), self._who)
            if why := move(self._room, task.uid, item.task.status, self._who, self._reason):
                bases[item.task.origin]["status"] = self._room.get(task.uid).status
                self._tell("refused", task, item.task, ("status",), why)
        found = {}
        for item, (task, is_new) in zip(fresh, made, strict=True):
            origin = item.task.origin
            seen = seen_of(item) if is_new else {}
            found[origin] = Counterpart(origin, task.uid, None, bases[origin], seen)
            if is_new:
                self._tell("created_here", task, item.task)
        kept.put(self._room, self._source.name, *found.values())
        return found

    def _values(self, task: Task) -> dict[str, Any]:
        with self._room.reading() as connection:
            return values_of(as_foreign(connection, task, ""))

    def _draft(
        self, task: ForeignTask, new: set[str], pairs: Mapping[str, Counterpart], problems: list[Problem]
    ) -> Draft:
        def named(origin: str, what: str) -> str | None:
            if origin in new:
                return f"#{origin}"
            if origin in pairs:
                return pairs[origin].task
            message = f"'{task.origin}' names {origin!a} as {what}, which is not there; kept as a note."
            problems.append(Problem(self._source.path, task.line, message))
            notes.append(f"{what}: {origin}")
            return None

        notes = [task.notes] if task.notes else []
        needs: list[tuple[str, Kind]] = [
            (name, "blocks") for origin in task.depends_on if (name := named(origin, "what it needs"))
        ]
        parent = None if task.parent is None else named(task.parent, "its parent")
        link = Link("file", f"{self._source.path}#{task.origin}"[:500], None, task.title)
        draft = draft_of(task, link, f"{self._source.name}#{task.origin}")
        return replace(draft, parent=parent, depends_on=needs, notes="\n".join(notes) or None)

    # Tasks that are known.

    def _renew(
        self, pair: Counterpart, item: Fitted, pairs: Mapping[str, Counterpart], *, dry_run: bool
    ) -> Counterpart:
        with self._room.reading() as connection:
            task = rows.task_by_uid(connection, pair.task)
            ours = as_foreign(connection, task, pair.origin)
        seen = seen_of(item)
        found = reconcile(pair.base, values_of(ours), seen, prefer=self._prefer)
        base = dict(found.base)
        for clash in found.clashes:
            detail = f"{clash.field} is {clash.ours!a} here and {clash.theirs!a} there"
            self._tell("conflict", task, item.task, (clash.field,), detail)
        more = self._more(ours, pair, item, pairs)
        refused: dict[str, str] = {}
        if not dry_run:
            refused = self._add_more(task, more)
            refused |= apply(self._room, task.uid, found.for_us, self._who, self._reason)
        for name, why in refused.items():
            base[name] = pair.base.get(name)
            self._tell("refused", task, item.task, (name,), why)
        changed = (
            *(name for name in found.for_us if name not in refused),
            *more.add,
            *(["check"] * bool(more.check)),
        )
        if changed:
            self._tell("changed_here", task, item.task, changed)
        elif not refused and not found.clashes:
            self._outcome.unchanged += 1
        return replace(pair, base=base, seen=seen)

    def _add_more(self, task: Task, more: Change) -> dict[str, str]:
        """Add what the file has; a dependency that closes a circle with those here is refused."""
        refused = {}
        needs = more.add.pop("depends_on", [])
        if more.add or more.check:
            self._room.update(task.uid, more, self._who)
        if needs:
            try:
                change = Change(add={"depends_on": needs}, reason=self._reason)
                self._room.update(task.uid, change, self._who)
                more.add["depends_on"] = needs
            except DependencyCycle as circle:
                refused["depends_on"] = circle.message
        return refused

    def _more(
        self, ours: ForeignTask, pair: Counterpart, item: Fitted, pairs: Mapping[str, Counterpart]
    ) -> Change:
        """Return what the file has that is only ever added: criteria, boxes that were checked, needs."""
        change = Change(reason=self._reason)
        known = {one.text: one.checked for one in ours.criteria}
        if fresh := [one.text for one in item.task.criteria if one.text not in known]:
            change.add["criteria"] = fresh
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

    def _tell(
        self, done: Done, task: Task | None, item: ForeignTask, fields: tuple[str, ...] = (),
        detail: str | None = None,
    ) -> None:  # fmt: skip
        detail = detail or (None if item.line is None else f"line {item.line}")
        name = None if task is None else task.id
        self._outcome.steps.append(Step(done, name, item.origin, item.title, fields, detail))

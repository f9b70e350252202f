"""Two-way synchronisation of tasks and a tracker's items.

Contract:
- Everything is read from the tracker before anything is written. A dry run ends there, has changed nothing on
  either side, and reports what would be done.
- Each item is synchronised by itself and stored at once: an interruption loses nothing, and the next run
  continues from there. An item whose creation was interrupted is found again by the task it names.
- Different changes of one field on both sides are a conflict: it is reported and left alone until a side is
  preferred.
- A change that a gate or a claim refuses is reported, and tried again the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, RateLimited
from holdfast.kernel.text import shorten
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import Change, Task, TaskLink, Who
from holdfast.tasks.store.states import FINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts as stored
from holdfast.tasks.trackers.adapter import (
    FittedTask,
    apply,
    draft_of,
    fit,
    move,
    ours,
    seen_of,
    values_of,
    with_values,
)
from holdfast.tasks.trackers.counterparts import Counterpart, StoredTracker
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.report import Done, SyncOutcome, SyncTerms
from holdfast.tasks.trackers.three_way_merge import Reconciled, reconcile
from holdfast.tasks.trackers.tracker import Mark, Tracker


class Synchronisation:
    """One run against one tracker."""

    def __init__(
        self, room: Tasks, who: Who, tracker: Tracker, known: StoredTracker, terms: SyncTerms
    ) -> None:
        self._room = room
        self._who = who
        self._tracker = tracker
        self._known = known
        self._terms = terms
        self._reason = f"From {known.name}"
        self.outcome = SyncOutcome()

    def run(self) -> SyncOutcome:
        """Synchronise, or report what would be done."""
        call = current_call()
        mark = Mark.of(self._known.mark)
        changed = {found.task.origin: found for found in map(fit, self._tracker.changed(mark))}
        pairs = stored.counterparts(self._room, self._known.name)
        fresh = self._without_task(changed, pairs)
        for number, pair in enumerate(pairs.values()):
            call.progress(number, len(pairs) + len(fresh), f"{len(pairs)} items")
            self._synchronise(pair, changed.get(pair.origin))
        paired = {pair.task for pair in pairs.values()}
        if self._terms.pulls:
            paired.update(self._create_here(fresh))
        if self._terms.pushes and self._terms.create_missing:
            self._send_missing(paired)
        failed = any(step.done == "failed" for step in self.outcome.steps)
        if not self._terms.dry_run and self._terms.pulls and not failed:
            stored.move_mark(self._room, self._known.name, asdict(mark))
        return self.outcome

    def _without_task(
        self, changed: Mapping[str, FittedTask], pairs: dict[str, Counterpart]
    ) -> list[FittedTask]:
        """Return the items without a task; one that names a task of ours becomes its counterpart."""
        fresh: list[FittedTask] = []
        paired = {pair.task for pair in pairs.values()}
        for origin, found in changed.items():
            if origin in pairs:
                continue
            task = self._task_named(found.task.kept.get("uid"))
            if task is not None and task.uid not in paired:
                pair = Counterpart(origin, task.uid, found.task.url, values_of(found.task), seen_of(found))
                pairs[origin] = pair
                if not self._terms.dry_run:
                    stored.put(self._room, self._known.name, pair)
                    self._link(task.uid, found.task)
            elif found.task.status in FINISHED and not self._terms.include_finished:
                self.outcome.skipped += 1
            else:
                fresh.append(found)
        return fresh

    def _task_named(self, uid: object) -> Task | None:
        if not isinstance(uid, str):
            return None
        try:
            return self._room.get(uid)
        except HoldfastError:
            return None

    # One pair.

    def _synchronise(self, pair: Counterpart, changed: FittedTask | None) -> None:
        task, mine = ours(self._room, pair.task, pair.origin)
        seen = dict(pair.seen) if changed is None else seen_of(changed)
        carried = self._tracker.carries - set(seen.get("cut", ()))
        found = reconcile(pair.base, values_of(mine), seen, carried=carried, prefer=self._terms.prefer)
        base = dict(found.base)
        for clash in found.clashes:
            detail = f"here: {_short(clash.ours)}; there: {_short(clash.theirs)}"
            self._record("conflict", task, pair, (clash.field,), detail)
        if found.for_us and not self._apply_here(task, pair, found, base):
            _undo(base, pair.base, found.for_us)
        if found.for_them:
            sent = self._apply_there(task, pair, with_values(mine, found.base), found)
            if sent is None:
                _undo(base, pair.base, found.for_them)
            else:
                seen = {**seen_of(sent), "cut": seen.get("cut", [])}
        if not (found.for_us or found.for_them or found.clashes):
            self.outcome.unchanged += 1
        updated = Counterpart(pair.origin, pair.task, pair.url, base, seen)
        if not self._terms.dry_run and updated != pair:
            stored.put(self._room, self._known.name, updated)

    def _apply_here(self, task: Task, pair: Counterpart, found: Reconciled, base: dict[str, Any]) -> bool:
        """Apply the tracker's changes here; return whether that is allowed at all."""
        if not self._terms.pulls:
            return False
        refused: dict[str, str] = {}
        if not self._terms.dry_run:
            refused = apply(self._room, task.uid, found.for_us, self._who, self._reason)
            _undo(base, pair.base, refused)
        for name, why in refused.items():
            self._record("refused", task, pair, (name,), why)
        taken = tuple(name for name in found.for_us if name not in refused)
        if taken:
            self._record("changed_here", task, pair, taken)
        return True

    def _apply_there(
        self, task: Task, pair: Counterpart, whole: ForeignTask, found: Reconciled
    ) -> FittedTask | None:
        """Send our changes; return the item as it is there afterwards, or None if nothing was sent."""
        if not self._terms.pushes:
            return None
        if not self._terms.dry_run:
            try:
                sent = self._tracker.change(pair.origin, found.for_them, whole)
            except RateLimited:
                raise
            except HoldfastError as error:
                self._record("failed", task, pair, found.for_them, error.message)
                return None
        self._record("changed_there", task, pair, found.for_them)
        return fit(whole if self._terms.dry_run else sent)

    # New on one side.

    def _create_here(self, fresh: list[FittedTask]) -> list[str]:
        """Create tasks for new items, and return their uids."""
        made: list[str] = []
        for found in fresh:
            item = found.task
            task_id = None
            if not self._terms.dry_run:
                key = f"{self._known.name}#{item.origin}"
                task, new = self._room.create([draft_of(item, self._link_to(item), key)], self._who)[0]
                # A task created before an interruption keeps its state; the next run compares it.
                base = self._started(task, item) if new else values_of(ours(self._room, task.uid)[1])
                pair = Counterpart(item.origin, task.uid, item.url, base, seen_of(found))
                stored.put(self._room, self._known.name, pair)
                task_id = task.id
                made.append(task.uid)
            self.outcome.record("created_here", task_id, item.title, item, detail=_truncated(found))
        return made

    def _started(self, task: Task, item: ForeignTask) -> dict[str, Any]:
        """Move a new task to the state of its item, and return the values both agree on."""
        checked: list[int | str] = [number for number, one in enumerate(item.criteria, 1) if one.checked]
        self._room.update(task.uid, Change(set=self._issue(item), check=checked), self._who)
        base = values_of(item)
        if why := move(self._room, task.uid, item.status, self._who, self._reason):
            base["status"] = self._room.get(task.uid).status
            self._record("refused", task, item, ("status",), why)
        return base

    def _send_missing(self, paired: set[str]) -> None:
        for task in list(self._open_tasks()):
            if task.uid in paired:
                continue
            whole = ours(self._room, task.uid)[1]
            made: ForeignTask | None = None
            if not self._terms.dry_run:
                try:
                    made = self.create_there(task, whole)
                except RateLimited:
                    raise
                except HoldfastError as error:
                    self._record("failed", task, None, (), error.message)
                    continue
            self._record("created_there", task, made)

    def create_there(self, task: Task, whole: ForeignTask) -> ForeignTask:
        """Create an item for a task, and store its counterpart."""
        made = self._tracker.create(whole)
        pair = Counterpart(made.origin, task.uid, made.url, values_of(whole), seen_of(fit(made)))
        stored.put(self._room, self._known.name, pair)
        self._link(task.uid, made)
        return made

    def _open_tasks(self) -> Iterator[Task]:
        cursor = None
        states = ("backlog", "in-progress", "blocked", "review")
        while True:
            page = self._room.find(Query(status=states, sort="number", limit=100, cursor=cursor))
            yield from page.tasks
            cursor = page.next_cursor
            if cursor is None:
                return

    # Links and reports.

    def _link(self, uid: str, item: ForeignTask) -> None:
        change = Change(set=self._issue(item), add={"links": [self._link_to(item)]})
        self._room.update(uid, change, self._who)

    def _link_to(self, item: ForeignTask) -> TaskLink:
        kind = "issue" if self._known.kind in ("github", "jira", "linear") else "url"
        separator = "#" if self._known.kind == "github" else "/"
        project = self._known.name.partition(":")[2]
        return TaskLink(kind, f"{project}{separator}{item.origin}", item.url, item.title)

    def _issue(self, item: ForeignTask) -> dict[str, Any]:
        if self._known.kind != "github":
            return {}
        return {"issue_number": int(item.origin), "issue_url": item.url}

    def _record(
        self, done: Done, task: Task, item: Counterpart | ForeignTask | None, fields: Iterable[str] = (),
        detail: str | None = None,
    ) -> None:  # fmt: skip
        self.outcome.record(done, task.id, task.title, item, fields, detail)


def _undo(base: dict[str, Any], before: Mapping[str, Any], names: Any) -> None:
    """Restore the base of fields whose change was not applied."""
    for name in names:
        if name in before:
            base[name] = before[name]
        else:
            base.pop(name, None)


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(" ".join(text.split()), 80)


def _truncated(found: FittedTask) -> str | None:
    return f"Too long, and shortened here: {', '.join(found.cut)}." if found.cut else None

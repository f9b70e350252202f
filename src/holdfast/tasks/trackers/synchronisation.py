"""Two-way synchronisation of tasks with the items of a tracker.

Contract:
- Everything is read from the tracker before anything is written. A dry run changes nothing on either side and
  reports what would be done.
- Items are synchronised and stored one by one, so the next run continues where an interrupted one stopped. An
  item whose creation was interrupted is found again, because its text names the task.
- If both sides changed a field differently, that is a conflict: it is reported, and the field stays as it is
  on both sides unless the caller prefers a side.
- A change that the done gate or a claim refuses is reported, and tried again in the next run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import HoldfastError, InvalidArguments, NotFound, RateLimited
from holdfast.kernel.text import shorten
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Task, TaskLink
from holdfast.tasks.store.states import FINISHED, STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts
from holdfast.tasks.trackers.adapter import (
    FittedTask,
    draft_of,
    fit_to_limits,
    our_task,
    seen_values,
    synced_values,
    with_values,
)
from holdfast.tasks.trackers.counterparts import Counterpart, StoredTracker
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.report import StepKind, SyncOptions, SyncOutcome
from holdfast.tasks.trackers.task_updates import apply_values, move_to_status
from holdfast.tasks.trackers.three_way_merge import MergeResult, merge_values
from holdfast.tasks.trackers.tracker import SyncCursor, Tracker

_TASKS_PER_PAGE = 100
"""Open tasks read at a time, to bound memory. A judgement: a page is usually some hundred kilobytes."""
_MAX_VALUE_CHARACTERS = 80
"""Each side of a conflict is cut to this. A judgement: enough to recognise a text."""


class Synchronisation:
    """One synchronisation with one tracker, with its outcome."""

    def __init__(
        self, room: Tasks, who: CallerIdentity, tracker: Tracker, stored: StoredTracker, options: SyncOptions
    ) -> None:
        self._room = room
        self._who = who
        self._tracker = tracker
        self._stored = stored
        self._options = options
        self._reason = f"From {stored.name}"
        self.outcome = SyncOutcome()

    def run(self) -> SyncOutcome:
        """Synchronise, or in a dry run only record what would be done; return the outcome."""
        call = current_call()
        cursor = SyncCursor.of(self._stored.cursor)
        changed = {
            fitted.task.foreign_id: fitted
            for fitted in map(fit_to_limits, self._tracker.changed_since(cursor))
        }
        pairs = counterparts.read_counterparts(self._room, self._stored.name)
        new_items = self._match_items(changed, pairs)
        for number, pair in enumerate(pairs.values()):
            call.progress(number, len(pairs) + len(new_items), f"{len(pairs)} items")
            self._synchronise(pair, changed.get(pair.foreign_id))
        paired = {pair.task for pair in pairs.values()}
        if self._options.pulls:
            paired.update(self._create_here(new_items))
        if self._options.pushes and self._options.create_missing:
            self._send_missing(paired)
        failed = any(step.done == "failed" for step in self.outcome.steps)
        if not self._options.dry_run and self._options.pulls and not failed:
            counterparts.store_cursor(self._room, self._stored.name, asdict(cursor))
        return self.outcome

    def _match_items(
        self, changed: Mapping[str, FittedTask], pairs: dict[str, Counterpart]
    ) -> list[FittedTask]:
        """Add to `pairs` the items that name one of our tasks; return the other items without a task."""
        new_items: list[FittedTask] = []
        paired = {pair.task for pair in pairs.values()}
        for foreign_id, fitted in changed.items():
            if foreign_id in pairs:
                continue
            task = self._find_task(fitted.task.extra.get("uid"))
            if task is not None and task.uid not in paired:
                pair = Counterpart(
                    foreign_id, task.uid, fitted.task.url, synced_values(fitted.task), seen_values(fitted)
                )
                pairs[foreign_id] = pair
                if not self._options.dry_run:
                    counterparts.store_counterparts(self._room, self._stored.name, pair)
                    self._link(task.uid, fitted.task)
            elif fitted.task.status in FINISHED and not self._options.include_finished:
                self.outcome.skipped += 1
            else:
                new_items.append(fitted)
        return new_items

    def _find_task(self, uid: object) -> Task | None:
        """Return the task with the uid that an item names, or None if there is none."""
        if not isinstance(uid, str):
            return None
        try:
            return self._room.get(uid)
        except (NotFound, InvalidArguments):  # anyone can edit the item's text
            return None

    # Items that have a task.

    def _synchronise(self, pair: Counterpart, changed: FittedTask | None) -> None:
        task, mine = our_task(self._room, pair.task, pair.foreign_id)
        seen = dict(pair.seen) if changed is None else seen_values(changed)
        synced_fields = self._tracker.synced_fields - set(seen.get("cut", ()))
        merged = merge_values(
            pair.base, synced_values(mine), seen, synced_fields=synced_fields, prefer=self._options.prefer
        )
        base = dict(merged.base)
        for conflict in merged.conflicts:
            detail = f"here: {_clip(conflict.ours)}; there: {_clip(conflict.theirs)}"
            self._record("conflict", task, pair, (conflict.field,), detail)
        if merged.for_us and not self._apply_here(task, pair, merged, base):
            _restore_base(base, pair.base, merged.for_us)
        if merged.for_them:
            sent = self._apply_there(task, pair, with_values(mine, merged.base), merged)
            if sent is None:
                _restore_base(base, pair.base, merged.for_them)
            else:
                seen = {**seen_values(sent), "cut": seen.get("cut", [])}
        if not (merged.for_us or merged.for_them or merged.conflicts):
            self.outcome.unchanged += 1
        updated = Counterpart(pair.foreign_id, pair.task, pair.url, base, seen)
        if not self._options.dry_run and updated != pair:
            counterparts.store_counterparts(self._room, self._stored.name, updated)

    def _apply_here(self, task: Task, pair: Counterpart, merged: MergeResult, base: dict[str, Any]) -> bool:
        """Apply the tracker's changes to our task; return False if the direction does not allow that."""
        if not self._options.pulls:
            return False
        refused: dict[str, str] = {}
        if not self._options.dry_run:
            refused = apply_values(self._room, task.uid, merged.for_us, self._who, self._reason)
            _restore_base(base, pair.base, refused)
        for name, why in refused.items():
            self._record("refused", task, pair, (name,), why)
        taken = tuple(name for name in merged.for_us if name not in refused)
        if taken:
            self._record("changed_here", task, pair, taken)
        return True

    def _apply_there(
        self, task: Task, pair: Counterpart, whole: ForeignTask, merged: MergeResult
    ) -> FittedTask | None:
        """Send our changes; return the item as the tracker then has it, or None if nothing was sent."""
        if not self._options.pushes:
            return None
        if not self._options.dry_run:
            try:
                sent = self._tracker.change(pair.foreign_id, merged.for_them, whole)
            except RateLimited:
                raise
            except HoldfastError as error:
                self._record("failed", task, pair, merged.for_them, error.message)
                return None
        self._record("changed_there", task, pair, merged.for_them)
        return fit_to_limits(whole if self._options.dry_run else sent)

    # Items and tasks without a counterpart.

    def _create_here(self, new_items: list[FittedTask]) -> list[str]:
        """Create tasks for new items, and return their uids."""
        created: list[str] = []
        for fitted in new_items:
            item = fitted.task
            task_id = None
            if not self._options.dry_run:
                key = f"{self._stored.name}#{item.foreign_id}"
                task, is_new = self._room.create([draft_of(item, self._link_to(item), key)], self._who)[0]
                # A task created before an interruption keeps its state; the next run compares it.
                if is_new:
                    base = self._set_initial_state(task, item)
                else:
                    base = synced_values(our_task(self._room, task.uid).item)
                pair = Counterpart(item.foreign_id, task.uid, item.url, base, seen_values(fitted))
                counterparts.store_counterparts(self._room, self._stored.name, pair)
                task_id = task.id
                created.append(task.uid)
            self.outcome.record("created_here", task_id, item.title, item, detail=_truncation_note(fitted))
        return created

    def _set_initial_state(self, task: Task, item: ForeignTask) -> dict[str, Any]:
        """Move a new task to the state of its item; return the values that both sides then agree on."""
        checked: list[int | str] = [
            number for number, criterion in enumerate(item.criteria, 1) if criterion.checked
        ]
        self._room.update(task.uid, Change(set=self._issue_columns(item), check=checked), self._who)
        base = synced_values(item)
        if why := move_to_status(self._room, task.uid, item.status, self._who, self._reason):
            base["status"] = self._room.get(task.uid).status
            self._record("refused", task, item, ("status",), why)
        return base

    def _send_missing(self, paired: set[str]) -> None:
        """Create items for the open tasks that have none."""
        for task in self._open_tasks():
            if task.uid in paired:
                continue
            whole = our_task(self._room, task.uid).item
            created: ForeignTask | None = None
            if not self._options.dry_run:
                try:
                    created = self.create_there(task, whole)
                except RateLimited:
                    raise
                except HoldfastError as error:
                    self._record("failed", task, None, (), error.message)
                    continue
            self._record("created_there", task, created)

    def create_there(self, task: Task, whole: ForeignTask) -> ForeignTask:
        """Create an item for a task, store the pair, and return the item."""
        created = self._tracker.create(whole)
        pair = Counterpart(
            created.foreign_id,
            task.uid,
            created.url,
            synced_values(whole),
            seen_values(fit_to_limits(created)),
        )
        counterparts.store_counterparts(self._room, self._stored.name, pair)
        self._link(task.uid, created)
        return created

    def _open_tasks(self) -> Iterator[Task]:
        """Yield the unfinished tasks by number, so that links added meanwhile do not change the pages."""
        cursor = None
        states = tuple(status for status in STATUSES if status not in FINISHED)
        while True:
            page = self._room.find(Query(status=states, sort="number", limit=_TASKS_PER_PAGE, cursor=cursor))
            yield from page.tasks
            cursor = page.next_cursor
            if cursor is None:
                return

    # Links and reports.

    def _link(self, uid: str, item: ForeignTask) -> None:
        change = Change(set=self._issue_columns(item), add={"links": [self._link_to(item)]})
        self._room.update(uid, change, self._who)

    def _link_to(self, item: ForeignTask) -> TaskLink:
        """Return the link from a task to its item, such as `owner/name#12`."""
        kind = "issue" if self._stored.kind in ("github", "jira", "linear") else "url"
        separator = "#" if self._stored.kind == "github" else "/"
        project = self._stored.name.partition(":")[2]
        return TaskLink(kind, f"{project}{separator}{item.foreign_id}", item.url, item.title)

    def _issue_columns(self, item: ForeignTask) -> dict[str, Any]:
        """Return the task's fields for a GitHub issue; other trackers have none."""
        if self._stored.kind != "github":
            return {}
        return {"issue_number": int(item.foreign_id), "issue_url": item.url}

    def _record(
        self, done: StepKind, task: Task, item: Counterpart | ForeignTask | None, fields: Iterable[str] = (),
        detail: str | None = None,
    ) -> None:  # fmt: skip
        self.outcome.record(done, task.id, task.title, item, fields, detail)


def _restore_base(base: dict[str, Any], before: Mapping[str, Any], names: Iterable[str]) -> None:
    """Restore the base of fields whose change was not applied, so that the next run finds it again."""
    for name in names:
        if name in before:
            base[name] = before[name]
        else:
            base.pop(name, None)


def _clip(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(" ".join(text.split()), _MAX_VALUE_CHARACTERS)


def _truncation_note(fitted: FittedTask) -> str | None:
    return f"Too long, and shortened here: {', '.join(fitted.cut)}." if fitted.cut else None

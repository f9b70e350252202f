"""Keeping tasks and a tracker's items in step.

Contract:
- Everything is read from the tracker before anything is written. A dry run ends there, having changed
  nothing on either side, and tells what would be done.
- Each item is settled by itself and remembered at once: an interruption loses nothing, and the next time
  goes on from there. An item whose making was interrupted is found again by the task it names.
- Two different changes of one field are told and left alone, on both sides, until somebody prefers a side.
- What a gate or a claim refuses is told, and offered again the next time.
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
from holdfast.tasks.trackers import counterparts as kept
from holdfast.tasks.trackers.adapter import (
    Fitted,
    apply,
    draft_of,
    fitted,
    move,
    ours,
    seen_of,
    values_of,
    with_values,
)
from holdfast.tasks.trackers.counterparts import Counterpart, Known
from holdfast.tasks.trackers.foreign import ForeignTask
from holdfast.tasks.trackers.report import Done, Outcome, SyncTerms
from holdfast.tasks.trackers.three_way_merge import Reconciled, reconcile
from holdfast.tasks.trackers.tracker import Mark, Tracker


class Synchronisation:
    """One run against one tracker."""

    def __init__(self, room: Tasks, who: Who, tracker: Tracker, known: Known, terms: SyncTerms) -> None:
        self._room = room
        self._who = who
        self._tracker = tracker
        self._known = known
        self._terms = terms
        self._reason = f"From {known.name}"
        self.outcome = Outcome()

    def run(self) -> Outcome:
        """Do it, or say what would be done."""
        call = current_call()
        mark = Mark.of(self._known.mark)
        changed = {found.task.origin: found for found in map(fitted, self._tracker.changed(mark))}
        pairs = kept.counterparts(self._room, self._known.name)
        fresh = self._sorted_out(changed, pairs)
        for number, pair in enumerate(pairs.values()):
            call.progress(number, len(pairs) + len(fresh), f"{len(pairs)} items")
            self._settle(pair, changed.get(pair.origin))
        paired = {pair.task for pair in pairs.values()}
        if self._terms.pulls:
            paired.update(self._take_over(fresh))
        if self._terms.pushes and self._terms.create_missing:
            self._send_missing(paired)
        failed = any(step.done == "failed" for step in self.outcome.steps)
        if not self._terms.dry_run and self._terms.pulls and not failed:
            kept.move_mark(self._room, self._known.name, asdict(mark))
        return self.outcome

    def _sorted_out(self, changed: Mapping[str, Fitted], pairs: dict[str, Counterpart]) -> list[Fitted]:
        """Return the items nobody here knows; one that names a task of ours becomes its counterpart."""
        fresh: list[Fitted] = []
        paired = {pair.task for pair in pairs.values()}
        for origin, found in changed.items():
            if origin in pairs:
                continue
            task = self._named(found.task.kept.get("uid"))
            if task is not None and task.uid not in paired:
                pair = Counterpart(origin, task.uid, found.task.url, values_of(found.task), seen_of(found))
                pairs[origin] = pair
                if not self._terms.dry_run:
                    kept.put(self._room, self._known.name, pair)
                    self._link(task.uid, found.task)
            elif found.task.status in FINISHED and not self._terms.include_finished:
                self.outcome.skipped += 1
            else:
                fresh.append(found)
        return fresh

    def _named(self, uid: object) -> Task | None:
        if not isinstance(uid, str):
            return None
        try:
            return self._room.get(uid)
        except HoldfastError:
            return None

    # One pair.

    def _settle(self, pair: Counterpart, changed: Fitted | None) -> None:
        task, mine = ours(self._room, pair.task, pair.origin)
        seen = dict(pair.seen) if changed is None else seen_of(changed)
        carried = self._tracker.carries - set(seen.get("cut", ()))
        found = reconcile(pair.base, values_of(mine), seen, carried=carried, prefer=self._terms.prefer)
        base = dict(found.base)
        for clash in found.clashes:
            detail = f"here: {_short(clash.ours)}; there: {_short(clash.theirs)}"
            self._tell("conflict", task, pair, (clash.field,), detail)
        if found.for_us and not self._settle_here(task, pair, found, base):
            _undo(base, pair.base, found.for_us)
        if found.for_them:
            sent = self._settle_there(task, pair, with_values(mine, found.base), found)
            if sent is None:
                _undo(base, pair.base, found.for_them)
            else:
                seen = {**seen_of(sent), "cut": seen.get("cut", [])}
        if not (found.for_us or found.for_them or found.clashes):
            self.outcome.unchanged += 1
        settled = Counterpart(pair.origin, pair.task, pair.url, base, seen)
        if not self._terms.dry_run and settled != pair:
            kept.put(self._room, self._known.name, settled)

    def _settle_here(self, task: Task, pair: Counterpart, found: Reconciled, base: dict[str, Any]) -> bool:
        """Take over what changed there; return whether any of it was."""
        if not self._terms.pulls:
            return False
        refused: dict[str, str] = {}
        if not self._terms.dry_run:
            refused = apply(self._room, task.uid, found.for_us, self._who, self._reason)
            _undo(base, pair.base, refused)
        for name, why in refused.items():
            self._tell("refused", task, pair, (name,), why)
        taken = tuple(name for name in found.for_us if name not in refused)
        if taken:
            self._tell("changed_here", task, pair, taken)
        return True

    def _settle_there(
        self, task: Task, pair: Counterpart, whole: ForeignTask, found: Reconciled
    ) -> Fitted | None:
        """Send what changed here; return the item as it is there afterwards, or None when it was not sent."""
        if not self._terms.pushes:
            return None
        if not self._terms.dry_run:
            try:
                sent = self._tracker.change(pair.origin, found.for_them, whole)
            except RateLimited:
                raise
            except HoldfastError as error:
                self._tell("failed", task, pair, found.for_them, error.message)
                return None
        self._tell("changed_there", task, pair, found.for_them)
        return fitted(whole if self._terms.dry_run else sent)

    # New on one side.

    def _take_over(self, fresh: list[Fitted]) -> list[str]:
        """Make tasks of new items, and return the names for ever of those that were made."""
        made: list[str] = []
        for found in fresh:
            item = found.task
            task_id = None
            if not self._terms.dry_run:
                key = f"{self._known.name}#{item.origin}"
                task, new = self._room.create([draft_of(item, self._link_to(item), key)], self._who)[0]
                # One that was made before an interruption stands where it stands; the next time settles it.
                base = self._begun(task, item) if new else values_of(ours(self._room, task.uid)[1])
                pair = Counterpart(item.origin, task.uid, item.url, base, seen_of(found))
                kept.put(self._room, self._known.name, pair)
                task_id = task.id
                made.append(task.uid)
            self.outcome.tell("created_here", task_id, item.title, item, detail=_cut(found))
        return made

    def _begun(self, task: Task, item: ForeignTask) -> dict[str, Any]:
        """Bring a new task to where its item is, and return what both agree on."""
        checked: list[int | str] = [number for number, one in enumerate(item.criteria, 1) if one.checked]
        self._room.update(task.uid, Change(set=self._issue(item), check=checked), self._who)
        base = values_of(item)
        if why := move(self._room, task.uid, item.status, self._who, self._reason):
            base["status"] = self._room.get(task.uid).status
            self._tell("refused", task, item, ("status",), why)
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
                    self._tell("failed", task, None, (), error.message)
                    continue
            self._tell("created_there", task, made)

    def create_there(self, task: Task, whole: ForeignTask) -> ForeignTask:
        """Make an item for a task, and remember which it is."""
        made = self._tracker.create(whole)
        pair = Counterpart(made.origin, task.uid, made.url, values_of(whole), seen_of(fitted(made)))
        kept.put(self._room, self._known.name, pair)
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

    # Links and words.

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

    def _tell(
        self, done: Done, task: Task, item: Counterpart | ForeignTask | None, fields: Iterable[str] = (),
        detail: str | None = None,
    ) -> None:  # fmt: skip
        self.outcome.tell(done, task.id, task.title, item, fields, detail)


def _undo(base: dict[str, Any], before: Mapping[str, Any], names: Any) -> None:
    """Let fields that were not carried out count as not agreed on."""
    for name in names:
        if name in before:
            base[name] = before[name]
        else:
            base.pop(name, None)


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shorten(" ".join(text.split()), 80)


def _cut(found: Fitted) -> str | None:
    return f"Too long, and shortened here: {', '.join(found.cut)}." if found.cut else None

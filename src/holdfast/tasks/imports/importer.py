"""Tasks of another program's files, made and kept up to date here.

Contract:
- New tasks are made all at once or not at all, with their parents and what they need. Their states come
  afterwards, parts before wholes, through the same gate as everybody's.
- A task is known by its origin. What changed in the file since the last import is taken over; what changed
  here stays; where both changed, the task is left alone and named, unless a side is preferred.
- What the file no longer has stays here. The file itself is never written.
- Where tasks of a file wait for each other, the dependency that closes the cycle is left out, and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import Invalid, NotFound, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.tasks.errors import DependencyCycle
from holdfast.tasks.imports.backlog_folder import FOLDERS, read_backlog
from holdfast.tasks.imports.check_list import read_check_list
from holdfast.tasks.imports.task_master import read_task_master
from holdfast.tasks.store.records import Change, Draft, Link, Task, Who
from holdfast.tasks.store.states import Kind
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.trackers import counterparts as kept
from holdfast.tasks.trackers.adapter import FittedTask, apply, draft_of, fit, move, ours, seen_of, values_of
from holdfast.tasks.trackers.counterparts import Counterpart
from holdfast.tasks.trackers.foreign import ForeignTask, Problem
from holdfast.tasks.trackers.report import Done, Side, SyncOutcome
from holdfast.tasks.trackers.three_way_merge import reconcile


def without_cycles(found: list[ForeignTask], problems: list[Problem], file: str) -> list[ForeignTask]:
    """Return the tasks without those dependencies and parents that would make one wait for itself."""
    waits: dict[str, set[str]] = {task.origin: set() for task in found}
    kept: dict[str, str | None] = {}
    for task in found:
        kept[task.origin] = task.parent
        if task.parent is not None and not _joined(waits, task.origin, task.parent):
            kept[task.origin] = None
            problems.append(_left_out(file, task, task.parent, "its parent"))
    plain = []
    for task in found:
        needs = []
        for origin in task.depends_on:
            if _joined(waits, task.origin, origin):
                needs.append(origin)
            else:
                problems.append(_left_out(file, task, origin, "what it needs"))
        plain.append(replace(task, depends_on=tuple(needs), parent=kept[task.origin]))
    return plain


def _left_out(file: str, task: ForeignTask, other: str, what: str) -> Problem:
    message = f"'{task.origin}' and {other!a} would wait for each other; {other!a} as {what} was left out."
    return Problem(file, task.line, message)


def _joined(waits: dict[str, set[str]], task: str, other: str) -> bool:
    """Let a task wait for another, unless that one waits for it already."""
    if other in waits:
        if other == task or _reaches(waits, other, task):
            return False
        waits[task].add(other)
    return True


def _reaches(waits: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, frontier = {start}, [start]
    while frontier:
        for following in waits[frontier.pop()]:
            if following == end:
                return True
            if following not in seen:
                seen.add(following)
                frontier.append(following)
    return False


SourceFormat = Literal["todo", "backlog", "task-master"]
Format = Literal["auto"] | SourceFormat
_READERS = {"todo": read_check_list, "task-master": read_task_master}


def recognised(repository: Repository, format: Format, path: RepoPath) -> SourceFormat:  # noqa: A002 - as in the input
    """Return the format that is meant; `auto` goes by what the path names."""
    if format != "auto":
        return format
    if not Tree(repository).exists(path):
        return "backlog"
    return "task-master" if path.name.lower().endswith(".json") else "todo"


def read(
    repository: Repository, kind: SourceFormat, path: RepoPath
) -> tuple[list[ForeignTask], list[Problem]]:
    """Return the tasks at a path, parents before their parts, and what is odd about them."""
    tree = Tree(repository)
    if kind != "backlog":
        return _READERS[kind](_text(tree, path), path.text)
    if tree.exists(path):
        raise Invalid(
            f"'{path.text}' is a file, and Backlog.md keeps tasks in a folder.",
            hint="Name the folder that holds 'tasks', such as 'backlog', or another format.",
        )
    files = [
        file
        for folder in FOLDERS
        for file in tree.files_in(RepoPath.parse(f"{path.text}/{folder}"))
        if file.name.endswith(".md")
    ]
    if not files:
        raise NotFound(
            f"There is no folder of tasks in '{path.text}'.",
            hint="Name the folder that holds 'tasks', such as 'backlog'.",
        )
    if len(files) > LIMITS.import_files:
        raise TooLarge(f"'{path.text}' holds more than {LIMITS.import_files} tasks.", hint="Import fewer.")
    unread: list[Problem] = []
    found, problems = read_backlog(_texts(tree, path, files, unread))
    return found, unread + problems


def _texts(tree: Tree, folder: RepoPath, files: list[RepoPath], unread: list[Problem]) -> dict[str, str]:
    found, left = {}, LIMITS.import_folder_bytes
    for file in files:
        name = file.text.removeprefix(f"{folder.text}/")
        try:
            text = found[name] = _text(tree, file)
        except (Invalid, TooLarge, NotFound) as failure:
            unread.append(Problem(name, None, f"{failure.message} The file was left out."))
            continue
        left -= len(text)
        if left < 0:
            most = f"{LIMITS.import_folder_bytes:,} characters"
            raise TooLarge(f"The tasks in '{folder.text}' have more than {most}.", hint="Import fewer.")
    return found


def _text(tree: Tree, path: RepoPath) -> str:
    try:
        return tree.read_bytes(path, LIMITS.import_file_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            f"'{path.text}' is not UTF-8 text: byte {error.start} is odd.", hint="Save it as UTF-8."
        ) from None


class Import:
    """One run over one source: what it did, and what it found odd."""

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
        """Import, or find out what that would do; return the format of the source."""
        chosen = recognised(self._room.repository, format, self._place)
        self._source = f"{chosen}:{self._path}"
        found, self.problems = read(self._room.repository, chosen, self._place)
        fitting = self._fitting(without_cycles(found, self.problems, self._path))
        if dry_run:
            self._plan(fitting)
        else:
            kept.connect(self._room, self._source, chosen, {"path": self._path})
            self._carry_out(fitting)
        return chosen

    def _plan(self, fitting: list[FittedTask]) -> None:
        pairs = kept.counterparts(self._room, self._source)
        new = {item.task.origin for item in fitting} - pairs.keys()
        for item in fitting:
            if item.task.origin in new:
                self._draft(item.task, new, pairs)  # for what is odd about it
                self._tell("created_here", None, item.task)
            else:
                self._renew(pairs[item.task.origin], item, pairs, dry_run=True)

    def _carry_out(self, fitting: list[FittedTask]) -> None:
        pairs = kept.counterparts(self._room, self._source)
        fresh = [item for item in fitting if item.task.origin not in pairs]
        pairs |= self._make(fresh, pairs)
        settled_now = {origin for origin, pair in pairs.items() if pair.seen} & {
            item.task.origin for item in fresh
        }
        for number, item in enumerate(item for item in fitting if item.task.origin not in settled_now):
            current_call().progress(number, len(fitting))
            settled = self._renew(pairs[item.task.origin], item, pairs, dry_run=False)
            if settled != pairs[item.task.origin]:
                kept.put(self._room, self._source, settled)
        kept.move_mark(self._room, self._source, {})

    def _fitting(self, found: list[ForeignTask]) -> list[FittedTask]:
        """Return the tasks that fit whole; a text that is too long is named, and its task left out."""
        fitting = []
        for task in found:
            item = fit(task)
            if "description" in item.cut:
                message = f"The text of '{task.origin}' is too long; the task was left out."
                self.problems.append(Problem(self._path, task.line, message))
            else:
                fitting.append(item)
        return fitting

    # New tasks.

    def _make(self, fresh: list[FittedTask], pairs: Mapping[str, Counterpart]) -> dict[str, Counterpart]:
        origins = {item.task.origin for item in fresh}
        drafts = [self._draft(item.task, origins, pairs) for item in fresh]
        made = self._room.create(drafts, self._who) if drafts else []
        bases = {item.task.origin: values_of(item.task) for item in fresh}
        # Parts before wholes: a task is not done while a part of it is open.
        for item, (task, is_new) in reversed(list(zip(fresh, made, strict=True))):
            if not is_new:
                # Made by an import that was interrupted: what it has is where we stand.
                bases[item.task.origin] = values_of(ours(self._room, task.uid)[1])
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
        kept.put(self._room, self._source, *found.values())
        return found

    def _draft(self, task: ForeignTask, new: set[str], pairs: Mapping[str, Counterpart]) -> Draft:
        def named(origin: str, what: str) -> str | None:
            if origin in new:
                return f"#{origin}"
            if origin in pairs:
                return pairs[origin].task
            message = f"'{task.origin}' names {origin!a} as {what}, which is not there; kept as a note."
            self.problems.append(Problem(self._path, task.line, message))
            notes.append(f"{what}: {origin}")
            return None

        notes = [task.notes] if task.notes else []
        needs: list[tuple[str, Kind]] = [
            (name, "blocks") for origin in task.depends_on if (name := named(origin, "what it needs"))
        ]
        parent = None if task.parent is None else named(task.parent, "its parent")
        link = Link("file", f"{self._path}#{task.origin}"[:500], None, task.title)
        draft = draft_of(task, link, f"{self._source}#{task.origin}")
        return draft._replace(parent=parent, depends_on=needs, notes="\n".join(notes) or None)

    # Tasks that are known.

    def _renew(
        self, pair: Counterpart, item: FittedTask, pairs: Mapping[str, Counterpart], *, dry_run: bool
    ) -> Counterpart:
        task, mine = ours(self._room, pair.task, pair.origin)
        seen = seen_of(item)
        found = reconcile(pair.base, values_of(mine), seen, prefer=self._prefer)
        base = dict(found.base)
        for clash in found.clashes:
            detail = f"{clash.field} is {clash.ours!a} here and {clash.theirs!a} there"
            self._tell("conflict", task, item.task, (clash.field,), detail)
        more = self._more(mine, pair, item, pairs)
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
            self.outcome.unchanged += 1
        return replace(pair, base=base, seen=seen)

    def _add_more(self, task: Task, more: Change) -> dict[str, str]:
        """Add what the file has; a dependency that closes a cycle with those here is refused."""
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
        """Return what the file has that is only ever added: criteria, boxes that were checked, needs."""
        change = Change(reason=self._reason)
        known = {one.text: one.checked for one in mine.criteria}
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
        self.outcome.record(done, None if task is None else task.id, item.title, item, fields, detail)

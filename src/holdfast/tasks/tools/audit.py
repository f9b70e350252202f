"""`taskpilot_audit`: what does not fit together, how bad it is, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, Literal, NamedTuple

from pydantic import Field, StrictBool

from holdfast.kernel.call import current_call
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.tasks.inputs import linked
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.store import dependencies, lease, rows
from holdfast.tasks.store.gate import proves
from holdfast.tasks.store.history import differing
from holdfast.tasks.store.query import LEFT_BEHIND
from holdfast.tasks.store.records import COLUMNS, Task, Who, task_id, task_number
from holdfast.tasks.store.session import acting
from holdfast.tasks.store.states import FINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.transaction import Transaction
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.budget import fitting
from holdfast.tasks.view.overview import DAY_SECONDS, STALE_DAYS
from holdfast.tasks.view.results import workspace_ref

Scope = Literal["full", "tasks", "dependencies", "files"]
Code = Literal[
    "ORPHAN_DEP", "CYCLE", "DONE_INCOMPLETE", "STALE_CLAIM", "STALE_TASK", "NO_CRITERIA", "MISSING_FILE",
    "OPEN_SUBTASK", "NO_EVIDENCE", "DUPLICATE", "WRONG_COUNT", "HISTORY", "ORPHAN_COMMENT", "ISSUE_DRIFT",
]  # fmt: skip
Severity = Literal["error", "warning", "info"]

_CHECKS: Mapping[Code, tuple[Severity, str]] = {
    "DONE_INCOMPLETE": ("error", "Reopen it, or check what is met."),
    "NO_EVIDENCE": ("error", "Add evidence."),
    "OPEN_SUBTASK": ("error", "Finish the parts."),
    "STALE_CLAIM": ("warning", "Take it, or use fix_issues to give it back."),
    "STALE_TASK": ("warning", "Go on, or give it back."),
    "NO_CRITERIA": ("info", "Add criteria."),
    "ORPHAN_DEP": ("warning", "Remove the dependency, or depend on another task."),
    "WRONG_COUNT": ("error", "Use fix_issues to put it right."),
    "MISSING_FILE": ("warning", "Name the file by its new path, or remove it from the task."),
    "DUPLICATE": ("info", "Drop one of them."),
    "HISTORY": ("error", "Keep a copy of the database."),
    "ORPHAN_COMMENT": ("warning", "Move the comment to where its code is now, or remove the link."),
    "ISSUE_DRIFT": ("warning", "Bring task and issue to the same state, or remove the link."),
}
"""How bad each finding is, and what to do about it."""
_MOST_FINDINGS = 30
_FINDINGS_BYTES = 6000
_AT_ONCE = 500
_MARKS_EACH = 16
_OPEN_TASKS = "SELECT n FROM task WHERE workspace = :workspace AND status NOT IN ('done', 'dropped')"


class AuditTasks(InSession):
    """What to look at."""

    scope: Scope = Field(default="full", description="What to look at.")
    fix_issues: StrictBool = Field(
        default=False, description="Mend what is safe to mend, and say what was done."
    )


class AuditFinding(Result):
    """Something that does not fit."""

    code: Code
    severity: Severity
    task_id: str | None = None
    detail: UntrustedText
    fix: str | None = Field(default=None, description="What to do about it.")


class _Candidate(NamedTuple):
    """A finding, before it is known whether there is room for it."""

    code: Code
    task_id: str
    detail: str


class Completion(Result):
    """Whether everything is done."""

    ready: bool
    blockers: list[str] | None = Field(default=None, description="The first open tasks.")


class AuditResult(Reported):
    """What an audit found."""

    findings: list[AuditFinding]
    total: int = Field(description="How many findings there are; the worst are shown.")
    score: int = Field(description="Percent of tasks without an error or a warning.")
    completion: Completion
    fixed: list[str]
    truncated: bool | None = Field(
        default=None, description="Set where findings were left out; `scope` narrows what is looked at."
    )


def audit_words(result: Any) -> str:
    """Return what an audit found, the worst first."""
    lines = [
        f"[{item.severity}] {item.code}{f' {item.task_id}' if item.task_id else ''}: {one_line(item.detail)}"
        for item in result.findings
    ]
    ready = "complete" if result.completion.ready else "not complete"
    return "\n".join([*lines, f"Score {result.score} of 100; the workspace is {ready}."])


@tasks.operation(
    "taskpilot_audit",
    title="Audit the tasks",
    effect=Effect.WRITE,
    listed=False,
    idempotent=True,
    command="audit",
    example="holdfast tasks audit --scope dependencies",
    specified=True,
    text=audit_words,
    annotations=READING,
    seconds=LIMITS.sync_seconds,
)
def audit(room: Tasks, arguments: AuditTasks) -> AuditResult:
    """Look for what does not fit together: done without proof, stale claims, missing files, dropped needs.

    Nothing changes unless `fix_issues` is given; then claims that ran out are given back and counts mended.
    """
    who = acting(room, arguments)
    fixed = _fix(room, who) if arguments.fix_issues else []
    with room.reading() as transaction:
        workspace = transaction.workspace
        count = transaction.ask("SELECT count(*) FROM task WHERE workspace = :workspace").fetchone()[0]
        open_tasks = transaction.ask(f"{_OPEN_TASKS} ORDER BY n LIMIT 5").fetchall()
        tally = _Tally(workspace.next_number)
        for item in _findings(room, transaction, arguments.scope):
            tally.add(item)
    shown = fitting(map(_finding, tally.worst()), _FINDINGS_BYTES)
    unfinished = [task_id(number) for (number,) in open_tasks]
    return AuditResult(
        operation="audit",
        workspace=workspace_ref(workspace),
        findings=shown,
        total=tally.total,
        score=100 * (count - sum(tally.troubled)) // count if count else 100,
        completion=Completion(ready=not unfinished, blockers=unfinished or None),
        fixed=fixed[:_MOST_FINDINGS],
        truncated=True if len(shown) < tally.total else None,
    )


class _Tally:
    """What is kept of any number of findings: the first of each severity, and which tasks are in trouble."""

    def __init__(self, next_number: int) -> None:
        self.total = 0
        self.troubled = bytearray(next_number)
        self._first: dict[Severity, list[_Candidate]] = {"error": [], "warning": [], "info": []}

    def add(self, found: _Candidate) -> None:
        severity = _CHECKS[found.code][0]
        self.total += 1
        self.troubled[task_number(found.task_id)] |= severity != "info"
        if len(self._first[severity]) < _MOST_FINDINGS:
            self._first[severity].append(found)

    def worst(self) -> list[_Candidate]:
        return list(chain.from_iterable(self._first.values()))[:_MOST_FINDINGS]


def _finding(found: _Candidate) -> AuditFinding:
    severity, fix = _CHECKS[found.code]
    return AuditFinding(severity=severity, fix=fix, **found._asdict())


def _findings(room: Tasks, transaction: Transaction, scope: Scope) -> Iterator[_Candidate]:
    if scope in ("full", "tasks"):
        for some in _pages(transaction, COLUMNS):
            tasks = [Task._make(row) for row in some]
            for task in tasks:
                yield from _about(transaction, task)
            for task in differing(transaction, tasks):
                yield _Candidate("HISTORY", task.id, "Its events tell another story.")
        yield from _open_parts(transaction)
        yield from _duplicates(transaction)
    if scope in ("full", "dependencies"):
        yield from _dependencies(transaction)
    if scope in ("full", "files"):
        yield from _files(room, transaction)
        yield from _linked(room, transaction, "comment")
    if scope in ("full", "tasks"):
        yield from _linked(room, transaction, "issue")
        yield from _elsewhere(transaction)


def _pages(transaction: Transaction, columns: str) -> Iterator[list[Any]]:
    """Yield all tasks in order, some at a time, so that memory stays flat; the third column is the number."""
    query = f"SELECT {columns} FROM task WHERE workspace = :workspace AND n > :after ORDER BY n LIMIT :most"
    after, count = 0, transaction.workspace.next_number
    while found := transaction.ask(query, after=after, most=_AT_ONCE).fetchall():
        yield found
        after = found[-1][2]
        current_call().progress(after, count, "Auditing tasks")


def _about(transaction: Transaction, task: Task) -> Iterator[_Candidate]:
    now = transaction.now
    if task.status == "done":
        criteria = json.loads(task.criteria)
        unmet = [number for number, item in enumerate(criteria, 1) if not item["checked"]]
        if unmet:
            told = f"It is done, but criterion {unmet[0]} is not checked."
            yield _Candidate("DONE_INCOMPLETE", task.id, told)
        proofs = json.loads(task.evidence)
        if transaction.workspace.gate == "evidence" and not any(proves(item) for item in proofs):
            yield _Candidate("NO_EVIDENCE", task.id, "It is done without evidence.")
        return
    in_progress = task.status == "in-progress"
    if in_progress and task.claim_agent is not None and task.claimed_by(now) is None:
        yield _Candidate("STALE_CLAIM", task.id, "The claim on it ran out.")
    if in_progress and task.updated_at < now - STALE_DAYS * DAY_SECONDS:
        yield _Candidate("STALE_TASK", task.id, f"Nobody touched it for {STALE_DAYS} days.")
    if task.criteria == "[]" and task.status not in FINISHED:
        yield _Candidate("NO_CRITERIA", task.id, "Nothing says when it is done.")


def _open_parts(transaction: Transaction) -> Iterator[_Candidate]:
    found = transaction.ask(
        "SELECT DISTINCT task.n FROM task part JOIN task ON task.uid = part.parent"
        " WHERE task.workspace = :workspace AND task.status = 'done'"
        " AND part.status NOT IN ('done', 'dropped') ORDER BY task.n"
    )
    for (number,) in found:
        yield _Candidate("OPEN_SUBTASK", task_id(number), "It is done, but a part of it is open.")


def _dependencies(transaction: Transaction) -> Iterator[_Candidate]:
    pairs = transaction.ask(
        "SELECT task.n, other.n FROM dependency JOIN task ON task.uid = dependency.task"
        " JOIN task other ON other.uid = dependency.needs WHERE task.workspace = :workspace"
        " AND dependency.kind = 'blocks' AND other.status = 'dropped'"
        " AND task.status NOT IN ('done', 'dropped') ORDER BY task.n, other.n"
    )
    for number, needed in pairs:
        yield _Candidate("ORPHAN_DEP", task_id(number), f"It needs {task_id(needed)}, which was dropped.")
    wrong = dependencies.wrong_counts(transaction, transaction.workspace.id)
    names = rows.ids_of(transaction, [uid for uid, _, _ in wrong])
    for uid, waits, kept in wrong:
        told = f"It is kept as waiting for {kept}, and waits for {waits}."
        yield _Candidate("WRONG_COUNT", names[uid], told)


def _files(room: Tasks, transaction: Transaction) -> Iterator[_Candidate]:
    if room.repository.bare:
        return
    exists = cache(lambda path: Tree(room.repository).exists(RepoPath.parse(path)))
    found = transaction.ask(
        "SELECT task.n, file.path FROM file JOIN task ON task.uid = file.task"
        " WHERE task.workspace = :workspace AND task.status NOT IN ('done', 'dropped')"
        " ORDER BY task.n, file.path"
    )
    for number, path in found:
        if not exists(path):
            yield _Candidate("MISSING_FILE", task_id(number), f"Its file {path} is not there.")


def _linked(room: Tasks, transaction: Transaction, kind: Literal["comment", "issue"]) -> Iterator[_Candidate]:
    """Compare tasks with the comments or the issues of this repository that they are linked to."""
    code: Code = "ORPHAN_COMMENT" if kind == "comment" else "ISSUE_DRIFT"
    found = transaction.ask(
        "SELECT task.n, task.status, link.ref FROM link JOIN task ON task.uid = link.task"
        " WHERE task.workspace = :workspace AND link.kind = :kind ORDER BY task.n, link.ref",
        kind=kind,
    )
    for number, status, ref in found:
        is_over = status in FINISHED
        try:
            remark = linked(room.neighbours, kind, ref)
        except NotFound:
            if not is_over:
                yield _Candidate(code, task_id(number), f"Its {kind} {ref} is not there.")
            continue
        if remark is None:
            continue
        if kind == "comment" and remark.state == "orphaned" and not is_over:
            yield _Candidate(code, task_id(number), f"The code of its comment {ref} is gone.")
        elif kind == "issue" and (remark.state == "closed") != is_over:
            yield _Candidate(code, task_id(number), f"It is {status}, but its issue {ref} is {remark.state}.")


def _elsewhere(transaction: Transaction) -> Iterator[_Candidate]:
    """Compare tasks with what was last seen of them in other trackers."""
    found = transaction.ask(
        "SELECT task.n, task.status, counterpart.tracker, counterpart.origin, counterpart.seen"
        " FROM counterpart JOIN task ON task.uid = counterpart.task WHERE counterpart.workspace = :workspace"
        " ORDER BY task.n, counterpart.tracker"
    )
    for number, status, tracker, origin, seen in found:
        there = json.loads(seen).get("status")
        if there is not None and (there in FINISHED) != (status in FINISHED):
            told = f"It is {status}, but {there} as {origin} of {tracker}, when that was last read."
            yield _Candidate("ISSUE_DRIFT", task_id(number), told)


def _duplicates(transaction: Transaction) -> Iterator[_Candidate]:
    # Only titles whose mark was met before are kept: nearly all of a million are not.
    marks = bytearray(_MARKS_EACH * transaction.workspace.next_number)
    for title, _ in _titles(transaction):
        mark = hash(title) % len(marks)
        marks[mark] = min(marks[mark] + 1, 2)
    first: dict[str, int] = {}
    for title, number in _titles(transaction):
        if marks[hash(title) % len(marks)] > 1 and first.setdefault(title, number) != number:
            told = f"It has the title of {task_id(first[title])}."
            yield _Candidate("DUPLICATE", task_id(number), told)


def _titles(transaction: Transaction) -> Iterator[tuple[str, int]]:
    """Yield the titles of unfinished tasks, without what does not matter in them, and their numbers."""
    for some in _pages(transaction, "title, status, n"):
        for title, status, number in some:
            if status not in FINISHED:
                yield " ".join(title.lower().split()), number


def _fix(room: Tasks, who: Who) -> list[str]:
    """Give back claims that ran out, and put counts right; nothing else can be mended without a decision."""
    with room.writing(who) as transaction:
        workspace = transaction.workspace.id
        left = transaction.ask(
            f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace"
            f" AND {LEFT_BEHIND}{transaction.for_update}"
        ).fetchall()
        wrong = dependencies.wrong_counts(transaction, workspace)
        needed = dependencies.wrongly_needed(transaction, workspace)
        dependencies.refresh(transaction, waiting=[uid for uid, *_ in wrong], needed=needed)
        ids = rows.ids_of(transaction, [uid for uid, *_ in wrong])
        fixed = [f"counts of {name}" for name in ids.values()]
        for row in left:
            task = lease.end(transaction, Task._make(row), reason="the claim ran out")
            fixed.append(f"claim on {task.id} given back")
    return fixed

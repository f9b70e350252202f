"""`taskpilot_audit`: what does not fit together, how bad it is, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic import Field, StrictBool

from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.storage.files.work_tree import RepoPath, Tree
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.store import dependencies, lease, rows
from holdfast.tasks.store.gate import proves
from holdfast.tasks.store.history import states_of, told_of
from holdfast.tasks.store.records import COLUMNS, Task, Who, task_id
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

_ORDER = {"error": 0, "warning": 1, "info": 2}
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
}
"""How bad each finding is, and what to do about it."""
_MOST_FINDINGS = 30
_FINDINGS_BYTES = 6000
_AT_ONCE = 500


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
    idempotent=True,
    command="audit",
    example="holdfast tasks audit --scope dependencies",
    specified=True,
    text=audit_words,
    annotations=READING,
)
def audit(room: Tasks, arguments: AuditTasks) -> AuditResult:
    """Look for what does not fit together: done without proof, stale claims, missing files, dropped needs.

    Nothing changes unless `fix_issues` is given; then claims that ran out are given back and counts mended.
    """
    who = acting(room, arguments)
    fixed = _fix(room, who) if arguments.fix_issues else []
    with room.reading() as transaction:
        workspace = transaction.workspace
        everything = [
            Task._make(row)
            for row in transaction.execute(
                f"SELECT {COLUMNS} FROM task WHERE workspace = :id ORDER BY n",
                {"id": transaction.workspace.id},
            )
        ]
        found = list(_findings(room, transaction, everything, arguments.scope))
    troubled = {item.task_id for item in found if _CHECKS[item.code][0] != "info"}
    unfinished = [task.id for task in everything if task.status not in FINISHED]
    found.sort(key=lambda item: _ORDER[_CHECKS[item.code][0]])
    shown = fitting(map(_finding, found[:_MOST_FINDINGS]), _FINDINGS_BYTES)
    return AuditResult(
        operation="audit",
        workspace=workspace_ref(workspace),
        findings=shown,
        total=len(found),
        score=100 * (len(everything) - len(troubled)) // len(everything) if everything else 100,
        completion=Completion(ready=not unfinished, blockers=unfinished[:5] or None),
        fixed=fixed[:_MOST_FINDINGS],
        truncated=True if len(shown) < len(found) else None,
    )


def _finding(found: _Candidate) -> AuditFinding:
    severity, fix = _CHECKS[found.code]
    return AuditFinding(severity=severity, fix=fix, **found._asdict())


def _findings(
    room: Tasks, transaction: Transaction, everything: list[Task], scope: Scope
) -> Iterator[_Candidate]:
    if scope in ("full", "tasks"):
        for task in everything:
            yield from _about(transaction, task)
        yield from _duplicates(everything)
        yield from _histories(transaction, everything)
    if scope in ("full", "dependencies"):
        yield from _dependencies(transaction, everything)
    if scope in ("full", "files"):
        yield from _files(room, transaction)


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
        if any(item.status not in FINISHED for item in rows.subtasks_of(transaction, task.uid)):
            yield _Candidate("OPEN_SUBTASK", task.id, "It is done, but a part of it is open.")
        return
    in_progress = task.status == "in-progress"
    if in_progress and task.claim_agent is not None and task.claimed_by(now) is None:
        yield _Candidate("STALE_CLAIM", task.id, "The claim on it ran out.")
    if in_progress and task.updated_at < now - STALE_DAYS * DAY_SECONDS:
        yield _Candidate("STALE_TASK", task.id, f"Nobody touched it for {STALE_DAYS} days.")
    if task.criteria == "[]" and task.status not in FINISHED:
        yield _Candidate("NO_CRITERIA", task.id, "Nothing says when it is done.")


def _dependencies(transaction: Transaction, everything: list[Task]) -> Iterator[_Candidate]:
    by_uid = {task.uid: task for task in everything}
    pairs = transaction.execute(
        "SELECT dependency.task, dependency.needs FROM dependency JOIN task ON task.uid = dependency.task"
        " WHERE task.workspace = :id AND dependency.kind = 'blocks'",
        {"id": transaction.workspace.id},
    )
    for uid, needed in pairs:
        task, other = by_uid[uid], by_uid[needed]
        if other.status == "dropped" and task.status not in FINISHED:
            yield _Candidate("ORPHAN_DEP", task.id, f"It needs {other.id}, which was dropped.")
    for uid, waits in dependencies.wrong_counts(transaction, transaction.workspace.id):
        task = by_uid[uid]
        told = f"It is kept as waiting for {task.waits}, and waits for {waits}."
        yield _Candidate("WRONG_COUNT", task.id, told)


def _files(room: Tasks, transaction: Transaction) -> Iterator[_Candidate]:
    if room.repository.bare:
        return
    exists = cache(lambda path: Tree(room.repository).exists(RepoPath.parse(path)))
    found = transaction.execute(
        "SELECT task.n, file.path FROM file JOIN task ON task.uid = file.task WHERE task.workspace = :id"
        " AND task.status NOT IN ('done', 'dropped') ORDER BY task.n, file.path",
        {"id": transaction.workspace.id},
    )
    for number, path in found:
        if not exists(path):
            yield _Candidate("MISSING_FILE", task_id(number), f"Its file {path} is not there.")


def _duplicates(everything: list[Task]) -> Iterator[_Candidate]:
    seen: dict[str, Task] = {}
    for task in everything:
        if task.status not in FINISHED:
            first = seen.setdefault(" ".join(task.title.lower().split()), task)
            if first is not task:
                yield _Candidate("DUPLICATE", task.id, f"It has the title of {first.id}.")


def _histories(transaction: Transaction, everything: list[Task]) -> Iterator[_Candidate]:
    """Compare every task with what its events say, some at a time, so that memory stays flat."""
    for start in range(0, len(everything), _AT_ONCE):
        some = everything[start : start + _AT_ONCE]
        told = told_of(transaction, some)
        for task, state in zip(some, states_of(transaction, some), strict=True):
            if told.get(task.uid) != state:
                yield _Candidate("HISTORY", task.id, "Its events tell another story.")


def _fix(room: Tasks, who: Who) -> list[str]:
    """Give back claims that ran out, and put counts right; nothing else can be mended without a decision."""
    fixed = []
    with room.writing(who) as transaction:
        workspace = transaction.workspace.id
        left = transaction.execute(
            f"SELECT {COLUMNS} FROM task WHERE workspace = :id AND claim_agent IS NOT NULL"
            f" AND claim_expires <= :now AND status = 'in-progress'{transaction.for_update}",
            {"id": workspace, "now": transaction.now},
        ).fetchall()
        wrong = dependencies.wrong_counts(transaction, workspace)
        needed = dependencies.wrongly_needed(transaction, workspace)
        dependencies.refresh(transaction, waiting=[uid for uid, _ in wrong], needed=needed)
        fixed += [
            f"counts of {name}" for name in rows.ids_of(transaction, [uid for uid, _ in wrong]).values()
        ]
        for row in left:
            held = Task._make(row)
            task = lease.end(transaction, held, reason="the claim ran out")
            fixed.append(f"claim on {task.id} given back")
    return fixed

"""`taskpilot_audit`: reports inconsistencies among tasks by severity, and repairs those that are safe."""

from __future__ import annotations

from itertools import chain

from pydantic import Field, StrictBool

from holdfast.kernel.limits import LIMITS
from holdfast.kernel.operation import Effect
from holdfast.kernel.text import one_line
from holdfast.kernel.untrusted import UntrustedText
from holdfast.tasks.caller import identify_caller
from holdfast.tasks.consistency import CHECKS, Code, Inconsistency, Scope, Severity, find_inconsistencies
from holdfast.tasks.models import InSession, Reported, Result
from holdfast.tasks.store import dependencies, lease, rows
from holdfast.tasks.store.query import ABANDONED
from holdfast.tasks.store.records import COLUMNS, CallerIdentity, Task, task_id, task_number
from holdfast.tasks.store.states import IS_UNFINISHED
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.toolset import READING, tasks
from holdfast.tasks.view.budget import fit_items
from holdfast.tasks.view.results import workspace_ref

_MAX_FINDINGS_SHOWN = 30
"""A judgement: more than an agent can fix before the next audit."""
_MAX_FINDINGS_BYTES = 6000
"""A judgement: this leaves a fifth of the default budget (`view/budget.py`) for the rest of the result."""
_MAX_OPEN_TASKS_SHOWN = 5
"""A judgement: examples are enough, as `taskpilot_list` has all."""
_OPEN_TASKS = f"SELECT n FROM task WHERE workspace = :workspace AND {IS_UNFINISHED}"


class AuditTasks(InSession):
    """The scope of an audit."""

    scope: Scope = Field(default="full", description="What to check.")
    fix_issues: StrictBool = Field(default=False, description="Repair what is safe to repair, and report it.")


class AuditFinding(Result):
    """An inconsistency, and how to repair it."""

    code: Code
    severity: Severity
    task_id: str | None = None
    detail: UntrustedText
    fix: str | None = Field(default=None, description="How to fix it.")


class Completion(Result):
    """Whether all tasks are finished."""

    ready: bool
    blockers: list[str] | None = Field(default=None, description="The first open tasks.")


class AuditResult(Reported):
    """The findings of an audit."""

    findings: list[AuditFinding]
    total: int = Field(description="Number of all findings; the worst are shown.")
    score: int = Field(description="Percent of tasks without an error or a warning.")
    completion: Completion
    fixed: list[str]
    truncated: bool | None = Field(
        default=None, description="Set if findings were left out; use a narrower `scope`."
    )


def _text(result: AuditResult) -> str:
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
    text=_text,
    annotations=READING,
    seconds=LIMITS.sync_seconds,
)
def audit(room: Tasks, arguments: AuditTasks) -> AuditResult:
    """Find inconsistencies: tasks done without proof, stale claims, missing files, dropped dependencies.

    Nothing changes unless `fix_issues` is set: then expired claims are released and wrong counts corrected.
    """
    who = identify_caller(room, arguments)
    fixed = _fix_safe_issues(room, who) if arguments.fix_issues else []
    with room.reading() as transaction:
        workspace = transaction.workspace
        count = transaction.run_in_workspace(
            "SELECT count(*) FROM task WHERE workspace = :workspace"
        ).fetchone()[0]
        open_tasks = transaction.run_in_workspace(
            f"{_OPEN_TASKS} ORDER BY n LIMIT {_MAX_OPEN_TASKS_SHOWN}"
        ).fetchall()
        findings = _FindingCollector(workspace.next_number)
        for inconsistency in find_inconsistencies(room, transaction, arguments.scope):
            findings.add(inconsistency)
    shown = fit_items(map(_finding_out, findings.most_severe()), _MAX_FINDINGS_BYTES)
    unfinished = [task_id(number) for (number,) in open_tasks]
    return AuditResult(
        operation="audit",
        workspace=workspace_ref(workspace),
        findings=shown,
        total=findings.total,
        score=100 * (count - sum(findings.affected)) // count if count else 100,
        completion=Completion(ready=not unfinished, blockers=unfinished or None),
        fixed=fixed[:_MAX_FINDINGS_SHOWN],
        truncated=True if len(shown) < findings.total else None,
    )


class _FindingCollector:
    """Collects findings in bounded memory: the first of each severity, and which tasks they concern."""

    def __init__(self, next_number: int) -> None:
        self.total = 0
        self.affected = bytearray(next_number)
        """By the number of the task: 1 if it has an error or a warning."""
        self._first: dict[Severity, list[Inconsistency]] = {"error": [], "warning": [], "info": []}

    def add(self, inconsistency: Inconsistency) -> None:
        severity = CHECKS[inconsistency.code].severity
        self.total += 1
        self.affected[task_number(inconsistency.task_id)] |= severity != "info"
        if len(self._first[severity]) < _MAX_FINDINGS_SHOWN:
            self._first[severity].append(inconsistency)

    def most_severe(self) -> list[Inconsistency]:
        return list(chain.from_iterable(self._first.values()))[:_MAX_FINDINGS_SHOWN]


def _finding_out(inconsistency: Inconsistency) -> AuditFinding:
    return AuditFinding(**CHECKS[inconsistency.code]._asdict(), **inconsistency._asdict())


def _fix_safe_issues(room: Tasks, who: CallerIdentity) -> list[str]:
    """Release expired claims and correct wrong counts; all other findings need a decision by someone."""
    with room.writing(who) as transaction:
        workspace = transaction.workspace.id
        abandoned = transaction.run_in_workspace(
            f"SELECT {COLUMNS} FROM task WHERE workspace = :workspace AND {ABANDONED}{transaction.for_update}"
        ).fetchall()
        waiting = [uid for uid, *_ in dependencies.wrong_waits(transaction, workspace)]
        needed = dependencies.wrong_unblocks(transaction, workspace)
        dependencies.refresh_counts(transaction, waiting=waiting, needed=needed)
        ids = rows.ids_of(transaction, waiting)
        fixed = [f"counts of {name}" for name in ids.values()]
        for row in abandoned:
            task = lease.end_claim(transaction, Task._make(row), reason="the claim expired")
            fixed.append(f"claim on {task.id} released")
    return fixed

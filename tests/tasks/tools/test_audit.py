"""An audit names what does not fit together, and takes the same memory for any number of tasks."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from holdfast.tasks import consistency
from holdfast.tasks.store.records import Change, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.tools.audit import AuditResult, AuditTasks, audit
from tests.tasks.conftest import ADA, add

MANY = 3000
MAX_BYTES = 4_000_000


def audited(room: Tasks, **wanted: object) -> AuditResult:
    found: AuditResult = audit(room, AuditTasks(**wanted))  # type: ignore[arg-type]
    return found


def told(result: AuditResult) -> set[tuple[str, str | None]]:
    return {(finding.code, finding.task_id) for finding in result.findings}


def test_each_finding_names_its_task(room: Tasks) -> None:
    [whole, dropped] = add(room, "Whole", "Dropped")
    [part] = add(room, "Part", parent=whole.id)
    [needing] = add(room, "Needing", depends_on=[(dropped.id, "blocks")])
    [twin] = add(room, "needing")
    with room.writing(ADA) as transaction:
        for statement in (
            f"UPDATE task SET status = 'done' WHERE n = {whole.n}",
            f"UPDATE task SET status = 'dropped' WHERE n = {dropped.n}",
            f"UPDATE task SET waits = 7 WHERE n = {twin.n}",
        ):
            transaction.execute(statement, {})
    result = audited(room)
    found = told(result)
    assert {
        ("OPEN_SUBTASK", whole.id),
        ("ORPHAN_DEP", needing.id),
        ("WRONG_COUNT", twin.id),
        ("DUPLICATE", twin.id),
        ("HISTORY", whole.id),
        ("HISTORY", dropped.id),
    } <= found
    assert ("HISTORY", part.id) not in found
    details = {finding.code: finding.detail for finding in result.findings}
    assert details["DUPLICATE"] == f"It has the same title as {needing.id}."
    assert details["ORPHAN_DEP"] == f"It needs {dropped.id}, which was dropped."
    assert details["WRONG_COUNT"] == "It is stored as waiting for 7 tasks, but waits for 0."
    assert result.completion.blockers == [part.id, needing.id, twin.id]


def test_a_task_with_several_events_fits_its_history(room: Tasks) -> None:
    [task] = add(room, "First")
    room.update(task.id, Change({"title": "Second"}), ADA)
    assert "HISTORY" not in {code for code, _ in told(audited(room))}


def test_the_worst_are_shown_and_all_are_counted(room: Tasks) -> None:
    room.create([Draft(f"Task {number}") for number in range(100)], ADA)
    with room.writing(ADA) as transaction:
        transaction.execute("UPDATE task SET waits = 1 WHERE n = 90", {})
    result = audited(room)
    assert (result.findings[0].code, result.findings[0].task_id) == ("WRONG_COUNT", "TP-90")
    assert result.total == 101
    assert result.truncated
    assert result.score == 99


def peak(action: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def crowded(room: Tasks) -> Tasks:
    room.create([Draft(f"Task {number}", description="x" * 500) for number in range(MANY)], ADA)
    audited(room)
    return room


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_audit_of_many_tasks_takes_the_memory_of_some(crowded: Tasks) -> None:
    taken = peak(lambda: audited(crowded))
    print(f"{MANY} tasks audited in {taken} bytes")
    assert taken < MAX_BYTES


@pytest.mark.parametrize("engine", ["sqlite"])
def test_control_an_audit_that_holds_all_tasks_at_once_is_seen(
    crowded: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consistency, "TASKS_PER_BATCH", MANY)
    taken = peak(lambda: audited(crowded))
    print(f"{MANY} tasks held at once take {taken} bytes")
    assert taken > MAX_BYTES

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import Invalid, InvalidPath, NotFound
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store import items, rows
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Task
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, set_gate
from holdfast.tasks.tools.import_tasks import ImportReport, ImportTasks, import_tasks, import_text
from tests.conftest import RunHoldfast
from tests.tasks import claims
from tests.tasks.imports.test_readers import BACKLOG_TASK, CHECK_LIST, UNTAGGED

ME = CallerIdentity("ada")


@pytest.fixture
def room(repository: Path, database: str | None) -> Iterator[Tasks]:
    opened = Tasks.open(Repository.discover(repository), database)
    ensure_workspace(opened, "kelp", [], "criteria")
    yield opened
    opened.close()


def bring_in(room: Tasks, kind: str, path: str, **more: Any) -> ImportReport:
    report: ImportReport = import_tasks(room, ImportTasks(format=kind, path=path, **more))
    return report


def by_title(room: Tasks) -> dict[str, Task]:
    return {task.title: task for task in room.find(Query(limit=100)).tasks}


def test_a_check_list_is_imported_whole_and_a_second_time_changes_nothing(
    room: Tasks, repository: Path
) -> None:
    (repository / "todo.md").write_text(CHECK_LIST)
    tried = bring_in(room, "auto", "todo.md", dry_run=True)
    assert (tried.created, room.find(Query()).total) == (10, 0)
    report = bring_in(room, "auto", "todo.md")
    assert (report.format, report.created, report.problems) == ("todo", 10, [])
    assert [step.title for step in report.steps if step.done == "refused"] == ["Read headings"]
    found = by_title(room)
    assert found["Read headings"].parent == found["Write the parser"].uid
    assert found["Fourth"].status == "done"
    assert found["Read headings"].status == "review", "a part of it is open"
    versions = {task.uid: task.version for task in found.values()}
    again = bring_in(room, "todo", "todo.md")
    assert (again.created, again.changed, again.unchanged) == (0, 0, 9)
    assert {task.uid: task.version for task in by_title(room).values()} == versions


def test_the_states_of_many_new_tasks_are_stored_together(repository: Path) -> None:
    room = Tasks.open(Repository.discover(repository))
    ensure_workspace(room, "kelp", [], "criteria")
    (repository / "todo.md").write_text("".join(f"- [x] Item {number}\n" for number in range(60)))
    statements: list[str] = []
    for lent in (room.store.read(), room.store.write()):
        with lent as connection:
            connection.set_trace_callback(statements.append)  # type: ignore[attr-defined]
    statements.clear()
    report = bring_in(room, "todo", "todo.md")
    done = room.find(Query(status=("done",))).total
    room.close()
    assert (report.created, done) == (60, 60)
    assert sum(text.startswith("BEGIN IMMEDIATE") for text in statements) < 10


@pytest.mark.requirement("tasks-48")
def test_a_task_that_somebody_holds_keeps_its_criteria_and_state(room: Tasks, repository: Path) -> None:
    (repository / "todo.md").write_text("- [ ] Parse\n")
    bring_in(room, "todo", "todo.md")
    claims.claim(room, "TP-1", CallerIdentity("grace"))
    (repository / "todo.md").write_text("- [x] Parse\n")
    for _ in range(2):
        report = bring_in(room, "todo", "todo.md", prefer="theirs")
        assert {step.done for step in report.steps} == {"refused"}
        assert (room.get("TP-1").status, room.get("TP-1").claim_agent) == ("in-progress", "grace")
    claims.release(room, "TP-1", CallerIdentity("grace"))
    bring_in(room, "todo", "todo.md", prefer="theirs")
    assert room.get("TP-1").status == "done"


def test_what_changed_in_the_file_is_taken_over_and_what_changed_here_stays(
    room: Tasks, repository: Path
) -> None:
    file = repository / "todo.md"
    file.write_text("- [ ] One\n- [ ] Two\n- [ ] Three\n")
    bring_in(room, "todo", "todo.md")
    found = by_title(room)
    room.update(found["Two"].uid, Change(set={"status": "in-progress"}), ME)
    room.update(found["Three"].uid, Change(set={"status": "dropped"}), ME)
    file.write_text("- [x] One #new\n- [ ] Two\n- [/] Three\n- [ ] Four\n")
    report = bring_in(room, "todo", "todo.md")
    assert (report.created, report.changed) == (1, 1)
    after = by_title(room)
    assert [after[title].status for title in ("One", "Two", "Three")] == ["done", "in-progress", "dropped"]
    assert [step.done for step in report.steps if step.title == "Three"] == ["conflict"]
    assert "CONFLICT TP-3: status is 'dropped' here and 'in-progress' there" in import_text(report)
    bring_in(room, "todo", "todo.md", prefer="theirs")
    assert by_title(room)["Three"].status == "in-progress"


def test_an_import_that_was_interrupted_is_finished_by_the_next(room: Tasks, repository: Path) -> None:
    (repository / "todo.md").write_text("- [x] One\n- [ ] Two\n")
    bring_in(room, "todo", "todo.md")
    room.update("TP-1", Change(set={"status": "in-progress"}, reason="as it was then"), ME)
    with room.store.write() as connection:  # as if the process had ended right after the tasks were made
        connection.execute("DELETE FROM counterpart")
    report = bring_in(room, "todo", "todo.md")
    assert (report.created, report.changed, report.unchanged) == (0, 1, 1)
    assert by_title(room)["One"].status == "done"
    assert room.find(Query()).total == 2


def test_task_master_keeps_parents_needs_and_states(room: Tasks, repository: Path) -> None:
    (repository / "tasks.json").write_text(json.dumps(UNTAGGED, indent=2))
    report = bring_in(room, "auto", "tasks.json")
    assert (report.format, report.created) == ("task-master", 5)
    found = by_title(room)
    with room.reading() as connection:
        needs = {item.id for item in rows.dependencies_of(connection, found["Build"].uid)}
        links = items.links_of(connection, found["Build"].uid)
    assert needs == {found["Lex"].id, found["Indent"].id}
    assert (links[0].kind, links[0].ref) == ("file", "tasks.json#1.2")
    assert found["Lex"].status == "done"
    assert found["Print"].notes == "complexityScore: 7"
    assert bring_in(room, "task-master", "tasks.json").unchanged == 5


def test_a_backlog_folder_is_imported_with_criteria_and_later_changes(room: Tasks, repository: Path) -> None:
    folder = repository / "backlog" / "tasks"
    folder.mkdir(parents=True)
    file = folder / "task-7.1 - Read.md"
    file.write_text(BACKLOG_TASK)
    report = bring_in(room, "backlog", "backlog")
    assert (report.created, report.total_problems, report.exit_code) == (1, 2, 1)
    task = by_title(room)["Read: every dialect"]
    assert json.loads(task.criteria) == [
        {"text": "Reads one", "checked": True}, {"text": "Reads two", "checked": False},
    ]  # fmt: skip
    assert task.notes is not None
    assert "parent: task-7" in task.notes
    assert "dependency: task-3" in task.notes
    (folder / "task-3.md").write_text("---\nid: task-3\ntitle: Base\n---\n")
    changed = BACKLOG_TASK.replace("[ ] #2", "[x] #2").replace(
        "<!-- AC:END -->", "- [ ] #3 Three\n<!-- AC:END -->"
    )
    file.write_text(changed)
    assert bring_in(room, "backlog", "backlog").changed == 1
    after = room.get(task.uid)
    assert [(item["text"], item["checked"]) for item in json.loads(after.criteria)] == [
        ("Reads one", True), ("Reads two", True), ("Three", False),
    ]  # fmt: skip
    assert bring_in(room, "auto", "backlog").unchanged == 2


def test_a_file_of_a_backlog_folder_that_cannot_be_read_is_one_problem(room: Tasks, repository: Path) -> None:
    folder = repository / "backlog" / "tasks"
    folder.mkdir(parents=True)
    (folder / "a.md").write_bytes(b"---\nid: t-1\ntitle: \xff\n---\n")
    (folder / "b.md").write_text("---\nid: t-2\ntitle: Second\n---\n")
    (folder / "c.md").touch()
    os.truncate(folder / "c.md", 1 << 30)
    report = bring_in(room, "backlog", "backlog")
    assert list(by_title(room)) == ["Second"]
    assert [problem.file for problem in report.problems] == ["tasks/a.md", "tasks/c.md"]


def test_the_gate_holds_for_what_is_done_elsewhere(room: Tasks, repository: Path) -> None:
    set_gate(room, "evidence")
    (repository / "todo.md").write_text("- [x] Sure\n")
    report = bring_in(room, "todo", "todo.md")
    assert [step.done for step in report.steps] == ["refused", "created_here"]
    assert by_title(room)["Sure"].status == "review"
    assert report.exit_code == 1


def test_of_tasks_that_wait_for_each_other_what_closes_the_circle_is_left_out(
    room: Tasks, repository: Path
) -> None:
    tasks = [{"id": 1, "title": "A", "dependencies": [2, 9]}, {"id": 2, "title": "B", "dependencies": [1]}]
    (repository / "tasks.json").write_text(json.dumps({"tasks": tasks}))
    tried = bring_in(room, "task-master", "tasks.json", dry_run=True)
    report = bring_in(room, "task-master", "tasks.json")
    assert [item.message for item in tried.problems] == [item.message for item in report.problems]
    assert "'1' as dependency of '2' would close a cycle" in report.problems[0].message
    assert (report.created, by_title(room)["A"].waits, by_title(room)["B"].waits) == (2, 1, 0)


def test_a_dependency_that_closes_a_circle_with_one_made_here_is_refused_and_the_rest_imported(
    room: Tasks, repository: Path
) -> None:
    tasks: list[dict[str, Any]] = [{"id": 1, "title": "A"}, {"id": 2, "title": "B"}, {"id": 3, "title": "C"}]
    (repository / "tasks.json").write_text(json.dumps({"tasks": tasks}))
    bring_in(room, "task-master", "tasks.json")
    found = by_title(room)
    room.update(found["A"].id, Change(add={"depends_on": [(found["B"].id, "blocks")]}), ME)
    tasks[1]["dependencies"] = [1]
    tasks[2]["title"] = "New"
    (repository / "tasks.json").write_text(json.dumps({"tasks": tasks}))
    report = bring_in(room, "task-master", "tasks.json")
    assert [(step.done, step.fields) for step in report.steps] == [
        ("refused", ["depends_on"]),
        ("changed_here", ["title"]),
    ]
    assert by_title(room)["New"].uid == found["C"].uid


def test_a_milestone_of_backlog_is_the_tasks(room: Tasks, repository: Path) -> None:
    folder = repository / "backlog" / "tasks"
    folder.mkdir(parents=True)
    (folder / "task-1.md").write_text("---\nid: task-1\ntitle: Base\nmilestone: v1\n---\n")
    bring_in(room, "backlog", "backlog")
    assert by_title(room)["Base"].milestone == "v1"
    with pytest.raises(Invalid, match="is a file"):
        bring_in(room, "backlog", "backlog/tasks/task-1.md")


def test_a_text_that_is_too_long_is_named_and_the_rest_imported(room: Tasks, repository: Path) -> None:
    (repository / "todo.md").write_text(f"- [ ] Long\n  {'x' * 60_000}\n- [ ] Short\n")
    report = bring_in(room, "todo", "todo.md")
    assert (report.created, [problem.line for problem in report.problems]) == (1, [1])


def test_paths_outside_and_things_that_are_no_lists_are_refused(room: Tasks, repository: Path) -> None:
    (repository / "bad.md").write_bytes(b"- [ ] \xff")
    os.symlink("/etc/passwd", repository / "link.md")
    for path, kind in (
        ("../x", InvalidPath),
        ("bad.md", Invalid),
        ("link.md", InvalidPath),
        ("none.md", NotFound),
    ):
        with pytest.raises(kind):
            bring_in(room, "todo", path)
    with pytest.raises(NotFound):
        bring_in(room, "backlog", "none")


def test_the_command_imports(repository: Path, run_holdfast: RunHoldfast) -> None:
    room = Tasks.open(Repository.discover(repository))
    ensure_workspace(room, "kelp", [], "criteria")
    room.close()
    (repository / "todo.md").write_text("- [ ] One\n- [%] Two\n")
    done = run_holdfast("tasks", "import", "todo", "todo.md")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "Imported todo.md: 2 new, 0 changed, 0 unchanged."
    assert "todo.md:2: The state [%] is unknown" in done.stdout

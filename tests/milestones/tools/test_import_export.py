"""Import and export: our own operations without loss, GitHub issues, beads."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import Conflict, Invalid, InvalidPath
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.index.query import EntityQuery
from holdfast.milestones.store import Milestones
from holdfast.milestones.tools.export import ExportEntities, export_entities
from holdfast.milestones.tools.import_ import ImportEntities, MileImported, import_entities
from tests.milestones.clones import new_repository, room_at

GITHUB: list[dict[str, Any]] = [
    {
        "html_url": "https://github.com/o/r/issues/1",
        "number": 1,
        "title": "Panel",
        "body": "Too big",
        "state": "closed",
        "labels": [{"name": "bug"}],
        "assignees": [{"login": "ada"}],
        "milestone": {"title": "Alpha", "state": "open", "due_on": "2030-01-31T00:00:00Z"},
        "user": {"login": "grace"},
        "created_at": "2024-01-02T03:04:05Z",
        "comments": 4,
    },
    {
        "url": "https://github.com/o/r/issues/2",
        "title": "From gh",
        "state": "OPEN",
        "author": {"login": "ada"},
        "createdAt": "2024-01-02T03:04:05.678+01:00",
        "comments": [{"author": {"login": "grace"}, "body": "Seen", "createdAt": "2024-02-01T00:00:00Z"}],
    },
    {"number": 3, "title": "A pull request", "pull_request": {}},
    {"number": 4, "title": ""},
]
BEADS = [
    {
        "id": "bd-1",
        "title": "Epic",
        "issue_type": "epic",
        "status": "open",
        "created_at": "2024-01-01T00:00:00Z",
    },
    {
        "id": "bd-2",
        "title": "Task",
        "description": "What",
        "design": "How",
        "status": "in_progress",
        "priority": 1,
        "issue_type": "task",
        "labels": ["ui"],
        "assignee": "agent",
        "dependencies": [
            {"issue_id": "bd-2", "depends_on_id": "bd-3", "type": "blocks"},
            {"issue_id": "bd-2", "depends_on_id": "bd-9", "type": "related"},
        ],
        "comments": [{"author": "ada", "text": "Hello", "created_at": "2024-01-03T00:00:00Z"}],
        "created_at": "2024-01-02T00:00:00.123456789Z",
    },
    {"id": "bd-3", "title": "Done", "status": "closed", "created_at": "2024-01-02T00:00:00Z"},
    {"id": "bd-4", "title": "Gone", "status": "tombstone"},
]

Import = Callable[..., MileImported]


@pytest.fixture
def room(repository: Path) -> Milestones:
    return room_at(repository)


@pytest.fixture
def bring(room: Milestones, repository: Path) -> Import:
    def run(content: str, **more: Any) -> MileImported:
        (repository / "in.json").write_text(content, encoding="utf-8")
        return import_entities(room, ImportEntities(file="in.json", **more))

    return run


def titles(room: Milestones, kind: Any) -> dict[str, str]:
    page = room.find(EntityQuery(kind, include_closed=True, limit=500))
    return {item.title: item.id for item in page.items}


def test_operations_come_over_without_loss_and_only_once(room: Milestones, tmp_path: Path) -> None:
    name = room.create(EntityDraft("issue", "Größe", "Text", labels=("bug",), comments=("One",))).entity
    room.set_status(name, "closed")
    room.comment(name, "Two \x1b[31m")
    exported = export_entities(room, ExportEntities(file="out.jsonl"))
    other = room_at(new_repository(tmp_path / "other"))
    lines = (Path(room.repository.root) / "out.jsonl").read_text()
    assert exported.count == len(lines.splitlines())
    (tmp_path / "other" / "in.jsonl").write_text(lines + "not an operation\n")
    result = import_entities(other, ImportEntities(file="in.jsonl"))
    assert (result.format, result.created, len(result.skipped)) == ("operations", exported.count, 1)
    assert result.exit_code == 1
    assert other.get("issue", name) == room.get("issue", name)
    again = import_entities(other, ImportEntities(file="in.jsonl"))
    assert (again.created, again.unchanged) == (0, exported.count)
    other.close()


def test_github_issues_become_issues_and_milestones(room: Milestones, bring: Import) -> None:
    result = bring(json.dumps(GITHUB))
    assert (result.format, result.created, result.unchanged) == ("github", 3, 0)
    assert [entry.item for entry in result.skipped] == ["#3", "#4"]
    issue = room.get("issue", titles(room, "issue")["Panel"])
    milestone = room.get("milestone", titles(room, "milestone")["Alpha"])
    assert (issue.status, issue.labels, issue.description) == ("closed", ("bug",), "Too big")
    assert issue.milestone == milestone.id
    assert milestone.due == "2030-01-31"
    assert issue.author == "grace <grace@users.noreply.github.com>"
    assert issue.created == "2024-01-02T03:04:05Z"
    other = room.get("issue", titles(room, "issue")["From gh"])
    assert [comment.body for comment in other.comments] == ["Seen"]
    assert other.created == "2024-01-02T02:04:05Z"
    again = bring(json.dumps(GITHUB))
    assert (again.created, again.unchanged) == (0, 3)


def test_beads_become_issues_with_their_dependencies(room: Milestones, bring: Import) -> None:
    result = bring("\n".join(map(json.dumps, BEADS)) + "\nnonsense\n")
    assert (result.format, result.created) == ("beads", 3)
    assert [entry.item for entry in result.skipped] == ["bd-4", "line 5"]
    assert list(titles(room, "milestone")) == ["Epic"]
    task = room.get("issue", titles(room, "issue")["Task"])
    assert task.dependencies == (titles(room, "issue")["Done"],)
    assert (task.description, task.labels) == ("What\n\nHow", ("P1", "task", "ui"))
    assert (task.status, task.assignee) == ("open", "agent")
    assert [(comment.author, comment.body) for comment in task.comments] == [("ada", "Hello")]
    assert bring("\n".join(map(json.dumps, BEADS))).created == 0


def test_a_bead_does_not_wait_for_itself(room: Milestones, bring: Import) -> None:
    needs = [{"depends_on_id": name, "type": "blocks"} for name in ("bd-7", "bd-8")]
    beads = [{"id": "bd-7", "title": "Snake", "dependencies": needs}, {"id": "bd-8", "title": "Other"}]
    result = bring("\n".join(map(json.dumps, beads)), format="beads")
    assert (result.created, [(one.item, one.reason) for one in result.skipped]) == (
        2, [("bd-7", "It depends on itself; that dependency was dropped.")]
    )  # fmt: skip
    known = titles(room, "issue")
    assert room.get("issue", known["Snake"]).dependencies == (known["Other"],)


def test_the_parent_of_a_bead_is_its_milestone_or_is_reported(room: Milestones, bring: Import) -> None:
    def bead(name: str, *parents: str, kind: str = "task") -> dict[str, Any]:
        links = [{"depends_on_id": parent, "type": "parent-child"} for parent in parents]
        return {"id": name, "title": name, "issue_type": kind, "dependencies": links}

    beads = [
        bead("bd-1", "bd-9"), bead("bd-2", "bd-1"), bead("bd-3", "bd-9", "bd-8"), bead("bd-4", "bd-77"),
        bead("bd-9", kind="epic"), bead("bd-8", "bd-9", kind="epic"),
    ]  # fmt: skip
    result = bring("\n".join(map(json.dumps, beads)), format="beads")
    issues, epics = titles(room, "issue"), titles(room, "milestone")
    found = {name: room.get("issue", issues[name]) for name in issues}
    assert {name: issue.milestone for name, issue in found.items()} == {
        "bd-1": epics["bd-9"], "bd-2": None, "bd-3": epics["bd-9"], "bd-4": None,
    }  # fmt: skip
    assert all(issue.dependencies == () for issue in found.values()), "no child waits for its parent"
    assert sorted((one.item, one.reason) for one in result.skipped) == [
        ("bd-2", "Its parent 'bd-1' is not an epic of this file; that link was dropped."),
        ("bd-3", "Its parent 'bd-8' is a second epic; that link was dropped."),
        ("bd-4", "Its parent 'bd-77' is not an epic of this file; that link was dropped."),
        ("bd-8", "Its parent 'bd-9' is above an epic; that link was dropped."),
    ]


def test_what_is_too_long_is_named_and_the_rest_comes_over(bring: Import) -> None:
    odd = [
        {"number": 1, "title": "x" * 501},
        {"number": 2, "title": "body", "body": "x" * 100_001},
        {"number": 3, "title": "label", "labels": [{"name": "x" * 201}]},
        {
            "number": 4,
            "title": "fine",
            "body": None,
            "labels": None,
            "user": None,
            "comments": [None, {"body": ""}],
        },
    ]
    result = bring(json.dumps(odd), format="github")
    assert (result.created, len(result.skipped)) == (1, 3)


@pytest.mark.parametrize("content", ["{", "[1]", '{"a": 1}', "[" * 100_000])
def test_a_file_that_holds_no_issues_is_refused(bring: Import, content: str) -> None:
    with pytest.raises(Invalid, match="not a JSON array"):
        bring(content, format="github")


def test_files_are_read_and_written_inside_the_repository_only(room: Milestones, repository: Path) -> None:
    for path in ("../outside", "/etc/passwd", ".git/config"):
        with pytest.raises(InvalidPath):
            import_entities(room, ImportEntities(file=path))
        with pytest.raises(InvalidPath):
            export_entities(room, ExportEntities(file=path))
    (repository / "there").write_text("mine")
    with pytest.raises(Conflict, match="exists already"):
        export_entities(room, ExportEntities(file="there"))
    assert (repository / "there").read_text() == "mine"
    (repository / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(Invalid, match="not UTF-8"):
        import_entities(room, ImportEntities(file="bytes"))


def test_an_issue_whose_milestone_is_not_here_is_exported_all_the_same(
    room: Milestones, tmp_path: Path
) -> None:
    room.create(
        EntityDraft("issue", "One", milestone=room.create(EntityDraft("milestone", "Elsewhere")).entity)
    )
    with closing(room_at(new_repository(tmp_path / "other"))) as other:
        other.import_operations(line for line in room.operations() if json.loads(line)["k"] == "issue")
        text = export_entities(other, ExportEntities(format="github")).text or ""
    assert [(issue["title"], issue["milestone"]) for issue in json.loads(text)] == [("One", None)]


def test_an_export_for_github_can_be_read_back(room: Milestones, tmp_path: Path) -> None:
    milestone = room.create(EntityDraft("milestone", "Alpha")).entity
    room.create(EntityDraft("issue", "One", "Body", milestone=milestone, labels=("bug",), comments=("Hi",)))
    text = export_entities(room, ExportEntities(format="github")).text or ""
    other = room_at(new_repository(tmp_path / "other"))
    (tmp_path / "other" / "in.json").write_text(text)
    assert import_entities(other, ImportEntities(file="in.json")).created == 2
    found = other.get("issue", titles(other, "issue")["One"])
    original = room.get("issue", titles(room, "issue")["One"])
    assert (found.description, found.labels, found.author) == ("Body", ("bug",), original.author)
    entities = export_entities(room, ExportEntities(format="entities")).text or ""
    assert [json.loads(line)["title"] for line in entities.splitlines()] == ["Alpha", "One"]
    other.close()

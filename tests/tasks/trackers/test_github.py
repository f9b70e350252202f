from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import Denied, Invalid, NotFound, RateLimited, Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.tasks.imports.archive import export_lines, parse_export
from holdfast.tasks.imports.restoration import restore_export
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Draft, Task
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace, write_marker
from holdfast.tasks.tools.remote_interface import GitHubCall, RemoteInterface, remote_interface
from holdfast.tasks.tools.remote_interface import github as operate
from holdfast.tasks.trackers.report import TrackerReport
from tests.tasks.claims import claim
from tests.tasks.trackers.github_server import TOKEN, FakeGitHub, github
from tests.tasks.trackers.web_server import Answer

ME = CallerIdentity("ada")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    with github() as found:
        monkeypatch.setenv("GITHUB_API_URL", found.server.url)
        monkeypatch.setenv("HOLDFAST_HOSTS", found.server.host)
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        yield found


@pytest.fixture
def room(repository: Path) -> Iterator[Tasks]:
    remote = "git@github.com:ada/kelp.git"
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=repository, check=True)
    opened = Tasks.open(Repository.discover(repository))
    ensure_workspace(opened, "kelp", [], "criteria")
    yield opened
    opened.close()


def call(room: Tasks, action: str, **more: Any) -> TrackerReport:
    result: TrackerReport = operate(room, GitHubCall(action=action, **{"dry_run": False, **more}))
    return result


@pytest.fixture
def connected(room: Tasks, fake: FakeGitHub) -> Tasks:
    call(room, "connect")
    return room


def only(room: Tasks) -> Task:
    page = room.find(Query(limit=100))
    assert page.total == 1
    return page.tasks[0]


def done(report: TrackerReport) -> list[str]:
    return [step.done for step in report.steps or ()]


def test_a_host_that_nobody_allowed_is_not_asked(
    room: Tasks, fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOLDFAST_HOSTS")
    with pytest.raises(Denied, match="is not allowed"):
        call(room, "connect")
    assert fake.server.requests == []
    assert not call(room, "status").allowed


def test_without_a_token_nothing_is_asked(
    room: Tasks, fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    with pytest.raises(Unavailable, match="no token"):
        call(room, "connect")
    assert fake.server.requests == []


def test_the_token_may_come_from_the_users_credential_helper(
    room: Tasks, fake: FakeGitHub, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    helper = f"!f() {{ echo username=ada; echo password={TOKEN}; }}; f"
    key = "credential.https://github.com.helper"
    subprocess.run(["git", "config", "--file", str(home / ".gitconfig"), key, helper], check=True)
    assert call(room, "connect").account == "ada"


def test_connecting_takes_the_repository_of_the_git_remote(room: Tasks, fake: FakeGitHub) -> None:
    tried = call(room, "connect", dry_run=True)
    assert (tried.dry_run, tried.account, tried.project) == (True, "ada", "ada/kelp")
    assert call(room, "status").tracker is None
    report = call(room, "connect")
    assert report.tracker is not None
    assert (report.tracker.name, report.tracker.connected) == ("github:ada/kelp", True)
    assert call(room, "status").tracker == report.tracker


def test_a_repository_of_strangers_is_refused_unless_a_person_names_it(
    room: Tasks, fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Denied, match="not a git remote"):
        call(room, "connect", repository="mallory/loot")
    settings = '{"repository": "mallory/loot"}'
    asked = RemoteInterface(interface_type="github", action="connect", config=settings)
    with pytest.raises(Denied, match="not a git remote"):
        remote_interface(room, asked)
    assert fake.server.requests == []
    monkeypatch.setenv("HOLDFAST_HOSTS", f"{fake.server.host} {fake.server.host}/mallory/loot")
    with pytest.raises(NotFound):
        call(room, "connect", repository="mallory/loot")


def test_nothing_can_be_done_before_connecting(room: Tasks, fake: FakeGitHub) -> None:
    with pytest.raises(NotFound, match="connected"):
        call(room, "sync")


def test_a_dry_run_is_the_default_and_changes_nothing(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Parse")
    connected.create([Draft("Ours")], ME)
    report: TrackerReport = operate(connected, GitHubCall(action="sync_tasks", create_missing=True))
    assert report.dry_run
    assert done(report) == ["created_here", "created_there"]
    assert fake.writes == []
    assert connected.find(Query()).total == 1
    assert done(call(connected, "sync", create_missing=True)) == ["created_here", "created_there"]


def test_issues_become_tasks_with_links_and_a_second_time_changes_nothing(
    connected: Tasks, fake: FakeGitHub
) -> None:
    fake.add("Parse", "All of it.\n\n## Acceptance criteria\n- [x] One\n- [ ] Two", ("bug", "priority-high"))
    fake.add("Old", state="closed", state_reason="completed")
    report = call(connected, "sync")
    assert done(report) == ["created_here"]
    assert report.skipped == 1
    task = only(connected)
    assert (task.title, task.description, task.priority_name) == ("Parse", "All of it.", "high")
    assert (task.issue_number, task.issue_url) == (1, "https://github.com/ada/kelp/issues/1")
    assert task.criteria == '[{"checked":true,"text":"One"},{"checked":false,"text":"Two"}]'
    again = call(connected, "sync")
    assert (done(again), again.unchanged) == ([], 1)
    assert fake.writes == []


def test_finished_issues_are_taken_over_when_asked_for(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Old", state="closed", state_reason="completed")
    fake.add("Never", state="closed", state_reason="not_planned")
    call(connected, "sync", include_finished=True)
    assert sorted(task.status for task in connected.find(Query()).tasks) == ["done", "dropped"]


def test_changes_go_both_ways(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Parse", "Text", ("bug",))
    call(connected, "sync")
    task = only(connected)
    connected.update(task.uid, Change(set={"title": "Parse it", "status": "in-progress"}), ME)
    fake.edit(1, body="Longer text", labels=["bug", "help wanted"])
    report = call(connected, "sync")
    assert done(report) == ["changed_here", "changed_there"]
    after = only(connected)
    assert (after.title, after.description, after.status) == ("Parse it", "Longer text", "in-progress")
    issue = fake.issues[1]
    assert (issue["title"], issue["body"]) == ("Parse it", "Longer text")
    labels = {label["name"] for label in issue["labels"]}
    assert labels == {"bug", "help wanted", "taskpilot", "priority-medium", "status-in-progress"}
    assert done(call(connected, "sync")) == []


def test_a_task_that_is_done_closes_its_issue_and_a_closed_issue_ends_the_task(
    connected: Tasks, fake: FakeGitHub
) -> None:
    fake.add("First")
    fake.add("Second")
    call(connected, "sync")
    first, second = connected.find(Query(sort="number")).tasks
    for status in ("in-progress", "done"):
        connected.update(first.uid, Change(set={"status": status}), ME)
    fake.edit(2, state="closed", state_reason="not_planned")
    call(connected, "sync")
    assert (fake.issues[1]["state"], fake.issues[1]["state_reason"]) == ("closed", "completed")
    assert connected.get(second.uid).status == "dropped"


def test_two_different_changes_are_told_and_left_until_a_side_is_preferred(
    connected: Tasks, fake: FakeGitHub
) -> None:
    fake.add("Parse")
    call(connected, "sync")
    connected.update(only(connected).uid, Change(set={"title": "Ours"}), ME)
    fake.edit(1, title="Theirs")
    for _ in range(2):
        report = call(connected, "sync")
        assert done(report) == ["conflict"]
        assert report.steps is not None
        assert report.steps[0].detail == "here: Ours; there: Theirs"
        assert report.exit_code == 1
    assert (only(connected).title, fake.issues[1]["title"]) == ("Ours", "Theirs")
    call(connected, "sync", prefer="theirs")
    assert only(connected).title == "Theirs"
    assert done(call(connected, "sync")) == []


def test_the_gate_holds_for_issues_that_are_closed(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Parse", "## Acceptance criteria\n- [ ] Reads all")
    call(connected, "sync")
    fake.edit(1, state="closed", state_reason="completed")
    report = call(connected, "sync")
    assert done(report) == ["refused"]
    assert only(connected).status == "review"
    connected.update(only(connected).uid, Change(set={"status": "done"}, check=[1]), ME)
    assert done(call(connected, "sync")) == []


def test_a_task_that_somebody_holds_stays_in_their_hands(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Parse")
    call(connected, "sync")
    claim(connected, only(connected).uid, CallerIdentity("grace"))
    fake.edit(1, state="closed", state_reason="not_planned")
    report = call(connected, "sync", prefer="theirs")
    assert "refused" in done(report)
    assert only(connected).claim_agent == "grace"


@pytest.mark.parametrize("direction", ["pull", "push"])
def test_one_way_leaves_the_other_side_for_later(connected: Tasks, fake: FakeGitHub, direction: str) -> None:
    fake.add("Parse")
    call(connected, "sync")
    connected.update(only(connected).uid, Change(set={"title": "Ours"}), ME)
    fake.edit(1, body="Theirs")
    call(connected, "sync", direction=direction)
    pulled = only(connected).description == "Theirs"
    pushed = fake.issues[1]["title"] == "Ours"
    assert (pulled, pushed) == (direction == "pull", direction == "push")
    call(connected, "sync")
    assert (only(connected).description, fake.issues[1]["title"]) == ("Theirs", "Ours")


def test_an_issue_whose_making_was_interrupted_is_not_made_twice(connected: Tasks, fake: FakeGitHub) -> None:
    task = connected.create([Draft("Ours")], ME)[0][0]
    call(connected, "create_issue", task_id=task.id)
    with connected.store.write() as connection:  # as if the process had ended before it could remember
        connection.execute("DELETE FROM counterpart")
    call(connected, "sync", create_missing=True)
    assert len(fake.issues) == 1
    assert connected.find(Query()).total == 1


def test_a_limit_in_the_middle_loses_nothing(connected: Tasks, fake: FakeGitHub) -> None:
    for number in range(3):
        connected.create([Draft(f"Task {number}")], ME)
    answer = Answer(403, {}, {"Retry-After": "3600"})
    original = fake.respond

    def limited(request: Any) -> Answer:
        return answer if request.method == "POST" and len(fake.issues) == 2 else original(request)

    fake.server.respond = limited
    with pytest.raises(RateLimited):
        call(connected, "sync", create_missing=True)
    fake.server.respond = original
    report = call(connected, "sync", create_missing=True)
    assert done(report) == ["created_there"]
    assert len(fake.issues) == 3


@pytest.mark.parametrize("body", [{}, {"number": None}, [], {"number": True, "title": "x"}, None])
def test_an_answer_that_is_no_issue_is_named_and_nothing_follows_from_it(
    connected: Tasks, fake: FakeGitHub, body: Any
) -> None:
    task = connected.create([Draft("Ours", "Text")], ME)[0][0]
    original = fake.respond
    fake.server.respond = lambda request: Answer(201 if request.method == "POST" else 200, body)
    with pytest.raises(Unavailable, match="without an id"):
        call(connected, "create_issue", task_id=task.id)
    with pytest.raises(Unavailable, match="without an id"):
        call(connected, "update_from_pr", pull_request=3)
    if body != []:
        with pytest.raises(Unavailable, match="no list"):
            call(connected, "sync")
    fake.server.respond = original
    assert done(call(connected, "create_issue", task_id=task.id)) == ["created_there"]
    after = connected.get(task.id)
    assert (after.title, after.description) == ("Ours", "Text")


def test_what_github_says_of_a_field_is_told(connected: Tasks, fake: FakeGitHub) -> None:
    said = {
        "message": "Validation Failed",
        "errors": [{"resource": "Issue", "field": "title", "code": "missing"}],
    }
    fake.server.respond = lambda request: Answer(422, said)
    with pytest.raises(Invalid, match="Validation Failed; title is missing"):
        call(connected, "create_issue", title="x")


def test_an_issue_can_be_made_of_a_task_and_only_once(connected: Tasks, fake: FakeGitHub) -> None:
    task = connected.create([Draft("Ours", "Text", labels=["x"], criteria=["Works"])], ME)[0][0]
    assert done(call(connected, "create_issue", task_id=task.id, dry_run=True)) == ["created_there"]
    assert fake.issues == {}
    report = call(connected, "create_issue", task_id=task.id)
    assert report.steps is not None
    assert report.steps[0].url == "https://github.com/ada/kelp/issues/1"
    assert "- [ ] Works" in fake.issues[1]["body"]
    assert call(connected, "create_issue", task_id=task.id).unchanged == 1
    assert done(call(connected, "sync")) == []
    assert call(connected, "create_issue", title="New").steps
    assert connected.find(Query()).total == 2
    with pytest.raises(Invalid):
        call(connected, "create_issue")


def test_a_pull_request_names_its_task_and_moves_it(connected: Tasks, fake: FakeGitHub) -> None:
    task = connected.create([Draft("Ours")], ME)[0][0]
    report = call(connected, "create_pr", task_id=task.id, branch="feature/ours")
    assert report.steps is not None
    assert report.steps[0].origin == "#1"
    assert fake.pulls[1]["body"] == "Task: TP-1"
    call(connected, "update_from_pr", pull_request=1)
    assert (only(connected).status, only(connected).progress) == ("in-progress", 25)
    fake.pulls[1].update(merged=True, state="closed", merge_commit_sha="a" * 40)
    assert done(call(connected, "update_from_pr", pull_request=1, dry_run=True)) == ["changed_here"]
    assert only(connected).status == "in-progress"
    call(connected, "update_from_pr", pull_request=1)
    after = only(connected)
    assert (after.status, after.progress) == ("done", 100)
    assert '"kind":"commit"' in after.evidence


def test_an_open_pull_request_that_may_not_move_its_task_says_so(connected: Tasks, fake: FakeGitHub) -> None:
    task = connected.create([Draft("Ours")], ME)[0][0]
    claim(connected, task.id, CallerIdentity("lin"))
    connected.update(task.id, Change(set={"status": "blocked"}, reason="Wait"), CallerIdentity("lin"))
    [step] = call(connected, "update_from_pr", pull_request=fake.add_pull("Do TP-1", "", "b")).steps or ()
    assert (step.done, step.detail) == ("refused", "TP-1 is claimed by lin.")
    assert (only(connected).status, only(connected).progress) == ("blocked", 0)


def test_a_pull_request_that_closes_an_issue_moves_its_task(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Parse")
    call(connected, "sync")
    number = fake.add_pull("Anything", "Fixes #1", "branch", merged=True)
    call(connected, "update_from_pr", pull_request=number)
    assert only(connected).status == "done"
    with pytest.raises(NotFound, match="names no task"):
        call(connected, "update_from_pr", pull_request=fake.add_pull("Odd", "TP-99", "branch"))


@pytest.mark.parametrize(
    ("action", "more"),
    [("create_pr", {"title": "x"}), ("create_pr", {"branch": "-x", "title": "x"}), ("update_from_pr", {})],
)
def test_what_is_missing_is_named(connected: Tasks, action: str, more: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        call(connected, action, **more)


def test_disconnecting_keeps_what_is_which(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("Parse")
    call(connected, "sync")
    call(connected, "disconnect")
    with pytest.raises(NotFound):
        call(connected, "sync")
    call(connected, "connect")
    assert (done(call(connected, "sync")), connected.find(Query()).total) == ([], 1)


def test_a_workspace_that_moves_keeps_what_is_which_and_has_to_be_connected_again(
    connected: Tasks, fake: FakeGitHub, repository: Path, tmp_path: Path
) -> None:
    fake.add("Parse")
    call(connected, "sync")
    connected.update("TP-1", Change(set={"title": "Ours"}), ME)
    with connected.reading() as connection:
        lines = list(export_lines(connection, connected.workspace()))
    plain = tmp_path / "elsewhere"
    subprocess.run(["git", "clone", "-q", str(repository), str(plain)], check=True)
    subprocess.run(
        ["git", "remote", "set-url", "origin", "git@github.com:ada/kelp.git"], cwd=plain, check=True
    )
    moved = Tasks.open(Repository.discover(plain))
    given, now = parse_export(lines), moved.clock().timestamp()
    with moved.store.write() as connection:
        restore_export(moved.store, connection, None, given, now)
        again = restore_export(moved.store, connection, moved.find_workspace(connection), given, now)
    assert (again.added, again.unchanged) == (0, 1)
    write_marker(moved.repository, connected.workspace().id)
    with pytest.raises(NotFound):
        call(moved, "sync")
    call(moved, "connect")
    assert done(call(moved, "sync")) == ["changed_there"]
    assert (fake.issues[1]["title"], moved.find(Query()).total) == ("Ours", 1)
    moved.close()


def test_the_token_is_stored_nowhere_and_never_told(
    connected: Tasks, fake: FakeGitHub, repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.add("Parse")
    reports = [call(connected, action).model_dump_json() for action in ("sync", "status")]
    fake.refusals = [Answer(422, {"message": "odd"})]
    with pytest.raises(Invalid) as caught:
        call(connected, "sync")
    written = b"".join(path.read_bytes() for path in repository.rglob("*") if path.is_file())
    told = "".join([*reports, caught.value.sentence(), *capfd.readouterr()])
    assert TOKEN.encode() not in written
    assert TOKEN not in told


def test_what_does_not_fit_is_shortened_here_and_left_whole_there(connected: Tasks, fake: FakeGitHub) -> None:
    fake.add("t" * 250, "x\x00y" + "z" * 60_000, ("l" * 300, "two\nlines"))
    call(connected, "sync")
    task = only(connected)
    assert (len(task.title), task.notes) == (200, f"Whole title: {'t' * 250}")
    connected.update(task.uid, Change(set={"title": "Short", "priority": "high"}), ME)
    call(connected, "sync")
    assert fake.issues[1]["title"] == "t" * 250
    assert len(fake.issues[1]["body"]) > 60_000
    assert "priority-high" in {label["name"] for label in fake.issues[1]["labels"]}

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import Denied, Invalid, NotFound, TooLarge, Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.states import STATUSES
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.tasks.tools.remote_interface import RemoteInterface, remote_interface
from holdfast.tasks.trackers.report import TrackerReport, report_text
from holdfast.tasks.trackers.task_updates import transition_path
from tests.tasks.trackers.tracker_servers import FakeAsana, FakeCustom, FakeJira, FakeLinear, FakeTrello
from tests.tasks.trackers.web_server import Answer, Server, serving

ME = CallerIdentity("ada")
KINDS = [FakeJira, FakeLinear, FakeAsana, FakeTrello, FakeCustom]


@pytest.fixture
def room(repository: Path) -> Iterator[Tasks]:
    opened = Tasks.open(Repository.discover(repository))
    ensure_workspace(opened, "kelp", [], "criteria")
    yield opened
    opened.close()


@pytest.fixture(params=KINDS, ids=lambda kind: kind.kind)
def fake(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    found = request.param()
    with serving(found.respond) as server:
        found.server = server
        monkeypatch.setenv("HOLDFAST_HOSTS", server.host)
        for name, value in found.token.items():
            monkeypatch.setenv(name, value)
        yield found


def call(room: Tasks, kind: str, action: str, **more: Any) -> TrackerReport:
    asked = RemoteInterface(interface_type=kind, action=action, **{"dry_run": False, **more})  # type: ignore[arg-type]
    report: TrackerReport = remote_interface(room, asked)
    return report


def connect(room: Tasks, fake: Any, **more: Any) -> TrackerReport:
    config = json.dumps({**fake.config, "base_url": fake.server.url})
    return call(room, fake.kind, "connect", config=config, **more)


def done(report: TrackerReport) -> list[str]:
    return [step.done for step in report.steps or ()]


def test_a_tracker_is_tried_connected_tested_and_listed(room: Tasks, fake: Any) -> None:
    assert connect(room, fake, dry_run=True).tracker is not None
    nothing = call(room, fake.kind, "list")
    assert (nothing.operation, nothing.trackers, nothing.tracker) == ("remote_interface", [], None)
    report = connect(room, fake)
    assert report.tracker is not None
    assert report.tracker.connected
    tested = call(room, fake.kind, "test")
    assert tested.account in ("Ada", "")
    assert [item.name for item in call(room, fake.kind, "list").trackers or ()] == [report.tracker.name]
    assert "connected" in report_text(call(room, fake.kind, "list"))


def test_items_and_tasks_are_kept_in_step_both_ways(room: Tasks, fake: Any) -> None:
    first, second = fake.add("First", "Text"), fake.add("Second")
    connect(room, fake)
    assert done(call(room, fake.kind, "sync")) == ["created_here", "created_here"]
    assert done(call(room, fake.kind, "sync")) == []
    one, two = room.find(Query(sort="number")).tasks
    assert (one.title, one.description, two.title) == ("First", "Text", "Second")
    fake.rename(first, "Renamed there")
    room.update(two.uid, Change(set={"title": "Renamed here"}), ME)
    for status in ("in-progress", "done"):
        room.update(two.uid, Change(set={"status": status}), ME)
    assert sorted(done(call(room, fake.kind, "sync"))) == ["changed_here", "changed_there"]
    assert room.get(one.uid).title == "Renamed there"
    assert fake.title(second) == "Renamed here"
    assert fake.is_done(second)
    assert done(call(room, fake.kind, "sync")) == []


def test_a_task_gets_an_item_when_asked_for(room: Tasks, fake: Any) -> None:
    connect(room, fake)
    task = room.create([Draft("Ours", "Text")], ME)[0][0]
    assert done(call(room, fake.kind, "sync")) == []
    assert done(call(room, fake.kind, "sync", create_missing=True, dry_run=True)) == ["created_there"]
    assert fake.items == {}
    assert done(call(room, fake.kind, "sync", create_missing=True)) == ["created_there"]
    assert [fake.title(key) for key in fake.items] == ["Ours"]
    assert done(call(room, fake.kind, "sync", create_missing=True)) == []
    assert room.get(task.uid).title == "Ours"


def test_a_conflict_is_told(room: Tasks, fake: Any) -> None:
    key = fake.add("First")
    connect(room, fake)
    call(room, fake.kind, "sync")
    room.update("TP-1", Change(set={"title": "Ours"}), ME)
    fake.rename(key, "Theirs")
    report = call(room, fake.kind, "sync")
    assert done(report) == ["conflict"]
    assert "CONFLICT" in report_text(report)
    assert (room.get("TP-1").title, fake.title(key)) == ("Ours", "Theirs")


def test_secrets_are_neither_stored_nor_told(room: Tasks, fake: Any, repository: Path) -> None:
    fake.add("First")
    report = connect(room, fake).model_dump_json() + call(room, fake.kind, "sync").model_dump_json()
    written = b"".join(path.read_bytes() for path in repository.rglob("*") if path.is_file())
    for secret in fake.token.values():
        if secret.endswith("-secret"):
            assert secret not in report
            assert secret.encode() not in written


def test_an_answer_of_another_shape_is_named_and_changes_nothing(room: Tasks, fake: Any) -> None:
    first = fake.add("First", "Text")
    connect(room, fake)
    original = fake.server.respond
    for body in ({}, [], {"data": []}, {"items": 3}, "words", None):
        fake.server.respond = lambda request, body=body: Answer(200, body)
        try:
            report = call(room, fake.kind, "sync")
        except Unavailable as failure:
            assert "nothing of that answer was used" in (failure.hint or "")  # noqa: PT017 - an empty list is none
        else:
            assert done(report) == []
    fake.server.respond = original
    assert done(call(room, fake.kind, "sync")) == ["created_here"]
    assert [task.title for task in room.find(Query()).tasks] == [fake.title(first)]


def test_a_wrong_token_is_named(room: Tasks, fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in fake.token:
        monkeypatch.setenv(name, "wrong")
    with pytest.raises(Denied) as caught:
        connect(room, fake)
    assert "Set " in caught.value.sentence()


def test_without_a_token_or_a_host_nothing_is_asked(
    room: Tasks, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in fake.token:
        monkeypatch.delenv(name)
    with pytest.raises((Unavailable, Denied)):
        connect(room, fake)
    asked = len(fake.server.requests)
    monkeypatch.delenv("HOLDFAST_HOSTS")
    with pytest.raises(Denied, match="is not allowed"):
        connect(room, fake)
    assert len(fake.server.requests) == asked


def test_disconnecting_ends_it(room: Tasks, fake: Any) -> None:
    connect(room, fake)
    assert call(room, fake.kind, "disconnect", dry_run=True).dry_run
    call(room, fake.kind, "disconnect")
    with pytest.raises(NotFound):
        call(room, fake.kind, "sync")


def test_a_list_without_an_end_is_given_up(room: Tasks, fake: Any) -> None:
    fake.add("First")
    connect(room, fake)
    asked = len(fake.server.requests)
    fake.server.respond = lambda request: endless(fake.respond(request), len(fake.server.requests), fake)
    with pytest.raises(TooLarge, match="more than 200 pages"):
        call(room, fake.kind, "sync")
    assert len(fake.server.requests) - asked < 210
    assert room.find(Query()).total == 0


def endless(answer: Answer, number: int, fake: Any) -> Answer:
    """Return a list of which there is always more, as each service says so."""
    body = answer.body
    if isinstance(body, list):
        answer.body = body[:1] * 1000
    elif "results" in body:
        answer.headers["Link"] = f'<{fake.server.url}/{number}>; rel="next"'
    elif "issues" in body:
        body["nextPageToken"] = str(number)
    elif "issues" in body.get("data", {}):
        answer.body["data"]["issues"]["pageInfo"] = {"hasNextPage": True, "endCursor": "0"}
    elif "next_page" in body:
        body["next_page"] = {"offset": "0"}
    return answer


@pytest.mark.parametrize("total", ["many", None, {}])
def test_a_count_that_is_no_number_is_not_relied_on(
    room: Tasks, monkeypatch: pytest.MonkeyPatch, total: object
) -> None:
    issue = {"key": "KELP-1", "fields": {"summary": "First", "status": {"name": "To Do"}}}
    with serving(lambda _: Answer(200, {"issues": [issue], "total": total})) as server:
        monkeypatch.setenv("HOLDFAST_HOSTS", server.host)
        monkeypatch.setenv("JIRA_TOKEN", "jira-secret")
        call(room, "jira", "connect", config=json.dumps({"project": "KELP", "base_url": server.url}))
        assert done(call(room, "jira", "sync")) == ["created_here"]


@pytest.fixture
def trello(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTrello]:
    found = FakeTrello()
    with serving(found.respond) as server:
        found.server: Server = server  # type: ignore[misc]
        monkeypatch.setenv("HOLDFAST_HOSTS", server.host)
        for name, value in found.token.items():
            monkeypatch.setenv(name, value)
        yield found


def test_a_state_that_the_other_side_does_not_have_is_named(room: Tasks, trello: FakeTrello) -> None:
    trello.add("First")
    connect(room, trello)
    call(room, "trello", "sync")
    room.update("TP-1", Change(set={"status": "blocked"}, reason="Waiting"), ME)
    report = call(room, "trello", "sync")
    assert done(report) == ["failed"]
    assert report.steps is not None
    assert report.steps[0].detail == "The board has no list for 'blocked'."


def test_several_of_a_kind_are_told_apart_by_name(room: Tasks, trello: FakeTrello) -> None:
    connect(room, trello)
    trello.config = {"board": "b1", "lists": {"Shipped": "review"}}
    connect(room, trello)
    assert len(call(room, "trello", "list").trackers or ()) == 1, "other settings, the same board"
    with pytest.raises(NotFound):
        call(room, "trello", "sync", name="trello:other")


@pytest.mark.parametrize(
    "config",
    ["{", "{}", '{"board": "b1", "token": "x"}', '{"board": "b1", "base_url": "http://evil.example"}'],
)
def test_a_bad_config_is_refused(room: Tasks, config: str) -> None:
    with pytest.raises(Invalid):
        call(room, "trello", "configure", config=config)


def test_every_state_is_reached_by_steps_that_are_allowed() -> None:
    for before in STATUSES:
        for after in STATUSES:
            steps = transition_path(before, after)
            assert steps[-1:] == ([after] if before != after else [])
    assert transition_path("backlog", "done") == ["in-progress", "done"]

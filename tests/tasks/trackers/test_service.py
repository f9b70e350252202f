from __future__ import annotations

from http.server import BaseHTTPRequestHandler

import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import (
    Cancelled,
    Conflict,
    Denied,
    HoldfastError,
    Invalid,
    NotFound,
    RateLimited,
    Unavailable,
)
from holdfast.storage.network.address import AllowedHosts
from holdfast.storage.network.client import WebClient
from holdfast.tasks.trackers.foreign import ForeignCriterion, ForeignTask
from holdfast.tasks.trackers.github import GitHub, project_of_remote, validate_project
from holdfast.tasks.trackers.github_issues import body_of, fields_of, labels_of, task_of
from holdfast.tasks.trackers.service import Service, ServiceProfile, pause
from holdfast.tasks.trackers.settings import parse_settings
from holdfast.tasks.trackers.three_way_merge import FieldConflict, merge_values
from holdfast.tasks.trackers.tracker import SyncCursor
from tests.tasks.trackers.github_server import TOKEN, FakeGitHub, github
from tests.tasks.trackers.web_server import Answer, Server, serving


def service(server: Server, waits: list[float] | None = None, token: str = TOKEN) -> Service:
    secrets = {"Authorization": f"Bearer {token}"}
    client = WebClient(server.url, AllowedHosts([server.host]), secrets=lambda: secrets)
    noted: list[float] = [] if waits is None else waits
    return Service(
        client, ServiceProfile("GitHub", "Set GITHUB_TOKEN."), pause=noted.append, now=lambda: 1000.0
    )


def connected(fake: FakeGitHub, waits: list[float] | None = None, token: str = TOKEN) -> GitHub:
    return GitHub(service(fake.server, waits, token), fake.project)


def test_all_pages_of_issues_are_read_oldest_first_without_pull_requests() -> None:
    with github(page=2) as fake:
        for number in range(5):
            fake.add(f"Issue {number}")
        fake.add("A pull request", pull_request={"url": "x"})
        cursor = SyncCursor()
        titles = [task.title for task in connected(fake).changed_since(cursor)]
    assert titles == [f"Issue {number}" for number in range(5)]
    assert cursor.since == "2026-01-01T00:00:06Z"
    assert [request.query.get("page", "1") for request in fake.server.requests] == ["1", "2", "3"]


def test_a_second_look_asks_only_for_what_changed_and_a_third_costs_nothing() -> None:
    with github() as fake:
        for number in range(3):
            fake.add(f"Issue {number}")
        tracker, cursor = connected(fake), SyncCursor()
        assert len(list(tracker.changed_since(cursor))) == 3
        assert [task.title for task in tracker.changed_since(cursor)] == ["Issue 2"]
        assert fake.server.requests[-1].query["since"] == "2026-01-01T00:00:03Z"
        assert list(tracker.changed_since(cursor)) == []
        assert fake.server.requests[-1].headers["if-none-match"] == cursor.etag
        fake.edit(1, title="Changed")
        assert [task.title for task in tracker.changed_since(cursor)] == ["Issue 2", "Changed"]


def test_a_short_wait_is_waited_and_a_long_one_is_told() -> None:
    with github() as fake:
        waits: list[float] = []
        fake.refusals = [Answer(429, {"message": "slow down"}, {"Retry-After": "2"})]
        connected(fake, waits).issue(fake.add("One")["number"])
        assert waits == [2.0]
        fake.refusals = [Answer(403, {}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1600"})]
        with pytest.raises(RateLimited) as caught:
            connected(fake, waits).issue(1)
    assert caught.value.data["retry_after"] == 601
    assert waits == [2.0]


def test_a_service_that_keeps_asking_to_wait_is_given_up() -> None:
    with serving(lambda _: Answer(429, {}, {"Retry-After": "1"})) as server:
        waits: list[float] = []
        with pytest.raises(RateLimited):
            service(server, waits).get("/")
    assert waits == [1.0, 1.0]


@pytest.mark.parametrize("header", ["Retry-After", "X-RateLimit-Reset"])
def test_a_service_that_asks_to_wait_for_ever_is_told_as_a_day(header: str) -> None:
    headers = {header: "9" * 400, "X-RateLimit-Remaining": "0"}
    with serving(lambda _: Answer(429, {}, headers)) as server, pytest.raises(RateLimited) as caught:
        service(server).get("/")
    assert caught.value.data["retry_after"] == 86_401


@pytest.mark.parametrize("depth", [500, 100_000])
@pytest.mark.parametrize("status", [200, 422])
def test_a_deep_answer_is_no_json(depth: int, status: int) -> None:
    body = b'{"message": ' + b"[" * depth + b"]" * depth + b"}"

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    with serving(lambda _: Answer(raw=respond)) as server, pytest.raises((Unavailable, Invalid)):
        service(server).get("/").json()


def test_trouble_is_tried_again_when_reading_and_never_when_writing() -> None:
    with serving(lambda _: Answer(502)) as server:
        with pytest.raises(Unavailable, match="502"):
            service(server).get("/")
        assert len(server.requests) == 3
        with pytest.raises(Unavailable):
            service(server).send("POST", "/", {})
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Denied), (403, Denied), (404, NotFound), (409, Conflict), (422, Invalid), (418, Unavailable)],
)
def test_a_refusal_is_told_in_the_services_words(status: int, kind: type[HoldfastError]) -> None:
    body = {"message": "No \x1b[31mway", "errors": [{"message": "field title"}]}
    with serving(lambda _: Answer(status, body)) as server, pytest.raises(kind) as caught:
        service(server, token="very-secret").get("/")
    assert "No way; field title" in caught.value.message
    assert "very-secret" not in caught.value.sentence()


def test_a_wrong_token_says_where_tokens_come_from() -> None:
    with github() as fake, pytest.raises(Denied) as caught:
        connected(fake, token="wrong").whoami()
    assert "GITHUB_TOKEN" in caught.value.sentence()


def test_who_we_are_is_asked() -> None:
    with github() as fake:
        account = connected(fake).whoami()
    assert (account.account, account.project) == ("ada", "ada/kelp")


def test_waiting_ends_with_the_call() -> None:
    call = Call()
    call.cancel()
    with running(call), pytest.raises(Cancelled):
        pause(60)


def test_an_issue_and_a_task_say_the_same() -> None:
    task = ForeignTask(
        foreign_id="7",
        title="Parse",
        description="All of it.",
        status="review",
        priority="high",
        labels=("parser",),
        criteria=(ForeignCriterion("Reads one", True), ForeignCriterion("Reads two")),
        extra={"uid": "01ABC"},
    )
    sent = fields_of(task)
    labels = [{"name": label} for label in sent["labels"]]
    back = task_of({"number": 7, **sent, "state": "open", "labels": labels})
    assert labels_of(task) == ["parser", "taskpilot", "priority-high", "status-review"]
    assert back == task


@pytest.mark.parametrize(
    ("state", "reason", "labels", "status"),
    [
        ("closed", "completed", [], "done"),
        ("closed", "not_planned", [], "dropped"),
        ("closed", "duplicate", ["status-review"], "dropped"),
        ("open", "reopened", ["status-done"], "backlog"),
        ("open", None, ["status-in-progress"], "in-progress"),
        ("open", None, ["status-odd"], "backlog"),
    ],
)
def test_states_of_issues(state: str, reason: str | None, labels: list[str], status: str) -> None:
    named = [{"name": label} for label in labels]
    task = task_of({"number": 1, "title": "x", "state": state, "state_reason": reason, "labels": named})
    assert task.status == status
    assert task.labels == (("status-odd",) if labels == ["status-odd"] else ())


def test_a_body_without_our_parts_is_the_description_whole() -> None:
    body = "Text\r\n\r\n## Acceptance criteria\r\n\r\nnone yet"
    assert task_of({"number": 1, "title": "x", "body": body}).description == body
    assert body_of(ForeignTask("1", "x")) == ""


@pytest.mark.parametrize(
    ("address", "project"),
    [
        ("https://github.com/ada/kelp.git", "ada/kelp"),
        ("git@github.com:ada/kelp.git", "ada/kelp"),
        ("ssh://git@github.com/ada/kelp", "ada/kelp"),
        ("https://github.com.evil.example/ada/kelp", None),
        ("https://gitlab.com/ada/kelp", None),
        ("../kelp", None),
    ],
)
def test_a_remote_names_a_project(address: str, project: str | None) -> None:
    assert project_of_remote(address) == project


@pytest.mark.parametrize("text", ["kelp", "ada/..", "ada/kelp/issues", "ada/kelp?x", "-a/b", ""])
def test_what_is_no_project_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        validate_project(text)


BASE = {"title": "T", "description": "D", "status": "backlog", "priority": "medium", "labels": ["a", "b"]}


def test_the_side_that_changed_is_followed() -> None:
    found = merge_values(BASE, {**BASE, "title": "Ours"}, {**BASE, "status": "done"})
    assert (found.for_us, found.for_them, found.conflicts) == ({"status": "done"}, {"title": "Ours"}, ())
    assert found.base == {**BASE, "title": "Ours", "status": "done"}


def test_two_different_changes_clash_and_change_nothing_until_a_side_is_preferred() -> None:
    ours, theirs = {**BASE, "title": "Ours"}, {**BASE, "title": "Theirs"}
    found = merge_values(BASE, ours, theirs)
    assert (found.for_us, found.for_them) == ({}, {})
    assert found.conflicts == (FieldConflict("title", "Ours", "Theirs"),)
    assert found.base == BASE
    assert merge_values(BASE, ours, theirs, prefer="ours").for_them == {"title": "Ours"}
    assert merge_values(BASE, ours, theirs, prefer="theirs").for_us == {"title": "Theirs"}


def test_labels_are_merged() -> None:
    found = merge_values(BASE, {**BASE, "labels": ["a", "c"]}, {**BASE, "labels": ["d", "a", "b"]})
    assert found.base["labels"] == ["a", "c", "d"]
    assert found.for_us == {"labels": ["a", "c", "d"]}
    assert found.conflicts == ()


def test_line_ends_and_order_are_no_change() -> None:
    found = merge_values(BASE, BASE, {**BASE, "description": "D\r\n", "labels": ["b", "a"]})
    assert (found.for_us, found.for_them) == ({}, {})


def test_a_field_that_the_other_side_cannot_carry_is_left_out() -> None:
    found = merge_values(BASE, {**BASE, "priority": "low"}, BASE, synced_fields={"title"})
    assert found.for_them == {}


def test_a_config_is_checked_and_holds_no_secret() -> None:
    def parse(text: str) -> dict[str, object]:
        return parse_settings(text, required=("project",), optional=("lists",))

    assert parse('{"project": "K", "lists": {"Doing": "review"}}')["project"] == "K"
    for text, words in {
        "{": "line 1",
        "[]": "not a JSON object",
        "{}": "does not name project",
        '{"project": "K", "odd": "x"}': "odd",
        '{"project": 1}': "not a text",
        '{"project": "K", "token": "x"}': "secret",
        '{"project": "ghp_0123456789abcdef"}': "secret",
        '{"project": "K", "lists": {"password": "x"}}': "secret",
    }.items():
        with pytest.raises(Invalid, match=words):
            parse(text)

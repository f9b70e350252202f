"""Writing operations: receipts, requests that repeat, claims, and what is ready."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.errors import Conflict, Invalid, InvalidArguments
from holdfast.milestones.index.lookup import UnknownEntity
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace

Do = Any


@pytest.fixture
def do(repository: Path) -> Iterator[Do]:
    """Run an operation by its short name and return its result as it is sent."""
    workspace = Workspace.discover(repository)
    dispatcher = Dispatcher(full_registry(), workspace.room)

    def run(name: str, **arguments: Any) -> dict[str, Any]:
        operation = dispatcher.registry.operation(f"git_mile.{name}")
        return dispatcher.run(operation, arguments, dispatcher.new_call(operation)).wire()

    yield run
    dispatcher.close()
    workspace.close()


@pytest.fixture
def issue(do: Do) -> str:
    name: str = do("create", entity="issue", title="Panel")["id"]
    return name


def shown(do: Do, name: str, entity: str = "issue") -> dict[str, Any]:
    found: dict[str, Any] = do("show", entity=entity, id=name)
    return found


def test_creating_takes_everything_in_one_step(do: Do) -> None:
    milestone = do("create", entity="milestone", title="Alpha")["id"]
    first = do("create", entity="issue", title="First")["id"]
    receipt = do(
        "create",
        entity="issue",
        title="Second",
        description="Text",
        label=["bug"],
        assignee="Ada",
        due="2030-01-31",
        milestone=milestone[:8],
        dependsOn=[first],
        comment="Why",
        draft=True,
    )
    assert receipt["changed"]
    assert not receipt["repeated"]
    found = shown(do, receipt["id"])
    assert (found["status"], found["labels"], found["assignee"]) == ("draft", ["bug"], "Ada")
    assert (found["due"], found["milestone"], found["dependencies"]) == ("2030-01-31", milestone, [first])
    assert [comment["body"] for comment in found["comments"]] == ["Why"]
    assert found["author"] == "Ada <ada@example.org>"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("comment", {"body": "Once"}),
        ("label", {"add": ["bug"]}),
        ("close", {"comment": "Done"}),
        ("link", {"to": ["src/main.py"]}),
        ("assign", {"assignee": "Grace"}),
        ("edit", {"title": "New title"}),
        ("claim", {}),
    ],
)
def test_a_repeated_request_changes_nothing_and_returns_the_first_receipt(
    do: Do, issue: str, name: str, arguments: dict[str, Any]
) -> None:
    first = do(name, id=issue, requestId="r-1", **arguments)
    before = shown(do, issue)
    again = do(name, id=issue, requestId="r-1", **arguments)
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert again["operations"] == first["operations"]
    assert shown(do, issue) == before


def test_a_request_that_asks_for_something_else_under_the_same_name_is_refused(do: Do, issue: str) -> None:
    do("comment", id=issue, body="One", requestId="r-1")
    with pytest.raises(Conflict):
        do("comment", id=issue, body="Two", requestId="r-1")


def test_what_is_so_already_is_not_written_again(do: Do, issue: str) -> None:
    assert not do("open", id=issue)["changed"]
    assert do("close", id=issue)["changed"]
    assert not do("close", id=issue)["changed"]
    assert not do("label", id=issue, remove=["nothing"])["changed"]


def test_a_comment_can_be_written_anew_and_deleted(do: Do, issue: str) -> None:
    comment = do("comment", id=issue, body="Frist")["comment_id"]
    assert do("comment", id=issue, body="First", replaces=comment)["comment_id"] == comment
    [found] = shown(do, issue)["comments"]
    assert (found["body"], found["id"]) == ("First", comment)
    assert found["edited"]
    do("delete_comment", id=issue, commentId=comment)
    found = shown(do, issue)
    assert found["stats"]["comment_count"] == 0
    assert (found["comments"][0]["deleted"], found["comments"][0]["body"]) == (True, "")


def test_links_are_made_and_taken_back(do: Do, issue: str) -> None:
    milestone = do("create", entity="milestone", title="Alpha")["id"]
    other = do("create", entity="issue", title="Other")["id"]
    do("link", id=issue, milestone=milestone, dependsOn=[other], to=["a", "b"])
    assert shown(do, milestone, "milestone")["stats"]["open_issues"] == 1
    found = shown(do, issue)
    assert (found["dependencies"], found["links"]) == ([other], ["a", "b"])
    do("link", id=issue, milestone=milestone, dependsOn=[other], to=["a"], unlink=True)
    found = shown(do, issue)
    assert (found.get("milestone"), found.get("dependencies"), found["links"]) == (None, None, ["b"])


def test_mistakes_are_named_and_nothing_is_written(do: Do, issue: str) -> None:
    before = do("log")
    for name, arguments, error in (
        ("label", {"add": ["a"], "remove": ["a"]}, InvalidArguments),
        ("label", {}, InvalidArguments),
        ("link", {}, InvalidArguments),
        ("edit", {}, InvalidArguments),
        ("edit", {"due": "tomorrow"}, InvalidArguments),
        ("assign", {"assignee": "A", "nobody": True}, InvalidArguments),
        ("link", {"milestone": issue}, UnknownEntity),
        ("comment", {"body": " "}, Invalid),
    ):
        with pytest.raises(error):
            do(name, id=issue, **arguments)
    with pytest.raises(UnknownEntity):
        do("close", id="dead-beef")
    with pytest.raises(Invalid, match="cannot belong to a milestone"):
        do("create", entity="milestone", title="x", milestone="abcd")
    assert do("log") == before


def test_somebody_is_assigned_or_nobody(do: Do, issue: str) -> None:
    do("assign", id=issue)
    assert shown(do, issue)["assignee"] == "Ada <ada@example.org>"
    do("assign", id=issue, nobody=True)
    assert "assignee" not in shown(do, issue)


def test_a_claim_keeps_others_away_until_it_is_released(do: Do, issue: str) -> None:
    claimed = do("claim", id=issue, actor="A <a@x>", minutes=5)
    assert claimed["actor"] == "A <a@x>"
    assert shown(do, issue)["claim"]["until"] == claimed["until"]
    with pytest.raises(Conflict, match="Somebody else has claimed this until") as refusal:
        do("claim", id=issue, actor="B <b@x>")
    assert refusal.value.data["holder"] == "A <a@x>", "what somebody wrote is data, never part of the message"
    do("release", id=issue, actor="A <a@x>")
    assert do("claim", id=issue, actor="B <b@x>")["actor"] == "B <b@x>"


def test_ready_is_what_is_open_unclaimed_and_waits_for_nothing(do: Do, issue: str) -> None:
    later = do("create", entity="issue", title="Later", dependsOn=[issue])["id"]
    urgent = do("create", entity="issue", title="Urgent", due="2020-01-01", label=["bug"])["id"]
    do("create", entity="issue", title="Draft", draft=True)
    found = do("ready")
    assert ([item["id"] for item in found["items"]], found["total"]) == ([urgent, issue], 2)
    assert [item["id"] for item in do("ready", label=["bug"])["items"]] == [urgent]
    do("claim", id=urgent)
    do("close", id=issue)
    assert [item["id"] for item in do("ready")["items"]] == [later]


def test_the_history_tells_who_did_what_newest_first(do: Do, issue: str) -> None:
    do("comment", id=issue, body="Hello")
    do("close", id=issue)
    events = do("log", id=issue)["events"]
    assert [(event["action"], event.get("value")) for event in events[:2]] == [
        ("set", "closed"),
        ("comment", "Hello"),
    ]
    assert {event["actor"] for event in events} == {"Ada <ada@example.org>"}
    first = do("log", limit=1)
    rest = do("log", limit=50, cursor=first["nextCursor"])
    assert first["events"] + rest["events"] == do("log", limit=50)["events"]
    paged = do("log", id=issue, limit=1)
    assert do("log", id=issue, limit=1, cursor=paged["nextCursor"])["events"] == events[1:2]


def test_a_claim_that_is_repeated_after_its_end_says_so(do: Do, issue: str) -> None:
    do("claim", id=issue, actor="A <a@x>", requestId="r-1")
    do("release", id=issue, actor="A <a@x>")
    with pytest.raises(Conflict, match="has ended"):
        do("claim", id=issue, actor="A <a@x>", requestId="r-1")


def test_the_overview_tells_people_days_and_progress(do: Do, issue: str) -> None:
    milestone = do("create", entity="milestone", title="Alpha", due="2030-01-31")["id"]
    for title in ("Done", "Open"):
        name = do("create", entity="issue", title=title, milestone=milestone, assignee="Ada")["id"]
    do("close", id=do("list", entity="issue", filter="title == Done")["items"][0]["id"])
    do("claim", id=name, actor="Grace <grace@example.org>")
    [line] = do("overview", entity="milestone")["items"]
    assert (line["due"], line["stats"]["open_issues"], line["closed_issues"]) == ("2030-01-31", 1, 1)
    mine = do("overview", entity="issue", filter="assignee = Ada", includeClosed=True)["items"]
    assert [(item["title"], item["milestone"], item.get("claimed_by")) for item in mine] == [
        ("Open", "Alpha", "Grace <grace@example.org>"),
        ("Done", "Alpha", None),
    ]
    assert not any(item["contested"] or "closed_issues" in item for item in mine)
    first = do("overview", entity="issue", limit=1)
    assert do("overview", entity="issue", limit=1, cursor=first["nextCursor"])["items"][0]["id"] == issue


def test_the_vocabulary_is_what_filters_accept_here(do: Do, issue: str) -> None:
    do("label", id=issue, add=["bug"])
    found = do("vocabulary", entity="issue")
    fields = {field["name"]: field for field in found["fields"]}
    assert fields["labels"]["values"] == ["bug"]
    assert fields["author"]["values"] == [found["identity"]] == [shown(do, issue)["author"]]
    assert "open_issues" not in fields
    assert found["remote"] is None
    for key in found["sort"]:
        assert do("list", entity="issue", sort=[key])["items"]
    for name, field in fields.items():
        for operator in field["operators"]:
            value = {"due": "7d", "created": "7d", "updated": "7d", "comments": "1"}.get(
                name, (field["values"] or ["x"])[0]
            )
            written = f'["{value}"]' if operator == "in" else f'"{value}"'
            do("list", entity="issue", filter=f"{name} {operator} {written}")

"""Operations as routes: arguments from query and body, results, problems and entity tags."""

from __future__ import annotations

import pytest
from pydantic import Field

from holdfast.faces.rest.query import QueryReader
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.models import Input, Output
from holdfast.kernel.operation import Effect
from holdfast.kernel.toolset import Toolset
from tests.faces.http.running import RunningServer


class Asked(Input):
    """Every shape that a query can spell."""

    name: str = ""
    count: int | None = None
    ratio: float = 0.0
    strict: bool = False
    labels: list[str] = Field(default_factory=list)
    numbers: list[int] = Field(default_factory=list)
    options: dict[str, int] | None = None


class Nothing(Output):
    """No facts."""


shapes = Toolset("shapes", "Shapes.")


@shapes.operation("look", title="Look", effect=Effect.READ, example="holdfast shapes look")
def look(room: object, args: Asked) -> Nothing:
    """Look."""
    del room, args
    return Nothing()


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        (b"", {}),
        (b"name=a+b%26c&count=3", {"name": "a b&c", "count": 3}),
        (b"count=null&ratio=0.5&strict=true", {"count": None, "ratio": 0.5, "strict": True}),
        (b"labels=a&labels=b&numbers=1&numbers=2", {"labels": ["a", "b"], "numbers": [1, 2]}),
        (b"options=%7B%22a%22%3A1%7D", {"options": {"a": 1}}),
        (b"count=many&strict=yes", {"count": "many", "strict": "yes"}),
        (b"unknown=1", {"unknown": "1"}),
        (b"name=", {"name": ""}),
        (b"name=null", {"name": "null"}),
    ],
)
def test_a_query_spells_values_of_every_shape(query: bytes, arguments: dict[str, object]) -> None:
    assert QueryReader(shapes.operations[0]).arguments(query) == arguments


@pytest.mark.parametrize(
    "query", [b"name=a&name=b", b"options=%7B", b"name=%FF", b"\xff", b"&".join([b"labels=x"] * 1001)]
)
def test_a_query_that_spells_nothing_is_refused(query: bytes) -> None:
    with pytest.raises(InvalidArguments):
        QueryReader(shapes.operations[0]).arguments(query)


@pytest.mark.requirement("http-12")
def test_the_same_bytes_are_sent_once(server: RunningServer) -> None:
    first = server.ask("GET", "/api/inbox/list_messages")
    tag = first.headers["etag"]
    again = server.ask("GET", "/api/inbox/list_messages", headers={"If-None-Match": tag})
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    for held in ("*", f'"x", W/{tag}'):
        assert server.ask("GET", "/api/inbox/list_messages", headers={"If-None-Match": held}).status == 304
    server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": "something new"})
    changed = server.ask("GET", "/api/inbox/list_messages", headers={"If-None-Match": tag})
    assert changed.status == 200
    assert changed.headers["etag"] != tag


@pytest.mark.requirement("http-11")
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", "/api/inbox/list_messages?limit=0", None, 400, "invalid_arguments"),
        ("GET", "/api/inbox/list_messages?cursor=bad", None, 400, "invalid_cursor"),
        ("GET", "/api/inbox/show_message?message_id=m_00000000", None, 404, "not_found"),
        ("POST", "/api/inbox/send_message", {"file": "../x", "comment": "x"}, 400, "invalid_path"),
        ("POST", "/api/inbox/send_message", b"{", 400, "invalid_arguments"),
        ("POST", "/api/inbox/send_message", b"[]", 400, "invalid_arguments"),
        ("POST", "/api/inbox/send_message", b'{"file": NaN}', 400, "invalid_arguments"),
        ("POST", "/api/inbox/send_message?file=a", {}, 400, "invalid_arguments"),
        ("POST", "/api/inbox/list_messages", {}, 405, "method_not_allowed"),
        ("GET", "/api/inbox/list_mesages", None, 404, "unknown_route"),
        ("GET", "/api/events?topics=weather", None, 400, "invalid"),
    ],
)
def test_a_failure_is_problem_details(
    server: RunningServer, method: str, path: str, body: object, status: int, kind: str
) -> None:
    answered = server.ask(method, path, body)
    problem = answered.json
    assert answered.headers["content-type"] == "application/problem+json"
    assert (answered.status, problem["status"], problem["error"]["kind"]) == (status, status, kind)
    assert problem["type"] == f"urn:holdfast:problem:{kind}"
    assert problem["title"]
    assert problem["detail"].startswith(problem["error"]["message"].rstrip("."))


def test_the_description_is_cacheable_and_complete(server: RunningServer) -> None:
    described = server.ask("GET", "/api/openapi.json")
    document = described.json
    assert document["openapi"].startswith("3.1")
    held = {"If-None-Match": described.headers["etag"]}
    assert server.ask("GET", "/api/openapi.json", headers=held).status == 304
    listing = document["paths"]["/api/inbox/list_messages"]["get"]
    assert {item["name"] for item in listing["parameters"]} >= {"limit", "cursor", "state"}
    assert listing["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith(
        "MessagePage"
    )

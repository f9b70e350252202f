"""The specification's server, message by message, as a real process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.comments.sources import AUTH, PATH
from tests.wire.client import ENVELOPE, PROGRAM, WireClient, wire_client

SERVE = [sys.executable, "-m", "holdfast", "serve", "--profile", "paired-comments"]
URI = f"comment://workspace/{PATH}.comments"
OTHER = "comment://workspace/other.ts.comments"
ALL = "comment://workspace/all"
LIST_CHANGED = "notifications/resources/list_changed"
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
EXAMPLE = {
    "filePath": "src/services/auth.ts",
    "line": 42,
    "text": "TODO: Add rate limiting to prevent brute force attacks",
    "tag": "TODO",
    "author": "claude",
    "aiMeta": {
        "model": "claude-sonnet-4.5",
        "confidence": 0.95,
        "reasoning": "Security best practice for authentication endpoints",
    },
}


@pytest.fixture
def root(repository: Path) -> Path:
    place = repository / PATH
    place.parent.mkdir(parents=True)
    place.write_text(AUTH + "\n" * 30, encoding="utf-8")
    return repository


@pytest.fixture
def client(root: Path) -> Iterator[WireClient]:
    with wire_client(SERVE, cwd=root) as client:
        client.initialize()
        yield client


def add(client: WireClient, identity: Any = 7, **change: Any) -> dict[str, Any]:
    return client.call(identity, "add_comment", **(EXAMPLE | change))


@pytest.mark.requirement("comments-1", "comments-2", "comments-3", "comments-4")
def test_it_presents_itself_as_the_specification_shows(root: Path) -> None:
    with wire_client(SERVE, cwd=root) as client:
        told = client.initialize()
    assert told["capabilities"]["tools"] == {"listChanged": True}
    assert told["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
    assert told["capabilities"]["prompts"] == {"listChanged": False}
    assert told["serverInfo"]["name"] == "paired-comments-mcp-server"
    assert told["serverInfo"]["version"] == "0.1.0"
    assert "Contract version 1.0.0" in told["instructions"]
    assert "Paired Comments Team" in told["instructions"]


@pytest.mark.requirement("comments-6")
def test_schemas_are_those_of_the_specification(client: WireClient) -> None:
    tools = {tool["name"]: tool for tool in client.ask(2, "tools/list")["result"]["tools"]}
    assert tools["edit_comment"]["inputSchema"] == {
        "type": "object",
        "properties": {
            "filePath": {
                "type": "string",
                "maxLength": 4096,
                "description": "Path to source file containing the comment",
            },
            "commentId": {
                "type": "string",
                "pattern": r"^c_\d+$",
                "maxLength": 40,
                "description": "Unique comment ID (e.g., 'c_1730000000000')",
            },
            "text": {"type": "string", "minLength": 1, "maxLength": 10000, "description": "New comment text"},
        },
        "required": ["filePath", "commentId", "text"],
    }
    added = tools["add_comment"]["inputSchema"]
    assert added["required"] == ["filePath", "line", "text", "tag"]
    assert added["properties"]["filePath"]["example"] == "src/app.ts"
    assert added["properties"]["line"] == {
        "type": "integer",
        "minimum": 1,
        "description": "Line number where comment should be added (1-indexed)",
    }
    assert added["properties"]["tag"]["enum"] == ["TODO", "FIXME", "NOTE", "STAR", "QUESTION"]
    assert added["properties"]["author"]["default"] == "ai"
    enriched = added["properties"]["aiMeta"]
    assert (enriched["type"], enriched["description"]) == ("object", "Optional AI metadata")
    assert enriched["properties"]["confidence"]["type"] == "number"
    assert (
        enriched["properties"]["confidence"]["minimum"],
        enriched["properties"]["confidence"]["maximum"],
    ) == (0, 1)
    moved = tools["move_comment"]["inputSchema"]
    assert moved["required"] == ["sourceFile", "targetFile", "commentId", "targetLine"]
    shown = tools["get_file_comments"]["inputSchema"]["properties"]["includeOrphaned"]
    assert (shown["type"], shown["default"]) == ("boolean", True)
    assert all("outputSchema" in tool for tool in tools.values())


@pytest.mark.requirement("comments-5")
def test_the_tools_are_exactly_the_seven(client: WireClient) -> None:
    tools = {tool["name"]: tool["description"] for tool in client.ask(2, "tools/list")["result"]["tools"]}
    assert tools == {
        "add_comment": "Add a new paired comment to a source file at a specific line",
        "edit_comment": "Edit the text content of an existing comment",
        "delete_comment": "Delete a comment and its associated ghost marker",
        "search_comments": "Search comments by text query with optional filters",
        "get_file_comments": "Retrieve all comments and ghost markers for a file",
        "move_comment": "Move a comment to a different file or line (e.g., after refactoring)",
        "export_comments": "Export comments as JSON, Markdown, or AI training data",
    }


@pytest.mark.requirement("comments-12")
def test_the_author_is_ai_in_the_profile_and_the_program_elsewhere(client: WireClient, root: Path) -> None:
    unsigned = {name: value for name, value in EXAMPLE.items() if name != "author"}
    with wire_client(SERVE[:-2], cwd=root) as everything:
        everything.initialize()
        for server in (client, everything):
            assert "error" not in server.call("add", "add_comment", **unsigned)
        found = everything.call("list", "get_file_comments", filePath=PATH)["result"]["structuredContent"]
    assert [comment["author"] for comment in found["comments"]] == ["ai", PROGRAM]


@pytest.mark.requirement("comments-14", "comments-17", "comments-97", "comments-98", "comments-99")
@pytest.mark.parametrize("identity", [1, "one", 2**31])
def test_the_example_of_the_specification_succeeds(client: WireClient, identity: Any) -> None:
    answer = add(client, identity)
    assert answer["id"] == identity
    assert type(answer["id"]) is type(identity)
    assert "error" not in answer
    result = answer["result"]
    (content,) = result["content"]
    assert content["type"] == "text"
    assert content["text"].startswith("✅ Comment added successfully\n\nComment ID: c_")
    assert result["isError"] is False
    assert result["structuredContent"]["filePath"] == PATH


@pytest.mark.requirement("comments-48", "comments-98")
def test_metadata_stand_beside_the_content_and_in_the_structured_result(client: WireClient) -> None:
    add(client)
    result = client.call(8, "get_file_comments", filePath=PATH)["result"]
    expected = {"filePath": PATH, "commentCount": 1, "orphanedCount": 0}
    assert result["metadata"] == result["structuredContent"]["metadata"] == expected
    assert result["isError"] is False


FAILURES: list[tuple[str, dict[str, Any], int, str, dict[str, Any]]] = [
    (
        "add_comment",
        EXAMPLE | {"filePath": "src/missing.ts"},
        -32001,
        "File not found",
        {
            "filePath": "src/missing.ts",
            "suggestion": "Check that the file exists in the workspace",
            "error": "FileNotFound",
        },
    ),
    (
        "edit_comment",
        {"filePath": PATH, "commentId": "c_9999999", "text": "x"},
        -32002,
        "Comment not found",
        {
            "filePath": PATH,
            "commentId": "c_9999999",
            "suggestion": "Use get_file_comments to list valid comment IDs",
            "error": "CommentNotFound",
        },
    ),
    (
        "add_comment",
        EXAMPLE | {"filePath": "../x.ts"},
        -32003,
        "Invalid file path",
        {"error": "InvalidFilePath"},
    ),
    (
        "add_comment",
        EXAMPLE | {"filePath": ".git/config"},
        -32004,
        "File access denied",
        {"error": "FileAccessDenied"},
    ),
    (
        "add_comment",
        EXAMPLE | {"line": 999},
        -32005,
        "Invalid line number",
        {
            "filePath": PATH,
            "line": 999,
            "fileLineCount": 56,
            "suggestion": "Line must be between 1 and 56",
            "error": "InvalidLineNumber",
        },
    ),
    (
        "add_comment",
        EXAMPLE | {"filePath": "broken.ts", "line": 1},
        -32006,
        "Failed to parse source code",
        {
            "filePath": "broken.ts",
            "suggestion": "Fix syntax errors before adding comments",
            "error": "ASTParseError",
        },
    ),
    (
        "get_file_comments",
        {"filePath": "damaged.ts"},
        -32007,
        "Comment file corrupted",
        {"error": "CommentFileCorrupted"},
    ),
    ("add_comment", EXAMPLE | {"line": 0}, -32602, "", {}),
    ("add_comment", {"filePath": PATH}, -32602, "", {}),
]


@pytest.mark.requirement(
    "comments-7", "comments-21", "comments-89", "comments-90", "comments-91", "comments-92"
)
@pytest.mark.requirement("comments-93", "comments-94", "comments-95", "comments-96", "comments-99")
@pytest.mark.parametrize(("tool", "arguments", "code", "message", "data"), FAILURES)
def test_each_failure_has_its_code_and_its_data(
    root: Path, client: WireClient, tool: str, arguments: dict[str, Any], code: int, message: str, data: Any
) -> None:
    (root / "broken.ts").write_text("function f( {\n  return }\n", encoding="utf-8")
    (root / "damaged.ts").write_text("const one = 1;\n", encoding="utf-8")
    (root / "damaged.ts.comments").write_text("{", encoding="utf-8")
    answer = client.call("x", tool, **arguments)
    assert "result" not in answer
    error = answer["error"]
    assert error["code"] == code
    assert error["message"] == message or not message
    assert data.items() <= error["data"].items()
    if message:
        assert {"filePath", "suggestion", "workspaceRoot", "domain", "error"} <= error["data"].keys()
        assert error["data"]["domain"] == "comments"
    assert str(root) not in json.dumps(answer)


@pytest.mark.requirement("comments-101")
def test_in_the_stateless_era_a_failure_is_a_marked_result(root: Path) -> None:
    with wire_client(SERVE, cwd=root) as client:
        answer = client.ask(
            1,
            "tools/call",
            {"name": "get_file_comments", "arguments": {"filePath": "missing.ts"}, "_meta": ENVELOPE},
        )
        error = answer["result"]["structuredContent"]["error"]
        assert answer["result"]["isError"] is True
        assert (error["kind"], error["data"]["error"]) == ("source_not_found", "FileNotFound")
        assert not -32019 <= error["code"] <= -32000
        listed = client.ask(2, "tools/list", {"_meta": ENVELOPE})["result"]["tools"]
        assert len(listed) == 7


@pytest.mark.requirement("comments-101")
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_shakes_hands_and_works(root: Path, revision: str) -> None:
    with wire_client(SERVE, cwd=root) as client:
        assert client.initialize(revision)["protocolVersion"] == revision
        assert "error" not in add(client)


@pytest.mark.requirement("comments-88", "comments-100")
def test_standard_failures_have_the_standard_codes(client: WireClient) -> None:
    client.send_bytes(b"{nonsense\n")
    assert client.receive()["error"]["code"] == -32700
    client.send({"jsonrpc": "1.0", "id": 1, "method": "ping"})
    assert client.receive()["error"]["code"] == -32600
    assert client.ask(2, "no/such/method")["error"]["code"] == -32601
    assert client.call(3, "no_such_tool")["error"]["code"] == -32602
    client.notify("notifications/nonsense")
    assert client.ask(4, "ping")["result"] == {}


@pytest.mark.requirement("comments-68")
def test_reading_returns_the_address_and_json(client: WireClient) -> None:
    add(client)
    (contents,) = client.ask(5, "resources/read", {"uri": ALL})["result"]["contents"]
    assert (contents["uri"], contents["mimeType"]) == (ALL, "application/json")
    assert json.loads(contents["text"])["totalComments"] == 1


@pytest.mark.requirement("comments-69", "comments-73")
def test_addresses_are_decoded_once_and_unknown_ones_refused(root: Path, client: WireClient) -> None:
    (root / "größe 1%.ts").write_text("const one = 1;\n", encoding="utf-8")
    add(client, filePath="größe 1%.ts", line=1)
    uri = "comment://workspace/gr%C3%B6%C3%9Fe%201%25.ts.comments"
    (contents,) = client.ask(5, "resources/read", {"uri": uri})["result"]["contents"]
    assert len(json.loads(contents["text"])["comments"]) == 1
    for bad in ("comment://workspace/nonsense", "comment://workspace/%2e%2e/x.ts.comments"):
        assert client.ask(6, "resources/read", {"uri": bad})["error"]["code"] in (-32602, -32003)


def test_templates_and_members_are_listed(client: WireClient) -> None:
    add(client)
    templates = client.ask(5, "resources/templates/list")["result"]["resourceTemplates"]
    assert {item["uriTemplate"] for item in templates} == {
        "comment://workspace/{+filePath}.comments",
        "comment://workspace/tags/{tag}",
    }
    listed = client.ask(6, "resources/list")["result"]["resources"]
    assert {item["uri"] for item in listed} == {
        ALL,
        "comment://workspace/orphaned",
        "comment://workspace/ai-enriched",
        URI,
    }


@pytest.mark.requirement("comments-74", "comments-75", "comments-76")
def test_subscribers_hear_of_their_file_and_of_no_other(root: Path, client: WireClient) -> None:
    (root / "other.ts").write_text("const one = 1;\n", encoding="utf-8")
    assert client.ask(1, "resources/subscribe", {"uri": URI})["result"] == {}
    add(client, 2, filePath="other.ts", line=1)
    add(client, 3)
    # The notification may arrive before the response.
    [updated] = await_notices(client, "notifications/resources/updated", 1)
    assert "id" not in updated
    assert updated["params"]["uri"] == URI
    # Another program writes the source; the comment is elsewhere now.
    (root / PATH).write_text("// new\n" + AUTH, encoding="utf-8")
    assert next_notice(client, "notifications/resources/updated")["params"]["uri"] == URI
    client.ask(4, "resources/unsubscribe", {"uri": URI})
    client.ask(5, "resources/subscribe", {"uri": OTHER})
    (root / PATH).write_text("// newer\n// still\n" + AUTH, encoding="utf-8")
    (root / "other.ts").write_text("// new\nconst one = 1;\n", encoding="utf-8")
    assert next_notice(client, "notifications/resources/updated")["params"]["uri"] == OTHER


@pytest.mark.requirement("comments-75")
def test_subscribers_of_everything_hear_of_every_file(root: Path, client: WireClient) -> None:
    client.ask(1, "resources/subscribe", {"uri": ALL})
    (root / "other.ts").write_text("const one = 1;\n", encoding="utf-8")
    (root / "other.ts.comments").write_text(
        '{"file": "other.ts", "version": "2.1.0", "comments": []}', encoding="utf-8"
    )
    assert next_notice(client, "notifications/resources/updated")["params"]["uri"] == ALL


@pytest.mark.requirement("comments-77")
def test_new_and_removed_sidecars_change_the_list(root: Path, client: WireClient) -> None:
    add(client)
    client.ask(1, "ping")
    told = [json.loads(line).get("method") for line in client.raw]
    assert told.count("notifications/resources/list_changed") == 1
    client.ask(2, "resources/list")
    (root / f"{PATH}.comments").unlink()
    await_notices(client, LIST_CHANGED, 2)
    add(client, 3)  # the notification may arrive before the response
    await_notices(client, LIST_CHANGED, 3)


@pytest.mark.requirement("comments-75", "comments-77")
def test_a_stream_hears_of_its_file_and_of_the_list(root: Path) -> None:
    with wire_client(SERVE, cwd=root) as client:
        wanted = {"resourceSubscriptions": [URI], "resourcesListChanged": True}
        client.request("listen", "subscriptions/listen", {"_meta": ENVELOPE, "notifications": wanted})
        assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
        (root / f"{PATH}.comments").write_text(
            '{"file": "x", "version": "2.1.0", "comments": []}', encoding="utf-8"
        )
        heard = {client.receive(5)["method"] for _ in range(2)}
        assert heard == {"notifications/resources/updated", "notifications/resources/list_changed"}


def await_notices(client: WireClient, method: str, count: int) -> list[dict[str, Any]]:
    """Read messages until this many notifications have arrived since the start, and return them."""
    while True:
        messages = (json.loads(line) for line in client.raw)
        found = [message for message in messages if message.get("method") == method]
        if len(found) >= count:
            return found
        client.receive()


def next_notice(client: WireClient, method: str) -> dict[str, Any]:
    """Return the next message with a method, which must come soon."""
    while True:
        message = client.receive(5)
        if message.get("method") == method:
            return message

"""Every statement of the specification that shows on the wire, asked of one running server."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.comments.making import annotate, comment
from tests.comments.sources import AUTH, PATH
from tests.comments.specified import PROMPTS, SCHEMAS, TAGS, differences
from tests.storage.git_support import git
from tests.wire.client import ENVELOPE, WireClient, wire_client

SERVE = [sys.executable, "-m", "holdfast", "serve", "--profile", "paired-comments"]
ADD = {"filePath": PATH, "line": 10, "text": "Look", "tag": "NOTE"}
COMPLETE: dict[str, dict[str, Any]] = {
    "add_comment": ADD,
    "edit_comment": {"filePath": PATH, "commentId": "c_1", "text": "x"},
    "delete_comment": {"filePath": PATH, "commentId": "c_1"},
    "search_comments": {"query": "x"},
    "get_file_comments": {"filePath": PATH},
    "move_comment": {"sourceFile": PATH, "targetFile": PATH, "commentId": "c_1", "targetLine": 1},
    "export_comments": {"format": "json"},
}
Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("workspace")
    git(place, "init", "--quiet", "--initial-branch=main")
    source = place / PATH
    source.parent.mkdir(parents=True)
    source.write_text(AUTH, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[WireClient]:
    # From a folder inside: paths count from the root of the workspace all the same.
    with wire_client(SERVE, cwd=root / "src") as client:
        client.initialize()
        yield client


@pytest.fixture
def tool(client: WireClient) -> Ask:
    def call(name: str, **arguments: Any) -> dict[str, Any]:
        return client.call("tool", name, **arguments)

    return call


@pytest.fixture
def clean(root: Path) -> Iterator[Path]:
    """The workspace without any comments, before and after."""
    for sidecar in root.rglob("*.comments"):
        sidecar.unlink()
    yield root
    (root / PATH).write_text(AUTH, encoding="utf-8")
    for sidecar in root.rglob("*.comments"):
        sidecar.unlink()


def added(tool: Ask, **change: Any) -> str:
    answer = tool("add_comment", **(ADD | change))
    return str(answer["result"]["structuredContent"]["commentId"])


@pytest.mark.requirement("comments-6")
def test_every_input_schema_is_the_specifications(client: WireClient) -> None:
    tools = {item["name"]: item for item in client.ask(1, "tools/list")["result"]["tools"]}
    assert {name: differences(SCHEMAS[name], tools[name]["inputSchema"]) for name in SCHEMAS} == {
        name: [] for name in SCHEMAS
    }
    for item in tools.values():
        jsonschema.Draft202012Validator.check_schema(item["inputSchema"])


def test_control_an_incomplete_schema_is_reported() -> None:
    short = json.loads(json.dumps(SCHEMAS["add_comment"]))
    short["properties"]["line"]["minimum"] = 0
    short["required"].remove("tag")
    del short["properties"]["aiMeta"]["properties"]["model"]
    assert sorted(differences(SCHEMAS["add_comment"], short)) == [
        "$.properties.aiMeta.properties are ['confidence', 'reasoning']",
        "$.properties.aiMeta.properties.model is missing",
        "$.properties.line.minimum is 0, not 1",
        "$.required is ['filePath', 'line', 'text'], not ['filePath', 'line', 'text', 'tag']",
    ]


@pytest.mark.requirement("comments-7", "comments-23", "comments-28", "comments-32", "comments-45")
@pytest.mark.requirement("comments-51", "comments-56")
@pytest.mark.parametrize(
    ("name", "missing"), [(name, one) for name, schema in SCHEMAS.items() for one in schema["required"]]
)
def test_each_required_argument_is_missed(tool: Ask, root: Path, name: str, missing: str) -> None:
    arguments = {key: value for key, value in COMPLETE[name].items() if key != missing}
    answer = tool(name, **arguments)
    assert "result" not in answer
    assert answer["error"]["code"] == -32602
    assert missing in answer["error"]["message"]
    assert not (root / f"{PATH}.comments").exists()


@pytest.mark.requirement("comments-9", "comments-10", "comments-11", "comments-13", "comments-24")
@pytest.mark.requirement("comments-34", "comments-40", "comments-51", "comments-56", "comments-59")
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("add_comment", {"line": True}),
        ("add_comment", {"line": None}),
        ("add_comment", {"text": 1}),
        ("add_comment", {"aiMeta": "model"}),
        ("add_comment", {"aiMeta": {"model": 1}}),
        ("add_comment", {"aiMeta": {"confidence": "0.5"}}),
        ("add_comment", {"aiMeta": {"reasoning": ["r"]}}),
        ("edit_comment", {"commentId": "C_1"}),
        ("edit_comment", {"commentId": "c_1\n"}),
        ("edit_comment", {"text": ""}),
        ("delete_comment", {"commentId": "d2af57c6-a994-4bb9-b2ac-98b85ad32d45"}),
        ("move_comment", {"commentId": "1"}),
        ("move_comment", {"targetLine": 0}),
        ("search_comments", {"query": ""}),
        ("search_comments", {"filters": {"tag": "WARNING"}}),
        ("search_comments", {"filters": {"hasAIMetadata": "yes"}}),
        ("search_comments", {"filters": {"dateRange": {"start": "today"}}}),
        ("search_comments", {"limit": 1001}),
        ("get_file_comments", {"includeOrphaned": "no"}),
        ("export_comments", {"format": "xml"}),
        ("export_comments", {"options": {"contextLines": 21}}),
        ("export_comments", {"options": {"contextLines": -1}}),
    ],
)
def test_what_a_schema_forbids_is_refused_on_the_wire(tool: Ask, name: str, change: dict[str, Any]) -> None:
    assert tool(name, **(COMPLETE[name] | change))["error"]["code"] == -32602


@pytest.mark.requirement("comments-20", "comments-93")
@pytest.mark.parametrize(("line", "code"), [(999, -32005), (0, -32602), (-3, -32602), (1.5, -32602)])
@pytest.mark.parametrize("name", ["add_comment", "move_comment"])
def test_an_error_for_a_missing_line_names_the_lines_that_exist(
    tool: Ask, clean: Path, name: str, line: Any, code: int
) -> None:
    arguments: dict[str, Any] = ADD | {"line": line}
    if name == "move_comment":
        named = {"sourceFile": PATH, "targetFile": PATH, "targetLine": line}
        arguments = named | {"commentId": added(tool)}
    error = tool(name, **arguments)["error"]
    count = AUTH.count("\n") + 1
    assert (error["code"], error["message"]) == (code, "Invalid line number")
    wanted = {"filePath": PATH, "line": line, "fileLineCount": count}
    assert {key: error["data"][key] for key in wanted} == wanted
    assert error["data"]["suggestion"] == f"Line must be between 1 and {count}"


def test_a_line_in_quotation_marks_is_not_said_to_be_outside_the_file(tool: Ask, clean: Path) -> None:
    error = tool("add_comment", **ADD | {"line": "7"})["error"]
    assert error["data"]["suggestion"].startswith("Line must be a whole number between 1 and ")


def test_an_error_for_a_malformed_id_shows_a_valid_one(tool: Ask, clean: Path) -> None:
    error = tool("delete_comment", filePath=PATH, commentId="abc")["error"]
    wanted = 'argument "commentId": "abc" is not the id of a comment, such as c_1730000000000.'
    assert (error["code"], error["message"]) == (-32602, wanted)


def test_an_error_for_an_address_without_its_ending_suggests_it(client: WireClient) -> None:
    answer = client.ask(990, "resources/read", {"uri": f"comment://workspace/{PATH}"})
    assert answer["error"]["data"]["hint"] == f'Did you mean "comment://workspace/{PATH}.comments"?'


@pytest.mark.requirement("comments-13")
@pytest.mark.parametrize("ai", [{"model": "m"}, {"confidence": 0}, {"confidence": 1}, {"reasoning": "r"}])
def test_each_part_of_the_metadata_is_kept_alone(tool: Ask, clean: Path, ai: dict[str, Any]) -> None:
    added(tool, aiMeta=ai)
    (stored,) = json.loads((clean / f"{PATH}.comments").read_bytes())["comments"]
    assert stored["aiMeta"].pop("enrichedAt")
    assert stored["aiMeta"] == ai
    assert tool("search_comments", query=".")["result"]["structuredContent"]["comments"][0]["hasAIMetadata"]


@pytest.mark.requirement("comments-9")
def test_a_whole_number_is_one_however_json_writes_it(client: WireClient, tool: Ask, clean: Path) -> None:
    client.send_bytes(
        b'{"jsonrpc": "2.0", "id": "float", "method": "tools/call", "params": {"name": "add_comment",'
        b' "arguments": {"filePath": "src/services/auth.ts", "line": 1.2e1, "text": "x", "tag": "NOTE"}}}\n'
    )
    assert client.answer("float")["result"]["structuredContent"]["line"] == 12
    assert json.loads((clean / f"{PATH}.comments").read_bytes())["comments"][0]["line"] == 12


@pytest.mark.requirement("comments-8", "comments-19")
def test_paths_count_from_the_root_wherever_the_server_runs(tool: Ask, clean: Path) -> None:
    name = added(tool)
    (stored,) = json.loads((clean / f"{PATH}.comments").read_bytes())["comments"]
    assert stored["id"] == name
    assert tool("add_comment", **(ADD | {"filePath": "services/auth.ts"}))["error"]["code"] == -32001


@pytest.mark.requirement("comments-24", "comments-26")
@pytest.mark.parametrize("text", ["x", "x" * 10_000, "𝄞" * 10_000])
def test_a_new_text_of_just_the_right_length_is_taken(tool: Ask, clean: Path, text: str) -> None:
    name = added(tool)
    assert tool("edit_comment", filePath=PATH, commentId=name, text=text)["result"]["isError"] is False
    (stored,) = json.loads((clean / f"{PATH}.comments").read_bytes())["comments"]
    assert stored["text"] == text


@pytest.mark.requirement("comments-27", "comments-31", "comments-90")
def test_what_was_deleted_is_not_found_by_any_tool(tool: Ask, clean: Path) -> None:
    name = added(tool)
    assert tool("delete_comment", filePath=PATH, commentId=name)["result"]["isError"] is False
    move = {"sourceFile": PATH, "targetFile": PATH, "targetLine": 1}
    for operation, arguments in (
        ("delete_comment", {"filePath": PATH}),
        ("edit_comment", {"filePath": PATH, "text": "x"}),
        ("move_comment", move),
    ):
        error = tool(operation, commentId=name, **arguments)["error"]
        assert (error["code"], error["message"]) == (-32002, "Comment not found")
        assert error["data"]["filePath"] == PATH
        assert error["data"]["commentId"] == name
        assert error["data"]["suggestion"] == "Use get_file_comments to list valid comment IDs"


@pytest.mark.requirement("comments-34", "comments-40", "comments-42", "comments-43", "comments-44")
def test_a_search_is_bounded_by_its_limit_and_says_what_was_asked(tool: Ask, clean: Path) -> None:
    notes = [
        comment(number, 1 + number % 20, f"needle {number}", tag=TAGS[number % 5]) for number in range(130)
    ]
    annotate(clean, "many.txt", "\n".join(f"line {number}" for number in range(30)), *notes)
    added(tool, text="needle", aiMeta={"model": "m", "confidence": 0.5})
    whole = tool("search_comments", query="needle")["result"]
    assert whole["metadata"] | {"totalResults": 131, "query": "needle"} == whole["metadata"]
    assert len(whole["structuredContent"]["comments"]) == 100
    assert whole["content"][0]["text"].startswith("Found 131 matching comments:\n\n1. 📝 ")
    every = tool("search_comments", query="needle", limit=1000)["result"]
    assert len(every["structuredContent"]["comments"]) == 131
    assert every["content"][0]["text"].count("   AI: m (confidence: 0.5)") == 1
    assert every["content"][0]["text"].count("   AI: ") == 1
    for tag in TAGS:
        found = tool("search_comments", query=r"needle \d", filters={"tag": tag}, limit=1000)["result"]
        assert found["metadata"]["filters"] == {"tag": tag}
        assert {one["tag"] for one in found["structuredContent"]["comments"]} == {tag}
        assert found["metadata"]["totalResults"] == 26


@pytest.mark.requirement("comments-57", "comments-60", "comments-61", "comments-64", "comments-98")
@pytest.mark.parametrize(
    ("format_", "uri", "mime_type"),
    [
        ("json", "export://comments.json", "application/json"),
        ("markdown", "export://comments.md", "text/markdown"),
        ("jsonl", "export://training-data.jsonl", "application/x-ndjson"),
        ("parquet", "export://training-data.parquet", "application/vnd.apache.parquet"),
    ],
)
def test_an_export_is_one_resource_on_the_wire(
    tool: Ask, clean: Path, format_: str, uri: str, mime_type: str
) -> None:
    (clean / "other.py").write_text("one = 1\n", encoding="utf-8")
    added(tool, text="größer 📝")
    added(tool, filePath="other.py", line=1)
    result = tool("export_comments", format=format_, filePath=PATH)["result"]
    (content,) = result["content"]
    assert content["type"] == "resource"
    resource = content["resource"]
    assert (resource["uri"], resource["mimeType"]) == (uri, mime_type)
    data = base64.b64decode(resource["blob"]) if format_ == "parquet" else resource["text"].encode()
    assert ("text" in resource) == (format_ != "parquet")
    assert result["metadata"] == {"format": format_, "totalComments": 1, "sizeBytes": len(data)}
    assert tool("export_comments", format=format_)["result"]["metadata"]["totalComments"] == 2


@pytest.mark.requirement("comments-67", "comments-70", "comments-71", "comments-72")
def test_each_family_of_resources_holds_exactly_its_comments(
    client: WireClient, tool: Ask, clean: Path
) -> None:
    names = {
        "plain": added(tool, line=9, tag="NOTE"),
        "enriched": added(tool, line=10, tag="TODO", aiMeta={"model": "claude"}),
        "lost": added(tool, line=25, tag="TODO"),
    }
    (clean / PATH).write_text(AUTH.replace("const LIMIT = 5;\n", ""), encoding="utf-8")

    def read(part: str) -> dict[str, Any]:
        uri = f"comment://workspace/{part}"
        (contents,) = client.ask("read", "resources/read", {"uri": uri})["result"]["contents"]
        assert (contents["uri"], contents["mimeType"]) == (uri, "application/json")
        found: dict[str, Any] = json.loads(contents["text"])
        return found

    def ids(items: list[dict[str, Any]]) -> set[str]:
        assert all(item.keys() >= {"filePath", "comment", "ghostMarker"} for item in items)
        assert all(item["comment"]["id"] in item["ghostMarker"]["commentIds"] for item in items)
        return {item["comment"]["id"] for item in items}

    everything = read("all")
    assert [file["filePath"] for file in everything["files"]] == [PATH]
    assert {one["id"] for one in everything["files"][0]["comments"]} == set(names.values())
    assert everything["totalComments"] == 3
    assert {one["id"] for one in read(f"{PATH}.comments")["comments"]} == set(names.values())
    assert ids(read("tags/TODO")["comments"]) == {names["enriched"], names["lost"]}
    assert ids(read("ai-enriched")["comments"]) == {names["enriched"]}
    orphaned = read("orphaned")
    assert ids(orphaned["orphanedComments"]) == {names["lost"]}
    assert orphaned["orphanedComments"][0]["reason"] in ("line_deleted", "symbol_deleted")
    assert read("tags/QUESTION") == {"tag": "QUESTION", "comments": [], "totalCount": 0}


@pytest.mark.requirement("comments-73")
@pytest.mark.parametrize(
    "uri",
    [
        "comment://workspace/",
        "comment://workspace/nonsense",
        "comment://workspace/tags/",
        "comment://workspace/tags/NONSENSE",
        "comment://workspace/missing.ts.comments",
        "comment://elsewhere/all",
        "comment://workspace/all/more",
    ],
)
def test_an_address_that_nothing_has_is_an_error_that_names_it(client: WireClient, uri: str) -> None:
    answer = client.ask("read", "resources/read", {"uri": uri})
    assert "result" not in answer
    assert answer["error"]["code"] in (-32602, -32001)
    data = answer["error"]["data"]
    assert data.get("uri", uri) == uri
    assert "uri" in data or data["filePath"] == "missing.ts"


@pytest.mark.requirement("comments-75", "comments-76")
def test_whoever_subscribed_to_a_part_hears_of_it_and_nobody_else_hears(
    client: WireClient, tool: Ask, clean: Path
) -> None:
    added(tool)
    uris = {f"comment://workspace/{part}" for part in ("tags/TODO", "orphaned", "ai-enriched", "all")}
    client.ask("ping", "ping")
    before = sum(b"resources/updated" in line for line in client.raw)
    for uri in uris:
        assert client.ask("subscribe", "resources/subscribe", {"uri": uri})["result"] == {}
    assert sum(b"resources/updated" in line for line in client.raw) == before
    added(tool, tag="TODO", aiMeta={"model": "m"})
    while (heard := updated(client)) != uris:  # some may arrive before the response
        assert heard < uris
        client.receive()
    for uri in uris:
        assert client.ask("unsubscribe", "resources/unsubscribe", {"uri": uri})["result"] == {}


def updated(client: WireClient) -> set[str]:
    """Return the URIs whose updates have arrived since the start."""
    messages = (json.loads(line) for line in client.raw)
    found = (one for one in messages if one.get("method") == "notifications/resources/updated")
    return {message["params"]["uri"] for message in found}


@pytest.mark.requirement("comments-78", "comments-79", "comments-84", "comments-85", "comments-86")
def test_prompts_and_their_arguments_are_the_specifications(client: WireClient) -> None:
    listed = {item["name"]: item for item in client.ask(1, "prompts/list")["result"]["prompts"]}
    assert listed.keys() == PROMPTS.keys()
    for name, specified in PROMPTS.items():
        assert listed[name]["description"] == specified["description"]
        assert [item["name"] for item in listed[name]["arguments"]] == [
            item["name"] for item in specified["arguments"]
        ]
        for expected, found in zip(specified["arguments"], listed[name]["arguments"], strict=True):
            assert differences(expected, found) == []


@pytest.mark.requirement("comments-80", "comments-82")
@pytest.mark.parametrize(
    ("name", "arguments", "opening"),
    [
        ("review_code", {"filePath": PATH}, "Review this code for issues and suggest TODO/FIXME comments:"),
        (
            "review_code",
            {"filePath": PATH, "focus": "security"},
            "Review this code for security issues and suggest TODO/FIXME comments:\n\n```typescript\n",
        ),
        ("review_code", {"filePath": PATH, "focus": "performance"}, "Review this code for performance"),
        ("review_code", {"filePath": PATH, "focus": "maintainability"}, "Review this code for maintain"),
        ("explain_complexity", {"filePath": PATH, "complexityThreshold": "2"}, "Explain the complex"),
        ("training_export", {"includeContext": "false"}, "There are no comments"),
        ("fix_orphans", {}, "No comment in this workspace is orphaned"),
        ("fix_orphans", {"filePath": PATH}, f"No comment in {PATH} is orphaned"),
    ],
)
def test_a_prompt_is_one_message_of_text_from_the_user(
    client: WireClient, clean: Path, name: str, arguments: dict[str, str], opening: str
) -> None:
    result = client.ask("get", "prompts/get", {"name": name, "arguments": arguments})["result"]
    (message,) = result["messages"]
    assert message["role"] == "user"
    assert message["content"]["type"] == "text"
    assert message["content"]["text"].startswith(opening)
    if name == "review_code":
        assert AUTH.rstrip("\n") in message["content"]["text"]


@pytest.mark.requirement("comments-79", "comments-87")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("review_code", {}),
        ("explain_complexity", {}),
        ("review_code", {"filePath": PATH, "focus": "style"}),
        ("explain_complexity", {"filePath": PATH, "complexityThreshold": "0"}),
        ("training_export", {"includeContext": "perhaps"}),
        ("no_such_prompt", {}),
    ],
)
def test_a_prompt_that_cannot_be_had_is_a_bad_request(
    client: WireClient, name: str, arguments: dict[str, str]
) -> None:
    answer = client.ask("get", "prompts/get", {"name": name, "arguments": arguments})
    assert "result" not in answer
    assert answer["error"]["code"] == -32602


@pytest.mark.requirement("comments-95")
@pytest.mark.parametrize("content", ["", "null", "[]", "{", '{"comments": 5}', '{"comments": [1]}', "\ud7ff"])
def test_a_sidecar_that_breaks_its_schema_is_damaged_and_untouched(
    tool: Ask, clean: Path, content: str
) -> None:
    (clean / "good.py").write_text("one = 1\n", encoding="utf-8")
    good = added(tool, filePath="good.py", line=1, text="readable")
    sidecar = clean / f"{PATH}.comments"
    sidecar.write_text(content, encoding="utf-8")
    damaged = content != ""
    for name, arguments in (
        ("get_file_comments", {"filePath": PATH}),
        ("delete_comment", {"filePath": PATH, "commentId": "c_1"}),
        ("move_comment", {"sourceFile": "good.py", "targetFile": PATH, "commentId": good, "targetLine": 1}),
    ):
        answer = tool(name, **arguments)
        if not damaged:
            continue
        assert answer["error"]["code"] == -32007, name
        assert answer["error"]["message"] == "Comment file corrupted"
        assert answer["error"]["data"]["suggestion"]
        assert sidecar.read_text(encoding="utf-8") == content
    assert tool("search_comments", query="readable")["result"]["metadata"]["totalResults"] == 1


def test_failures_can_be_results_that_a_model_sees(root: Path) -> None:
    with wire_client([*SERVE, "--tool-errors", "result"], cwd=root) as client:
        client.initialize()
        result = client.call(1, "edit_comment", **COMPLETE["edit_comment"])["result"]
        assert result["isError"] is True
        error = result["structuredContent"]["error"]
        assert error["code"] == -32002
        assert error["data"]["suggestion"] == "Use get_file_comments to list valid comment IDs"
        assert "Comment not found" in result["content"][0]["text"]
        assert client.call(2, "no_such_tool")["error"]["code"] == -32602


@pytest.mark.requirement("comments-101")
@pytest.mark.parametrize("revision", ["2024-11-05", "2026-07-28"])
def test_every_tool_resource_and_prompt_works_in_each_era(root: Path, clean: Path, revision: str) -> None:
    is_stateless = revision == "2026-07-28"
    with wire_client(SERVE, cwd=root) as client:
        if not is_stateless:
            assert client.initialize(revision)["protocolVersion"] == revision

        def ask(method: str, **params: Any) -> dict[str, Any]:
            answer = client.ask("x", method, params | ({"_meta": ENVELOPE} if is_stateless else {}))
            assert "error" not in answer, answer
            result: dict[str, Any] = answer["result"]
            return result

        tools = {item["name"]: item for item in ask("tools/list")["tools"]}

        def call(name: str, **arguments: Any) -> dict[str, Any]:
            result = ask("tools/call", name=name, arguments=arguments)
            assert result["isError"] is False
            jsonschema.validate(arguments, tools[name]["inputSchema"])
            if "outputSchema" in tools[name]:
                jsonschema.validate(result["structuredContent"], tools[name]["outputSchema"])
            return result

        name = call("add_comment", **ADD)["structuredContent"]["commentId"]
        call("edit_comment", filePath=PATH, commentId=name, text="Other")
        assert call("search_comments", query="other")["metadata"]["totalResults"] == 1
        assert call("get_file_comments", filePath=PATH)["metadata"]["commentCount"] == 1
        call("move_comment", sourceFile=PATH, targetFile=PATH, commentId=name, targetLine=3)
        for format_ in ("json", "markdown", "jsonl", "parquet"):
            assert call("export_comments", format=format_)["metadata"]["totalComments"] == 1
        for part in ("all", "orphaned", "ai-enriched", "tags/NOTE", f"{PATH}.comments"):
            assert ask("resources/read", uri=f"comment://workspace/{part}")["contents"][0]["text"]
        assert len(ask("resources/list")["resources"]) == 4
        assert len(ask("resources/templates/list")["resourceTemplates"]) == 2
        for prompt in PROMPTS:
            arguments = {"filePath": PATH} if "filePath" in str(PROMPTS[prompt]) else {}
            assert len(ask("prompts/get", name=prompt, arguments=arguments)["messages"]) == 1
        reference = {"type": "ref/prompt", "name": "review_code"}
        completed = ask("completion/complete", ref=reference, argument={"name": "focus", "value": "p"})
        assert completed["completion"]["values"] == ["performance"]
        call("delete_comment", filePath=PATH, commentId=name)

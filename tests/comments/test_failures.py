"""What a model reads when a tool about comments or milestones fails on a server of all specifications."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faces.mcp.test_lazygit_profile import serve
from tests.wire.client import WireClient, wire_client


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    root = tmp_path_factory.mktemp("failures")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    (root / "broken.py").write_text("def f(:\n", encoding="utf-8")
    (root / "good.py").write_text("a = 1\nb = 2\nc = 3\n", encoding="utf-8")
    (root / "damaged.py").write_text("a = 1\n", encoding="utf-8")
    (root / "damaged.py.comments").write_text("{", encoding="utf-8")
    with wire_client(serve(), cwd=root) as opened:
        opened.initialize()
        yield opened


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("get_file_comments", {"filePath": "goood.py"}, ["'goood.py'", "did you mean 'good.py'?"]),
        (
            "add_comment",
            {"filePath": "good.py", "line": 9, "text": "x", "tag": "NOTE"},
            ["'good.py' has no line 9", "between 1 and 4"],
        ),
        (
            "add_comment",
            {"filePath": "good.py", "line": 0, "text": "x", "tag": "NOTE"},
            ["'good.py' has no line 0", "between 1 and 4"],
        ),
        (
            "add_comment",
            {"filePath": "good.py", "line": "two", "text": "x", "tag": "NOTE"},
            ["'good.py' has no line two", "a whole number between 1 and 4"],
        ),
        (
            "edit_comment",
            {"filePath": "good.py", "commentId": "c_7", "text": "x"},
            ["'c_7' in 'good.py'", "get_file_comments"],
        ),
        ("get_file_comments", {"filePath": "../x.py"}, ["'../x.py'", "relative to the repository root"]),
        ("get_file_comments", {"filePath": ".git/config"}, ["'.git/config'", "Choose a source file"]),
        (
            "get_file_comments",
            {"filePath": "good.py.comments"},
            ["'good.py.comments'", "from the workspace root"],
        ),
        ("get_file_comments", {"filePath": "damaged.py"}, ["'damaged.py", "restore it from git"]),
        ("git_mile_show", {"entity": "issue", "id": "0abc"}, ["0abc", "git_mile_list"]),
        ("git_mile_list", {"entity": "issue", "sort": ["age"]}, ['"age"', "updated"]),
        ("git_mile_list", {"entity": "issue", "limit": 0}, ['"limit"', "greater than or equal to 1"]),
        ("git_mile_import", {"file": "absent.json", "format": "github"}, ["absent.json"]),
    ],
)
def test_the_text_names_the_thing_its_range_and_the_next_step(
    client: WireClient, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    result = client.call(tool, tool, **arguments)["result"]
    assert result["isError"]
    text = result["content"][0]["text"]
    assert [word for word in words if word not in text] == [], text
    assert not text.startswith("{")


def test_a_json_rpc_error_says_the_same(client: WireClient, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    result = client.call(1, "get_file_comments", filePath="nowhere/a.py")["result"]
    with wire_client(serve("--tool-errors", "error"), cwd=tmp_path) as asked:
        asked.initialize()
        error = asked.call(1, "get_file_comments", filePath="nowhere/a.py")["error"]
    assert error["code"] == -32001
    assert error["message"] == result["content"][0]["text"]
    assert error["message"].startswith("File not found: 'nowhere/a.py'. Check that the file exists")

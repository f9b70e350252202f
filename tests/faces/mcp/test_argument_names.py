"""Arguments with the same meaning have the same names in all tools, unless a specification fixes them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faces.mcp.test_lazygit_profile import serve
from tests.wire.client import WireClient, wire_client


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("names")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    (root / "good.py").write_text("a = 1\nb = 2\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def client(root: Path) -> Iterator[WireClient]:
    with wire_client(serve(), cwd=root) as opened:
        opened.initialize()
        yield opened


@pytest.mark.parametrize("name", ["file", "filePath", "file_path", "path"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_file_comments", {}),
        ("add_comment", {"line": 1, "tag": "NOTE", "body": "x"}),
        ("list_comments", {}),
        ("send_message", {"text": "x"}),
        ("read_source", {}),
        ("read_diff", {}),
        ("analyze_complexity", {"toolchain": "python"}),
    ],
)
def test_a_file_may_have_any_of_its_names(
    client: WireClient, tool: str, arguments: dict[str, Any], name: str
) -> None:
    result = client.call(tool, tool, **arguments, **{name: "good.py"})["result"]
    assert not result["isError"], result


def test_ids_may_be_in_the_other_case(client: WireClient) -> None:
    result = client.call(1, "delete_comment", file="good.py", comment_id="c_1")["result"]
    assert "Comment not found: 'c_1' in 'good.py'" in result["content"][0]["text"]
    result = client.call(2, "show_message", messageId="ffff")["result"]
    assert "ffff" in result["content"][0]["text"]


def test_the_server_of_a_specification_accepts_its_own_names_only(root: Path) -> None:
    with wire_client(serve("--profile", "paired-comments"), cwd=root) as specified:
        specified.initialize()
        error = specified.call(1, "get_file_comments", file="good.py")["error"]
        assert error["code"] == -32602
        assert 'unknown argument "file"' in error["message"]

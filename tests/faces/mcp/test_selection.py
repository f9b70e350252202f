"""Which part of everything a server offers, by option and by environment variable."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.operation import Effect
from holdfast.toolsets import full_registry
from tests.faces.mcp.test_lazygit_profile import HOLDFAST
from tests.wire.client import wire_client

LISTED = [operation for operation in full_registry().operations if operation.listed]
READING = {operation.listed_name for operation in LISTED if operation.effect is Effect.READ} | {"call_tool"}
EVERYTHING = {operation.listed_name for operation in LISTED} | {"call_tool"}


def offered(root: Path, *options: str, **environment: str) -> set[str]:
    with wire_client([*HOLDFAST, "serve", *options], cwd=root, env={**os.environ, **environment}) as client:
        client.initialize()
        return {tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]}


@pytest.mark.parametrize(
    ("options", "environment", "expected"),
    [
        ([], {}, EVERYTHING),
        (
            ["--toolsets", "inbox"],
            {},
            {
                operation.listed_name
                for operation in full_registry().operations
                if operation.toolset in {"inbox", "tools"}
            }
            | {"call_tool"},
        ),
        ([], {"HOLDFAST_TOOLS": "show_message"}, {"show_message"}),
        (["--tools", "show_message,list_messages"], {}, {"show_message", "list_messages"}),
        (["--tools", "show_message", "--tools", "list_messages"], {}, {"show_message", "list_messages"}),
        (["--exclude-tools", "send_message"], {}, EVERYTHING - {"send_message"}),
        ([], {"HOLDFAST_EXCLUDE_TOOLS": "send_message"}, EVERYTHING - {"send_message"}),
        (["--read-only"], {}, READING),
        ([], {"HOLDFAST_READ_ONLY": "1"}, READING),
        (["--read-only", "--tools", "send_message,show_message"], {}, {"show_message"}),
        ([], {"HOLDFAST_PROFILE": "lazygit"}, {"check_lazygit_messages"}),
        (["--profile", "lazygit", "--read-only"], {}, set()),
        (["--profile", "git-mile", "--read-only"], {}, {"git_mile.list", "git_mile.show"}),
    ],
)
def test_the_selection_is_what_is_listed(
    repository: Path, options: list[str], environment: dict[str, str], expected: set[str]
) -> None:
    assert offered(repository, *options, **environment) == expected


def test_a_read_only_server_does_not_write_however_it_is_asked(repository: Path) -> None:
    def refuse(client: Any, number: int, method: str, params: dict[str, Any]) -> None:
        error = client.ask(number, method, params)["error"]
        assert error["code"] in {-32601, -32602}

    arguments = {"file": ".", "comment": "no"}
    with wire_client([*HOLDFAST, "serve", "--read-only"], cwd=repository) as client:
        client.initialize()
        refuse(client, 1, "tools/call", {"name": "send_message", "arguments": arguments})
        refuse(client, 2, "send_message", arguments)
        error = client.call(3, "send_message", **arguments)["error"]
        assert "read-only" in error["message"]
        assert client.call(4, "list_messages")["result"]["structuredContent"]["messages"] == []

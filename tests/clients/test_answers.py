"""A client that checks answers against the schemas of their tools asks for little and for everything."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.clients.recording import HOLDFAST
from tests.clients.test_python_sdk import MODES, client_of

EVERYTHING = 1_000_000


@pytest.mark.parametrize(("mode", "version"), MODES)
def test_an_answer_is_short_by_default_and_complete_on_request(repository: Path, mode: str, version: str):
    (repository / "long.py").write_text("value = 1  # one of many lines\n" * 1000, encoding="utf-8")

    async def work() -> None:
        async with client_of([HOLDFAST, "serve"], repository, mode) as client:
            await client.list_tools()  # so that the client knows the schemas
            short = await client.call_tool("list_templates", {})
            whole = await client.call_tool("list_templates", {"max_bytes": EVERYTHING})
            assert len(json.dumps(short.structured_content)) < 11_000
            assert short.structured_content["shortened"]["left_out"]
            assert len(whole.structured_content["templates"]) == whole.structured_content["count"] > 50
            assert "shortened" not in whole.structured_content
            called = {"name": "read_source", "arguments": {"file": "long.py"}}
            short = await client.call_tool("call_tool", called)
            called["arguments"]["max_bytes"] = EVERYTHING
            whole = await client.call_tool("call_tool", called)
            assert len(short.structured_content["lines"]) < 1000
            assert len(whole.structured_content["lines"]) == 1000
            assert sum(len(part.text) for part in short.content) < 11_000
            refused = await client.call_tool("list_templates", {"max_bytes": 1})
            assert 'argument "max_bytes"' in refused.content[0].text
        async with client_of([HOLDFAST, "serve", "--profile", "toolkit"], repository, "legacy") as client:
            specified = await client.call_tool("list_templates", {})
            assert len(specified.structured_content["templates"]) == specified.structured_content["count"]

    asyncio.run(work())
    assert version

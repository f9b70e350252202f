"""The Python client of the SDK at work on tasks, in both eras: what it gets fits what it was promised."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.clients.recording import HOLDFAST
from tests.clients.test_python_sdk import MODES, client_of

LOOP: list[tuple[str, dict[str, Any]]] = [
    ("taskpilot_init", {"project_name": "Kelp"}),
    ("taskpilot_start", {"workspace_path": ".", "agent": "ada"}),
    ("taskpilot_add", {"task_description": "Write the parser", "criteria": ["It parses"]}),
    ("taskpilot_claim", {"action": "take", "task_id": "TP-5", "agent": "ada"}),
    ("taskpilot_update", {"task_id": "TP-5", "agent": "ada", "check": ["1"], "set": {"status": "done"}}),
    ("taskpilot_list", {"status": ["done"]}),
    ("taskpilot_status", {}),
]


@pytest.mark.requirement("tasks-36")
@pytest.mark.parametrize(("mode", "version"), MODES)
def test_the_loop_of_an_agent_works_and_every_result_fits_its_schema(
    repository: Path, mode: str, version: str
):
    async def work() -> dict[str, Any]:
        async with client_of([HOLDFAST, "serve", "--toolsets", "tasks"], repository, mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            for name, arguments in LOOP:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, result
                schema = tools[name].output_schema
                assert schema is not None
                jsonschema.validate(result.structured_content, schema)
                last = result.structured_content
            read = await client.read_resource("taskpilot://workspace/current/tasks")
            assert "Write the parser" in str(read)
            assert last is not None
            return last

    status = asyncio.run(work())
    assert status["counts"]["by_status"]["done"] == 1
    assert version


@pytest.mark.parametrize(("mode", "version"), MODES)
def test_a_client_reaches_every_tool_through_those_that_are_listed(repository: Path, mode: str, version: str):
    async def work() -> None:
        async with client_of([HOLDFAST, "serve"], repository, mode) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            await client.call_tool("taskpilot_init", {"project_name": "Kelp"})
            for query, name, arguments in (
                ("draw a chart", "taskpilot_chart", {"kind": "status"}),
                ("orphaned comments", "list_orphans", {}),
            ):
                found = await client.call_tool("find_tools", {"query": query})
                assert name in [tool["name"] for tool in found.structured_content["tools"]]
                assert name not in listed
                answer = await client.call_tool("call_tool", {"name": name, "arguments": arguments})
                assert answer == await client.call_tool(name, arguments)
                assert not answer.is_error
            failed = await client.call_tool("call_tool", {"name": "find_files", "arguments": {"limit": 0}})
            assert failed.is_error

    asyncio.run(work())
    assert version


@pytest.mark.requirement("tasks-18")
def test_a_tool_without_structured_data_has_no_schema(repository: Path):
    async def work() -> None:
        async with client_of([HOLDFAST, "serve", "--toolsets", "tasks"], repository, MODES[0][0]) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["taskpilot_chart"].output_schema is None
            assert tools["taskpilot_graph"].output_schema is not None

    asyncio.run(work())

"""The Python client of the SDK over stdio, in both eras."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import ResourceUpdatedNotification
from pydantic import BaseModel

from tests.clients.recording import HOLDFAST, Recording
from tests.clients.review import SENDER, assert_reviewed
from tests.conftest import ROOT

MODES = [("legacy", "2025-11-25"), ("auto", "2026-07-28")]
URI = "lazygit://messages"
SECONDS = 30


def client_of(server: list[str], cwd: Path, mode: str, **more: Any) -> Client:
    """Return a client that starts `server` and speaks with it in one of the modes."""
    parameters = StdioServerParameters(command=server[0], args=server[1:], cwd=cwd)
    # The SDK's default is the standard error of the moment when it was imported.
    transport = stdio_client(parameters, errlog=sys.stderr)
    return Client(transport, mode=mode, read_timeout_seconds=SECONDS, **more)


async def outcome(pending: Awaitable[BaseModel]) -> dict[str, Any]:
    """Return a result, or the error that came instead, as data."""
    try:
        return (await pending).model_dump(mode="json", by_alias=True, exclude_none=True)
    except MCPError as failure:
        return {"error": {"code": failure.error.code, "message": failure.error.message}}


class Agent:
    """Does what a reviewing agent does, and keeps what its client saw."""

    def __init__(self, connect: Callable[..., Client], cwd: Path) -> None:
        self.cwd = cwd
        self.client = connect(message_handler=self.take)
        self.updates: asyncio.Queue[str] = asyncio.Queue()
        self.seen: dict[str, Any] = {}

    async def take(self, message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            self.updates.put_nowait(message.params.uri)

    async def review(self) -> dict[str, Any]:
        async with self.client:
            await self.look_around()
            await self.wait_for_a_remark()
            await self.work()
            await self.make_mistakes()
        return self.seen

    async def look_around(self) -> None:
        assert self.client.server_info is not None
        self.seen["server"] = self.client.server_info.name
        self.seen["tools"] = [tool.name for tool in (await self.client.list_tools()).tools]
        self.seen["resources"] = [str(item.uri) for item in (await self.client.list_resources()).resources]
        self.seen["prompts"] = [prompt.name for prompt in (await self.client.list_prompts()).prompts]

    async def wait_for_a_remark(self) -> None:
        async with asyncio.timeout(SECONDS), self.watching() as next_update:
            quiet = asyncio.subprocess.DEVNULL
            sender = await asyncio.create_subprocess_exec(*SENDER, cwd=self.cwd, stdout=quiet)
            assert await sender.wait() == 0
            self.seen["updated"] = await next_update()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[Callable[[], Awaitable[str]]]:
        """Watch the messages, by listening or by subscribing as the era has it."""
        if self.client.protocol_version == "2026-07-28":
            async with self.client.listen(resource_subscriptions=[URI]) as stream:

                async def next_event() -> str:
                    event = await anext(aiter(stream))
                    assert isinstance(event, ResourceUpdated)
                    return event.uri

                yield next_event
        else:
            with warnings.catch_warnings(action="ignore", category=MCPDeprecationWarning):
                await self.client.subscribe_resource(URI)
                yield self.updates.get
                await self.client.unsubscribe_resource(URI)

    async def work(self) -> None:
        self.seen["waiting"] = await outcome(self.client.read_resource(URI))
        self.seen["prompt"] = await outcome(self.client.get_prompt("address_review_remarks"))
        self.seen["checked"] = await self.call("check_lazygit_messages")
        message_id = self.seen["checked"]["structuredContent"]["messages"][0]["id"]
        self.seen["sent"] = await self.call("send_message", file="README.md", comment="Thanks", line="1-2")
        self.seen["drained"] = await self.call("drain_messages", hook=True)
        self.seen["listed"] = await self.call("list_messages", state="all")
        self.seen["replied"] = await self.call("reply_to_message", message_id=message_id, text="Handled")
        self.seen["shown"] = await self.call("show_message", message_id=message_id)

    async def make_mistakes(self) -> None:
        self.seen["refused"] = await self.call("send_message", file="README.md")
        self.seen["missing"] = await self.call("show_message", message_id="m_00000000")
        self.seen["unknown"] = await self.call("no_such_tool")

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return await outcome(self.client.call_tool(name, arguments))


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_a_remark_is_announced_taken_and_answered(
    mode: str, revision: str, repository: Path, recording: Recording
):
    server = recording.command(HOLDFAST, "serve")
    agent = Agent(partial(client_of, server, repository, mode), repository)
    assert_reviewed(asyncio.run(agent.review()))
    recording.assert_in_order(revision)


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_a_long_call_reports_progress_and_can_be_given_up(mode: str, revision: str, recording: Recording):
    progress: list[tuple[float, float | None]] = []

    async def follow_one_call_and_give_up_another() -> None:
        under_way = asyncio.Event()

        async def note(done: float, total: float | None, message: str | None) -> None:
            progress.append((done, total))

        async def notice(done: float, total: float | None, message: str | None) -> None:
            under_way.set()

        server = recording.command(sys.executable, "-m", "tests.wire.sample_server")
        async with client_of(server, ROOT, mode) as client:
            finished = await client.call_tool("wait", {"seconds": 0.3, "steps": 3}, progress_callback=note)
            assert finished.structured_content == {"text": "done"}
            pending = asyncio.create_task(client.call_tool("wait", {"seconds": 60}, progress_callback=notice))
            await asyncio.wait_for(under_way.wait(), SECONDS)
            pending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await pending
            echoed = await client.call_tool("echo", {"text": "still here"})
            assert echoed.structured_content == {"text": "still here"}

    asyncio.run(follow_one_call_and_give_up_another())
    assert progress == [(1, 3), (2, 3), (3, 3)]
    recording.assert_in_order(revision)


def test_the_lazygit_profile_is_the_specified_server(repository: Path, recording: Recording):
    async def look() -> tuple[dict[str, Any], list[str]]:
        server = recording.command(HOLDFAST, "serve", "--profile", "lazygit")
        async with client_of(server, repository, "legacy") as client:
            assert client.session.initialize_result is not None
            told = client.session.initialize_result.model_dump(mode="json", by_alias=True, exclude_none=True)
            return told, [tool.name for tool in (await client.list_tools()).tools]

    told, tools = asyncio.run(look())
    assert told == {
        "protocolVersion": "2024-11-05",
        "capabilities": {
            "resources": {"subscribe": True, "listChanged": True},
            "tools": {"listChanged": False},
        },
        "serverInfo": {"name": "lazygit-mcp-bridge", "version": "1.0.0"},
    }
    assert tools == ["check_lazygit_messages"]
    recording.assert_in_order("2024-11-05")

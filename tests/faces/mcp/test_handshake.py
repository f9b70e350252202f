"""The answer to `initialize` before the SDK is loaded is the one that the SDK would give."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from holdfast.faces.mcp.engine import SdkEngine
from holdfast.faces.mcp.handshake import HANDSHAKE_REVISIONS, LazyEngine, LazyServer
from holdfast.faces.mcp.profiles import PROFILES, Profile
from holdfast.faces.mcp.server import ProtocolServer
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.faces.mcp.wire.messages import Notification, WireError, WireRequest, encode_result
from holdfast.faces.mcp.wire.session import WireSession
from holdfast.faces.mcp.wire.streams import OutputStream
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.registry import Registry

CLIENT = {"name": "test", "version": "1"}
PLAIN: list[dict[str, Any]] = [
    {"protocolVersion": "2025-11-25"},
    {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
    {"protocolVersion": "", "capabilities": {"roots": {"listChanged": True}}, "clientInfo": CLIENT},
    {
        "protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {"form": {}}, "sampling": {}, "experimental": {"x": {}}, "roots": {}},
        "clientInfo": CLIENT | {"title": "Test", "description": "A test", "websiteUrl": "https://x.test"},
    },
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}},
        "clientInfo": CLIENT,
    },
]
ODD: list[dict[str, Any]] = [
    {"protocolVersion": "2025-11-25", "_meta": {"progressToken": 1}},
    {"protocolVersion": "2025-11-25", "capabilities": {"tasks": {}}, "clientInfo": CLIENT | {"icons": []}},
    {"protocolVersion": "2025-11-25", "capabilities": {"sampling": {"context": {"deep": 1}}}, "more": True},
]
WRONG: list[dict[str, Any]] = [
    {},
    {"protocolVersion": 1},
    {"protocolVersion": "2025-11-25", "clientInfo": {"name": "test"}},
    {"protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": "perhaps"}}},
    {"protocolVersion": "2025-11-25", "capabilities": {"extensions": {"ui": 1}}, "clientInfo": CLIENT},
]


class Nothing:
    """A channel on which nothing is said, and topics on which nothing happens."""

    async def wait_uncongested(self) -> None:
        return

    def send_notification(self, method: str, params: dict[str, Any] | None) -> None:
        del method, params

    async def send_request(
        self, method: str, params: dict[str, Any] | None, seconds: float | None
    ) -> dict[str, Any]:
        raise NotImplementedError(method, params, seconds)

    def subscribe(self, topic: str, callback: Callable[[], None]) -> Callable[[], None]:
        del topic, callback
        return lambda: None


def session(engine: LazyEngine) -> WireSession:
    output = OutputStream(os.open(os.devnull, os.O_WRONLY), chunk=1, limit=1)
    return WireSession(engine, output, LIMITS)


def protocol_server(profile: Profile) -> ProtocolServer:
    dispatcher = Dispatcher(Registry([]), lambda _: None)
    return ProtocolServer(dispatcher, profile, Nothing(), lambda _: None)


def initializing(params: dict[str, Any]) -> Exchange:
    return Exchange(WireRequest("i", "initialize", params, 1), Nothing())


def answer_of_sdk(profile: Profile, params: dict[str, Any]) -> bytes:
    async def answer() -> bytes:
        engine = SdkEngine(protocol_server(profile))
        engine.attach(Nothing())
        return encode_result("i", await engine.respond(initializing(params)))

    return asyncio.run(answer())


def answer_of_profile(profile: Profile, params: dict[str, Any], *, loads: bool) -> bytes:
    made: list[Profile] = []

    def make() -> ProtocolServer:
        made.append(profile)
        return protocol_server(profile)

    async def answer() -> bytes:
        engine = LazyEngine(LazyServer(profile, make))
        engine.attach(session(engine))
        result = encode_result("i", await engine.respond(initializing(params)))
        assert bool(made) is loads
        engine.handle_notification(Notification("notifications/initialized", None))
        assert await engine.respond(Exchange(WireRequest(2, "tools/list", {}, 1), Nothing()))
        assert made == [profile]
        return result

    return asyncio.run(answer())


def test_the_revisions_are_those_of_the_sdk() -> None:
    assert HANDSHAKE_REVISIONS == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize("revision", [*HANDSHAKE_REVISIONS, "2026-07-28", "1999-01-01"])
def test_the_answer_has_the_bytes_of_the_loaded_server(profile: Profile, revision: str) -> None:
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": CLIENT}
    assert answer_of_profile(profile, params, loads=False) == answer_of_sdk(profile, params)


@pytest.mark.parametrize("params", PLAIN)
def test_plain_parameters_are_answered_before_anything_is_loaded(params: dict[str, Any]) -> None:
    profile = PROFILES["everything"]
    assert answer_of_profile(profile, params, loads=False) == answer_of_sdk(profile, params)


@pytest.mark.parametrize("params", ODD)
def test_odd_parameters_are_judged_by_the_sdk_first(params: dict[str, Any]) -> None:
    profile = PROFILES["everything"]
    assert answer_of_profile(profile, params, loads=True) == answer_of_sdk(profile, params)


@pytest.mark.parametrize("params", WRONG)
def test_wrong_parameters_are_refused_in_the_sdks_words(params: dict[str, Any]) -> None:
    profile = PROFILES["everything"]
    with pytest.raises(WireError) as expected:
        answer_of_sdk(profile, params)
    with pytest.raises(WireError) as refused:
        answer_of_profile(profile, params, loads=True)
    assert refused.value.wire() == expected.value.wire()

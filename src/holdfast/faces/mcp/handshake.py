"""Answers `initialize` from the profile and the selection alone, before anything heavy is loaded.

The SDK and the toolsets take longer to load than a client should wait for its first answer.

Contract:
- The answer has the same bytes as the one that the loaded server gives.
- Parameters that are not obviously valid are checked by the SDK, which is then loaded first.
- Once loaded, the SDK gets the same `initialize` request, and then the notifications that arrived during
  loading, in order.
- When loading fails, the requests that wait for it fail; the next request tries again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast import toolsets
from holdfast.faces.mcp.extensions.declaration import with_declaration
from holdfast.faces.mcp.instructions import instructions_for
from holdfast.faces.mcp.profiles import Profile
from holdfast.faces.mcp.wire.exchange import Exchange
from holdfast.faces.mcp.wire.messages import Notification, WireError
from holdfast.kernel.call import Call
from holdfast.kernel.codes import INTERNAL_ERROR
from holdfast.kernel.dispatch.failures import holdfast_error
from holdfast.kernel.dispatch.workers import Workers
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.registry import EVERYTHING, Selection

if TYPE_CHECKING:
    from holdfast.faces.mcp.engine import SdkEngine
    from holdfast.faces.mcp.server import ProtocolServer
    from holdfast.faces.mcp.wire.session import WireSession

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol revisions that start with a handshake, oldest first."""

_LOAD_DELAY_SECONDS = 0.02
"""Lets the answer be written before loading competes for the interpreter lock. A judgement: enough for
the write, and too short for a client to notice."""

UNNAMED_PROGRAM = "unnamed program"
"""The name of a client that does not introduce itself."""
_UNNAMED_CLIENT = {"name": UNNAMED_PROGRAM, "version": "unknown"}
_KNOWN_CAPABILITIES = frozenset({"experimental", "extensions", "sampling", "elicitation", "roots"})
_CLIENT_INFO_FIELDS = frozenset({"name", "version", "title", "description", "websiteUrl"})


@dataclass
class LazyServer:
    """A server that is built after the handshake."""

    profile: Profile
    build: Callable[[], ProtocolServer]
    selection: Selection = EVERYTHING
    """What `build` selects from the registry."""


class LazyEngine:
    """Answers the handshake at once; the SDK's engine, which is loaded in a thread, then replaces it."""

    def __init__(self, source: LazyServer) -> None:
        self._source = source
        self._engine: SdkEngine | None = None
        self._loading: asyncio.Task[SdkEngine] | None = None
        self._delayed_load: asyncio.Task[None] | None = None
        self._handshake: Exchange | None = None
        self._early_notifications: list[Notification] = []
        self._load_callbacks: list[Callable[[], object]] = []

    def attach(self, session: WireSession) -> None:
        """Serve this session until the SDK's engine takes over."""
        self._session = session

    async def respond(self, exchange: Exchange) -> Any:
        """Return the result of a request, or raise the `WireError` to be sent."""
        if exchange.request.method != "initialize" or exchange.stateless:
            return await (await self._loaded_engine()).respond(exchange)
        exchange.observed.method = exchange.request.method
        params = handshake_params(self._source.profile, exchange.request.params)
        if self._engine is not None or not _is_obviously_valid(params):
            engine = await self._loaded_engine()
            await engine.respond(exchange)
            self._session.use_engine(engine)
        else:
            self._handshake = exchange
            self._delayed_load = asyncio.get_running_loop().create_task(self._load_after_delay())
        return initialize_result(self._source, params["protocolVersion"])

    def handle_notification(self, notification: Notification) -> None:
        """Pass a notification to the SDK, once it is loaded."""
        if self._engine is None:
            self._early_notifications.append(notification)
        else:
            self._engine.handle_notification(notification)

    def when_loaded(self, then: Callable[[], object]) -> None:
        """Call `then` once the SDK's engine has loaded or failed to load."""
        if self._engine is None:
            self._load_callbacks.append(then)
        else:
            then()

    def end_streams(self) -> None:
        if self._engine is not None:
            self._engine.end_streams()

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()

    async def _load_after_delay(self) -> None:
        await asyncio.sleep(_LOAD_DELAY_SECONDS)
        try:
            await self._loaded_engine()
        except WireError:
            return  # reported to the requests that need it

    async def _loaded_engine(self) -> SdkEngine:
        if self._engine is not None:
            return self._engine
        if self._loading is None:
            self._loading = asyncio.create_task(self._load())
        loading = self._loading
        try:
            # Several requests may wait for one load; cancelling one must not cancel it for the others.
            return await asyncio.shield(loading)
        except Exception as failure:
            # The next request tries again.
            if self._loading is loading:
                self._loading = None
            raise internal_error(failure) from None

    async def _load(self) -> SdkEngine:
        # The thread must not keep the process alive when the client disconnects.
        try:
            engine = await Workers(1).run(partial(_load_engine, self._source), Call())
        finally:
            for then in self._load_callbacks:
                then()
        engine.attach(self._session)
        if self._handshake is not None:
            await engine.respond(self._handshake)
            self._session.use_engine(engine)
        for notification in self._early_notifications:
            engine.handle_notification(notification)
        self._engine = engine
        return engine


def _load_engine(source: LazyServer) -> SdkEngine:
    toolsets.pause_garbage_collection()
    try:
        from holdfast.faces.mcp.engine import SdkEngine

        return SdkEngine(source.build())
    finally:
        toolsets.resume_garbage_collection()


def initialize_result(server: LazyServer, requested: str) -> dict[str, Any]:
    """Return the answer to `initialize`, with its members in the SDK's order.

    A revision that this server does not support is answered with the newest one.
    """
    profile = server.profile
    server_info = {"name": profile.server_name, "title": profile.title, "version": profile.server_version}
    result = {
        "capabilities": _server_capabilities(profile),
        "instructions": instructions_for(profile, server.selection),
        "protocolVersion": requested if requested in HANDSHAKE_REVISIONS else HANDSHAKE_REVISIONS[-1],
        "serverInfo": {key: value for key, value in server_info.items() if value is not None},
    }
    answer = {key: value for key, value in result.items() if value is not None}
    return with_declaration(answer, profile, server.selection)


def handshake_params(profile: Profile, params: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameters of `initialize` as the SDK accepts them.

    Specifications show requests without client info, which the SDK refuses, and may prescribe the revision.
    """
    completed = {"clientInfo": _UNNAMED_CLIENT, "capabilities": {}} | dict(params or {})
    pinned = profile.protocol_version
    return completed if pinned is None else completed | {"protocolVersion": pinned}


def internal_error(failure: Exception) -> WireError:
    """Return the JSON-RPC error for an exception that is not one yet."""
    if isinstance(failure, WireError):
        return failure
    error = failure if isinstance(failure, HoldfastError) else holdfast_error(failure)
    return WireError(INTERNAL_ERROR, error.sentence(), {"type": error.kind} | error.data)


def _server_capabilities(profile: Profile) -> Mapping[str, Any]:
    if profile.capabilities is not None:
        return profile.capabilities
    lists = profile.changing_lists
    offered: dict[str, Any] = {"completions": {}} if profile.offers_prompts else {}
    if not profile.is_strict:
        offered["logging"] = {}
    if profile.offers_prompts:
        offered["prompts"] = {"listChanged": "prompts" in lists}
    if profile.offers_resources:
        offered["resources"] = {"listChanged": "resources" in lists, "subscribe": True}
    return offered | {"tools": {"listChanged": "tools" in lists}}


def _is_obviously_valid(params: Mapping[str, Any]) -> bool:
    capabilities, client = params["capabilities"], params["clientInfo"]
    if params.keys() != {"protocolVersion", "capabilities", "clientInfo"}:
        return False
    if not isinstance(capabilities, dict) or not isinstance(client, dict):
        return False
    if not {"name", "version"} <= client.keys() <= _CLIENT_INFO_FIELDS:
        return False
    texts = [params["protocolVersion"], *client.values()]
    return all(isinstance(text, str) for text in texts) and _are_plain_capabilities(capabilities)


def _are_plain_capabilities(capabilities: dict[str, Any]) -> bool:
    """Return whether capabilities are known and have no settings except `listChanged` of `roots`.

    The settings of an extension are any object.
    """
    if not capabilities.keys() <= _KNOWN_CAPABILITIES:
        return False
    if not all(isinstance(settings, dict) for settings in capabilities.values()):
        return False
    list_changed = capabilities.get("roots", {}).get("listChanged", True)
    extensions = capabilities.get("extensions", {})
    others = [settings for name, settings in capabilities.items() if name not in {"roots", "extensions"}]
    return (
        isinstance(list_changed, bool)
        and all(isinstance(settings, dict) for settings in extensions.values())
        and all(value == {} for settings in others for value in settings.values())
    )

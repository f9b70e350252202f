"""What went over the wire between a real client and our server."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp_types.jsonrpc import JSONRPCError
from mcp_types.methods import parse_server_notification, validate_server_result

RECORDER = Path(__file__).with_name("recorder.py")
HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
REVISION_OF_A_REQUEST = "io.modelcontextprotocol/protocolVersion"


@dataclass(frozen=True)
class Recording:
    """A place where servers that clients start are recorded."""

    folder: Path

    def command(self, *server: str) -> list[str]:
        """Return what a client starts in place of `server`."""
        return [sys.executable, "-IS", str(RECORDER), str(self.folder), *server]

    def assert_in_order(self, revision: str) -> None:
        """Assert that every server was spoken to in `revision`, did nothing wrong in it, and ended well."""
        records = [path.read_text(encoding="utf-8").splitlines() for path in self.folder.iterdir()]
        assert records
        for record in records:
            *messages, end = (line.split(" ", 1) for line in record)
            assert end == ["ended", "0"]
            conversation = Conversation(revision)
            for who, text in messages:
                getattr(conversation, f"{who}_said")(json.loads(text))
            conversation.assert_answered()


@dataclass
class Conversation:
    """One client and one server, followed message by message."""

    revision: str
    asked: dict[Any, str] = field(default_factory=dict)
    abandoned: set[Any] = field(default_factory=set)

    def client_said(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        assert params.get("_meta", {}).get(REVISION_OF_A_REQUEST, self.revision) == self.revision
        if "id" in message:
            self.asked[message["id"]] = message["method"]
        elif message["method"] == "notifications/cancelled":
            self.abandoned.add(params["requestId"])

    def server_said(self, message: dict[str, Any]) -> None:
        if "method" in message:
            parse_server_notification(message["method"], self.revision, message.get("params"))
            return
        method = self.asked.pop(message["id"])
        if "error" in message:
            JSONRPCError.model_validate(message)
            return
        assert message["result"].get("protocolVersion", self.revision) == self.revision
        validate_server_result(method, self.revision, message["result"])

    def assert_answered(self) -> None:
        """Assert that only what the client gave up was left without an answer."""
        assert self.asked.keys() <= self.abandoned

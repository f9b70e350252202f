"""The TypeScript clients, first and second generation, over stdio."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.node import HERE, run_node
from tests.clients.recording import HOLDFAST, Recording
from tests.clients.review import SENDER, assert_reviewed, text_of
from tests.conftest import ROOT

pytestmark = pytest.mark.node

CLIENTS = [("v1", "2025-11-25"), ("v2", "2025-11-25"), ("v2-auto", "2026-07-28")]


def seen_by(client: str, script: str, server: list[str], cwd: Path) -> dict[str, Any]:
    """Run a script with one of the clients and return what it printed."""
    settings = {"server": {"command": server[0], "args": server[1:], "cwd": str(cwd)}, "sender": SENDER}
    seen: dict[str, Any] = json.loads(run_node(HERE / script, client, json.dumps(settings)).stdout)
    return seen


@pytest.mark.parametrize(("client", "revision"), CLIENTS)
def test_a_remark_is_announced_taken_and_answered(
    client: str, revision: str, repository: Path, recording: Recording
):
    assert_reviewed(seen_by(client, "review.mjs", recording.command(HOLDFAST, "serve"), repository))
    recording.assert_in_order(revision)


@pytest.mark.parametrize(("client", "revision"), CLIENTS)
def test_a_long_call_reports_progress_and_can_be_given_up(client: str, revision: str, recording: Recording):
    server = recording.command(sys.executable, "-m", "tests.wire.sample_server")
    seen = seen_by(client, "long_call.mjs", server, ROOT)
    assert seen["progress"] == [[1, 3], [2, 3], [3, 3]]
    assert seen["finished"]["structuredContent"] == {"text": "done"}
    assert "enough" in text_of(seen["abandoned"])
    assert seen["afterwards"]["structuredContent"] == {"text": "still here"}
    recording.assert_in_order(revision)

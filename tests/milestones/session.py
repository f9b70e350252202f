"""The reference session: a repository with known content, and the frames a client and the server exchange.

`python -m tests.milestones.session` records the session anew, for when answers change on purpose.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from holdfast.milestones.entity import EntityDraft, ImportedComment
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository
from tests.wire.client import wire_client

SESSION = Path(__file__).parents[2] / "docs" / "reference" / "examples" / "mcp-session-list-show.json"
GIT_MILE = str(Path(sys.executable).with_name("git-mile"))
MILESTONE = "c8d4b0a2-6c0e-4f6f-9a55-3a5b0f0f8d11"
ISSUES = ("0b6d5a52-9f0e-4a30-8c26-5f4d2a1e7c01", "1c7e6b63-af1f-4b41-9d37-6a5e3b2f8d02")
TESTER = "Tester <tester@example.org>"
MOMENT = datetime(2024, 10, 25, 9, 17, tzinfo=UTC)
CLIENT: list[dict[str, Any]] = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "reference-client", "version": "1.0.0"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {
            "name": "git_mile.list",
            "arguments": {"entity": "milestone", "filter": 'status == "open"', "sort": ["updated:desc"]},
        },
    },
    {
        "jsonrpc": "2.0",
        "id": 4,
        "method": "tools/call",
        "params": {"name": "git_mile.show", "arguments": {"entity": "milestone", "id": MILESTONE}},
    },
    {"jsonrpc": "2.0", "id": 5, "method": "shutdown"},
]


def fill(repository: Path) -> None:
    """Put a milestone with a comment and two open issues into a repository."""
    room = Milestones(Repository.discover(repository), clock=lambda: MOMENT)
    kickoff = ImportedComment(
        TESTER, "2024-10-25T09:17:00Z", "kickoff", "2d8f7c74-b020-7c52-8e48-7b6f4c309e03"
    )
    room.create(
        EntityDraft(
            "milestone",
            "Milestone Alpha",
            "First milestone",
            labels=("alpha",),
            comments=(kickoff,),
            id=MILESTONE,
        ),
        actor=TESTER,
    )
    for number, name in enumerate(ISSUES, start=1):
        room.create(EntityDraft("issue", f"Issue {number}", milestone=MILESTONE, id=name), actor=TESTER)
    room.close()


def recorded(repository: Path) -> list[dict[str, Any]]:
    """Return the frames of the session, as the server of this version speaks in it."""
    frames: list[dict[str, Any]] = []
    with wire_client([GIT_MILE, "mcp-server"], cwd=repository) as client:
        for message in CLIENT:
            frames.append({"direction": "client", "payload": message})
            client.send(message)
            if "id" in message:
                frames.append({"direction": "server", "payload": client.answer(message["id"])})
        assert client.wait() == 0
    return frames


def main() -> None:
    """Write the session down."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
        repository = Path(folder, "repository")
        subprocess.run(["git", "init", "--quiet", repository], check=True)
        fill(repository)
        SESSION.write_text(json.dumps(recorded(repository), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

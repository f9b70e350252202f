"""Bringing a workspace up to date as clients and people see it: progress, cancelling, nothing halfway."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.comments.making import age, annotate, comment
from tests.wire.client import WireClient, wire_client

SERVE = [sys.executable, "-m", "holdfast", "serve"]
FILES = 10
SOURCE = "".join(
    f"def step{number}(value):\n    total = value + {number}\n    return total\n\n\n" for number in range(20)
)


@pytest.fixture
def root(repository: Path) -> Path:
    for number in range(FILES):
        notes = [comment(10 * number + one, 2 + 5 * one, f"Note {one}") for one in range(8)]
        sidecar = annotate(repository, f"src/m{number:02}.py", SOURCE, *notes)
        age(sidecar, repository / f"src/m{number:02}.py")
    return repository


def change(root: Path, *numbers: int) -> None:
    for number in numbers:
        (root / f"src/m{number:02}.py").write_text("import os\n\n\n" + SOURCE, encoding="utf-8")
        age(root / f"src/m{number:02}.py")


def scan(client: WireClient, identity: str, *, cancel_after: int | None = None) -> tuple[Any, list[Any]]:
    """Ask for a scan with progress; return its answer and what was heard meanwhile."""
    client.request(
        identity,
        "tools/call",
        {"name": "reanchor_comments", "arguments": {}, "_meta": {"progressToken": identity}},
    )
    heard: list[Any] = []
    while True:
        message = client.receive(60)
        if message.get("method") == "notifications/progress":
            heard.append(message["params"])
            if len(heard) == cancel_after:
                client.notify("notifications/cancelled", {"requestId": identity})
                return None, heard
        elif message.get("id") == identity:
            return message["result"]["structuredContent"], heard


def documents(root: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_bytes()) for path in sorted(root.glob("src/*.comments"))}


def test_a_scan_updates_only_changed_files_and_reports_progress(root: Path) -> None:
    with wire_client(SERVE, cwd=root) as client:
        client.initialize()
        result, heard = scan(client, "first")
        assert (result["files"], result["changedFiles"]) == (FILES, FILES)
        for sidecar in root.glob("src/*.comments"):
            age(sidecar)
        scan(client, "settled")
        before = {path: path.stat().st_mtime_ns for path in root.glob("src/*.comments")}
        change(root, 3, 7)
        result, heard = scan(client, "second")
        assert (result["files"], result["changedFiles"], result["comments"]) == (FILES, 2, 16)
        assert {one["filePath"] for one in result["moved"]} == {"src/m03.py", "src/m07.py"}
        written = [path.name for path in before if path.stat().st_mtime_ns != before[path]]
        assert sorted(written) == ["m03.py.comments", "m07.py.comments"]
        assert heard
        assert {one["progressToken"] for one in heard} == {"second"}
        amounts = [one["progress"] for one in heard]
        assert amounts == sorted(amounts)
        assert amounts[-1] <= heard[-1]["total"]
        assert all("src/m0" in one["message"] for one in heard)


def test_a_cancelled_scan_leaves_whole_files_and_the_next_one_finishes(root: Path) -> None:
    with wire_client(SERVE, cwd=root) as client:
        client.initialize()
        scan(client, "first")
        change(root, *range(FILES))
        scan(client, "cancelled", cancel_after=1)
        # Nothing more is said about it, and the server is free for the next request.
        assert client.ask("ping", "ping")["result"] == {}
        found = documents(root)
        assert len(found) == FILES
        assert all(len(document["comments"]) == 8 for document in found.values())
        assert not [name for name in os.listdir(root / "src") if not name.endswith((".py", ".comments"))]
        result, _ = scan(client, "again")
        assert result["damaged"] == []
        assert result["orphaned"] == []
        lines = {one["line"] for document in documents(root).values() for one in document["comments"]}
        assert lines == {5 + 5 * one for one in range(8)}
        answers = [json.loads(line).get("id") for line in client.raw]
        assert "cancelled" not in answers


def test_a_person_sees_a_bar_on_a_terminal_and_none_in_a_pipe(root: Path) -> None:
    change(root, *range(FILES))
    command = [sys.executable, "-m", "holdfast", "comments", "re-anchor"]
    controller, terminal = pty.openpty()
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    shown = bytearray()
    while True:
        try:
            part = os.read(controller, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    output = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 0
    assert b"%" in shown
    assert b"[" in shown
    assert shown.endswith(b"\r\x1b[K"), "the bar is gone when it is done"
    assert output.startswith(f"Checked {FILES} files with comments; {FILES} had changed")
    change(root, 1)
    piped = subprocess.run(command, cwd=root, capture_output=True, check=True, timeout=60)
    assert piped.stderr == b""

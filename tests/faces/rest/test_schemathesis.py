"""The description and the server agree, as schemathesis sees it: hundreds of requests, good and bad."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faces.http.running import RunningServer
from tests.reliability.samples import SCALE, samples

SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))
# Paths and cursors have rules that a schema cannot tell, so that good data may be refused. And a number or a
# truth value that is spelled as text is understood, as agents write them, so that some bad data is accepted.
HALF = "^/api/(tasks|workspaces|templates)"
LEFT_OUT = "positive_data_acceptance,negative_data_rejection"
PHASES = "examples,coverage,fuzzing,stateful" if SCALE else "examples,fuzzing,stateful"
"""Coverage sends every boundary value of every schema: 12,000 requests, for minutes."""


@pytest.mark.sampled
@pytest.mark.requirement("http-16")
@pytest.mark.parametrize("which", ["--include-path-regex", "--exclude-path-regex"], ids=["half", "the rest"])
def test_every_route_keeps_to_its_description(server: RunningServer, tmp_path: Path, which: str) -> None:
    done = subprocess.run(
        [
            SCHEMATHESIS,
            "run",
            f"http://127.0.0.1:{server.port}/api/openapi.json",
            *("--header", f"Authorization: Bearer {server.token}"),
            *(which, HALF),
            *("--exclude-path", "/api/events"),
            *("--phases", PHASES),
            *("--checks", "all"),
            *("--exclude-checks", LEFT_OUT),
            *("--max-examples", str(samples("requests of each route"))),
            *("--seed", "1"),
            *("--rate-limit", "90/s"),
            "--no-color",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert server.ask("GET", "/api/inbox/list_messages").status == 200

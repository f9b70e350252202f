"""A part of the program that cannot be loaded when needed: told on every face, and loaded the next time.

Parts are loaded when they are first needed, so that a disk that fails can fail any operation. An audit hook
makes the import of one module fail as often as it is told to, where the import system would read the disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faces.http.running import connected
from tests.wire.client import wire_client

PROGRAM = """
import importlib.util, os, sys
part, number, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def refuse(event, arguments):
    global times
    if event != "open" or times < 1 or not str(arguments[0]).endswith((part, compiled)):
        return
    times -= str(arguments[0]).endswith(part)
    if number:
        raise OSError(number, os.strerror(number), arguments[0])
    raise MemoryError
compiled = importlib.util.cache_from_source(part)
sys.addaudithook(refuse)
sys.argv[:] = ["holdfast", *sys.argv[4:]]
from holdfast.__main__ import main
sys.exit(main())
"""

ENOSPC, EIO, MEMORY = 28, 5, 0

LATE = "/holdfast/syntax/facts.py"
"""Needed by the first comment."""
ROOM = "/holdfast/comments/store.py"
"""Needed to know what there is to do with comments."""


def command(part: str, number: int, *arguments: str, times: int = 1) -> list[str]:
    return [sys.executable, "-c", PROGRAM, part, str(number), str(times), *arguments]


@pytest.fixture
def annotated(repository: Path) -> Path:
    (repository / "a.py").write_text("def f():\n    return 1\n")
    return repository


def stored(repository: Path) -> int:
    place = repository / "a.py.comments"
    return len(json.loads(place.read_bytes())["comments"]) if place.exists() else 0


def no_secret(text: str, repository: Path) -> bool:
    return "Traceback" not in text and str(repository) not in text and "/syntax/facts.py" not in text


ADD = ("comments", "add", "a.py", "2", "Why one?", "--tag", "QUESTION")


@pytest.mark.requirement("reliability-A4")
@pytest.mark.parametrize(
    ("part", "number", "status", "kind"),
    [
        (LATE, ENOSPC, 11, "out_of_space"),
        (LATE, EIO, 10, "unavailable"),
        (LATE, MEMORY, 10, "unavailable"),
        (ROOM, ENOSPC, 11, "out_of_space"),
        ("/holdfast/faces/cli/application.py", EIO, 10, "unavailable"),
    ],
)
@pytest.mark.evidence("A4", "program parts", "a command cannot load a part of the program", every=True)
def test_a_command_says_what_could_not_be_loaded_and_works_the_next_time(
    annotated: Path, part: str, number: int, status: int, kind: str
) -> None:
    run = subprocess.run(
        command(part, number, *ADD, "--json"), cwd=annotated, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == status
    error = json.loads(run.stdout)["error"]
    assert error["kind"] == kind
    assert error["hint"]
    assert number == MEMORY or part.strip("/").removesuffix(".py").replace("/", ".") in error["message"]
    assert no_secret(run.stdout + run.stderr, annotated)
    assert stored(annotated) == 0


def added(answer: dict[str, Any]) -> bool:
    return "result" in answer and not answer["result"]["isError"]


CALL = {
    "name": "add_comment",
    "arguments": {"filePath": "a.py", "line": 2, "text": "Why one?", "tag": "QUESTION"},
}


@pytest.mark.requirement("reliability-A4")
@pytest.mark.parametrize(
    ("part", "number", "told"), [(LATE, ENOSPC, "out_of_space"), (ROOM, EIO, "unavailable")]
)
@pytest.mark.evidence("A4", "program parts", "a server cannot load a part of the program", every=True)
def test_a_server_on_a_pipe_tells_it_and_loads_it_the_next_time(
    annotated: Path, part: str, number: int, told: str
) -> None:
    with wire_client(command(part, number, "serve", times=2), cwd=annotated) as client:
        client.initialize()
        refused = client.ask(1, "tools/call", CALL)
        assert not added(refused)
        assert told in json.dumps(refused)
        assert no_secret(json.dumps(refused) + client.error_text(), annotated)
        assert stored(annotated) == 0
        # What is loaded after the handshake may have met the first refusal.
        assert added(client.ask(2, "tools/call", CALL)) or added(client.ask(3, "tools/call", CALL))
    assert stored(annotated) == 1


@pytest.mark.requirement("reliability-A4")
@pytest.mark.evidence(
    "A4", "program parts", "a server over HTTP cannot load a part of the program", every=True
)
def test_a_server_over_http_tells_it_and_loads_it_the_next_time(annotated: Path) -> None:
    served = command(LATE, ENOSPC, "serve", "--http", "127.0.0.1:0", times=2)
    process = subprocess.Popen(served, cwd=annotated, stderr=subprocess.PIPE, text=True)
    try:
        server = connected(process, annotated)
        refused = server.call("tools/call", **CALL)
        assert not added(refused)
        assert "out_of_space" in json.dumps(refused)
        over_rest = server.ask("POST", "/api/comments/add_comment", CALL["arguments"])
        assert over_rest.status == 507
        assert no_secret(json.dumps(refused) + over_rest.body.decode(), annotated)
        assert stored(annotated) == 0
        assert added(server.call("tools/call", **CALL))
        assert server.ask("POST", "/api/comments/add_comment", CALL["arguments"]).status == 200
    finally:
        process.terminate()
        process.wait(40)
        assert process.stderr is not None
        said = process.stderr.read()
        process.stderr.close()
    assert no_secret(said, annotated)
    assert stored(annotated) == 2


@pytest.mark.evidence("A4", "program parts", control="no answer for it")
def test_control_without_an_answer_for_it_the_traceback_is_seen(annotated: Path) -> None:
    unanswered = PROGRAM.replace(
        "from holdfast.__main__ import main\n",
        """
from holdfast.kernel.dispatch import failures
failures.machine_failure = lambda failure: None
from holdfast.__main__ import main
""",
    )
    assert unanswered != PROGRAM
    run = subprocess.run(
        [sys.executable, "-c", unanswered, LATE, str(ENOSPC), "1", *ADD],
        cwd=annotated,
        capture_output=True,
        text=True,
        env=dict(os.environ),
        timeout=60,
    )
    assert not no_secret(run.stderr, annotated)

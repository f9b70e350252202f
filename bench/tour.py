"""Which modules three requests run through, in order: the files a reader opens to follow them.

    python -m bench.tour [--save]

Prints each tour as Markdown, with the first line of each module's docstring.
"""

from __future__ import annotations

import ast
import http.client
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import holdfast
from bench._client import Client, line
from bench._results import Results, arguments

PACKAGE = Path(holdfast.__file__).parent
TRACED = [sys.executable, "-m", "bench._traced"]
HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
SECONDS = 60


def main() -> None:
    options = arguments(__doc__)
    results = Results("bench.tour")
    rows = []
    for title, trace in (
        ("`add_comment` over standard input and output", add_comment),
        ("`taskpilot_claim` with a session over REST", claim),
        ("`git mile create`", create),
    ):
        with tempfile.TemporaryDirectory() as folder:
            modules = trace(new_repository(Path(folder, "repository")), Path(folder, "trace"))
        rows.append((title, len(modules)))
        print(f"### {title}\n")
        print(
            "\n".join(f"{n}. `{name}`: {first_line(name)}" for n, name in enumerate(modules, 1)), end="\n\n"
        )
    results.table("modules", ("request", "modules"), rows)
    sys.exit(results.finish(options))


def add_comment(repository: Path, trace: Path) -> list[str]:
    """Trace the second comment of a server."""
    client = Client([*TRACED, str(trace), "holdfast", "serve", "--root", str(repository)])
    client.initialize()

    def add(number: int) -> None:
        arguments = {"filePath": "kelp.py", "line": number, "text": "Why", "tag": "NOTE"}
        call = {"name": "add_comment", "arguments": arguments}
        client.input.write(line({"id": number, "method": "tools/call", "params": call}))
        while (answer := json.loads(client.answers.readline())).get("id") != number:
            pass
        assert not answer["result"].get("isError"), answer

    add(1)
    modules = traced(client.process, trace, lambda: add(2))
    client.close()
    return modules


def claim(repository: Path, trace: Path) -> list[str]:
    """Trace the second claim of a server."""
    for command in (["init"], ["add", "One"], ["add", "Two"]):
        subprocess.run([HOLDFAST, "tasks", *command], cwd=repository, check=True, stdout=subprocess.DEVNULL)
    started = subprocess.run(
        [HOLDFAST, "tasks", "start", "--json"], cwd=repository, check=True, capture_output=True
    )
    session = json.loads(started.stdout)["session"]["id"]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*TRACED, str(trace), "holdfast", "serve", "--http", f"127.0.0.1:{port}", "--root", str(repository)],
        stderr=subprocess.DEVNULL,
    )
    token = repository / ".git/holdfast/token"

    def claim_next() -> None:
        headers = {"Authorization": f"Bearer {token.read_text().strip()}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        body = json.dumps({"action": "next", "session": session})
        connection.request("POST", "/api/tasks/taskpilot_claim", body, headers)
        answer = connection.getresponse()
        assert (answer.status, "token" in answer.read().decode()) == (200, True)
        connection.close()

    wait_for(lambda: token.exists() and answers(port))
    claim_next()
    modules = traced(server, trace, claim_next)
    server.terminate()
    server.wait(SECONDS)
    return modules


def create(repository: Path, trace: Path) -> list[str]:
    """Trace the second issue of a repository."""
    for title in ("One", "Two"):
        command = [*TRACED, str(trace), "git-mile", "create", "issue", title]
        environment = {"PYTHONPATH": str(Path.cwd()), "HOME": str(repository), "PATH": "/usr/bin:/bin"}
        subprocess.run(command, cwd=repository, check=True, stdout=subprocess.DEVNULL, env=environment)
    return trace.read_text(encoding="utf-8").splitlines()


def traced(process: subprocess.Popen[Any], trace: Path, request: Callable[[], None]) -> list[str]:
    """Return the modules of a server that ran while it answered a request."""
    process.send_signal(signal.SIGUSR1)
    time.sleep(0.2)  # The main thread handles the signal while another one answers.
    request()
    time.sleep(0.2)  # The trace includes what runs after the answer.
    process.send_signal(signal.SIGUSR2)
    wait_for(trace.exists)
    return trace.read_text(encoding="utf-8").splitlines()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def new_repository(path: Path) -> Path:
    """Make a repository with one commit."""
    for command in (
        ["init", "--quiet", str(path)],
        *(["-C", str(path), "config", key, "Ada"] for key in ("user.name", "user.email")),
    ):
        subprocess.run(["git", *command], check=True)
    (path / "kelp.py").write_text(
        "def hold():\n    return 1\n\n\ndef let_go():\n    return 2\n", encoding="utf-8"
    )
    for command in (["add", "."], ["commit", "--quiet", "--message", "First"]):
        subprocess.run(["git", "-C", str(path), *command], check=True)
    return path


def first_line(module: str) -> str:
    """Return the first line of a module's docstring."""
    text = (PACKAGE / module).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


if __name__ == "__main__":
    main()

"""Which modules three requests go through, from the first to the last: what a reader opens to follow them.

    python -m bench.tour [--check] [--save]

Prints each tour as Markdown, with the first line of each module's docstring. With --check the exit status
is 1 when one of them is longer than its bar.
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
    for title, most, trace in (
        ("`add_comment` over standard input and output", 37, add_comment),
        ("`taskpilot_claim` with a session over REST", 25, claim),
        ("`git mile create`", 39, create),
    ):
        with tempfile.TemporaryDirectory() as folder:
            modules = trace(new_repository(Path(folder, "repository")), Path(folder, "trace"))
        bar = results.bar(f"modules of {title}", len(modules), most)
        rows.append((title, len(modules), f"{most} {bar.verdict}"))
        print(f"### {title}\n")
        print(
            "\n".join(f"{n}. `{name}`: {first_line(name)}" for n, name in enumerate(modules, 1)), end="\n\n"
        )
    results.table("modules", ("request", "modules", "at most"), rows)
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
    for words in (["init"], ["add", "One"], ["add", "Two"]):
        subprocess.run([HOLDFAST, "tasks", *words], cwd=repository, check=True, stdout=subprocess.DEVNULL)
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

    def take() -> None:
        headers = {"Authorization": f"Bearer {token.read_text().strip()}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        body = json.dumps({"action": "next", "session": session})
        connection.request("POST", "/api/tasks/taskpilot_claim", body, headers)
        answer = connection.getresponse()
        assert (answer.status, "token" in answer.read().decode()) == (200, True)
        connection.close()

    wait_for(lambda: token.exists() and answers(port))
    take()
    modules = traced(server, trace, take)
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
    time.sleep(0.2)  # The signal is seen by the main thread, which answers nothing itself.
    request()
    time.sleep(0.2)  # What follows an answer belongs to it.
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
    ends = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.02)


def new_repository(path: Path) -> Path:
    """Make a repository with one commit."""
    for words in (
        ["init", "--quiet", str(path)],
        *(["-C", str(path), "config", key, "Ada"] for key in ("user.name", "user.email")),
    ):
        subprocess.run(["git", *words], check=True)
    (path / "kelp.py").write_text(
        "def hold():\n    return 1\n\n\ndef let_go():\n    return 2\n", encoding="utf-8"
    )
    for words in (["add", "."], ["commit", "--quiet", "--message", "First"]):
        subprocess.run(["git", "-C", str(path), *words], check=True)
    return path


def first_line(module: str) -> str:
    """Return what a module says of itself."""
    text = (PACKAGE / module).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


if __name__ == "__main__":
    main()

"""Tokens, passwords and what the environment holds are in no answer, error, log, report or export."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import RunHoldfast
from tests.faces.http.running import HOLDFAST, running_server
from tests.wire.client import wire_client

ENVIRONMENT = {"GITHUB_TOKEN": "canary-github", "AWS_SECRET_ACCESS_KEY": "canary-environment"}
DATABASE = "postgresql://ada:canary-database@127.0.0.1:9/tasks?application_name=canary-parameter"
ARGUMENT = "canary-argument"
LOGGING = ("--log-level", "debug")
COMMANDS = (
    ("doctor",),
    ("doctor", "--json"),
    ("stats",),
    ("stats", "--json"),
    ("git-mile", "sync"),
    ("milestones", "sync", "--json"),
    ("milestones", "export", "issues.json"),
    ("comments", "export", "--format", "json"),
    ("comments", "export", "--format", "jsonl"),
    ("tasks", "export"),
    ("tasks", "github", "sync"),
    ("inbox", "list", "--json"),
    ("token", "list"),
    ("install", "claude-code", "--print"),
    ("serve", "--help"),
)


def commands(repository: Path, run_holdfast: RunHoldfast, secrets: set[str]) -> Iterator[tuple[str, str]]:
    environment = {**os.environ, **ENVIRONMENT}
    for name, role in (("reader", "read"), ("writer", "write")):
        shown = run_holdfast("token", "add", name, "--role", role, check=True).stdout
        secrets.update(word for word in shown.split() if len(word) >= 40)
    for words in COMMANDS:
        program = [HOLDFAST] if words[0] != "git-mile" else [str(Path(HOLDFAST).with_name("git-mile"))]
        done = subprocess.run(
            [*program, *words[words[0] == "git-mile" :]],
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode not in (2, 70), (words, done.stderr)
        yield " ".join(words), done.stdout + done.stderr
    for words in (("tasks", "list"), ("tasks", "list", "--json"), ("doctor",), ("tasks", "add", "x")):
        done = run_holdfast(*words, env={**environment, "HOLDFAST_DATABASE": DATABASE})
        yield f"{words} of a team", done.stdout + done.stderr
    for scheme, port in (("postgresql", ":9"), ("mysql", ":9"), ("postgresql", ":x")):
        address = DATABASE.replace("postgresql", scheme).replace(":9", port)
        done = run_holdfast("tasks", "list", "--database", address)
        yield f"an address of {scheme} with {port}", done.stdout + done.stderr


def servers(repository: Path, secrets: set[str]) -> Iterator[tuple[str, str]]:
    environment = {**os.environ, **ENVIRONMENT, "HOLDFAST_DATABASE": DATABASE}
    with wire_client([HOLDFAST, "serve", *LOGGING], cwd=repository, env=environment) as client:
        client.initialize()
        yield "a failing store", str(client.call(1, "taskpilot_list"))
        yield "a failing sync", str(client.call(2, "git_mile_sync"))
        client.call(3, "send_message", file=".", comment=ARGUMENT)
        client.call(4, "send_message", file="../" + ARGUMENT, comment=ARGUMENT, nothing=ARGUMENT)
        client.close_input()
        client.wait()
        yield "the log of a server", f"{client.error_text()}"
    with running_server(repository, *LOGGING, environment=environment) as server:
        secrets.add(server.token)
        yield "what it says first", server.said
        for token in ("canary-presented", None):
            answer = server.ask("GET", "/api/tasks/taskpilot_list", token=token)
            yield f"HTTP {answer.status}", answer.body.decode()
        answer = server.ask("POST", "/api/inbox/send_message", {"file": ".", "comment": ARGUMENT})
        yield "a REST answer", str(answer.headers)
        server.process.terminate()
        assert server.process.stderr is not None
        yield "the log of an HTTP server", server.process.stderr.read()


def everything_said(repository: Path, run_holdfast: RunHoldfast) -> tuple[dict[str, str], set[str]]:
    (repository / "a.py").write_text("one\n")
    for words in (
        ("remote", "add", "origin", "http://ada:canary-remote@127.0.0.1:9/x.git"),
        ("config", "http.extraHeader", "Authorization: Basic canary-header"),
        ("config", "credential.helper", "!echo password=canary-helper"),
    ):
        subprocess.run(["git", *words], cwd=repository, check=True)
    for words in (("tasks", "init"), ("milestones", "init"), ("comments", "add", "a.py", "1", "Plain")):
        run_holdfast(*words)
    secrets = {
        *(value for value in ENVIRONMENT.values() if value.startswith("canary")),
        "canary-database", "canary-parameter", "canary-remote", "canary-header", "canary-helper",
        "canary-presented", ARGUMENT,
    }  # fmt: skip
    found = dict(commands(repository, run_holdfast, secrets))
    found |= servers(repository, secrets)
    return found, secrets


def leaks(said: dict[str, str], secrets: set[str]) -> list[tuple[str, str]]:
    return [(face, secret) for face, text in said.items() for secret in secrets if secret in text]


@pytest.mark.evidence("G5", "every face", "secrets in arguments, stores and the environment")
@pytest.mark.evidence("G5", "every face", control="what plain git says")
def test_no_face_says_a_secret(repository: Path, run_holdfast: RunHoldfast):
    found, secrets = everything_said(repository, run_holdfast)
    assert leaks(found, secrets) == []
    assert len(secrets) >= 12
    # Control: the same search finds what plain git says, and each face said something to be searched.
    plain = subprocess.run(["git", "remote", "-v"], cwd=repository, capture_output=True, text=True).stdout
    assert leaks({"git": plain}, secrets)
    assert [face for face in ("doctor", "a failing store", "a failing sync") if not found[face]] == []
    assert "cannot be reached" in found["a failing store"]
    assert "send_message" in found["the log of a server"]
    assert "send_message" in found["the log of an HTTP server"]
    held = secrets - {"canary-remote", "canary-header", "canary-helper"}  # which git itself keeps
    for top, _, names in os.walk(repository):
        for path in (Path(top, name) for name in names):
            if path.is_file() and any(secret.encode() in path.read_bytes() for secret in held):
                assert path.stat().st_mode & 0o077 == 0, f"others may read {path.name}"

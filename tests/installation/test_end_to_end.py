"""What was written is started exactly as it was written, and works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import RunHoldfast
from tests.inbox.test_lazygit_configuration import COMMENTS, filled, quote, split

SEARCH_PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CALL = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "check_lazygit_messages", "arguments": {}},
}


@pytest.fixture(autouse=True)
def search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", SEARCH_PATH)


def talk(server: dict[str, Any], cwd: Path) -> list[dict[str, Any]]:
    """Start a server as a client would and return what it answers."""
    lines = "".join(json.dumps(message) + "\n" for message in (INITIALIZE, READY, CALL))
    done = subprocess.run(
        [server["command"], *server["args"]], cwd=cwd, input=lines, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_serves(server: dict[str, Any], cwd: Path) -> None:
    answers = {answer["id"]: answer["result"] for answer in talk(server, cwd) if "id" in answer}
    assert answers[1]["protocolVersion"] == "2025-11-25"
    assert answers[1]["serverInfo"]["name"]
    assert "Look here" in answers[2]["content"][0]["text"]


@pytest.fixture
def remark(run_holdfast: RunHoldfast) -> None:
    run_holdfast("send", "--file", ".", "--comment", "Look here", check=True)


@pytest.mark.requirement("install-10")
def test_claude_code_starts_the_server_that_was_written(
    run_holdfast: RunHoldfast, repository: Path, remark: None
):
    run_holdfast("install", "claude-code", "--scope", "project", check=True)
    servers = json.loads((repository / ".mcp.json").read_text())["mcpServers"]
    check_serves(servers["holdfast"], repository)


def from_cursor(repository: Path, home: Path) -> dict[str, Any]:
    servers = json.loads((repository / ".cursor" / "mcp.json").read_text())["mcpServers"]
    return json.loads(json.dumps(servers["holdfast"]).replace("${workspaceFolder}", str(repository)))


def from_vscode(repository: Path, home: Path) -> dict[str, Any]:
    servers = json.loads((repository / ".vscode" / "mcp.json").read_text())["servers"]
    return json.loads(json.dumps(servers["holdfast"]).replace("${workspaceFolder}", str(repository)))


def from_claude_desktop(repository: Path, home: Path) -> dict[str, Any]:
    path = home / ".config" / "Claude" / "claude_desktop_config.json"
    return json.loads(path.read_text())["mcpServers"]["holdfast"]


@pytest.mark.requirement("install-10")
@pytest.mark.parametrize(
    ("client", "read"),
    [("cursor", from_cursor), ("vscode", from_vscode), ("claude-desktop", from_claude_desktop)],
)
def test_a_graphical_client_starts_the_server_from_anywhere(
    run_holdfast: RunHoldfast,
    repository: Path,
    home: Path,
    tmp_path: Path,
    remark: None,
    client: str,
    read: Callable[[Path, Path], dict[str, Any]],
):
    run_holdfast("install", client, check=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    check_serves(read(repository, home), elsewhere)


@pytest.mark.requirement("install-10")
def test_codex_starts_the_server_that_was_written(
    run_holdfast: RunHoldfast, repository: Path, home: Path, remark: None
):
    run_holdfast("install", "codex", check=True)
    servers = tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]
    check_serves(servers["holdfast"], repository)


def hook_command(settings: Path) -> str:
    groups = json.loads(settings.read_text())["hooks"]["UserPromptSubmit"]
    (hook,) = groups[-1]["hooks"]
    assert hook["type"] == "command"
    command: str = hook["command"]
    return command


def run_hook(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=cwd,
        env={**os.environ, **environment},
        input=json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "Go on"}),
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.requirement("install-11")
def test_the_hook_that_was_written_shows_waiting_remarks(
    run_holdfast: RunHoldfast, repository: Path, tmp_path: Path, remark: None
):
    run_holdfast("install", "claude-code", "--scope", "project", check=True)
    command = hook_command(repository / ".claude" / "settings.json")
    shown = run_hook(command, tmp_path, CLAUDE_PROJECT_DIR=str(repository))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Comment: Look here" in json.loads(shown.stdout)["hookSpecificOutput"]["additionalContext"]
    assert run_hook(command, repository).stdout == ""


@pytest.mark.requirement("install-11")
def test_the_hook_of_a_user_does_no_harm_outside_repositories(
    run_holdfast: RunHoldfast, home: Path, tmp_path: Path
):
    run_holdfast("install", "claude-code", "--scope", "user", check=True)
    elsewhere = tmp_path / "no repository"
    elsewhere.mkdir()
    shown = run_hook(hook_command(home / ".claude" / "settings.json"), elsewhere)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "", "")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.requirement("install-11")
def test_a_hook_that_fails_never_has_the_status_that_refuses_the_prompt(
    run_holdfast: RunHoldfast, repository: Path, tmp_path: Path
):
    run_holdfast("install", "claude-code", check=True)
    command = hook_command(repository / ".claude" / "settings.json")
    missing = run_hook(command, repository, PATH="/nowhere:/bin:/usr/bin")
    assert (missing.returncode, missing.stdout) == (0, "")
    misled = run_hook(command, repository, CLAUDE_PROJECT_DIR=str(tmp_path / "gone"))
    assert (misled.returncode, misled.stdout) == (0, "")
    mistaken = run_hook(command.replace("--client", "--clients"), repository)
    assert (mistaken.returncode, mistaken.stdout) == (0, "")


@pytest.mark.requirement("install-12")
@pytest.mark.parametrize("form", COMMENTS)
def test_lazygit_sends_a_remark_with_the_command_that_was_written(
    run_holdfast: RunHoldfast, repository: Path, home: Path, form: str
):
    run_holdfast("install", "lazygit", check=True)
    configuration = yaml.safe_load((home / ".config" / "lazygit" / "config.yml").read_text())
    (item,) = [item for item in configuration["customCommands"] if item["context"] == "files"]
    assert [(prompt["type"], prompt["key"]) for prompt in item["prompts"]] == [("input", "Comment")]
    (repository / "src").mkdir()
    (repository / "src" / "main.py").write_text("x = 1\n", encoding="utf-8")
    command = filled(item["command"], {".SelectedPath": "src/main.py", ".Form.Comment": COMMENTS[form]})
    arguments = split(f"bash -c {quote(command)}")
    done = subprocess.run(arguments, cwd=repository, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    shown = run_holdfast("inbox", "list", "--json", check=True).stdout
    (message,) = json.loads(shown)["messages"]
    assert message["comment"] == COMMENTS[form]


def test_the_page_about_lazygit_shows_the_hook_that_is_written(run_holdfast: RunHoldfast, repository: Path):
    from tests.conftest import ROOT

    page = (ROOT / "docs" / "lazygit.md").read_text(encoding="utf-8")
    (block,) = [
        block for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if "UserPromptSubmit" in block
    ]
    run_holdfast("install", "claude-code", check=True)
    written = json.loads((repository / ".claude" / "settings.json").read_text())["hooks"]
    assert json.loads(block) == {"hooks": {"UserPromptSubmit": written["UserPromptSubmit"]}}


@pytest.mark.requirement("install-9")
def test_a_plain_fetch_brings_what_others_did_once_git_knows_about_it(
    run_holdfast: RunHoldfast, repository: Path, tmp_path: Path
):
    def git(*arguments: str, cwd: Path = repository) -> str:
        done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=True)
        return done.stdout

    upstream, other = tmp_path / "upstream", tmp_path / "other"
    git("init", "--quiet", "--bare", str(upstream))
    git("clone", "--quiet", str(upstream), str(other))
    for command in (("create", "issue", "From elsewhere"), ("sync",)):
        subprocess.run(["git-mile", *command], cwd=other, check=True, capture_output=True)
    assert "no remote yet" in run_holdfast("install", "git", check=True).stdout
    run_holdfast("install", "git", "--uninstall", check=True)
    git("remote", "add", "origin", str(upstream))
    configured = (repository / ".git" / "config").read_text()
    shown = run_holdfast("install", "git", "--dry-run", check=True).stdout
    assert "+\tfetch = +refs/holdfast/log/*:refs/holdfast/remotes/origin/*" in shown
    assert (repository / ".git" / "config").read_text() == configured
    run_holdfast("install", "git", check=True)
    git("fetch", "--quiet", "origin")
    assert git("for-each-ref", "refs/holdfast/remotes/origin/") != ""
    listed = subprocess.run(["git-mile", "list"], cwd=repository, capture_output=True, text=True).stdout
    assert "From elsewhere" in listed
    run_holdfast("install", "git", "--uninstall", check=True)
    assert (repository / ".git" / "config").read_text() == configured

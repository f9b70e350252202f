"""The real command, wherever it is run and whatever becomes of its output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import RunHoldfast
from tests.contract.prepared import HOLDFAST
from tests.wire.client import wire_client

SEND = ("send", "--anyway", "--file", "src/main.py", "--comment", "Look here")


def pending(run_holdfast: RunHoldfast, **more: Any) -> list[str]:
    answer = run_holdfast("inbox", "list", "--state", "pending", "--json", check=True, **more)
    return [message["comment"] for message in json.loads(answer.stdout)["messages"]]


@pytest.fixture
def linked(repository: Path, tmp_path: Path) -> Path:
    """A second work tree of the same repository."""
    path = tmp_path / "linked"
    for arguments in (
        ("commit", "--quiet", "--allow-empty", "--message=Begin"),
        ("worktree", "add", "--quiet", path),
    ):
        subprocess.run(["git", "-C", repository, *arguments], check=True)
    return path


def test_an_empty_repository_has_nothing_to_show(run_holdfast: RunHoldfast, repository: Path) -> None:
    answer = run_holdfast("inbox", "list")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "No messages.\n", "")
    assert not (repository / ".git" / "holdfast").exists()


def test_outside_git_a_directory_stands_for_itself(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert run_holdfast("inbox", "list", cwd=plain).stdout == "No messages.\n"
    assert "There is no git repository here" in run_holdfast(*SEND, cwd=plain).stderr
    assert list(plain.iterdir()) == []
    (plain / ".holdfast").mkdir(mode=0o700)
    assert run_holdfast(*SEND, cwd=plain).returncode == 0
    assert pending(run_holdfast, cwd=plain) == ["Look here"]


def test_a_linked_work_tree_shares_the_inbox(
    run_holdfast: RunHoldfast, repository: Path, linked: Path
) -> None:
    run_holdfast(*SEND, cwd=linked, check=True)
    assert pending(run_holdfast, cwd=repository) == pending(run_holdfast, cwd=linked) == ["Look here"]


def test_a_folder_below_belongs_to_its_repository(run_holdfast: RunHoldfast, repository: Path) -> None:
    below = repository / "src" / "deep"
    below.mkdir(parents=True)
    (below / "here.py").touch()
    run_holdfast("send", "--anyway", "--file", "here.py", "--comment", "From below", cwd=below, check=True)
    [message] = json.loads(run_holdfast("inbox", "list", "--json").stdout)["messages"]
    assert message["file"] == "src/deep/here.py"


@pytest.mark.parametrize("inside", [".git", ".git/refs"])
def test_inside_the_git_directory_nothing_breaks(
    run_holdfast: RunHoldfast, repository: Path, inside: str
) -> None:
    run_holdfast(*SEND, check=True)
    answer = run_holdfast("inbox", "list", "--json", cwd=repository / inside)
    assert (answer.returncode, "Traceback" in answer.stderr) == (0, False)
    assert len(json.loads(answer.stdout)["messages"]) == 1


def test_a_root_can_be_named_from_anywhere(
    run_holdfast: RunHoldfast, repository: Path, tmp_path: Path
) -> None:
    run_holdfast(*SEND, check=True)
    assert pending(run_holdfast, cwd=tmp_path) == []
    answer = run_holdfast("inbox", "list", "--root", str(repository), "--json", cwd=tmp_path)
    assert len(json.loads(answer.stdout)["messages"]) == 1
    answer = run_holdfast(
        "inbox", "list", "--json", cwd=tmp_path, env={**os.environ, "HOLDFAST_ROOT": str(repository)}
    )
    assert len(json.loads(answer.stdout)["messages"]) == 1


def test_a_current_directory_that_is_gone_is_told(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && rmdir "{gone}" && exec "{HOLDFAST}" inbox list'
    answer = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 3
    assert answer.stderr.startswith("Error: The current directory no longer exists.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_root_whose_name_is_no_text_works(run_holdfast: RunHoldfast, tmp_path: Path) -> None:
    odd = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"caf\xe9"))
    os.mkdir(odd)
    answer = run_holdfast("inbox", "list", "--root", odd)
    assert (answer.returncode, answer.stdout) == (0, "No messages.\n")


def test_an_argument_that_is_no_text_is_refused(run_holdfast: RunHoldfast) -> None:
    odd = os.fsdecode(b"caf\xe9")
    answer = run_holdfast("send", "--anyway", "--file", "a.py", "--comment", odd, "--json")
    assert answer.returncode == 2
    assert json.loads(answer.stdout)["error"]["kind"] == "invalid_arguments"


@pytest.mark.requirement("inbox-81")
@pytest.mark.parametrize("command", [["check"], ["drain"], ["drain", "--hook"], ["check", "--json"]])
def test_messages_that_could_not_be_printed_stay_pending(
    run_holdfast: RunHoldfast, command: list[str]
) -> None:
    run_holdfast(*SEND, check=True)
    with Path("/dev/full").open("wb") as full:
        answer = run_holdfast("inbox", *command, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert answer.returncode == 74
    assert pending(run_holdfast) == ["Look here"]
    assert "Look here" in run_holdfast("inbox", *command).stdout
    assert pending(run_holdfast) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "--toolsets", "inbx"], 'There is no tool or toolset named "inbx". Did you mean "inbox"?'),
        (["serve", "--tools", "send_mesage"], 'named "send_mesage". Did you mean "send_message"?'),
        (["serve", "--exclude-tools", "show"], 'There is no tool or toolset named "show".'),
        (["serve", "--profile", "lazygt"], 'There is no profile named "lazygt". Did you mean "lazygit"?'),
        (["serve", "--http", "0.0.0.0:80"], 'Serving on "0.0.0.0" would open this repository'),
        (["open", "--http", "x"], "Use 127.0.0.1, or `holdfast serve` with --public-url"),
        (["serve", "--root", "/nowhere/at/all"], "The directory given as --root does not exist."),
    ],
)
def test_a_server_that_cannot_start_says_why(
    run_holdfast: RunHoldfast, arguments: list[str], said: str
) -> None:
    answer = run_holdfast(*arguments, stdin=subprocess.DEVNULL)
    assert answer.returncode in (2, 3, 5)
    assert said in answer.stderr.replace("\nHint:", "")
    assert answer.stdout == ""


@pytest.mark.parametrize(
    ("variables", "offered"),
    [
        ({}, "send_message"),
        ({"HOLDFAST_TOOLS": "list_messages,show_message"}, "list_messages,show_message"),
        ({"HOLDFAST_TOOLS": "list_messages,send_message", "HOLDFAST_READ_ONLY": "1"}, "list_messages"),
        ({"HOLDFAST_PROFILE": "lazygit"}, "check_lazygit_messages"),
    ],
)
def test_a_server_is_configured_by_its_environment(
    repository: Path, variables: dict[str, str], offered: str
) -> None:
    with wire_client([HOLDFAST, "serve"], cwd=repository, env={**os.environ, **variables}) as client:
        client.initialize("2024-11-05")
        names = [tool["name"] for tool in client.ask(1, "tools/list")["result"]["tools"]]
    assert set(offered.split(",")) <= set(names) if not variables else names == offered.split(",")


@pytest.mark.parametrize("arguments", [["--version"], ["inbox", "list"], ["--help"]])
def test_a_command_does_not_load_the_server(repository: Path, arguments: list[str]) -> None:
    script = f"""
import sys
from holdfast.faces.cli import main
assert main({arguments!r}) == 0
heavy = {{"mcp", "mcp_types", "starlette", "uvicorn", "anyio", "httpx2"}}
sys.exit(f"loaded: {{heavy & set(sys.modules)}}" if heavy & set(sys.modules) else 0)
"""
    finished = subprocess.run(
        [sys.executable, "-c", script], cwd=repository, capture_output=True, text=True, timeout=60
    )
    assert (finished.returncode, finished.stderr) == (0, "")

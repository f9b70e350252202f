"""The command that configures clients, as a person and a script use it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.installation.clients import CLIENTS
from tests.conftest import ROOT, RunHoldfast


def everything(*tops: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for top in tops for path in top.rglob("*") if path.is_file()}


@pytest.mark.requirement("install-13")
@pytest.mark.parametrize("client", sorted(set(CLIENTS) - {"git"}))
def test_a_dry_run_shows_a_diff_and_writes_nothing(
    run_holdfast: RunHoldfast, repository: Path, home: Path, client: str
):
    before = everything(repository, home)
    shown = run_holdfast("install", client, "--dry-run", check=True).stdout
    assert shown.startswith("--- /dev/null\n+++ ")
    assert "+" in shown
    assert everything(repository, home) == before
    run_holdfast("install", client, check=True)
    assert run_holdfast("install", client, "--dry-run", check=True).stdout == "Nothing to change.\n"
    taken = run_holdfast("install", client, "--uninstall", "--dry-run", check=True).stdout
    assert "+++ /dev/null\n" in taken
    assert everything(repository, home) != before


@pytest.mark.requirement("install-13")
def test_printing_shows_exactly_what_would_be_in_a_new_file(
    run_holdfast: RunHoldfast, repository: Path, home: Path
):
    before = everything(repository, home)
    printed = run_holdfast("install", "vscode", "--print", check=True).stdout
    assert everything(repository, home) == before
    run_holdfast("install", "vscode", check=True)
    assert printed.startswith(f".vscode/mcp.json\n\n{(repository / '.vscode' / 'mcp.json').read_text()}\n")
    alone = run_holdfast("install", "claude-desktop", "--print", check=True).stdout
    assert list(json.loads(alone)) == ["mcpServers"]
    several = run_holdfast("install", "claude-code", "--print", check=True).stdout
    for label in (".mcp.json", ".claude/settings.json", ".claude/commands/remarks.md"):
        assert f"{label}\n\n" in several


def test_a_person_is_told_what_happened(run_holdfast: RunHoldfast, repository: Path):
    (repository / ".mcp.json").write_text("{}\n")
    told = run_holdfast("install", "claude-code", check=True).stdout.splitlines()
    assert told[:5] == [
        ".mcp.json: changed. The earlier version is in .mcp.json.holdfast-backup.",
        ".claude/settings.json: created.",
        ".claude/skills/*/SKILL.md: created.",
        ".claude/commands/remarks.md: created.",
        "CLAUDE.md: created.",
    ]
    told = run_holdfast("install", "claude-code", "--uninstall", check=True).stdout.splitlines()
    assert told == [
        ".mcp.json: changed.",
        ".claude/settings.json: removed.",
        ".claude/skills/*/SKILL.md: removed.",
        ".claude/commands/remarks.md: removed.",
        "CLAUDE.md: removed.",
    ]
    assert (repository / ".mcp.json").read_text() == "{}\n"
    assert sorted(path.name for path in repository.iterdir()) == [".git", ".mcp.json"]


def test_an_entry_for_another_repository_is_not_taken_for_this_one(
    run_holdfast: RunHoldfast, tmp_path: Path, home: Path
):
    other = tmp_path / "other"
    other.mkdir()
    run_holdfast("install", "claude-desktop", cwd=other, check=True)
    label = "~/.config/Claude/claude_desktop_config.json"
    told = run_holdfast("install", "claude-desktop", check=True).stdout
    entry = "has another entry for Holdfast, which is left as it is; --replace overwrites it."
    assert told.startswith(f"{label}: {entry}\n")
    run_holdfast("install", "claude-desktop", "--name", "second", check=True)
    servers = json.loads((home / label.removeprefix("~/")).read_text())["mcpServers"]
    assert [server["args"][-1] for server in servers.values()] == [str(other), str(tmp_path / "repository")]


def test_a_script_gets_data(run_holdfast: RunHoldfast, repository: Path):
    (repository / ".cursor").mkdir()
    (repository / ".cursor" / "mcp.json").write_text("{}")
    result = json.loads(run_holdfast("install", "cursor", "--json", "--dry-run", check=True).stdout)
    backup = ".cursor/mcp.json.holdfast-backup"
    assert result["files"][0] == {"path": ".cursor/mcp.json", "action": "changed", "backup": backup}
    assert (result["client"], result["scope"], result["dry_run"]) == ("cursor", "project", True)
    assert (repository / ".cursor" / "mcp.json").read_text() == "{}"


def test_the_repository_is_found_from_inside_it(run_holdfast: RunHoldfast, repository: Path):
    inside = repository / "src" / "deep"
    inside.mkdir(parents=True)
    run_holdfast("install", "vscode", cwd=inside, check=True)
    assert (repository / ".vscode" / "mcp.json").exists()


def test_a_bare_repository_has_no_project_to_configure(run_holdfast: RunHoldfast, tmp_path: Path):
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "init", "--quiet", "--bare", bare], check=True)
    before = everything(bare)
    done = run_holdfast("install", "cursor", cwd=bare)
    assert done.returncode == 2
    assert "A bare repository has no files for a project." in done.stderr
    assert everything(bare) == before
    run_holdfast("install", "cursor", "--scope", "user", cwd=bare, check=True)


def test_without_a_client_those_on_this_machine_are_listed_and_nothing_is_written(
    run_holdfast: RunHoldfast, repository: Path, home: Path
):
    (home / ".gemini").mkdir()
    (home / ".codex").mkdir()
    before = everything(repository, home)
    shown = run_holdfast("install", check=True, env={**os.environ, "PATH": "/nowhere"}).stdout
    assert re.findall(r"^  ([\w-]+) ", shown, re.MULTILINE) == ["codex", "gemini-cli"]
    assert "`holdfast install CLIENT` configures one" in shown
    assert "Any client that speaks" in run_holdfast("install", "others", check=True).stdout
    assert everything(repository, home) == before


def test_on_a_terminal_it_is_asked_which_of_them_to_configure(repository: Path, home: Path):
    (home / ".codex").mkdir()
    (home / ".gemini").mkdir()
    ours, theirs = pty.openpty()
    os.write(ours, b"codex\n")
    program = Path(sys.executable).with_name("holdfast")
    done = subprocess.run([program, "install"], cwd=repository, stdin=theirs, stdout=theirs, timeout=60)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    assert (home / ".codex" / "hooks.json").exists()
    assert (home / ".agents" / "skills" / "holdfast-tasks" / "SKILL.md").exists()
    assert not list((home / ".gemini").iterdir())
    assert not (repository / ".gemini").exists()


def test_who_cannot_find_the_program_is_told(run_holdfast: RunHoldfast):
    told = run_holdfast(
        "install", "vscode", check=True, env={"HOME": "/nowhere", "PATH": "/bin:/usr/bin"}
    ).stdout
    assert "`holdfast` is not on your search path" in told


@pytest.mark.requirement("install-14")
@pytest.mark.parametrize(
    ("arguments", "status", "message", "hint"),
    [
        (("cursor", "--refuse-edits"), 2, "No hook of Cursor can refuse an edit.", "Omit --refuse-edits."),
        (("codex", "--plugin", "p"), 2, "Codex has no plugins of this kind.", "Omit --plugin."),
        (("cursr",), 2, 'There is no client named "cursr".', 'Did you mean "cursor"?'),
        (("lazygit", "--scope", "project"), 2, 'lazygit has no scope "project".', "It has: user."),
        (("cursor", "--name", "a b"), 2, '"a b" cannot name a server.', "Use letters, digits"),
        (
            ("cursor", "--print", "--uninstall"),
            2,
            "--print and --uninstall cannot be combined.",
            "Leave one out.",
        ),
        (("cursor", "--uninstall", "--replace"), 2, "--uninstall and --replace cannot be combined.", ""),
        (("cursor", "--print", "--dry-run"), 2, "--print and --dry-run cannot be combined.", ""),
        (("cursor", "--root", "/nowhere/at/all"), 3, "The directory given as --root does not exist.", ""),
    ],
)
def test_what_cannot_be_done_ends_with_its_status(
    run_holdfast: RunHoldfast, arguments: tuple[str, ...], status: int, message: str, hint: str
):
    done = run_holdfast("install", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert f"Error: {message}\n" in done.stderr
    assert hint in done.stderr


@pytest.mark.requirement("install-4", "install-14")
def test_a_damaged_file_and_a_foreign_entry_have_their_statuses(run_holdfast: RunHoldfast, repository: Path):
    path = repository / ".mcp.json"
    path.write_text('{\n  "mcpServers" {}\n}')
    done = run_holdfast("install", "claude-code", "--json")
    assert done.returncode == 8
    error = json.loads(done.stdout)["error"]
    assert error["message"] == "'.mcp.json', line 2: ':' was expected."
    assert error["data"]["line"] == 2
    path.write_text('{"mcpServers": {"holdfast": {"url": "http://127.0.0.1:1"}}}')
    assert run_holdfast("install", "claude-code").returncode == 4
    assert sorted(path.name for path in repository.iterdir()) == [".git", ".mcp.json"]


def test_every_client_is_on_the_help_page_and_in_the_documentation(run_holdfast: RunHoldfast):
    page = run_holdfast("install", "--help", check=True).stdout
    document = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    for client in CLIENTS:
        assert re.search(rf"\n    .*\b{client}\b", page)
        assert f"holdfast install {client}" in document

"""Which files each client reads, and what goes into them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.installation.client import Contributions, GitSettings, Part, Scope
from holdfast.installation.clients import CLIENTS
from holdfast.installation.plan import apply_changes, plan_installation, plan_removal
from holdfast.kernel.errors import Unavailable
from holdfast.toolsets import full_registry
from tests.installation.places import CONTRIBUTED, EARLIER, SERVER, context

USER = Scope.USER


def paths(name: str, **more: Any) -> list[str]:
    entries = CLIENTS[name].entries(context("/r", **more), CONTRIBUTED)
    files = dict.fromkeys(wanted.file.path.replace("/SKILL.md", "") for wanted in entries)
    return [path for path in files if not re.search(r"/holdfast-(?!notes)", path)]


@pytest.mark.requirement("install-8")
@pytest.mark.parametrize(
    ("name", "more", "expected"),
    [
        (
            "claude-code",
            {},
            [
                "/r/.mcp.json",
                "/r/.claude/settings.json",
                "/r/.claude/skills/holdfast-notes",
                "/r/.claude/commands/remarks.md",
                "/r/CLAUDE.md",
            ],
        ),
        (
            "claude-code",
            {"scope": Scope.PLUGIN},
            [
                "/r/plugin/.mcp.json",
                "/r/plugin/hooks/hooks.json",
                "/r/plugin/skills/holdfast-notes",
                "/r/plugin/commands/remarks.md",
                "/r/plugin/.claude-plugin/plugin.json",
            ],
        ),
        (
            "claude-code",
            {"scope": USER},
            [
                "/home/ada/.claude.json",
                "/home/ada/.claude/settings.json",
                "/home/ada/.claude/skills/holdfast-notes",
                "/home/ada/.claude/commands/remarks.md",
                "/home/ada/.claude/CLAUDE.md",
            ],
        ),
        (
            "claude-code",
            {"scope": USER, "environment": {"CLAUDE_CONFIG_DIR": "/c"}},
            [
                "/c/.claude.json",
                "/c/settings.json",
                "/c/skills/holdfast-notes",
                "/c/commands/remarks.md",
                "/c/CLAUDE.md",
            ],
        ),
        ("claude-desktop", {"scope": USER}, ["/home/ada/.config/Claude/claude_desktop_config.json"]),
        (
            "claude-desktop",
            {"scope": USER, "platform": "darwin"},
            ["/home/ada/Library/Application Support/Claude/claude_desktop_config.json"],
        ),
        (
            "cursor",
            {},
            [
                "/r/.cursor/mcp.json",
                "/r/.cursor/hooks.json",
                "/r/.agents/skills/holdfast-notes",
                "/r/AGENTS.md",
            ],
        ),
        (
            "cursor",
            {"scope": USER},
            [
                "/home/ada/.cursor/mcp.json",
                "/home/ada/.cursor/hooks.json",
                "/home/ada/.agents/skills/holdfast-notes",
            ],
        ),
        (
            "vscode",
            {},
            [
                "/r/.vscode/mcp.json",
                "/r/.github/hooks/holdfast.json",
                "/r/.agents/skills/holdfast-notes",
                "/r/AGENTS.md",
            ],
        ),
        ("vscode", {"scope": USER, "parts": SERVER}, ["/home/ada/.config/Code/User/mcp.json"]),
        (
            "vscode",
            {"scope": USER, "parts": frozenset({Part.HOOKS})},
            ["/home/ada/.copilot/hooks/holdfast.json"],
        ),
        (
            "vscode",
            {"scope": USER, "platform": "darwin", "parts": SERVER},
            ["/home/ada/Library/Application Support/Code/User/mcp.json"],
        ),
        (
            "codex",
            {"scope": USER},
            [
                "/home/ada/.codex/config.toml",
                "/home/ada/.codex/hooks.json",
                "/home/ada/.agents/skills/holdfast-notes",
                "/home/ada/.codex/AGENTS.md",
            ],
        ),
        (
            "codex",
            {"scope": USER, "environment": {"CODEX_HOME": "/x"}, "parts": EARLIER},
            ["/x/config.toml", "/x/hooks.json"],
        ),
        (
            "codex",
            {},
            [
                "/r/.codex/config.toml",
                "/r/.codex/hooks.json",
                "/r/.agents/skills/holdfast-notes",
                "/r/AGENTS.md",
            ],
        ),
        (
            "gemini-cli",
            {},
            [
                "/r/.gemini/settings.json",
                "/r/.agents/skills/holdfast-notes",
                "/r/.gemini/commands/remarks.toml",
                "/r/GEMINI.md",
            ],
        ),
        (
            "copilot-cli",
            {"scope": USER, "environment": {"COPILOT_HOME": "/x"}},
            [
                "/x/mcp-config.json",
                "/x/hooks/holdfast.json",
                "/home/ada/.agents/skills/holdfast-notes",
                "/x/copilot-instructions.md",
            ],
        ),
        (
            "copilot-cli",
            {},
            [
                "/r/.github/mcp.json",
                "/r/.github/hooks/holdfast.json",
                "/r/.agents/skills/holdfast-notes",
                "/r/AGENTS.md",
            ],
        ),
        (
            "opencode",
            {},
            [
                "/r/opencode.json",
                "/r/.opencode/plugins/holdfast.js",
                "/r/.agents/skills/holdfast-notes",
                "/r/.opencode/commands/remarks.md",
                "/r/AGENTS.md",
            ],
        ),
        (
            "opencode",
            {"scope": USER, "environment": {"XDG_CONFIG_HOME": "/x"}, "parts": EARLIER},
            [
                "/x/opencode/opencode.json",
                "/x/opencode/plugins/holdfast.js",
                "/x/opencode/commands/remarks.md",
            ],
        ),
        ("lazygit", {"scope": USER}, ["/home/ada/.config/lazygit/config.yml"]),
        ("lazygit", {"scope": USER, "environment": {"XDG_CONFIG_HOME": "/x"}}, ["/x/lazygit/config.yml"]),
        (
            "lazygit",
            {"scope": USER, "platform": "darwin"},
            ["/home/ada/Library/Application Support/lazygit/config.yml"],
        ),
        ("lazygit", {"scope": USER, "environment": {"CONFIG_DIR": "/l"}}, ["/l/config.yml"]),
        ("lazygit", {"scope": USER, "environment": {"LG_CONFIG_FILE": "/base,/mine.yml"}}, ["/mine.yml"]),
    ],
)
def test_each_client_is_configured_where_it_looks(name: str, more: dict[str, Any], expected: list[str]):
    assert paths(name, **more) == expected


def test_lazygits_old_folder_is_used_where_only_that_exists(tmp_path: Path):
    old = tmp_path / ".config" / "jesseduffield" / "lazygit" / "config.yml"
    old.parent.mkdir(parents=True)
    old.touch()
    assert paths("lazygit", scope=USER, home=tmp_path) == [str(old)]


@pytest.mark.requirement("install-8")
@pytest.mark.parametrize("name", CLIENTS)
def test_a_file_that_a_repository_shares_names_no_place_on_this_machine(name: str):
    client = CLIENTS[name]
    if name == "git" or Scope.PROJECT not in client.scopes:
        assert name in ("git", "claude-desktop", "lazygit")
        return
    place = context("/r", on_search_path=False)
    text = "".join(wanted.entry.snippet for wanted in client.entries(place, CONTRIBUTED))
    assert "/opt" not in text
    assert not re.search(r"/r\b", text)
    assert "/home/" not in text


@pytest.mark.parametrize("name", ["cursor", "vscode"])
@pytest.mark.parametrize("scope", [Scope.PROJECT, Scope.USER])
def test_an_editor_serves_the_folder_that_is_open(name: str, scope: Scope):
    snippet = CLIENTS[name].entries(context("/r", scope=scope), CONTRIBUTED)[0].entry.snippet
    ((server,),) = (servers.values() for servers in json.loads(snippet).values())
    assert server["args"] == ["serve", "--root", "${workspaceFolder}"]


@pytest.mark.parametrize(
    ("name", "on_search_path", "expected"),
    [
        ("claude-desktop", True, "/opt/holdfast/bin/holdfast"),
        ("cursor", True, "/opt/holdfast/bin/holdfast"),
        ("vscode", True, "/opt/holdfast/bin/holdfast"),
        ("claude-code", True, "holdfast"),
        ("claude-code", False, "/opt/holdfast/bin/holdfast"),
        ("codex", True, "holdfast"),
        ("codex", False, "/opt/holdfast/bin/holdfast"),
    ],
)
def test_a_graphical_client_is_told_where_the_program_is(name: str, on_search_path: bool, expected: str):
    place = context("/r", scope=USER, on_search_path=on_search_path)
    snippet = CLIENTS[name].entries(place, CONTRIBUTED)[0].entry.snippet
    assert json.dumps(expected) in snippet


def test_a_program_whose_place_has_spaces_and_quotes_still_works_in_a_shell():
    place = context("/r", scope=USER, on_search_path=False, program="/opt/it's here/holdfast")
    (wanted,) = CLIENTS["lazygit"].entries(place, CONTRIBUTED)
    import yaml

    for item in yaml.safe_load(wanted.entry.snippet)["customCommands"]:
        shown = subprocess.run(
            ["sh", "-c", f"printf %s {item['command'].partition(' send ')[0]}"], capture_output=True
        )
        assert shown.stdout.decode() == "/opt/it's here/holdfast"
    hook = json.loads(CLIENTS["claude-code"].entries(place, CONTRIBUTED)[1].entry.snippet)
    command = hook["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    shown = subprocess.run(["sh", "-c", f"printf %s {command.partition(' hook ')[0]}"], capture_output=True)
    assert shown.stdout.decode() == "/opt/it's here/holdfast"


def test_only_lazygit_brings_in_the_library_for_yaml():
    program = "import sys, holdfast.workspace, holdfast.installation.clients; print('yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


def test_the_slash_command_names_tools_that_exist():
    place = context("/r", name="other", parts=frozenset({Part.COMMANDS}))
    (wanted,) = CLIENTS["claude-code"].entries(place, CONTRIBUTED)
    snippet = wanted.entry.snippet
    (line,) = [line for line in snippet.splitlines() if line.startswith("allowed-tools: ")]
    tools = [tool.split("__") for tool in line.removeprefix("allowed-tools: ").split(", ")]
    offered = {operation.listed_name for operation in full_registry().operations}
    assert all(tool[:2] == ["mcp", "other"] and tool[2] in offered for tool in tools)


@pytest.mark.requirement("install-9")
def test_git_says_so_when_nothing_needs_it():
    with pytest.raises(Unavailable, match="nothing to configure in git"):
        CLIENTS["git"].entries(context("/r", git_directory="/r/.git"), Contributions())
    with pytest.raises(Unavailable, match="not in a git repository"):
        CLIENTS["git"].entries(context("/r"), CONTRIBUTED)


@pytest.mark.requirement("install-9")
def test_git_understands_what_rooms_contribute(repository: Path):
    settings = GitSettings(
        "notes",
        ('[merge "holdfast-notes"]', "\tname = Notes of both sides", "\tdriver = holdfast merge %O %A %B"),
        ("*.notes merge=holdfast-notes",),
    )
    contributed = Contributions(git=(settings,))
    place = context(repository, git_directory=str(repository / ".git"))

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", repository, *arguments], capture_output=True, text=True).stdout

    before = git("config", "--list", "--local")
    apply_changes(plan_installation(CLIENTS["git"], place, contributed))
    assert git("config", "merge.holdfast-notes.driver") == "holdfast merge %O %A %B\n"
    assert git("check-attr", "merge", "a.notes") == "a.notes: merge: holdfast-notes\n"
    apply_changes(plan_removal(CLIENTS["git"], place, contributed))
    assert git("config", "--list", "--local") == before
    assert git("check-attr", "merge", "a.notes") == "a.notes: merge: unspecified\n"

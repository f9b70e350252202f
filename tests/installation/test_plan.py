"""All files of a client together: judged first, changed at once, given back byte for byte."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.installation.client import Client, Contributions, GitSettings, InstallationContext, Part, Scope
from holdfast.installation.clients import CLIENTS
from holdfast.installation.plan import (
    FileChange,
    apply_changes,
    plan_installation,
    plan_removal,
    unified_diff,
)
from holdfast.kernel.errors import Busy, Conflict, Corrupted, Denied, InvalidPath, TooLarge
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.configuration_file import BACKUP_SUFFIX
from holdfast.storage.files.directories import open_directory
from tests.conftest import RunHoldfast
from tests.installation import test_toml, test_yaml
from tests.installation.places import CONTRIBUTED, EARLIER, SERVER, context
from tests.installation.test_json import documents
from tests.reliability.evidence import Tally
from tests.reliability.samples import examples

GIT = Contributions(
    git=(
        GitSettings(
            "notes", ('[merge "holdfast-notes"]', "\tdriver = holdfast merge %O %A %B"), ("*.notes merge=x",)
        ),
        GitSettings("issues", ('[remote "origin"]', "\tfetch = +refs/x/*:refs/x/*")),
    )
)
JSON_CLIENTS = ("cursor", "vscode")


@contextmanager
def a_machine(scope: Scope = Scope.PROJECT, **more: Any) -> Iterator[InstallationContext]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("home", "repository", "repository/.git"):
            Path(folder, name).mkdir()
        root = Path(folder, "repository").resolve()
        home, git_directory = Path(folder, "home").resolve(), str(root / ".git")
        yield context(root, home, scope=scope, git_directory=git_directory, **more)


def files(place: InstallationContext) -> dict[str, bytes]:
    """Return every file below the home and the repository."""
    tops = (place.home, place.root)
    found = (path for top in tops for path in Path(top).rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


def install(
    client: Client, place: InstallationContext, contributed: Contributions = CONTRIBUTED, **more: bool
) -> list[FileChange]:
    changes = plan_installation(client, place, contributed, **more)
    apply_changes(changes)
    return changes


def uninstall(
    client: Client, place: InstallationContext, contributed: Contributions = CONTRIBUTED
) -> list[FileChange]:
    changes = plan_removal(client, place, contributed)
    apply_changes(changes)
    return changes


def prepare(client: Client, place: InstallationContext, content: bytes, which: int = 0) -> Path:
    path = Path(client.entries(place, CONTRIBUTED)[which].file.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def check_round_trip(client: Client, place: InstallationContext, content: bytes, which: int = 0) -> None:
    prepare(client, place, content, which)
    before = files(place)
    install(client, place)
    once = files(place)
    assert once != before
    assert {change.action for change in install(client, place)} == {"unchanged"}
    assert files(place) == once
    uninstall(client, place)
    assert files(place) == before


ALL = [(name, scope) for name, client in CLIENTS.items() for scope in client.scopes if name != "git"]


@pytest.mark.requirement("install-2")
@pytest.mark.parametrize(("name", "scope"), ALL)
def test_installing_and_uninstalling_leaves_nothing_behind(name: str, scope: Scope):
    with a_machine(scope) as place:
        install(CLIENTS[name], place)
        assert files(place)
        uninstall(CLIENTS[name], place)
        assert files(place) == {}
        assert set(os.listdir(place.root)) - {"plugin"} == {".git"}, "the folder that was named stays"


@pytest.mark.requirement("install-1", "install-2")
@pytest.mark.parametrize("name", JSON_CLIENTS)
@given(document=documents(allows_comments=True), mark=st.booleans())
@settings(max_examples=examples(30))
def test_every_byte_of_a_json_file_comes_back(name: str, document: tuple[str, object], mark: bool):
    with a_machine(parts=SERVER) as place:
        check_round_trip(CLIENTS[name], place, (b"\xef\xbb\xbf" if mark else b"") + document[0].encode())


@pytest.mark.requirement("install-1", "install-2")
@given(document=documents(allows_comments=False), hooks=documents(allows_comments=False))
@settings(max_examples=examples(30))
def test_every_byte_of_claude_codes_files_comes_back(document: tuple[str, object], hooks: tuple[str, object]):
    with a_machine(parts=EARLIER) as place:
        prepare(CLIENTS["claude-code"], place, hooks[0].encode(), which=1)
        check_round_trip(CLIENTS["claude-code"], place, document[0].encode())


MARKDOWN_ENDS = st.sampled_from(["", "\n", "\r\n", "\n\n"])


@pytest.mark.requirement("install-1", "install-2")
@given(
    servers=documents(allows_comments=True),
    hooks=documents(allows_comments=True),
    page=st.text("ab# \n<!->é"),
    end=MARKDOWN_ENDS,
)
@settings(max_examples=examples(20))
def test_every_byte_of_all_files_of_a_client_comes_back(
    servers: tuple[str, object], hooks: tuple[str, object], page: str, end: str
):
    with a_machine() as place:
        prepare(CLIENTS["cursor"], place, hooks[0].encode(), which=1)
        Path(place.root, "AGENTS.md").write_bytes((page + end).encode())
        check_round_trip(CLIENTS["cursor"], place, servers[0].encode())


def test_what_several_clients_use_stays_until_the_last_one_goes():
    sharing = [CLIENTS[name] for name in ("codex", "vscode", "copilot-cli", "opencode")]
    with a_machine() as place:
        Path(place.root, "AGENTS.md").write_text("# Ours\n")
        before = files(place)
        for client in sharing:
            install(client, place)
        section, hooks = Path(place.root, "AGENTS.md"), Path(place.root, ".github", "hooks", "holdfast.json")
        for client in sharing:
            assert "## Holdfast" in section.read_text()
            assert hooks.exists() is (client.name != "opencode")
            apply_changes(plan_removal(client, place, CONTRIBUTED, CLIENTS.values()))
        assert files(place) == before


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli"])
def test_hooks_that_refuse_edits_go_without_being_named_again(name: str):
    with a_machine() as place:
        prepare(CLIENTS[name], place, b"# mine\n" if name == "codex" else b'{"a": 1}')
        before = files(place)
        install(CLIENTS[name], replace(place, refuses_edits=True))
        assert any(b" --refuse " in content for content in files(place).values())
        uninstall(CLIENTS[name], place)
        assert files(place) == before


EARLIER_HOOK = {
    "type": "command",
    "command": 'holdfast inbox drain --hook --root "${CLAUDE_PROJECT_DIR:-.}" || exit 1',
    "timeout": 10,
}


def test_what_an_earlier_version_installed_is_kept_renewed_or_removed():
    client = CLIENTS["claude-code"]
    with a_machine() as place:
        prepare(
            client,
            place,
            json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [EARLIER_HOOK]}]}}).encode(),
            1,
        )
        page = Path(place.root) / ".claude" / "commands" / "remarks.md"
        page.parent.mkdir()
        page.write_text("<!-- Written by `holdfast install claude-code`. -->\n\nFetch.\n")
        actions = {change.file.label: change.action for change in install(client, place)}
        assert actions[".claude/commands/remarks.md"] == "kept"
        settings_file = Path(place.root) / ".claude" / "settings.json"
        assert "inbox drain" in settings_file.read_text()
        assert "hook session-start" in settings_file.read_text()
        install(client, place, replace=True)
        assert "inbox drain" not in settings_file.read_text()
        assert "hook prompt" in settings_file.read_text()
        assert "$ARGUMENTS" in page.read_text()
        uninstall(client, place)
        assert not page.exists()
        assert "holdfast" not in settings_file.read_text()


def test_parts_can_be_left_out_and_taken_away_one_by_one():
    with a_machine() as place:
        client = CLIENTS["opencode"]
        install(client, replace(place, parts=SERVER))
        server_alone = files(place)
        assert list(server_alone) == [f"{place.root}/opencode.json"]
        install(client, place)
        for part in (Part.HOOKS, Part.SKILLS, Part.COMMANDS, Part.INSTRUCTIONS):
            uninstall(client, replace(place, parts=frozenset({part})))
        assert files(place) == server_alone


@pytest.mark.requirement("install-1", "install-2")
@given(text=test_toml.TEXTS.filter(test_toml.is_toml), end=test_toml.ENDS)
@settings(max_examples=examples(30))
def test_every_byte_of_a_toml_file_comes_back(text: str, end: str):
    with a_machine(Scope.USER, parts=SERVER) as place:
        check_round_trip(CLIENTS["codex"], place, text.replace("\n", end).encode())


@pytest.mark.requirement("install-1", "install-2")
@given(text=test_yaml.TEXTS, end=test_yaml.ENDS)
@settings(max_examples=examples(30))
def test_every_byte_of_a_yaml_file_comes_back(text: str, end: str):
    with a_machine(Scope.USER) as place:
        check_round_trip(CLIENTS["lazygit"], place, text.replace("\n", end).encode())


@pytest.mark.requirement("install-1", "install-2", "install-9")
@given(text=st.text(st.sampled_from("[]#= \n\tab"), max_size=40))
@settings(max_examples=examples(30))
def test_every_byte_of_gits_files_comes_back(text: str):
    with a_machine() as place:
        (Path(place.root) / ".git" / "config").write_text(text)
        before = files(place)
        install(CLIENTS["git"], place, GIT)
        after = files(place)
        assert {change.action for change in install(CLIENTS["git"], place, GIT)} == {"unchanged"}
        assert files(place) == after
        assert after[f"{place.root}/.git/config"].startswith(text.encode())
        uninstall(CLIENTS["git"], place, GIT)
        assert files(place) == before


@pytest.mark.requirement("install-5")
def test_the_earlier_file_is_kept_the_first_time_and_its_permissions_stay():
    with a_machine(parts=SERVER) as place:
        path = prepare(CLIENTS["cursor"], place, b'{"a": 1}')
        path.chmod(0o640)
        (change,) = install(CLIENTS["cursor"], place)
        backup = Path(f"{path}{BACKUP_SUFFIX}")
        assert change.backup_label == f".cursor/mcp.json{BACKUP_SUFFIX}"
        assert backup.read_bytes() == b'{"a": 1}'
        assert [stat.S_IMODE(file.stat().st_mode) for file in (path, backup)] == [0o640, 0o640]
        moved = replace(place, program="/elsewhere/holdfast", scope=Scope.PROJECT)
        path.write_bytes(path.read_bytes().replace(b'"serve"', b'"serve", "--read-only"'))
        (change,) = install(CLIENTS["cursor"], moved, replace=True)
        assert (change.action, change.backup_label) == ("changed", None)
        assert backup.read_bytes() == b'{"a": 1}'
        uninstall(CLIENTS["cursor"], place)
        assert path.read_bytes() == b'{"a": 1}'
        assert not backup.exists()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_in_the_home_directory_is_for_the_user_alone():
    with a_machine(Scope.USER) as place:
        install(CLIENTS["claude-desktop"], place)
        path = Path(CLIENTS["claude-desktop"].entries(place, CONTRIBUTED)[0].file.path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.requirement("install-1")
def test_an_entry_that_was_changed_by_hand_stays_until_it_is_to_be_replaced():
    with a_machine(parts=SERVER) as place:
        (created,) = install(CLIENTS["vscode"], place)
        path = Path(created.file.path)
        mine = path.read_bytes().replace(b'"serve"', b'"serve", "--read-only"')
        path.write_bytes(mine)
        (change,) = install(CLIENTS["vscode"], place)
        assert (change.action, path.read_bytes()) == ("kept", mine)
        install(CLIENTS["vscode"], place, replace=True)
        assert path.read_bytes() == created.after
        path.write_bytes(mine)
        uninstall(CLIENTS["vscode"], place)
        assert json.loads(path.read_text()) == {}


def test_a_command_page_that_was_changed_by_hand_is_not_removed():
    with a_machine(parts=EARLIER) as place:
        install(CLIENTS["claude-code"], place)
        page = Path(place.root) / ".claude" / "commands" / "remarks.md"
        page.write_text(page.read_text() + "Also run the tests.\n")
        assert [change.action for change in uninstall(CLIENTS["claude-code"], place)] == [
            "removed",
            "removed",
            "kept",
        ]
        assert page.read_text().endswith("Also run the tests.\n")
        install(CLIENTS["claude-code"], place, replace=True)
        uninstall(CLIENTS["claude-code"], place)
        assert not page.exists()


@pytest.mark.requirement("install-2")
def test_what_was_added_to_a_file_in_between_stays_when_the_entry_goes():
    with a_machine() as place:
        path = prepare(CLIENTS["cursor"], place, b'{\n  // mine\n  "mcpServers": {}\n}\n')
        install(CLIENTS["cursor"], place)
        path.write_text(path.read_text().replace("// mine", "// mine, and later"))
        uninstall(CLIENTS["cursor"], place)
        assert path.read_text().split() == [
            "{",
            "//",
            "mine,",
            "and",
            "later",
            '"mcpServers":',
            "{",
            "}",
            "}",
        ]


@pytest.mark.requirement("install-4")
@pytest.mark.parametrize("act", [plan_installation, plan_removal])
@pytest.mark.evidence("C1", "installer", "one of several files is damaged", every=True)
@pytest.mark.evidence("C1", "installer", control="begins anew what it cannot read")
def test_one_damaged_file_and_nothing_at_all_is_changed(act: object, tally: Tally):
    with a_machine() as place:
        damaged = prepare(CLIENTS["claude-code"], place, b'{\n  "hooks": \n}', which=1)
        before = files(place)
        with pytest.raises(Corrupted) as failure:
            apply_changes(act(CLIENTS["claude-code"], place, CONTRIBUTED))  # type: ignore[operator]
        assert failure.value.message == "'.claude/settings.json', line 3: a value was expected."
        assert failure.value.data == {"path": ".claude/settings.json", "line": 3}
        assert files(place) == before
        damaged.write_text("{}")
        tally(1, int(files(place) != before), of="begins anew what it cannot read")


@pytest.mark.requirement("install-4")
@pytest.mark.parametrize(
    ("name", "content", "label", "problem"),
    [
        ("codex", b"a = 1\nb =\n", "~/.codex/config.toml", "Invalid value"),
        (
            "lazygit",
            b"a: 1\nb: c: d\n",
            "~/.config/lazygit/config.yml",
            "mapping values are not allowed here",
        ),
        (
            "claude-desktop",
            b"{\n,}",
            "~/.config/Claude/claude_desktop_config.json",
            "a name in double quotes was expected",
        ),
        ("codex", b"a = 1\nb = '\xff'\n", "~/.codex/config.toml", "it is not UTF-8 text"),
    ],
)
@pytest.mark.evidence("C1", "installer", "a damaged configuration file", every=True)
def test_damage_is_named_with_its_file_and_line(name: str, content: bytes, label: str, problem: str):
    with a_machine(Scope.USER) as place:
        path = prepare(CLIENTS[name], place, content)
        with pytest.raises(Corrupted) as failure:
            install(CLIENTS[name], place)
        assert failure.value.message == f"'{label}', line 2: {problem}."
        assert path.read_bytes() == content


@pytest.mark.requirement("install-3")
def test_a_server_of_the_same_name_that_is_not_ours_is_left_alone():
    with a_machine() as place:
        content = b'{"mcpServers": {"holdfast": {"command": "anchor"}}}'
        path = prepare(CLIENTS["cursor"], place, content)
        for act in (install, uninstall):
            with pytest.raises(Conflict, match="another server") as failure:
                act(CLIENTS["cursor"], place)
            assert "--print" in (failure.value.hint or "")
        assert path.read_bytes() == content
        install(CLIENTS["cursor"], replace(place, name="holdfast-2"))
        assert list(json.loads(path.read_text())["mcpServers"]) == ["holdfast", "holdfast-2"]


@pytest.mark.requirement("install-6")
def test_a_file_that_changes_while_it_is_judged_is_not_overwritten():
    with a_machine() as place:
        path = prepare(CLIENTS["cursor"], place, b"{}")
        changes = plan_installation(CLIENTS["cursor"], place, CONTRIBUTED)
        path.write_bytes(b'{"mcpServers": {"new": {}}}')
        with pytest.raises(Conflict, match="changed just now"):
            apply_changes(changes)
        assert path.read_bytes() == b'{"mcpServers": {"new": {}}}'
        assert not Path(f"{path}{BACKUP_SUFFIX}").exists()


@pytest.mark.requirement("install-6")
def test_installations_at_the_same_time_lose_nothing(run_holdfast: RunHoldfast, repository: Path):
    def add(number: int) -> None:
        while (done := run_holdfast("install", "cursor", "--name", f"holdfast-{number}")).returncode == 4:
            assert "changed just now" in done.stderr
        assert done.returncode == 0, done.stderr

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(8)))
    servers = json.loads((repository / ".cursor" / "mcp.json").read_text())["mcpServers"]
    assert sorted(servers) == [f"holdfast-{number}" for number in range(8)]


@pytest.mark.requirement("install-6")
def test_a_directory_that_another_process_of_ours_works_in_is_waited_for():
    with a_machine() as place:
        changes = plan_installation(CLIENTS["cursor"], place, CONTRIBUTED)
        folder = Path(place.root) / ".cursor"
        folder.mkdir()
        with open_directory(folder) as descriptor, ThreadPoolExecutor(1) as pool:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            working = pool.submit(apply_changes, changes)
            with pytest.raises(TimeoutError):
                working.result(timeout=0.2)
            assert list(folder.iterdir()) == []
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            working.result(timeout=10)
        assert (folder / "mcp.json").exists()


@pytest.mark.requirement("install-6")
def test_files_written_before_one_that_cannot_be_are_put_back():
    with a_machine() as place:
        prepare(CLIENTS["claude-code"], place, b'{"a": 1}')
        changes = plan_installation(CLIENTS["claude-code"], place, CONTRIBUTED)
        Path(place.root, ".claude").write_text("a file where a folder has to be")
        with pytest.raises(InvalidPath):
            apply_changes(changes)
        assert Path(place.root, ".mcp.json").read_bytes() == b'{"a": 1}'
        assert sorted(os.listdir(place.root)) == [".claude", ".git", ".mcp.json"]


@pytest.mark.requirement("install-7")
def test_a_link_to_a_file_of_the_user_is_followed_and_stays_a_link():
    with a_machine(Scope.USER) as place:
        real = Path(place.home) / "dotfiles" / "codex.toml"
        real.parent.mkdir()
        real.write_text("model = 1\n")
        link = Path(place.home) / ".codex" / "config.toml"
        link.parent.mkdir()
        link.symlink_to(real)
        install(CLIENTS["codex"], place)
        assert link.is_symlink()
        assert "[mcp_servers.holdfast]" in real.read_text()
        uninstall(CLIENTS["codex"], place)
        assert (link.is_symlink(), real.read_text()) == (True, "model = 1\n")


@pytest.mark.requirement("install-7")
@pytest.mark.parametrize("through", ["file", "folder"])
def test_a_link_that_leads_out_of_the_repository_is_refused(through: str):
    with a_machine() as place:
        outside = Path(place.home) / "cursor"
        outside.mkdir()
        target = outside / "mcp.json"
        target.write_text("{}")
        folder = Path(place.root) / ".cursor"
        if through == "folder":
            folder.symlink_to(outside)
        else:
            folder.mkdir()
            (folder / "mcp.json").symlink_to(target)
        with pytest.raises(InvalidPath, match="leads out of the repository"):
            install(CLIENTS["cursor"], place)
        assert target.read_text() == "{}"


@pytest.mark.requirement("install-7")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_another_user_is_refused():
    with a_machine(Scope.USER) as place:
        folder = Path(place.home) / ".codex"
        folder.mkdir()
        target = folder / "theirs.toml"
        target.write_text("a = 1\n")
        os.chown(target, 12345, 12345)
        link = folder / "config.toml"
        link.symlink_to(target)
        with pytest.raises(Denied, match="symbolic link"):
            install(CLIENTS["codex"], place)
        link.unlink()
        target.rename(link)
        with pytest.raises(Denied, match="belongs to another user"):
            install(CLIENTS["codex"], place)
        assert link.read_text() == "a = 1\n"


@pytest.mark.requirement("install-7")
def test_what_is_no_file_is_refused_without_waiting():
    with a_machine() as place:
        folder = Path(place.root) / ".cursor"
        folder.mkdir()
        os.mkfifo(folder / "mcp.json")
        with pytest.raises(InvalidPath, match="not a regular file"):
            install(CLIENTS["cursor"], place)
        (folder / "mcp.json").unlink()
        (folder / "mcp.json").symlink_to("nowhere")
        with pytest.raises(InvalidPath, match="leads nowhere"):
            install(CLIENTS["cursor"], place)


def test_a_file_too_large_to_be_a_configuration_is_refused():
    with a_machine() as place:
        path = prepare(CLIENTS["cursor"], place, b"{}")
        os.truncate(path, LIMITS.configuration_file_bytes + 1)
        with pytest.raises(TooLarge):
            install(CLIENTS["cursor"], place)


@pytest.mark.requirement("install-9")
def test_git_is_not_written_while_git_writes():
    with a_machine() as place:
        lock = Path(place.root) / ".git" / "config.lock"
        lock.touch()
        with pytest.raises(Busy):
            install(CLIENTS["git"], place, GIT)
        lock.unlink()
        install(CLIENTS["git"], place, GIT)
        assert not lock.exists()


def test_a_difference_says_what_would_change_and_where_lines_do_not_end():
    with a_machine(parts=SERVER) as place:
        prepare(CLIENTS["cursor"], place, b'{"a": 1}')
        (change,) = plan_installation(CLIENTS["cursor"], place, CONTRIBUTED)
        lines = unified_diff(change).splitlines()
        assert lines[:3] == ["--- .cursor/mcp.json", "+++ .cursor/mcp.json", "@@ -1 +1 @@"]
        assert lines[3:5] == ['-{"a": 1}', "\\ No newline at end of file"]
        assert lines[5].startswith('+{"a": 1, "mcpServers": {"holdfast": ')

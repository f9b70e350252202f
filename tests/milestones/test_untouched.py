"""Whatever `git mile` does: git's status, index, branches, settings and work tree stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.faces.cli import git_mile
from holdfast.milestones.toolset import milestones
from holdfast.toolsets import full_registry
from tests.milestones.clones import fingerprint_of_work, git, issue, new_repository, opened

COMMANDS: dict[str, list[str]] = {
    "create": ["issue", "New", "--label", "bug", "--comment", "First"],
    "list": ["issue", "--filter", "status == open", "--sort", "title", "--include-closed"],
    "show": ["{issue}"],
    "ready": [],
    "log": ["{issue}"],
    "edit": ["{issue}", "--title", "Another", "--due", "2026-12-24"],
    "comment": ["{issue}", "--body", "Seen"],
    "delete-comment": ["{issue}", "{comment}"],
    "label": ["{issue}", "--add", "bug"],
    "open": ["{issue}"],
    "close": ["{issue}", "--comment", "Done"],
    "link": ["{issue}", "--to", "README.md", "--depends-on", "{other}"],
    "assign": ["{issue}", "Bea"],
    "claim": ["{issue}", "--minutes", "5"],
    "release": ["{issue}"],
    "sync": [],
    "init": [],
    "import": ["{file}"],
    "export": [],
    "overview": [],
    "vocabulary": [],
}
"""Every command there is, with arguments that make it do something."""


def test_every_command_is_among_those_tried():
    full_registry()
    assert {operation.command for operation in milestones.operations} == set(COMMANDS)


@pytest.mark.requirement("milestones-55")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_touches_nothing_of_the_work(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd, command: str
):
    (repository / "README.md").write_text("Words\n")
    (repository / "changed.txt").write_text("old\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "First")
    (repository / "changed.txt").write_text("staged\n")
    git(repository, "add", "changed.txt")
    (repository / "changed.txt").write_text("changed again\n")
    (repository / "new.txt").write_text("untracked\n")
    git(repository, "branch", "other")
    git(repository, "remote", "add", "origin", str(new_repository(tmp_path / "hub", "--bare")))
    git(repository, "push", "--quiet", "origin", "main")
    file = repository / "issues.jsonl"
    with opened(repository) as room:
        name, other = issue(room, "One"), issue(room, "Two")
        comment = room.comment(name, "Said").operation
        file.write_text("".join(f"{line}\n" for line in room.operations()))
    git(repository, "status")
    words = {"issue": name, "other": other, "comment": comment, "file": file.name}
    monkeypatch.chdir(repository)
    before = fingerprint_of_work(repository)
    branches = git(tmp_path / "hub", "for-each-ref", "refs/heads", "refs/tags")
    status = git_mile.main([command, *(part.format(**words) for part in COMMANDS[command])])
    assert (status, capfd.readouterr().err) == (0, "")
    after = fingerprint_of_work(repository)
    if command == "init":  # its purpose is one line in the settings
        assert after.pop("config") != before.pop("config")
    assert after == before
    assert git(tmp_path / "hub", "for-each-ref", "refs/heads", "refs/tags") == branches

"""What a repository configures for git runs nothing and overwrites nothing, whatever Holdfast is asked."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from holdfast.faces.cli import main as command_line
from holdfast.kernel.dispatch.dispatcher import Dispatcher
from holdfast.storage.git import command, hardening, remotes
from holdfast.toolsets import full_registry
from holdfast.workspace import Workspace
from tests.contract.cases import CASES
from tests.contract.prepared import prepare
from tests.contract.test_hostile_paths import fingerprint, outcome
from tests.storage.answering import Answering, answering
from tests.storage.git_settings import (
    LISTS_OF_WORDS,
    PLACES,
    SOUNDS_DANGEROUS,
    Planted,
    listed,
    sections,
    settings_of_git,
)
from tests.storage.git_support import commit, git

LISTED = listed()
NAMED = {item.name.lower() for item in LISTED}


def under(heading: str) -> set[str]:
    return {item.name for item in LISTED if item.heading == heading}


def overlooked(settings: list[str]) -> list[str]:
    """Return the settings that the document does not speak of, or not by name though they sound dangerous."""
    return [
        name
        for name in settings
        if name.lower() not in NAMED
        and (
            name.partition(".")[0].lower() not in sections()
            or (SOUNDS_DANGEROUS.search(name.rpartition(".")[2]) and not LISTS_OF_WORDS.match(name.lower()))
        )
    ]


def test_every_setting_of_the_installed_git_is_in_the_document():
    settings = settings_of_git()
    assert len(settings) > 400
    assert overlooked(settings) == []


def test_control_a_setting_that_a_newer_git_brings_is_noticed():
    brought = [
        "diff.external",
        "new.thing",
        "core.brandNewHelper",
        "gc.<pattern>.afterwardsHook",
        "core.abbrev",
    ]
    assert overlooked(brought) == brought[1:4]


def test_what_the_document_calls_switched_off_is_what_is_switched_off():
    given = {text.partition("=")[0] for text in (*hardening.SETTINGS, *hardening.USER_SETTINGS)}
    assert under("Switched off on every command") == given


def test_what_the_document_calls_handed_over_is_what_is_handed_over():
    handed_over = re.compile(remotes.PASSED_SETTINGS)
    known = {*(item.name for item in LISTED), *settings_of_git()}
    found = {name for name in known if handed_over.match(name.lower())}
    assert {name.replace("<url>.", "") for name in found} == under("Passed to fetch and push")


@pytest.fixture
def prepared(home: Path, tmp_path: Path) -> Path:
    return prepare(tmp_path / "repository", home)


ADDRESSES = {
    "git": "git://127.0.0.1:1/x",
    "ssh": "ssh://127.0.0.1:1/x",
    "web": "{server}/x",
    "private": "{server}/private",
    "extension": "ext::{program}",
    "rewritten": "rewritten:x",
    "inside": "evil.git",
    "hidden": ".git/evil.git",
}


def ask_everything(repository: Path) -> list[str]:
    """Run every operation, the commands that are none, and a sync with every remote; return what was said."""
    registry = full_registry()
    operations = {operation.listed_name: operation for operation in registry.operations}
    workspace = Workspace.discover(repository)
    dispatcher = Dispatcher(registry, workspace.room)
    calls = [(case.operation, case.arguments) for case in CASES if case.operation in operations]
    calls += [("git_mile_sync", {"remote": name}) for name in ADDRESSES]
    try:
        told = [outcome(dispatcher, operations[name], arguments) for name, arguments in calls]
    finally:
        workspace.close()
    for typed in (
        ["install", "git"],
        ["doctor"],
        ["send", "--anyway", "--file", "src/main.py", "--comment", "x"],
    ):
        command_line([*typed, "--root", str(repository)])
    return told


def add_remotes(repository: Path, planted: Planted, server: Answering) -> None:
    for place in (repository / "evil.git", repository / ".git" / "evil.git"):
        git(repository, "clone", "--quiet", "--bare", str(planted.side / "other.git"), str(place))
        planted.plant_hooks(place / "hooks")
    for name, address in ADDRESSES.items():
        url = address.format(server=server.address, program=planted.side / "program")
        git(repository, "config", f"remote.{name}.url", url)
    git(repository, "config", f"url.ext::{planted.side / 'program'} .insteadOf", "rewritten:")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.evidence("E4", "git", "every setting that names a program")
def test_nothing_that_a_repository_configures_runs_or_writes(place, prepared, tmp_path, capfd):
    with answering() as server, answering() as proxy:
        planted = Planted(prepared, place, proxy.address)
        add_remotes(prepared, planted, server)
        before = fingerprint(planted.side, without=prepared)
        told = ask_everything(prepared)
    assert planted.ran() == set()
    assert fingerprint(planted.side, without=prepared) == before
    assert proxy.seen == []
    assert {path.split("/")[1] for path, _ in server.seen} == {"x", "private"}
    assert sum("'ext' not allowed" in text for text in told) == 2
    assert sum("is a folder of this repository" in text for text in told) == 2
    assert not any("inside Holdfast" in text for text in told)


CONTROLS: dict[str, list[str]] = {
    "core.fsmonitor": ["status"],
    "core.editor": ["commit", "--allow-empty"],
    "core.pager": ["tty", "--paginate", "status"],
    "pager.log": ["tty", "log"],
    "core.gitProxy": ["fetch", "git://127.0.0.1:1/x"],
    "core.sshCommand": ["fetch", "ssh://127.0.0.1:1/x"],
    "core.askPass": ["credential", "fill"],
    "credential.helper": ["credential", "fill"],
    "credential.http:127.0.0.1.helper": ["credential", "fill"],
    "core.alternateRefsCommand": ["fetch", "{side}/newer"],
    "diff.evil.command": ["diff", "--", "src/main.py"],
    "diff.evil.textconv": ["diff", "--no-ext-diff", "--", "src/main.py"],
    "filter.evil.clean": ["add", "src/main.py"],
    "filter.longrunning.process": ["add", "--force", "issues.json"],
    "diff.external": ["diff", "--", "plain.txt"],
    "filter.evil.smudge": ["checkout", "HEAD", "--", "src/main.py"],
    "remote.origin.uploadpack": ["fetch", "origin"],
    "remote.origin.receivepack": ["push", "origin", "HEAD:refs/heads/x"],
    "program": ["fetch", "ext::{side}/program"],
    "gpg.ssh.program": ["tag", "-s", "-m", "x", "signed"],
    "trailer.evil.cmd": ["interpret-trailers", "--trailer", "evil=x"],
    "tar.evil.command": ["archive", "--format=evil", "HEAD"],
    "alias.shown": ["shown"],
    "reference-transaction": ["update-ref", "refs/x", "HEAD"],
}
"""What runs when plain git is asked so in the same repository."""


def ask_git(repository: Path, arguments: list[str]) -> None:
    """Run plain git, whatever comes of it; before a terminal where it asks for one."""
    wants_terminal = arguments[0] == "tty"
    ours, theirs = os.openpty()
    try:
        subprocess.run(
            ["git", *arguments[wants_terminal:]],
            cwd=repository,
            env={
                name: value for name, value in os.environ.items() if name not in ("PAGER", "EDITOR", "VISUAL")
            },
            input=b"protocol=http\nhost=127.0.0.1\n\n",
            stdout=theirs if wants_terminal else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
        )
    finally:
        os.close(ours)
        os.close(theirs)


def name_the_user(repository: Path) -> None:
    git(repository, "config", "user.name", "Ada")
    git(repository, "config", "user.email", "ada@example.org")


NOT_WITH_THE_OTHERS = (
    "core.worktree",
    "extensions.partialClone",
    "remote.origin.mirror",
    "remote.origin.vcs",
)


@pytest.mark.evidence("E4", "git", control="git without our settings")
def test_control_plain_git_runs_and_writes_it(prepared):
    with answering() as server, answering() as proxy:
        name_the_user(prepared)
        commit(prepared, {"plain.txt": "1\n"})
        (prepared / "plain.txt").write_text("2\n")
        planted = Planted(prepared, "config", proxy.address, NOT_WITH_THE_OTHERS)
        git(prepared, "config", "alias.shown", f"!{planted.side}/bin/alias.shown")
        (planted.side / "bin" / "alias.shown").symlink_to(planted.side / "program")
        git(planted.side, "clone", "--quiet", "other.git", "newer")
        name_the_user(planted.side / "newer")
        commit(planted.side / "newer", {"new": "1"})
        silent = []
        for name, arguments in CONTROLS.items():
            planted.ran()
            ask_git(prepared, [word.format(side=planted.side) for word in arguments])
            if name not in planted.ran():
                silent.append(name)
        assert silent == [], " ".join(silent)
        ask_git(prepared, ["fetch", f"{server.address}/x"])
        assert proxy.seen
        ask_git(prepared, ["-c", "http.proxy=", "fetch", f"{server.address}/x", "refs/heads/*:refs/x/*"])
    assert "planted" in (planted.side / "files" / "http.cookieFile").read_text()


@pytest.mark.evidence("E4", "git", control="git without our settings")
def test_control_without_the_hardening_our_own_commands_run_it(prepared, monkeypatch, capfd):
    """The arguments are those of ours; only what was taken away from the repository is given back."""
    monkeypatch.setattr(hardening, "SETTINGS", ())
    monkeypatch.setattr(hardening, "USER_SETTINGS", ())
    monkeypatch.setattr(command, "stand_in", lambda store, _: os.path.dirname(store))
    with answering() as server, answering() as proxy:
        planted = Planted(prepared, "config", proxy.address)
        add_remotes(prepared, planted, server)
        ask_everything(prepared)
        assert {"reference-transaction", "core.gitProxy", "core.sshCommand"} <= planted.ran()
        assert proxy.seen

"""Other repositories: reached as the user reaches them, whatever the repository's own configuration says."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.kernel.errors import Denied, Unavailable
from holdfast.storage.git.command import Git
from holdfast.storage.git.remotes import Remotes
from holdfast.storage.git.repository import Repository
from tests.storage.answering import Answering, answering
from tests.storage.git_support import commit, git

REF = "refs/holdfast/log/a"
REFSPEC = f"{REF}:{REF}"
NOBODY = "git://127.0.0.1:1/x"
"""An address at which nothing answers."""
HOOKS = ("pre-receive", "update", "post-update", "post-receive", "reference-transaction")


@pytest.fixture
def server() -> Iterator[Answering]:
    with answering() as server:
        yield server


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace"


@pytest.fixture
def program(tmp_path: Path, trace: Path) -> Path:
    return script(tmp_path / "program", f"echo program >> {trace}; exit 1")


def script(path: Path, line: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def logged(repository: Path) -> Path:
    """A repository with a log and a remote outside of it."""
    commit(repository, {"a": "1\n"})
    git(repository, "update-ref", REF, "HEAD")
    git(repository.parent, "init", "--quiet", "--bare", "hub.git")
    git(repository, "remote", "add", "origin", "../hub.git")
    return repository


def fetch(repository: Path) -> None:
    with Git(Repository.at(repository)) as ours:
        Remotes(ours).fetch("origin", f"+{REF}:refs/holdfast/remote/a")


def push(repository: Path) -> dict[str, str]:
    with Git(Repository.at(repository)) as ours:
        return Remotes(ours).push("origin", [REFSPEC])


def plain(repository: Path, *arguments: str) -> None:
    """Run git as a person would, whatever comes of it."""
    subprocess.run(["git", *arguments], cwd=repository, capture_output=True, timeout=60)


def test_logs_go_to_a_remote_and_come_back(logged):
    assert push(logged) == {}
    fetch(logged)
    there = git(logged.parent / "hub.git", "rev-parse", REF)
    assert git(logged, "rev-parse", "refs/holdfast/remote/a") == git(logged, "rev-parse", "HEAD") == there


# A program, or a file, that the repository names.

TEMPTING = {
    "core.gitProxy": NOBODY,
    "core.sshCommand": "ssh://127.0.0.1:1/x",
    "remote.origin.uploadpack": "../hub.git",
}


@pytest.mark.parametrize(("key", "address"), TEMPTING.items(), ids=TEMPTING)
def test_no_program_of_the_repository_opens_the_connection(logged, program, trace, key, address):
    git(logged, "config", key, str(program))
    git(logged, "config", "remote.origin.url", address)
    for act in (fetch, push):
        with suppress(Unavailable):
            act(logged)
    assert not trace.exists()


@pytest.mark.parametrize(("key", "address"), TEMPTING.items(), ids=TEMPTING)
def test_control_git_itself_runs_it(logged, program, trace, key, address):
    git(logged, "config", key, str(program))
    git(logged, "config", "remote.origin.url", address)
    plain(logged, "fetch", "origin")
    assert trace.exists()


@pytest.mark.parametrize("address", ["ext::{program}", "rewritten:x"])
def test_a_transport_that_is_a_program_is_refused(logged, program, trace, address):
    git(logged, "config", "protocol.ext.allow", "always")
    git(logged, "config", f"url.ext::{program} .insteadOf", "rewritten:")
    git(logged, "config", "remote.origin.url", address.format(program=program))
    for act in (fetch, push):
        with pytest.raises(Unavailable, match="'ext' not allowed"):
            act(logged)
    assert not trace.exists()
    plain(logged, "fetch", "origin")
    assert trace.exists(), "the control: git itself runs it"


def plant_cookies(repository: Path, address: str, file: Path) -> None:
    git(repository, "config", "remote.origin.url", f"{address}/x")
    for section in ("http", f"http.{address}"):
        git(repository, "config", f"{section}.cookieFile", str(file))
        git(repository, "config", f"{section}.saveCookies", "true")


def test_no_file_of_the_user_is_overwritten_with_cookies(logged, server, home):
    precious = home / ".bashrc"
    precious.write_text("precious")
    plant_cookies(logged, server.address, precious)
    for act in (fetch, push):
        with pytest.raises(Unavailable):
            act(logged)
    assert server.seen
    assert precious.read_text() == "precious"


def test_control_git_itself_overwrites_it(logged, server, home):
    precious = home / ".bashrc"
    precious.write_text("precious")
    plant_cookies(logged, server.address, precious)
    plain(logged, "fetch", "origin")
    assert "planted" in precious.read_text()


@pytest.mark.parametrize("key", ["http.proxy", "remote.origin.proxy"])
def test_no_proxy_of_the_repository_sees_what_is_sent(logged, server, key):
    git(logged, "config", "remote.origin.url", "http://127.0.0.1:1/x")
    git(logged, "config", key, server.address)
    with pytest.raises(Unavailable):
        fetch(logged)
    assert server.seen == []
    plain(logged, "fetch", "origin")
    assert server.seen, "the control: git itself asks it"


# Remotes that are folders of the repository.


def plant(place: Path, trace: Path) -> Path:
    """Make a repository whose hooks leave a trace."""
    git(place.parent, "init", "--quiet", "--bare", place.name)
    for hook in HOOKS:
        script(place / "hooks" / hook, f"echo {hook} >> {trace}")
    return place


INSIDE = {
    "in the git directory": {"remote.origin.url": ".git/evil.git"},
    "in the work tree": {"remote.origin.url": "evil.git"},
    "without its ending": {"remote.origin.url": "./evil"},
    "absolute": {"remote.origin.url": "{root}/evil.git"},
    "with detours": {"remote.origin.url": "{root}/../repository/./evil.git"},
    "file URL": {"remote.origin.url": "file://{root}/evil.git"},
    "escaped file URL": {"remote.origin.url": "file://{root}/%65vil.git"},
    "file URL with a host": {"remote.origin.url": "file://host%2F..{root}/evil.git"},
    "from home": {"remote.origin.url": "~/../repository/evil.git"},
    "through a link": {"remote.origin.url": "../link"},
    "through a link and a line that a form feed ends": {"remote.origin.url": "out (fetch)\f/evil.git"},
    "rewritten": {"remote.origin.url": "short:evil.git", "url.{root}/.insteadOf": "short:"},
    "rewritten to push": {"remote.origin.url": "../hub.git", "url.{root}/evil.pushInsteadOf": "../hub"},
    "to push only": {"remote.origin.url": "../hub.git", "remote.origin.pushurl": "evil.git"},
    "the second to push": {
        "remote.origin.url": "../hub.git",
        "remote.origin.pushurl": ["../hub.git", "evil.git"],
    },
}


@pytest.fixture
def planted(logged: Path, trace: Path) -> Path:
    plant(logged / "evil.git", trace)
    plant(logged / ".git" / "evil.git", trace)
    (logged.parent / "link").symlink_to(logged / "evil.git")
    for name in ("out", "out.git"):
        (logged / name).symlink_to(logged.parent.parent)
    (logged / "out (fetch)\f").mkdir()
    plant(logged / "out (fetch)\f" / "evil.git", trace)
    return logged


def configure(repository: Path, settings: dict[str, str | list[str]]) -> None:
    for key, values in settings.items():
        git(repository, "config", "--unset-all", key.format(root=repository), check=False)
        for value in [values] if isinstance(values, str) else values:
            git(repository, "config", "--add", key.format(root=repository), value.format(root=repository))


@pytest.mark.parametrize("settings", INSIDE.values(), ids=INSIDE)
def test_a_remote_inside_the_repository_is_refused_and_its_hooks_do_not_run(planted, trace, settings):
    configure(planted, settings)
    for act in (fetch, push):
        with pytest.raises(Denied, match="'origin' is a folder of this repository") as caught:
            act(planted)
        assert str(planted) not in caught.value.sentence()
    assert not trace.exists()


@pytest.mark.parametrize("settings", INSIDE.values(), ids=INSIDE)
def test_control_git_itself_runs_those_hooks(planted, trace, settings):
    configure(planted, settings)
    plain(planted, "push", "origin", REFSPEC)
    assert set(trace.read_text().split()) == set(HOOKS)


@pytest.mark.parametrize(
    "address", ["/proc/self/cwd/evil.git", "file:///proc/thread-self/cwd/evil.git", "proc/evil.git"]
)
def test_what_git_follows_to_another_folder_than_we_do_does_not_lead_it_into_the_repository(
    planted, trace, monkeypatch, address
):
    (planted / "proc").symlink_to("/proc/self/cwd")
    configure(planted, {"remote.origin.url": address})
    monkeypatch.chdir(planted.parent.parent)
    for act in (fetch, push):
        with pytest.raises(Unavailable, match="'origin'"):
            act(planted)
    assert not trace.exists()
    plain(planted, "push", "origin", REFSPEC)
    assert trace.exists(), "the control: git itself goes there"


def test_an_address_that_cannot_be_followed_is_named(logged):
    configure(logged, {"remote.origin.url": "file:///%00"})
    with pytest.raises(Unavailable, match="'origin' could not be used: its address cannot be followed"):
        push(logged)


def test_a_remote_inside_another_worktree_or_the_repository_of_a_submodule_is_refused(planted, trace):
    git(planted, "worktree", "add", "--quiet", "../second")
    second = planted.parent / "second"
    plant(second / "evil.git", trace)
    git(planted, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../repository", "inner")
    configure(planted, {"remote.origin.url": str(second / "evil.git")})
    with pytest.raises(Denied):
        push(planted)
    configure(planted, {"remote.origin.url": str(planted / "evil.git")})
    with pytest.raises(Denied):
        push(second)
    git(planted / "inner", "update-ref", REF, "HEAD")
    configure(planted / "inner", {"remote.origin.url": "../evil.git"})
    with pytest.raises(Denied):
        push(planted / "inner")
    assert not trace.exists()


def test_a_remote_without_an_address_is_not_taken_for_a_folder_of_its_name(logged, trace):
    plant(logged / "origin", trace)
    git(logged, "config", "--unset", "remote.origin.url")
    for act in (fetch, push):
        with pytest.raises((Denied, Unavailable), match="'origin'"):
            act(logged)
    assert not trace.exists()
    plain(logged, "push", "origin", REFSPEC)
    assert trace.exists(), "the control: git itself takes it so"


def test_a_remote_elsewhere_keeps_its_hooks(logged, trace):
    plant(logged.parent / "policed.git", trace)
    configure(logged, {"remote.origin.url": "../policed.git"})
    assert push(logged) == {}
    assert set(trace.read_text().split()) == set(HOOKS)


def test_what_was_planted_in_the_stand_in_is_removed(planted, trace, program):
    stand_in = planted / ".git" / "holdfast" / "git"
    (stand_in / "remotes").mkdir(parents=True)
    (stand_in / "remotes" / "origin").write_text("URL: evil.git\n")
    (stand_in / "config").write_text(f"[core]\n\tgitProxy = {program}\n\tsshCommand = {program}\n")
    (stand_in / "refs").mkdir()
    script(stand_in / "hooks" / "pre-push", f"echo hook >> {trace}")
    assert push(planted) == {}
    fetch(planted)
    assert sorted(os.listdir(stand_in)) == sorted(
        ["HEAD", "config", "logs", "objects", "packed-refs", "refs", "reftable", "shallow"]
    )
    assert not trace.exists()


# What the user says about remotes.


def test_the_users_own_programs_are_run(logged, program, trace, home):
    git(logged, "config", "--file", str(home / "more"), "core.gitProxy", str(program))
    git(logged, "config", "--global", "include.path", str(home / "more"))
    configure(logged, {"remote.origin.url": NOBODY})
    with pytest.raises(Unavailable):
        fetch(logged)
    assert trace.exists()


def test_the_users_helper_gives_the_password_and_the_repositorys_does_not(logged, server, program, trace):
    git(logged, "config", "--global", "credential.helper", "!f() { echo username=ada; echo password=x; }; f")
    configure(logged, {"remote.origin.url": f"{server.address}/private"})
    for key in ("credential.helper", f"credential.{server.address}.helper", "core.askPass"):
        git(logged, "config", key, str(program))
    with pytest.raises(Unavailable):
        fetch(logged)
    assert server.seen[-1][1]["authorization"] == "Basic YWRhOng="
    assert not trace.exists()


def test_a_header_of_the_repository_is_sent_and_not_shown_to_others(logged, server, tmp_path, monkeypatch):
    configure(logged, {"remote.origin.url": f"{server.address}/x"})
    git(logged, "config", f"http.{server.address}/.extraHeader", "X-Token: secret")
    real = shutil.which("git")
    script(tmp_path / "bin" / "git", f'echo "$@" >> {tmp_path}/arguments; exec {real} "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(Unavailable):
        fetch(logged)
    assert server.seen[-1][1]["x-token"] == "secret"
    arguments = (tmp_path / "arguments").read_text()
    assert "fetch" in arguments
    assert "secret" not in arguments


# Repositories of other kinds.


@pytest.mark.parametrize("kind", ["sha256", "shallow", "partial", "shared", "worktree configuration"])
def test_repositories_of_every_kind_exchange_logs(home, tmp_path, kind):
    wanted = ["--object-format=sha256"] if kind == "sha256" else []
    git(tmp_path, "init", "--quiet", *wanted, "--bare", "hub.git")
    git(tmp_path, "init", "--quiet", *wanted, "first")
    git(tmp_path, "config", "--global", "user.name", "Ada")
    git(tmp_path, "config", "--global", "user.email", "ada@example.org")
    for number in range(3):
        commit(tmp_path / "first", {"a": f"{number}\n"})
    git(tmp_path / "hub.git", "config", "uploadpack.allowFilter", "true")
    git(tmp_path / "first", "push", "--quiet", "../hub.git", "HEAD:refs/heads/main", f"HEAD:{REF}")
    git(tmp_path / "hub.git", "symbolic-ref", "HEAD", "refs/heads/main")
    more = {"shallow": ["--depth=1"], "partial": ["--filter=blob:none", "--no-checkout"]}.get(kind, [])
    git(tmp_path, "clone", "--quiet", *more, f"file://{tmp_path}/hub.git", "second")
    second = tmp_path / "second"
    if kind == "shared":
        git(second, "config", "core.sharedRepository", "group")
    if kind == "worktree configuration":
        git(second, "config", "extensions.worktreeConfig", "true")
        git(second, "config", "--worktree", "remote.origin.url", "../hub.git")
    fetch(second)
    assert git(second, "rev-parse", "refs/holdfast/remote/a") == git(tmp_path / "first", "rev-parse", "HEAD")
    tree = git(second, "hash-object", "-t", "tree", "-w", os.devnull)
    git(second, "update-ref", REF, git(second, "commit-tree", "-m", "x", tree))
    git(second, "config", "remote.origin.mirror", "true")
    assert push(second).keys() == {REF}, "it does not lead on from what is there"
    with Git(Repository.at(second)) as ours:
        assert Remotes(ours).push("origin", [f"{REF}:refs/holdfast/log/b"]) == {}
    assert git(tmp_path / "hub.git", "for-each-ref", "refs/heads").count("\n") == 0
    if kind == "shared":
        assert os.stat(second / ".git" / "refs" / "holdfast" / "remote" / "a").st_mode & 0o060 == 0o060

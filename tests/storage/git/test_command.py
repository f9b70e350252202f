"""Git, run so that it answers questions and does nothing else."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast.kernel.call import Call, running
from holdfast.kernel.errors import (
    Cancelled,
    DeadlineExceeded,
    HoldfastError,
    InvalidArguments,
    InvalidPath,
    NotFetched,
    NotFound,
    TooLarge,
    Unavailable,
)
from holdfast.kernel.limits import LIMITS
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.command import Identity
from holdfast.storage.git.hardening import readable_message
from holdfast.storage.git.repository import Repository
from tests.storage.git.blobs import GitWithBlobs as Git
from tests.storage.git_support import commit
from tests.storage.git_support import git as plain_git
from tests.storage.hostile_repository import PROMISOR_URLS, HostileRepository
from tests.waiting import LeavingCall, wait_until

FILE = RepoPath.parse("src/main.py")
MISSING_ID = "1234567890" * 4


@pytest.fixture
def first(repository: Path) -> str:
    return commit(repository, {"src/main.py": "one\ntwo\nthree\n", "README": "read\n"})


@pytest.fixture
def git(repository: Path, first: str):
    with Git(Repository.at(repository)) as git:
        yield git


def test_revisions_are_resolved_to_ids(git, repository, first):
    plain_git(repository, "tag", "-a", "-m", "x", "v1")
    second = commit(repository, {"README": "again\n"})
    assert git.resolve("HEAD") == git.resolve("main") == git.resolve("@") == second
    assert git.resolve("HEAD~1") == git.resolve("v1^{commit}") == git.resolve(first[:8]) == first
    assert git.resolve("HEAD:README") == plain_git(repository, "rev-parse", "HEAD:README")


@pytest.mark.parametrize(
    "revision", ["nothing", "HEAD~99", "HEAD..main", "a b", "HEAD:nothing", "@{-1}", ":/nothing"]
)
def test_an_unknown_revision_is_not_found(git, revision):
    with pytest.raises(NotFound, match="revision"):
        git.resolve(revision)


INJECTIONS = [
    "--output=pwned",
    "-opwned",
    "--upload-pack=touch pwned",
    "--exec=touch pwned",
    "--git-dir=pwned",
    "--end-of-options",
    "--",
    "-",
    "--all",
    "--show-toplevel",
    "--absolute-git-dir",
    "",
    "HEAD\n--output=pwned",
    "HEAD\0pwned",
    "\x1b[31m",
    "HEAD\r",
    "\ud800",
    "a" * 1025,
]


@pytest.mark.parametrize("revision", INJECTIONS, ids=lambda text: ascii(text[:30]))
@pytest.mark.evidence("E3", "git", "revisions and paths like options")
def test_a_revision_is_never_an_option(git, repository, revision):
    before = sorted(repository.rglob("*"))
    for action in (git.resolve, git.read_blob, lambda value: git.read_blob(value, FILE)):
        with pytest.raises(InvalidArguments) as caught:
            action(revision)
        assert caught.value.message.isascii()
    assert sorted(repository.rglob("*")) == before


@pytest.mark.parametrize(
    "text", ["--output=pwned", "-x", ":(glob)**", ":/x", "HEAD", "$(touch pwned)", "a b"]
)
@pytest.mark.evidence("E3", "git", "revisions and paths like options")
def test_a_path_is_never_an_option_or_a_pattern(git, repository, text):
    path = RepoPath.parse(text)
    assert git.head_blob(path) is None
    with pytest.raises(NotFound):
        git.read_blob("HEAD", path)
    commit(repository, {text: "odd\n"})
    assert git.head_blob(path) == git.read_blob("HEAD", path) == b"odd\n"
    assert git.changed_lines(path) == []
    assert not (repository / "pwned").exists()


@pytest.mark.parametrize(
    "prefix",
    ["", "heads", "--format=evil", "-x", "refs/../x", "refs/*", "refs/heads/[a]", "refs/x y", "refs/a\nb"],
)
@pytest.mark.evidence("E3", "git", "revisions and paths like options")
def test_a_prefix_of_refs_is_never_an_option_or_a_pattern(git, prefix):
    with pytest.raises(InvalidArguments):
        git.ref_tips(prefix)


def test_refs_are_listed_with_their_ids(git, repository, first):
    plain_git(repository, "update-ref", "refs/holdfast/log/a1", first)
    plain_git(repository, "update-ref", "refs/holdfast/other/b2", first)
    assert git.ref_tips("refs/holdfast/log") == {"refs/holdfast/log/a1": first}
    assert set(git.ref_tips("refs/holdfast/")) == {"refs/holdfast/log/a1", "refs/holdfast/other/b2"}
    assert git.ref_tips("refs/none") == {}


def test_one_broken_ref_or_object_hides_no_other(git, repository, first):
    refs = repository / ".git" / "refs" / "holdfast"
    refs.mkdir()
    (refs / "good").write_text(first + "\n")
    (refs / "garbage").write_text("garbage\n")
    (refs / "empty").write_text("")
    (refs / "dangling").write_text(MISSING_ID + "\n")
    (refs / "--format=evil").write_text(first + "\n")
    tips = git.ref_tips("refs/holdfast")
    assert tips["refs/holdfast/good"] == first
    assert tips["refs/holdfast/--format=evil"] == first
    assert git.objects().read(MISSING_ID, 100) is None
    assert git.objects().read(first, 10_000).kind == "commit"


def test_blobs_are_read_by_id_by_revision_and_path_and_from_head(git, repository, first):
    blob = plain_git(repository, "rev-parse", "HEAD:src/main.py")
    assert (
        git.read_blob(blob)
        == git.read_blob(first, FILE)
        == git.read_blob("HEAD", FILE)
        == b"one\ntwo\nthree\n"
    )
    assert git.head_blob(FILE) == b"one\ntwo\nthree\n"
    assert git.head_blob(RepoPath.parse("src")) is None
    with pytest.raises(NotFound, match=r"'no\.py' in 'HEAD'"):
        git.read_blob("HEAD", RepoPath.parse("no.py"))
    with pytest.raises(NotFound):
        git.read_blob(MISSING_ID)
    with pytest.raises(NotFound):
        git.read_blob(first)


def test_the_limit_of_a_blob_is_exact(git, first):
    assert git.read_blob(first, FILE, limit=15) == git.read_blob(first, FILE, limit=14)
    with pytest.raises(TooLarge, match="larger than 13 bytes"):
        git.read_blob(first, FILE, limit=13)
    assert git.read_blob(first, FILE, limit=14)


def test_the_limit_of_the_output_is_exact(git):
    assert len(git.run("rev-parse", "HEAD", limit=42)) == len(git.run("rev-parse", "HEAD", limit=41)) == 41
    with pytest.raises(TooLarge, match="more than 40 bytes"):
        git.run("rev-parse", "HEAD", limit=40)


def test_a_failing_command_says_why_without_the_machines_paths(git, repository):
    with pytest.raises(Unavailable, match="git cat-file failed: fatal") as caught:
        git.run("cat-file", "blob", "nothing")
    assert str(repository) not in caught.value.sentence()


def test_a_missing_object_is_named_with_the_way_to_get_it(git, repository, first):
    commit(repository, {"README": "changed\n"})
    blob = plain_git(repository, "rev-parse", f"{first}:README")
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises(NotFetched, match=blob) as caught:
        git.run("log", "--numstat", "HEAD")

    assert "git fetch --refetch" in str(caught.value.hint)


def test_complaints_lose_paths_control_characters_and_length(repository):
    found = Repository.at(repository)
    text = f"fatal: '{repository}/.git/x' and '/home/ada/secret.txt': \x1b[31mbad\n/etc/passwd " + "y" * 400
    complaint = readable_message(text.encode() + b"\xff", found)
    assert not any(part in complaint for part in (str(repository), "/home", "/etc", "\x1b", "\n"))
    assert "secret.txt" in complaint
    assert len(complaint) <= 301


def test_the_user_is_whoever_variables_or_the_configuration_say(git, repository, home, monkeypatch):
    assert git.identity() == Identity("Ada", "ada@example.org")
    plain_git(repository, "config", "--unset", "user.email")
    assert git.identity() == Identity("Ada", None)
    plain_git(repository, "config", "--unset", "user.name")
    assert git.identity() == Identity(None, None)
    plain_git(repository, "config", "--global", "user.name", "Grace Höpper")
    assert git.identity() == Identity("Grace Höpper", None)
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Lin")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", " ")
    assert git.identity() == Identity("Lin", None)


def test_a_directory_outside_git_is_refused(tmp_path):
    with pytest.raises(Unavailable, match="not in a git repository"):
        Git(Repository.at(tmp_path))


def test_a_missing_git_is_named(repository):
    with pytest.raises(Unavailable, match="'git' was not found"):
        Git(Repository.at(repository), {"PATH": "/nowhere:relative:"}).resolve("HEAD")


def test_a_repository_that_vanished_is_named_without_its_place(git, repository, tmp_path):
    repository.rename(tmp_path / "moved")
    with pytest.raises(NotFound, match="'repository'"):
        git.resolve("HEAD")


@pytest.mark.parametrize("kind", ["worktree", "bare", "sha256"])
def test_every_kind_of_repository_is_read(repository, first, tmp_path, kind):
    other = tmp_path / "other"
    if kind == "worktree":
        plain_git(repository, "worktree", "add", "--quiet", str(other))
    elif kind == "bare":
        plain_git(tmp_path, "clone", "--quiet", "--bare", str(repository), "other")
    else:
        plain_git(tmp_path, "init", "--quiet", "--object-format=sha256", "other")
        plain_git(other, "config", "user.email", "x@example.org")
        commit(other, {"src/main.py": "one\ntwo\nthree\n"})
    with Git(Repository.at(other)) as git:
        assert git.read_blob(git.resolve("HEAD"), FILE) == git.head_blob(FILE) == b"one\ntwo\nthree\n"
        assert len(git.resolve("HEAD")) == (64 if kind == "sha256" else 40)


def test_a_repository_without_commits_has_no_head(repository):
    (repository / "new").write_text("a\nb\n")
    with Git(Repository.at(repository)) as git:
        assert git.head_blob(RepoPath.parse("new")) is None
        assert git.changed_lines(RepoPath.parse("new")) == [(1, 2)]
        with pytest.raises(NotFound):
            git.resolve("HEAD")


# Changed lines.


@pytest.mark.parametrize(
    ("content", "ranges"),
    [
        (b"one\ntwo\nthree\n", []),
        (b"one\r\ntwo\r\nthree\r\n", []),
        (b"one\n2\nthree\nfour\n", [(2, 2), (4, 4)]),
        (b"one\nthree\n", [(1, 1)]),
        (b"", []),
        (b"one\0two\n", []),
    ],
)
def test_changed_lines_are_those_of_the_work_tree_against_head(git, repository, content, ranges):
    (repository / "src" / "main.py").write_bytes(content)
    assert git.changed_lines(FILE) == ranges


def test_staging_does_not_matter_to_changed_lines(git, repository):
    (repository / "src" / "main.py").write_bytes(b"one\n2\nthree\n")
    plain_git(repository, "add", "src/main.py")
    assert git.changed_lines(FILE) == [(2, 2)]


def test_a_new_file_is_one_range_and_a_missing_one_has_none(git, repository):
    (repository / "new").write_bytes(b"a\nb\nc")
    assert git.changed_lines(RepoPath.parse("new")) == [(1, 3)]
    assert git.changed_lines(RepoPath.parse("missing")) == []
    (repository / "README").unlink()
    assert git.changed_lines(RepoPath.parse("README")) == []


@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_the_limit_of_changed_lines_is_exact(git, repository, excess):
    (repository / "big").write_bytes(b"x" * (LIMITS.diff_file_bytes + excess))
    assert git.changed_lines(RepoPath.parse("big")) == ([(1, 1)] if excess <= 0 else [])
    commit(repository, {"big": b"y" * (LIMITS.diff_file_bytes + excess)})
    (repository / "big").write_bytes(b"x")
    assert git.changed_lines(RepoPath.parse("big")) == ([(1, 1)] if excess <= 0 else [])


def test_changed_lines_of_a_link_are_refused(git, repository):
    (repository / "link").symlink_to("README")
    with pytest.raises(InvalidPath):
        git.changed_lines(RepoPath.parse("link"))


# The long-lived reader.


def test_the_reader_serves_many_threads_without_mixing_answers(git, repository):
    names = {f"f{number}": f"content {number} " * (number * 50) for number in range(30)}
    commit(repository, names)
    paths = [RepoPath.parse(name) for name in names] * 20
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(git.head_blob, paths))
    assert answers == [names[path.text].encode() for path in paths]


def test_the_reader_sees_new_commits_and_repacks(git, repository):
    assert git.head_blob(RepoPath.parse("README")) == b"read\n"
    commit(repository, {"README": "newer\n"})
    assert git.head_blob(RepoPath.parse("README")) == b"newer\n"
    plain_git(repository, "gc", "--quiet", "--prune=now")
    assert git.head_blob(FILE) == b"one\ntwo\nthree\n"


RECORDING_GIT = """#!/bin/sh
case "$*" in *cat-file*) echo $$ >> {readers} ;; esac
exec {git} "$@"
"""


class Readers:
    """Git whose readers, the processes that read objects, write their ids into a file."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self._ids = folder / "readers"
        program = folder / "recording" / "git"
        program.parent.mkdir()
        program.write_text(RECORDING_GIT.format(readers=self._ids, git=shutil.which("git")))
        program.chmod(0o755)
        path = f"{program.parent}:{os.environ['PATH']}"
        self.git = Git(Repository.at(repository), {**os.environ, "PATH": path})

    @property
    def ids(self) -> list[int]:
        return [int(line) for line in self._ids.read_text().splitlines()]


@pytest.fixture
def readers(repository: Path, first: str, tmp_path: Path):
    made = Readers(repository, tmp_path)
    with made.git:
        yield made


def test_a_reader_that_died_is_started_again(readers):
    assert readers.git.head_blob(FILE)
    [reader] = readers.ids
    os.kill(reader, signal.SIGKILL)
    assert readers.git.head_blob(FILE) == b"one\ntwo\nthree\n"
    assert len(readers.ids) == 2


def test_a_closed_reader_starts_again_when_needed(readers):
    assert readers.git.head_blob(FILE)
    readers.git.close()
    with pytest.raises(ProcessLookupError):
        os.kill(readers.ids[0], 0)
    assert readers.git.head_blob(FILE)
    assert len(readers.ids) == 2


def test_an_object_name_cannot_smuggle_a_second_request(git):
    for name in ("HEAD\nHEAD", "HEAD\0"):
        with pytest.raises(InvalidArguments):
            git.objects().read(name, 100)


def test_one_process_reads_many_objects(readers):
    for _ in range(200):
        readers.git.head_blob(FILE)
    assert len(readers.ids) == 1


# Waiting.

SLOW_GIT = """#!/bin/sh
echo $$ > {pid}
sleep 60 &
echo $! > {child}
wait
"""


@pytest.fixture
def slow(repository, first, tmp_path):
    """A git that never answers and has a child of its own."""
    program = tmp_path / "slow" / "git"
    program.parent.mkdir()
    program.write_text(SLOW_GIT.format(pid=tmp_path / "pid", child=tmp_path / "child"))
    program.chmod(0o755)
    with Git(Repository.at(repository), {"PATH": f"{program.parent}:{os.environ['PATH']}"}) as git:
        yield git


def is_running(file: Path) -> bool:
    try:
        state = Path(f"/proc/{file.read_text().strip()}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    "ask", [lambda git: git.resolve("HEAD"), lambda git: git.head_blob(FILE)], ids=["run", "reader"]
)
def test_a_cancelled_call_ends_git_and_its_children(slow, tmp_path, ask):
    call = Call()

    def cancel_once_it_runs() -> None:
        wait_until((tmp_path / "child").exists)
        call.cancel()

    threading.Thread(target=cancel_once_it_runs).start()
    with running(call), pytest.raises(Cancelled):
        ask(slow)
    _ends(tmp_path)


def test_a_deadline_ends_git_and_its_children(slow, tmp_path):
    with running(Call(seconds=0.3)), pytest.raises(DeadlineExceeded):
        slow.resolve("HEAD")
    _ends(tmp_path)


def test_the_time_limit_ends_git_and_its_children(slow, tmp_path):
    with pytest.raises(DeadlineExceeded, match=r"git rev-parse did not finish within 0\.3 seconds"):
        slow.run("rev-parse", "HEAD", seconds=0.3)
    _ends(tmp_path)


def _ends(tmp_path: Path) -> None:
    assert (tmp_path / "child").exists(), "the slow program never began"
    wait_until(lambda: not any(is_running(tmp_path / name) for name in ("pid", "child")))


def test_a_thread_waiting_for_the_reader_can_be_cancelled(slow, tmp_path):
    busy = threading.Thread(target=_ignore_failures, args=(slow,))
    with running(Call()):
        busy.start()
    wait_until((tmp_path / "child").exists)
    with running(LeavingCall()), pytest.raises(Cancelled):
        slow.head_blob(FILE)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    busy.join(120)
    assert not busy.is_alive()


def _ignore_failures(git: Git) -> None:
    with running(Call(seconds=1)):
        try:
            git.head_blob(FILE)
        except HoldfastError:
            pass


# E4: a repository that names programs.


def use_everything(git: Git) -> None:
    """Call every method, with what would make git look further."""
    head = git.resolve("HEAD")
    path = RepoPath.parse("text.txt")
    assert git.read_blob(head, path) == git.head_blob(path) == b"one\ntwo\n"
    assert git.changed_lines(path) == [(2, 2)]
    assert git.changed_lines(RepoPath.parse("more.dat")) == [(1, 1)]
    assert git.ref_tips("refs/tags").keys() == {"refs/tags/first"}
    assert git.identity() == Identity("Ada", "ada@example.org")
    assert git.objects().read(MISSING_ID, 100) is None
    assert git.run("rev-list", "--count", "HEAD") == b"2\n"
    for attempt in (
        lambda: git.read_blob(MISSING_ID),
        lambda: git.read_blob(MISSING_ID, path),
        lambda: git.resolve(f"{MISSING_ID}^{{tree}}"),
        lambda: git.run("cat-file", "blob", MISSING_ID),
    ):
        with pytest.raises(HoldfastError):
            attempt()


@pytest.mark.parametrize("promisor", PROMISOR_URLS)
def test_no_program_named_by_a_repository_or_the_environment_runs(repository, promisor):
    hostile = HostileRepository(repository, promisor)
    with Git(Repository.at(repository), hostile.environment()) as git:
        use_everything(git)
    assert hostile.ran() == []
    assert not (hostile.side / "trace-file").exists()


def test_a_hostile_core_worktree_leads_nowhere(repository, first, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    plain_git(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    with Git(Repository.at(repository)) as git:
        assert git.run("rev-parse", "--show-toplevel").decode().strip() == str(repository)
        assert git.changed_lines(FILE) == []


def test_a_configuration_that_blocks_is_given_up(repository, first, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    plain_git(repository, "config", "include.path", str(tmp_path / "fifo"))
    with Git(Repository.at(repository)) as git, pytest.raises(DeadlineExceeded):
        git.run("rev-parse", "HEAD", seconds=0.3)


@pytest.mark.parametrize(
    ("place", "arguments"),
    [
        (".gitattributes", ("log", "--numstat", "--root")),
        (".gitignore", ("ls-files", "--others", "--exclude-standard")),
        (".mailmap", ("check-mailmap", "Ada <ada@example.org>")),
        (".git/config", ("rev-parse", "HEAD")),
    ],
)
def test_a_pipe_that_git_waits_for_is_named(repository, first, place, arguments):
    (repository / place).unlink(missing_ok=True)
    os.mkfifo(repository / place)
    with Git(Repository.at(repository)) as git, pytest.raises(Unavailable, match=re.escape(f"'{place}'")):
        git.run(*arguments)


CONTROLS = {
    "status": (["status"], "fsmonitor"),
    "diff": (["diff", "--", ".gitattributes"], "external-diff"),
    "diff with a driver": (["diff", "--", "text.txt"], "diff-command"),
    "diff without external programs": (["diff", "--no-ext-diff", "--no-textconv", "--", "text.txt"], "clean"),
    "diff through a process": (["diff", "--no-ext-diff", "--", "more.dat"], "process"),
    "blame": (["blame", "text.txt"], "clean"),
    "log -p": (["log", "-p", "--no-ext-diff"], "textconv"),
    "cat-file --textconv": (["cat-file", "--textconv", "HEAD:text.txt"], "textconv"),
    "update-ref": (["update-ref", "refs/x", "HEAD"], "hook-reference-transaction"),
    "a missing object": (["cat-file", "blob", MISSING_ID], "uploadpack"),
    "fetch": (["fetch", "https://example.org/x"], "url"),
}


@pytest.mark.parametrize(("arguments", "program"), CONTROLS.values(), ids=CONTROLS)
def test_control_plain_git_runs_those_programs(repository, arguments, program):
    hostile = HostileRepository(repository)
    subprocess.run(["git", *arguments], cwd=repository, capture_output=True, timeout=60)
    assert any(trace.startswith(program) for trace in hostile.ran())


def test_quick_commands_do_not_pay_for_git_or_pydantic():
    unwanted = {"subprocess", "asyncio", "tempfile", "random", "logging", "shutil", "pathlib", "pydantic"}
    modules = ", ".join(
        f"holdfast.storage.{name}"
        for name in ("files.atomic", "git.repository", "sql.sqlite", "files.work_tree")
    )
    code = f"import sys; before = set(sys.modules); import {modules}; print(*(set(sys.modules) - before))"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert unwanted.isdisjoint(imported.split())

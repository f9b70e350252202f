"""Files of the work tree: nothing outside is read or written, whatever lies in the way."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.kernel.errors import HoldfastError, InvalidPath, NotFound, TooLarge, Unavailable
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.temporary import TEMPORARY_SUFFIX
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import git
from tests.storage.hostile_paths import HOSTILE_PATHS

SECRET = b"the secret outside"


@pytest.fixture
def tree(repository: Path) -> Tree:
    (repository / "src").mkdir()
    (repository / "src" / "main.py").write_bytes(b"print()\n")
    Repository.at(repository).ignore(f"*{TEMPORARY_SUFFIX}")  # as the first write does, and no later one
    return Tree(Repository.at(repository))


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    directory = tmp_path / "repository_evil"
    directory.mkdir()
    (directory / "secret").write_bytes(SECRET)
    return directory


def snapshot(directory: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in directory.rglob("*")}


def test_what_was_written_is_read_back(tree):
    path = RepoPath.parse("src/new.txt")
    assert not tree.exists(path)
    tree.write(path, b"one")
    tree.write(path, b"two")
    assert tree.exists(path)
    assert tree.read_bytes(path, 3) == b"two"
    with tree.open_read(path) as file:
        assert file.read() == b"two"


def test_the_limit_of_a_read_is_exact(tree):
    path = RepoPath.parse("src/main.py")
    assert tree.read_bytes(path, 9) == tree.read_bytes(path, 8) == b"print()\n"
    with pytest.raises(TooLarge, match=r"src/main\.py"):
        tree.read_bytes(path, 7)


def test_a_missing_file_or_directory_is_named(tree):
    for text in ("nothing", "src/nothing", "no/where/at/all"):
        with pytest.raises(NotFound, match=text):
            tree.read_bytes(RepoPath.parse(text), 10)
    with pytest.raises(NotFound, match="no/where"):
        tree.write(RepoPath.parse("no/where"), b"x")


def test_a_directory_is_not_a_file(tree):
    assert not tree.exists(RepoPath.parse("src"))
    for action in (lambda path: tree.read_bytes(path, 10), lambda path: tree.write(path, b"x")):
        with pytest.raises(InvalidPath, match="'src'"):
            action(RepoPath.parse("src"))


def test_a_file_is_not_a_directory(tree):
    with pytest.raises(InvalidPath, match="not a directory"):
        tree.read_bytes(RepoPath.parse("src/main.py/x"), 10)


@pytest.mark.parametrize("text", HOSTILE_PATHS, ids=lambda text: ascii(text[:40]))
def test_a_hostile_path_touches_nothing_outside(tree, repository, outside, tmp_path, text):
    before = {**snapshot(outside), **snapshot(repository / ".git")}
    failures = _use(tree, text)
    assert not any(str(tmp_path) in failure.sentence() for failure in failures)
    assert {**snapshot(outside), **snapshot(repository / ".git")} == before
    assert sorted(os.listdir(tmp_path)) == ["home", "repository", "repository_evil"]


def _use(tree: Tree, text: str) -> list[HoldfastError]:
    """Do with a path what can be done, and return how it failed."""
    failures = []
    for action in (lambda path: tree.read_bytes(path, 100), lambda path: tree.write(path, b"pwned")):
        try:
            action(RepoPath.parse(text))
        except HoldfastError as failure:
            failures.append(failure)
    assert failures, "nothing of that name was there to be read"
    return failures


def links(repository: Path, outside: Path) -> dict[str, str]:
    """Links of every kind, by the path that goes through them."""
    os.symlink(outside / "secret", repository / "file-link")
    os.symlink(outside, repository / "directory-link")
    os.symlink("directory-link", repository / "chained-link")
    os.symlink("nowhere", repository / "dangling-link")
    os.symlink(outside / "planted", repository / "dangling-outside")
    os.symlink("loop-b", repository / "loop-a")
    os.symlink("loop-a", repository / "loop-b")
    os.symlink("src", repository / "inside-link")
    os.symlink("../.git", repository / "src" / "git-link")
    os.symlink("/proc/self/environ", repository / "proc-link")
    return {
        "file": "file-link",
        "directory": "directory-link/secret",
        "chain": "chained-link/secret",
        "dangling": "dangling-link",
        "dangling outside": "dangling-outside",
        "dangling directory": "dangling-link/x",
        "loop": "loop-a",
        "loop as a directory": "loop-a/x",
        "inside": "inside-link/main.py",
        "git directory": "src/git-link/config",
        "proc": "proc-link",
    }


def test_no_symbolic_link_is_followed_for_reading_or_writing(tree, repository, outside):
    ways = links(repository, outside)
    before = {**snapshot(outside), **snapshot(repository / ".git")}
    for text in ways.values():
        path = RepoPath.parse(text)
        assert not tree.exists(path)
        with pytest.raises(InvalidPath):
            tree.read_bytes(path, 1000)
        with pytest.raises(InvalidPath):
            tree.write(path, b"pwned")
    assert {**snapshot(outside), **snapshot(repository / ".git")} == before
    assert all((repository / text.split("/")[0]).is_symlink() for text in ways.values() if "src" not in text)


@contextmanager
def bound_socket(path: Path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    try:
        yield
    finally:
        server.close()


def test_fifos_devices_and_sockets_are_refused_without_waiting(tree, repository, monkeypatch):
    monkeypatch.chdir(repository)  # a socket's path may not be long
    os.mkfifo("fifo")
    names = ["fifo", "socket"]
    if os.geteuid() == 0:
        os.mknod("zero", 0o600 | 0o020000, os.makedev(1, 5))
        names.append("zero")
    with bound_socket(Path("socket")):
        for name in names:
            assert not tree.exists(RepoPath.parse(name))
            with pytest.raises(InvalidPath, match=name):
                tree.read_bytes(RepoPath.parse(name), 10)
            with pytest.raises(InvalidPath, match=name):
                tree.write(RepoPath.parse(name), b"x")


def test_a_write_leaves_the_other_name_of_a_hard_link_alone(tree, repository, outside):
    os.link(outside / "secret", repository / "hard")
    tree.write(RepoPath.parse("hard"), b"ours")
    assert (outside / "secret").read_bytes() == SECRET
    assert (repository / "hard").read_bytes() == b"ours"


def test_a_bare_repository_has_no_files_to_open(tmp_path, home):
    git(tmp_path, "init", "--quiet", "--bare", "bare.git")
    tree = Tree(Repository.at(tmp_path / "bare.git"))
    for action in (
        lambda: tree.read_bytes(RepoPath.parse("config"), 1000),
        lambda: tree.exists(RepoPath.parse("x")),
    ):
        with pytest.raises(Unavailable, match="bare"):
            action()


SWAPPER = """
import os, sys
repository, outside = sys.argv[1:]
os.chdir(repository)
os.symlink(outside, "link")
print("ready", flush=True)
while os.getppid() != 1:
    os.rename("swapped", "aside"); os.rename("link", "swapped")
    os.rename("swapped", "link"); os.rename("aside", "swapped")
"""


@contextmanager
def swapping(repository: Path, outside: Path):
    """Exchange the directory `swapped` and a link that leads outside, as fast as a process can."""
    swapper = subprocess.Popen(
        [sys.executable, "-c", SWAPPER, repository, outside], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert swapper.stdout is not None
        swapper.stdout.readline()
        yield
        assert swapper.poll() is None, "the swapper stopped too early"
    finally:
        swapper.kill()
        swapper.communicate()


@pytest.fixture
def swap_ground():
    """Memory, where there is some: 10,000 durable writes need not wait for a disk here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as directory:
        repository, outside = Path(directory, "repository"), Path(directory, "outside")
        (repository / "swapped").mkdir(parents=True)
        outside.mkdir()
        (repository / "swapped" / "secret").write_bytes(b"inside")
        (outside / "secret").write_bytes(SECRET)
        yield repository, outside


def test_a_directory_swapped_for_a_link_10000_times_never_leads_outside(swap_ground):
    repository, outside = swap_ground
    tree = Tree(Repository.at(repository))
    outcomes = {"inside": 0, "refused": 0}
    with swapping(repository, outside):
        for attempt in range(5_000):
            outcomes[_attempt_to_read(tree)] += 1
            outcomes[_attempt_to_write(tree, attempt)] += 1
    assert snapshot(outside) == {str(outside / "secret"): SECRET}
    print(f"symlink swap: {outcomes}")
    assert min(outcomes.values()) > 100, "the swap was never seen, so nothing was tested"


def _attempt_to_read(tree: Tree) -> str:
    try:
        assert tree.read_bytes(RepoPath.parse("swapped/secret"), 100) == b"inside"
    except (InvalidPath, NotFound):
        return "refused"
    return "inside"


def _attempt_to_write(tree: Tree, attempt: int) -> str:
    try:
        tree.write(RepoPath.parse(f"swapped/written-{attempt % 10}"), b"x")
    except (InvalidPath, NotFound):
        return "refused"
    return "inside"


def test_control_checking_first_and_opening_later_is_caught_by_the_same_swap(swap_ground):
    repository, outside = swap_ground
    root = os.path.realpath(repository)
    escapes = 0
    with swapping(repository, outside):
        for _ in range(20_000):
            try:
                if os.path.realpath(repository / "swapped" / "secret").startswith(root + os.sep):
                    escapes += (repository / "swapped" / "secret").read_bytes() == SECRET
            except OSError:
                continue
            if escapes:
                break
    assert escapes, "the swap is too slow to catch anything"


KILLED_WRITER = """
import os, signal, sys
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
os.replace = lambda *arguments, **options: os.kill(os.getpid(), signal.SIGKILL)
Tree(Repository.at(sys.argv[1])).write(RepoPath.parse("src/a.py.comments"), b"half")
"""


def killed_writers_file(repository: Path) -> Path:
    done = subprocess.run([sys.executable, "-c", KILLED_WRITER, str(repository)], timeout=60)
    assert done.returncode == -9
    [left] = (repository / "src").glob(".*")
    return left


def make_old(path: Path) -> None:
    os.utime(path, (1, 1))


def test_what_a_killed_writer_leaves_is_ignored_by_git_and_swept_by_the_next_write(tree, repository):
    (repository / ".git" / "info" / "exclude").write_bytes(b"")
    left = killed_writers_file(repository)
    git(repository, "add", "--all")
    assert git(repository, "ls-files") == "src/main.py"
    tree.write(RepoPath.parse("src/b.py.comments"), b"young ones stay")
    assert left.exists()
    make_old(left)
    Tree(Repository.at(repository)).write(RepoPath.parse("src/b.py.comments"), b"old ones go")
    assert not left.exists()
    # Control: it is our line that keeps git off it.
    left.write_bytes(b"half")
    (repository / ".git" / "info" / "exclude").write_bytes(b"")
    git(repository, "add", "--all")
    assert left.name in git(repository, "ls-files")


def test_a_writer_at_work_and_files_of_others_are_not_swept(tree, repository):
    names = [".a.0123456789abcdef.holdfast-tmp", "b.0123456789abcdef.holdfast-tmp", ".c.holdfast-tmp"]
    files = [repository / "src" / name for name in names]
    for file in files:
        file.write_bytes(b"half")
        make_old(file)
    with files[0].open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        tree.write(RepoPath.parse("src/new"), b"")
        assert all(file.exists() for file in files)
    assert tree.sweep(RepoPath.parse("src/new")) == names[:1]
    assert [file.exists() for file in files] == [False, True, True]

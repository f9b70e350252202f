"""Objects and refs written without git: byte for byte what git writes, and git where files are unusual."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.storage.git.command import Git
from holdfast.storage.git.commits.commit import EMPTY_TREES, DamagedCommit, NewCommit, signature
from holdfast.storage.git.commits.commit_writer import CommitWriter
from holdfast.storage.git.objects.object_format import ObjectFormat
from holdfast.storage.git.refs import RefLocked, RefMoved, Refs, is_abandoned_lock, ref_locked
from holdfast.storage.git.repository import Repository
from tests.reliability.samples import examples
from tests.storage.git_support import write_commit, write_empty_tree

REF = "refs/holdfast/log/a"


class Writing:
    """Everything one writer needs in one repository."""

    def __init__(self, path: Path) -> None:
        self.path = path
        repository = Repository.at(path)
        repository.ensure_store()
        assert repository.common_dir is not None
        self.git = Git(repository)
        self.refs = Refs(repository, self.git, "refs/holdfast/")
        self.writer = CommitWriter(self.git, self.refs, repository.common_dir)

    def append(self, text: str, tip: str | None = None) -> str:
        return self.writer.append(REF, tip, commit(text))


def commit(text: str, person: str = "Ada <ada@example.org>") -> NewCommit:
    return NewCommit(text, signature(person, 1_700_000_000), signature(person, 1_700_000_001))


def plain(path: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(path), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository_of(path: Path, *options: str) -> Path:
    subprocess.run(["git", "init", "--quiet", *options, str(path)], check=True)
    return path


@pytest.fixture
def writing_in() -> Iterator[Callable[[Path], Writing]]:
    with ExitStack() as stack:

        def open_one(path: Path) -> Writing:
            writing = Writing(path)
            stack.callback(writing.git.close)
            return writing

        yield open_one


@pytest.fixture
def writing(repository: Path, writing_in: Callable[[Path], Writing]) -> Writing:
    return writing_in(repository)


# What Unicode says is no character, git takes for broken text and writes as something else; we keep it.
NO_CHARACTERS = "".join(
    map(
        chr,
        [*range(0xFDD0, 0xFDF0), *(plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF))],
    )
)
TEXTS = st.characters(codec="utf-8", exclude_characters="\0" + NO_CHARACTERS)


@given(st.text(TEXTS, max_size=60), st.text(TEXTS, max_size=20))
@settings(
    max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_a_commit_has_the_id_that_git_gives_it(writing: Writing, text: str, person: str):
    new = commit(f"Subject\n\n{text}\n", person.encode("utf-8", "ignore").decode())
    ours = writing.writer.append(f"refs/holdfast/log/{os.urandom(8).hex()}", None, new)
    assert ours == write_commit(writing.git, write_empty_tree(writing.git), None, new)


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",), ("--bare",)])
def test_git_reads_what_was_written_and_finds_nothing_wrong(
    home: Path, tmp_path: Path, writing_in, options: tuple[str]
):
    writing = writing_in(repository_of(tmp_path / "r", *options))
    first = writing.append("one\n")
    second = writing.append("two\n", first)
    assert writing.writer.format.is_plain
    assert plain(writing.path, "log", "--format=%H %P %s", REF) == f"{second} {first} two\n{first}  one"
    assert plain(writing.path, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.parametrize(
    "setting", ["core.sharedRepository=group", "core.logAllRefUpdates=always", "extensions.something=new"]
)
def test_where_files_are_unusual_git_writes_them(home: Path, tmp_path: Path, writing_in, setting: str):
    path = repository_of(tmp_path / "r")
    plain(path, "config", *setting.split("="))
    writing = writing_in(path)
    assert not writing.writer.format.is_plain
    assert writing.append("one\n") == plain(path, "rev-parse", REF)
    if "log" in setting:
        assert (path / ".git" / "logs" / REF).exists()


def test_a_tip_that_is_packed_or_changed_by_git_is_built_upon(writing: Writing):
    first = writing.append("one\n")
    plain(writing.path, "gc", "--quiet", "--prune=now")
    assert not (writing.path / ".git" / REF).exists()
    second = writing.append("two\n", first)
    plain(writing.path, "pack-refs", "--all")
    assert writing.refs.tips() == {REF: second}
    writing.append("three\n", second)
    assert plain(writing.path, "rev-list", "--count", REF) == "3"


def test_a_ref_is_moved_only_from_the_value_that_was_seen(writing: Writing):
    first = writing.append("one\n")
    with pytest.raises(RefMoved):
        writing.append("two\n")
    with pytest.raises(RefMoved):
        writing.writer.append("refs/holdfast/log/b", first, commit("two\n"))
    assert writing.refs.tips() == {REF: first}
    assert not [name for name in os.listdir(writing.path / ".git/refs/holdfast/log") if "lock" in name]


def test_a_lock_of_somebody_else_is_respected_and_left(writing: Writing):
    first = writing.append("one\n")
    lock = writing.path / ".git" / f"{REF}.lock"
    lock.touch()
    with pytest.raises(RefLocked):
        writing.append("two\n", first)
    assert lock.exists()
    assert writing.refs.tips() == {REF: first}


@pytest.fixture
def left_lock(writing: Writing, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lock of a writer that was killed just before it moved the ref from the first commit."""
    first = writing.append("one\n")
    child = os.fork()
    if child == 0:
        rename = os.rename
        monkeypatch.setattr(
            os, "rename", lambda old, new: os._exit(0) if new.endswith(REF) else rename(old, new)
        )
        writing.append("lost\n", first)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert writing.refs.tips() == {REF: first}
    lock = writing.path / ".git" / f"{REF}.lock"
    assert lock.exists()
    return lock


def test_a_lock_that_a_killed_writer_of_ours_left_is_known_and_removed_by_the_next(
    writing: Writing, left_lock: Path
):
    common = str(writing.path / ".git")
    assert is_abandoned_lock(common, str(left_lock), remove=False)
    writing.append("two\n", writing.refs.tips()[REF])
    assert not left_lock.exists()
    assert plain(writing.path, "log", "--format=%s", REF) == "two\none"
    assert os.listdir(writing.path / ".git" / "holdfast") == []


def test_a_ref_that_is_packed_as_soon_as_it_has_moved_has_moved(writing: Writing):
    tip = writing.append("one\n")
    common = str(writing.path / ".git")
    with ref_locked(common, REF, tip, wait=0) as give_value:
        give_value()
        plain(writing.path, "pack-refs", "--all", "--prune")
    assert writing.refs.tips() == {REF: tip}


def test_a_lock_that_somebody_holds_or_that_is_not_ours_is_no_left_lock(writing: Writing, left_lock: Path):
    common = str(writing.path / ".git")
    descriptor = os.open(left_lock, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert not is_abandoned_lock(common, str(left_lock), remove=True)
    os.close(descriptor)
    with ref_locked(common, "refs/holdfast/log/b", "0" * 40, wait=0):
        assert not is_abandoned_lock(common, f"{common}/refs/holdfast/log/b.lock", remove=True)
    content = left_lock.read_bytes()
    left_lock.unlink()
    left_lock.write_bytes(content)
    assert not is_abandoned_lock(common, str(left_lock), remove=True), (
        "the same words in another file are git's"
    )
    assert left_lock.exists()


def test_the_doctor_names_a_left_lock_and_removes_it_when_asked(
    writing: Writing, left_lock: Path, run_holdfast
):
    said = run_holdfast("doctor", cwd=writing.path).stdout
    assert f"{REF}.lock: A dead process left a lock. `holdfast doctor --fix`" in said
    assert left_lock.exists()
    assert (
        f"{REF}.lock: A dead process left a lock. Fixed."
        in run_holdfast("doctor", "--fix", cwd=writing.path).stdout
    )
    assert not left_lock.exists()


def test_a_ref_that_git_packs_while_it_is_flushed_is_no_failure(writing: Writing):
    writing.append("one\n")
    plain(writing.path, "pack-refs", "--all", "--prune")
    assert not (writing.path / ".git" / REF).parent.exists()
    writing.refs.flush(REF)


def test_an_empty_directory_in_the_way_is_no_obstacle(writing: Writing):
    (writing.path / ".git" / REF).mkdir(parents=True)
    assert writing.append("one\n") == plain(writing.path, "rev-parse", REF)


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_tip_is_not_built_upon(writing: Writing, damage: bytes | None):
    first = writing.append("one\n")
    path = writing.path / ".git" / "objects" / "pack" / f"pack-{first}.pack"
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    with pytest.raises(DamagedCommit):
        writing.append("two\n", first)
    assert writing.refs.tips() == {REF: first}


def test_what_git_would_clean_from_a_name_is_cleaned(writing: Writing):
    person = signature(" .,'Ada\\ Lovelace\" < ada@example.org;\n>", 1)
    assert person.name == "Ada\\ Lovelace"
    assert person.email == "ada@example.org"


def test_where_git_writes_a_ref_that_moved_or_is_locked_is_left(home: Path, tmp_path: Path, writing_in):
    path = repository_of(tmp_path / "r")
    plain(path, "config", "core.sharedRepository", "group")
    writing = writing_in(path)
    first = writing.append("one\n")
    with pytest.raises(RefMoved):
        writing.append("two\n")
    (path / ".git" / f"{REF}.lock").touch()
    with pytest.raises(RefLocked):
        writing.append("two\n", first)
    assert writing.refs.tips() == {REF: first}
    assert [name for name in os.listdir(path / ".git") if "crash" in name] == []


@pytest.mark.parametrize(("algorithm", "empty_tree"), list(zip(("sha1", "sha256"), EMPTY_TREES, strict=True)))
def test_an_id_has_the_hash_of_the_repository_whatever_was_asked_before(
    tmp_path: Path, algorithm: str, empty_tree: str
):
    repository = Repository.at(repository_of(tmp_path, f"--object-format={algorithm}"))
    with Git(repository) as git:
        assert ObjectFormat(git).object_id("tree", b"") == empty_tree

"""Commits in packs of ours: git reads them, takes none of them away, and there are never many."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.storage.git.objects.packs import Packs
from tests.storage.git.test_commits import REF, Writing, commit, plain, repository_of
from tests.storage.git_support import git, write_commit, write_empty_tree

MANY = 150
MAX_PACKS = 25


def files(writing: Writing, suffix: str) -> list[str]:
    return sorted(name for name in os.listdir(packs_of(writing)) if name.endswith(suffix))


def packs_of(writing: Writing) -> Path:
    return writing.path / ".git" / "objects" / "pack"


def append_many(writing: Writing, number: int, tip: str | None = None) -> str:
    for count in range(number):
        tip = writing.append(f"{count}\n", tip)
    assert tip is not None
    return tip


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)])
def test_many_commits_are_in_few_packs_that_git_finds_sound(
    home: Path, tmp_path: Path, writing_in: Callable[[Path], Writing], options: tuple[str, ...]
):
    writing = writing_in(repository_of(tmp_path / "r", *options))
    append_many(writing, MANY)
    assert plain(writing.path, "rev-list", "--count", REF) == str(MANY)
    assert plain(writing.path, "fsck", "--strict", "--no-dangling") == ""
    assert plain(writing.path, "count-objects") == "0 objects, 0 kilobytes"
    assert 1 < len(files(writing, ".pack")) < MAX_PACKS
    for name in files(writing, ".pack"):
        plain(writing.path, "verify-pack", str(packs_of(writing) / name))
    for name in files(writing, ".idx"):
        os.utime(packs_of(writing) / name, (0, 0))
    writing_in(writing.path).append("last\n", writing.refs.tips()[REF])
    assert len(os.listdir(packs_of(writing))) == 2 * len(files(writing, ".pack")), "nothing is left behind"


CLEANING = {
    "prune": ("prune",),
    "repack": ("repack", "-a", "-d", "-q"),
    "gc": ("gc", "--quiet"),
    "gc now": ("gc", "--quiet", "--prune=now"),
    "an index of packs": ("multi-pack-index", "write"),
}


@pytest.mark.parametrize("cleaning", CLEANING)
@pytest.mark.parametrize("before", [1, 15])
def test_git_takes_nothing_away_between_the_commit_and_its_ref(
    writing: Writing, monkeypatch: pytest.MonkeyPatch, cleaning: str, before: int
):
    """Fifteen commits before: the new pack takes the place of theirs."""
    tip = append_many(writing, before)
    advance = writing.refs.advance

    def clean_first(ref: str, new: str, old: str | None) -> None:
        plain(writing.path, *CLEANING[cleaning])
        advance(ref, new, old)

    monkeypatch.setattr(writing.refs, "advance", clean_first)
    writing.append("kept\n", tip)
    assert plain(writing.path, "fsck", "--strict", "--no-dangling") == ""
    assert plain(writing.path, "rev-list", "--count", REF) == str(before + 1)
    assert files(writing, ".keep") == []
    plain(writing.path, "gc", "--quiet", "--prune=now")
    assert plain(writing.path, "rev-list", "--count", REF) == str(before + 1)


@pytest.mark.evidence("B6", "all rooms", control="a commit in a file of its own")
def test_control_a_loose_commit_is_taken_away_between_the_commit_and_its_ref(writing: Writing):
    first = writing.append("one\n")
    loose = write_commit(writing.git, write_empty_tree(writing.git), first, commit("lost\n"))
    plain(writing.path, *CLEANING["prune"])
    assert plain(writing.path, "cat-file", "--batch-check", "--batch-all-objects").count("commit") == 1
    assert loose not in plain(writing.path, "cat-file", "--batch-check", "--batch-all-objects")


def slow_prune(path: Path) -> Callable[[], None]:
    """Return the second half of a `git prune` that has looked at the refs already."""
    names = [line.split()[0] for line in plain(path, "prune", "--dry-run").splitlines()]
    return lambda: [(path / ".git" / "objects" / name[:2] / name[2:]).unlink() for name in names] and None


def test_a_prune_that_saw_the_old_refs_takes_nothing_away_after_the_ref_moved(
    writing: Writing, monkeypatch: pytest.MonkeyPatch
):
    advance = writing.refs.advance
    second_halves = []

    def begin_pruning_first(ref: str, new: str, old: str | None) -> None:
        second_halves.append(slow_prune(writing.path))
        advance(ref, new, old)

    monkeypatch.setattr(writing.refs, "advance", begin_pruning_first)
    writing.append("kept\n")
    second_halves[0]()
    assert plain(writing.path, "fsck", "--strict", "--no-dangling") == ""


def test_control_a_prune_that_saw_the_old_refs_takes_a_loose_commit_away_later(writing: Writing):
    loose = write_commit(writing.git, write_empty_tree(writing.git), None, commit("lost\n"))
    second_half = slow_prune(writing.path)
    writing.refs.move(REF, loose, None)
    assert plain(writing.path, "log", "--format=%s", REF) == "lost", "a look at this moment sees no harm"
    second_half()
    assert loose not in plain(writing.path, "cat-file", "--batch-check", "--batch-all-objects")


@pytest.mark.parametrize("setting", ["core.sharedRepository=group"])
def test_where_git_writes_a_commit_there_is_nothing_that_a_prune_could_take(writing: Writing, setting: str):
    plain(writing.path, "config", *setting.split("="))
    name = writing.append("kept\n")
    assert not (writing.path / ".git" / "objects" / name[:2] / name[2:]).exists()
    plain(writing.path, "update-ref", "-d", REF)
    second_half = slow_prune(writing.path)  # as one that began before the ref was there
    plain(writing.path, "update-ref", REF, name)
    second_half()
    assert plain(writing.path, "fsck", "--strict", "--no-dangling") == ""
    assert plain(writing.path, "log", "--format=%s", REF) == "kept"


@pytest.mark.parametrize("step", [".keep", ".pack", ".idx", "the ref"])
def test_what_a_killed_writer_leaves_is_gone_after_the_next_write(
    writing: Writing, monkeypatch: pytest.MonkeyPatch, step: str
):
    first = writing.append("one\n")
    child = os.fork()
    if child == 0:
        rename, advance = os.rename, writing.refs.advance

        def die_after(source: str, target: str) -> None:
            rename(source, target)
            if target.endswith(step):
                os._exit(0)

        def die_with_the_ref(ref: str, new: str, old: str | None) -> None:
            advance(ref, new, old)
            os._exit(0)

        monkeypatch.setattr(os, "rename", die_after)
        monkeypatch.setattr(writing.refs, "advance", die_with_the_ref)
        writing.append("two\n", first)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(files(writing, ".keep")) == 1
    tip = writing.refs.tips()[REF]
    assert (tip == first) == (step != "the ref")
    writing.append("three\n", tip)
    assert files(writing, ".keep") == []
    assert len(files(writing, ".pack")) == len(files(writing, ".idx"))
    plain(writing.path, "gc", "--quiet", "--prune=now")
    assert plain(writing.path, "rev-list", "--count", REF) == ("3" if step == "the ref" else "2")


def test_what_somebody_else_keeps_stays_kept(writing: Writing):
    first = writing.append("one\n")
    others = [packs_of(writing) / f"pack-{first}.keep", packs_of(writing) / "pack-of-another.keep"]
    for other in others:
        other.write_text("fetch-pack 12 on here\n")
    append_many(writing, 40, first)
    assert all(other.exists() for other in others)
    assert others[0].with_suffix(".pack").exists()


@pytest.mark.parametrize("is_younger", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_index_of_packs_that_comes_too_late_hides_nothing(
    writing: Writing, monkeypatch: pytest.MonkeyPatch, is_younger: bool
):
    """Git lists the packs while the larger one and those it replaces are there; the control hides them."""
    tip = append_many(writing, 15)
    advance, index = writing.refs.advance, packs_of(writing) / "multi-pack-index"

    def list_first(ref: str, new: str, old: str | None) -> None:
        if not is_younger:
            os.utime(packs_of(writing) / f"pack-{new}.pack", (1e9, 1e9))
        plain(writing.path, "multi-pack-index", "write")
        index.rename(writing.path / "late")
        advance(ref, new, old)

    monkeypatch.setattr(writing.refs, "advance", list_first)
    writing.append("kept\n", tip)
    assert len(files(writing, ".pack")) == 1
    (writing.path / "late").rename(index)
    assert (git(writing.path, "rev-list", "--count", REF, check=False) == "16") == is_younger


@pytest.mark.parametrize("sign", ["gc.pid", "objects/pack/multi-pack-index"])
def test_no_pack_is_taken_away_from_git_while_it_counts_on_them(writing: Writing, sign: str):
    tip = append_many(writing, 3)
    (writing.path / ".git" / sign).write_text("1 here")
    tip = append_many(writing, 17, tip)
    assert len(files(writing, ".pack")) == 20
    (writing.path / ".git" / sign).unlink()
    append_many(writing, 16, tip)
    assert len(files(writing, ".pack")) < 20


def test_a_gc_that_died_half_a_day_ago_is_not_waited_for(writing: Writing):
    (writing.path / ".git" / "gc.pid").write_text("1 here")
    os.utime(writing.path / ".git" / "gc.pid", (0, 0))
    append_many(writing, 20)
    assert len(files(writing, ".pack")) < 20


@pytest.mark.parametrize("damage", [b"", b"PACK" + b"\0" * 40])
@pytest.mark.parametrize("suffix", [".pack", ".idx"])
def test_a_damaged_pack_is_left_as_it_is(writing: Writing, damage: bytes, suffix: str):
    first = append_many(writing, 2)
    append_many(writing, 12, first)
    damaged = packs_of(writing) / f"pack-{first}{suffix}"
    damaged.unlink()
    damaged.write_bytes(damage)
    append_many(writing, 20, writing.refs.tips()[REF])
    assert damaged.read_bytes() == damage


def test_a_pack_that_is_not_named_after_a_commit_is_none_of_ours(writing: Writing):
    first = writing.append("one\n")
    packs = Packs(str(writing.path / ".git"), writing.writer.format.digest)
    assert packs.read(first) is not None
    for suffix in (".pack", ".idx"):
        os.rename(packs_of(writing) / f"pack-{first}{suffix}", packs_of(writing) / f"pack-{'a' * 40}{suffix}")
    assert packs.read(first) is None
    assert packs.read("a" * 40) is None


@pytest.mark.parametrize("suffix", [".pack", ".idx"])
def test_nobody_waits_for_a_pack_that_is_a_pipe(writing: Writing, suffix: str):
    tip = writing.append("one\n")
    packs = Packs(str(writing.path / ".git"), writing.writer.format.digest)
    assert packs.read(tip) is not None
    file = packs_of(writing) / f"pack-{tip}{suffix}"
    file.unlink()
    os.mkfifo(file)
    assert packs.read(tip) is None

"""A sidecar in which git left a conflict is damage, and both sides of it come back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast.comments.errors import CommentFileCorrupted
from holdfast.comments.store import Comments
from holdfast.comments.union.recovery import SidecarCheck
from holdfast.doctor import CheckStores, Finding, StoreRoom, check_stores
from holdfast.storage.git.repository import Repository
from tests.comments.making import PYTHON, annotate, comment

MOMENT = datetime(2025, 11, 15, 12, 0, tzinfo=UTC)


def git(root: Path, *arguments: str) -> None:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *named, *arguments], cwd=root, capture_output=True, check=False)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Comments]:
    """A repository in the middle of a merge that git could not finish, without our driver."""
    annotate(tmp_path, "a.py", PYTHON, comment(1, 4, "one"))
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for branch, notes in (
        ("main", [comment(1, 4, "one")]),
        ("other", [comment(1, 4, "one"), comment(3, 5, "theirs")]),
        ("main", [comment(1, 4, "one"), comment(2, 9, "ours")]),
    ):
        git(tmp_path, "checkout", "--quiet", "main")
        if branch == "other":
            git(tmp_path, "checkout", "--quiet", "-b", "other")
        annotate(tmp_path, "a.py", PYTHON, *notes)
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message=Change")
    git(tmp_path, "merge", "other")
    room = Comments(Repository.discover(tmp_path), clock=lambda: MOMENT)
    yield room
    room.close()


def findings(room: Comments, *, fix: bool = False) -> list[Finding]:
    stores = StoreRoom(room.repository, lambda: {"comments": SidecarCheck(room)})
    found = check_stores(stores, CheckStores(fix=fix)).findings
    return [one for one in found if one.store == "comments"]


@pytest.mark.requirement("comments-95")
def test_a_conflicted_sidecar_is_damage_and_is_left_alone(room, tmp_path):
    place = tmp_path / "a.py.comments"
    before = place.read_bytes()
    assert b"<<<<<<<" in before
    with pytest.raises(CommentFileCorrupted) as failure:
        room.load("a.py")
    assert "conflict" in str(failure.value.data["reason"])
    [found] = findings(room)
    assert (found.severity, found.path, found.fixed) == ("damaged", "a.py.comments", False)
    assert "--fix" in str(found.next_step)
    assert place.read_bytes() == before


@pytest.mark.requirement("comments-recover")
def test_fixing_unites_both_sides_and_keeps_the_damaged_bytes(room, tmp_path):
    before = (tmp_path / "a.py.comments").read_bytes()
    [found] = findings(room, fix=True)
    assert found.fixed
    assert {note.text for note in room.load("a.py").comments} == {"one", "ours", "theirs"}
    assert (tmp_path / "a.py.backup-20251115T120000Z.comments").read_bytes() == before
    assert findings(room) == []
    assert list(room.sidecar_paths()) == ["a.py"]


@pytest.mark.requirement("comments-recover")
def test_a_comment_that_one_side_deleted_does_not_come_back(room, tmp_path):
    git(tmp_path, "merge", "--abort")
    git(tmp_path, "branch", "--force", "both", "main")
    annotate(tmp_path, "a.py", PYTHON, comment(1, 4, "one"))
    git(tmp_path, "commit", "--quiet", "--all", "--message=Delete")
    git(tmp_path, "checkout", "--quiet", "both")
    annotate(tmp_path, "a.py", PYTHON, comment(1, 4, "one"), comment(2, 9, "ours"), comment(4, 5, "more"))
    git(tmp_path, "commit", "--quiet", "--all", "--message=Add")
    git(tmp_path, "merge", "main")
    conflicted = (tmp_path / "a.py.comments").read_bytes()
    assert b"<<<<<<<" in conflicted
    assert b"|||||||" not in conflicted, "the file itself does not say what both sides come from"
    findings(room, fix=True)
    assert {note.text for note in room.load("a.py").comments} == {"one", "more"}


def test_sides_that_make_no_sense_alone_are_taken_from_gits_index(room, tmp_path):
    place = tmp_path / "a.py.comments"
    before = place.read_bytes().replace(b'{\n  "file"', b'<\n  "file"', 1)
    place.write_bytes(before)
    [found] = findings(room, fix=True)
    assert found.fixed
    assert {note.text for note in room.load("a.py").comments} == {"one", "ours", "theirs"}
    assert (tmp_path / "a.py.backup-20251115T120000Z.comments").read_bytes() == before


def test_an_earlier_backup_is_never_replaced(room, tmp_path):
    first = tmp_path / "a.py.backup-20251115T120000Z.comments"
    first.write_text("earlier")
    findings(room, fix=True)
    assert first.read_text() == "earlier"
    assert b"<<<<<<<" in (tmp_path / "a.py.backup-20251115T120000Z-1.comments").read_bytes()


def test_other_damage_is_reported_and_never_touched(room, tmp_path):
    findings(room, fix=True)
    (tmp_path / "b.py.comments").write_text("{ not JSON")
    [found] = findings(room, fix=True)
    assert (found.severity, found.path, found.fixed) == ("damaged", "b.py.comments", False)
    assert (tmp_path / "b.py.comments").read_text() == "{ not JSON"


def test_a_sidecar_that_is_no_file_hides_no_other(room, tmp_path):
    os.mkfifo(tmp_path / "a.pipe.comments")
    (tmp_path / "b.link.comments").symlink_to("a.py.comments")
    found = {str(one.path): one.severity for one in findings(room)}
    assert found == {"a.pipe.comments": "damaged", "a.py.comments": "damaged", "b.link.comments": "warning"}

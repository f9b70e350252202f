"""Twenty thousand issues: pages, appends and a rebuild, and no burden on ordinary git."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.index.query import EVERYTHING, EntityQuery
from holdfast.milestones.store import Milestones
from tests.milestones.clones import git, new_repository, opened

ISSUES = 20_000


@pytest.fixture
def many(repository: Path) -> Iterator[Milestones]:
    with opened(repository) as room:
        room.import_drafts(
            EntityDraft(
                "issue", f"Issue {number}", description="Words " * 20, labels=(f"area-{number % 20}",)
            )
            for number in range(ISSUES)
        )
        yield room


@pytest.mark.requirement("milestones-52")
def test_a_page_an_append_and_a_rebuild_hold_at_this_size(repository: Path, many: Milestones):
    rebuilt(repository)
    first = many.find(EntityQuery("issue"))
    second = many.find(EntityQuery("issue", after=first.next))
    assert len(second.items) == len(first.items)
    assert not {item.id for item in first.items} & {item.id for item in second.items}
    many.comment(first.items[0].id, "Hm")
    assert [comment.body for comment in many.get("issue", first.items[0].id).comments] == ["Hm"]


def rebuilt(repository: Path) -> None:
    for path in (repository / ".git" / "holdfast").glob("milestones*.sqlite*"):
        path.unlink()
    with opened(repository) as room:
        assert room.count("issue", EVERYTHING) == ISSUES


@pytest.mark.requirement("milestones-54")
def test_ordinary_git_neither_sees_nor_carries_the_issues(repository: Path, many: Milestones, tmp_path: Path):
    hub = new_repository(tmp_path / "hub", "--bare")
    git(repository, "remote", "add", "origin", str(hub))
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "First")
    git(repository, "push", "--quiet", "origin", "main")
    many.sync()
    assert len(git(repository, "ls-remote", "origin").splitlines()) == 3, "HEAD, the branch, and one log"
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", f"file://{hub}", str(clone)], check=True)
    objects = git(clone, "count-objects", "-v").splitlines()
    counts = {key: int(value) for key, value in (line.split(": ") for line in objects)}
    assert counts["count"] + counts["in-pack"] == 2, "a commit and its tree"
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "Second")
    sent = subprocess.run(
        ["git", "push", "--progress", "origin", "main"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Total 1 " in sent.stderr, "one commit, and nothing of the logs"
    git(clone, "fetch", "--quiet")
    assert "holdfast" not in git(clone, "for-each-ref")
    assert "refs/holdfast" not in git(repository, "log", "--decorate=full", "--format=%d", "-1")
    assert "holdfast" not in git(repository, "branch", "--all")
    shutil.rmtree(clone)

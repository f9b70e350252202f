"""What another program writes from its memory loses nothing of ours, and takes away what it deleted."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from holdfast.storage.git.command import Git
from tests.comments.conftest import Desk
from tests.comments.sources import PATH, STORED


class Extension:
    """A program that reads a sidecar once, and from then on writes what it has in memory."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.memory: dict[str, Any] = {"file": PATH, "version": "2.1.0", "ghostMarkers": [], "comments": []}

    def reload(self) -> None:
        self.memory = self._desk.sidecar(PATH)

    def add(self, name: str) -> None:
        created = "2025-10-19T15:31:00.000Z"
        comment = {"id": name, "line": 1, "text": name, "author": "A", "created": created, "updated": created}
        self.memory["comments"].append(comment)
        self.save()

    def delete(self, name: str) -> None:
        self.memory["comments"] = [one for one in self.memory["comments"] if one["id"] != name]
        self.save()

    def save(self) -> None:
        self._desk.write(f"{PATH}.comments", json.dumps(self.memory, indent=2, ensure_ascii=False))


@pytest.fixture
def extension(desk: Desk) -> Extension:
    return Extension(desk)


def stored(desk: Desk) -> set[str]:
    return {item.get("storedId", item["id"]) for item in desk.show(PATH)}


def on_disk(desk: Desk) -> set[str]:
    return {comment["id"] for comment in desk.sidecar(PATH)["comments"]}


def test_a_comment_that_was_overwritten_from_memory_comes_back(desk: Desk, extension: Extension) -> None:
    ours = desk.add(PATH, STORED, "keep me")
    extension.add("theirs")
    assert on_disk(desk) == {"theirs"}
    assert stored(desk) == {ours, "theirs"}
    later = desk.add(PATH, 1)
    assert on_disk(desk) == {ours, "theirs", later}
    markers = desk.sidecar(PATH)["ghostMarkers"]
    assert {name for marker in markers for name in marker["commentIds"]} == {ours, "theirs", later}


def test_it_comes_back_as_often_as_it_is_overwritten(desk: Desk, extension: Extension) -> None:
    ours = desk.add(PATH, STORED)
    for number in range(3):
        extension.add(f"theirs-{number}")
        desk.scan()
        assert ours in on_disk(desk)


def test_an_edit_that_was_overwritten_comes_back(desk: Desk, extension: Extension) -> None:
    ours = desk.add(PATH, STORED, "old")
    extension.reload()
    desk.run("edit_comment", filePath=PATH, commentId=ours, text="new")
    extension.add("theirs")
    assert {item["text"] for item in desk.show(PATH)} == {"new", "theirs"}


def test_what_we_deleted_stays_deleted(desk: Desk, extension: Extension) -> None:
    ours = desk.add(PATH, STORED)
    desk.run("delete_comment", filePath=PATH, commentId=ours)
    extension.add("theirs")
    assert stored(desk) == {"theirs"}


def test_what_the_other_program_wrote_before_it_may_delete(desk: Desk, extension: Extension) -> None:
    ours = desk.add(PATH, STORED)
    extension.reload()
    extension.add("theirs")
    assert stored(desk) == {ours, "theirs"}
    extension.delete(ours)
    assert stored(desk) == {"theirs"}
    desk.scan()
    assert on_disk(desk) == {"theirs"}


def test_what_the_other_program_read_it_may_delete(desk: Desk, extension: Extension) -> None:
    first, second = desk.add(PATH, STORED), desk.add(PATH, 1)
    extension.reload()
    extension.delete(first)
    assert stored(desk) == {second}


def test_git_may_take_comments_away_and_bring_them_back(desk: Desk, extension: Extension) -> None:
    extension.add("theirs")
    desk.commit("Theirs")
    desk.git("checkout", "--quiet", "-b", "other")
    ours = desk.add(PATH, STORED)
    desk.commit("Ours")
    desk.git("checkout", "--quiet", "main")
    assert stored(desk) == {"theirs"}
    desk.add(PATH, 1)
    assert ours not in on_disk(desk)
    desk.git("checkout", "--quiet", "--force", "other")
    assert stored(desk) == {"theirs", ours}


def test_a_program_on_another_branch_is_not_given_what_git_took(desk: Desk, extension: Extension) -> None:
    extension.add("theirs")
    desk.commit("Theirs")
    desk.git("checkout", "--quiet", "-b", "other")
    ours = desk.add(PATH, STORED)
    desk.commit("Ours")
    desk.git("checkout", "--quiet", "main")
    # Nobody of us has looked since the branch changed.
    extension.reload()
    extension.add("more")
    assert stored(desk) == {"theirs", "more"}
    assert ours not in stored(desk)


def test_a_sidecar_that_was_removed_is_not_made_again_by_reading(desk: Desk) -> None:
    desk.add(PATH, STORED)
    os.unlink(desk.root / f"{PATH}.comments")
    assert desk.show(PATH) == []
    assert list(desk.room.sidecar_paths()) == []


def test_two_servers_see_each_others_comments(desk: Desk, open_comments: Any) -> None:
    other: Desk = open_comments(desk.root)
    names = {desk.add(PATH, 1), other.add(PATH, 2), desk.add(PATH, 3), other.add(PATH, 4)}
    assert on_disk(desk) == names
    assert stored(desk) == stored(other) == names


def test_outside_git_the_same_rules_hold(plain: Desk) -> None:
    extension = Extension(plain)
    ours = plain.add(PATH, STORED)
    extension.add("theirs")
    assert stored(plain) == {ours, "theirs"}
    plain.scan()
    extension.reload()
    extension.add("more")
    extension.delete(ours)
    assert stored(plain) == {"theirs", "more"}


def test_git_is_asked_once_for_all_comments_that_vanished(
    desk: Desk, extension: Extension, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.commit()
    names = {desk.add(PATH, STORED, f"note {number}") for number in range(5)}
    extension.add("theirs")
    logs: list[str] = []
    execute = Git.execute

    def counted(self: Git, *arguments: str, **more: Any) -> Any:
        logs.extend(one for one in arguments if one == "--all")
        return execute(self, *arguments, **more)

    monkeypatch.setattr(Git, "execute", counted)
    assert stored(desk) >= names
    assert len(logs) == 1
    assert stored(desk) >= names
    assert len(logs) == 1

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.inbox import changed_lines as lookups
from holdfast.inbox.store import Inbox
from tests.inbox.conftest import Reader

Commit = Callable[[str, str], None]

LINES = [f"line {number}\n" for number in range(1, 41)]


def edited(*numbers: int) -> str:
    return "".join(f"changed {n}\n" if n in numbers else LINES[n - 1] for n in range(1, 41))


@pytest.mark.requirement("inbox-60")
def test_where_no_line_is_given_the_changed_ranges_are_offered(
    repository: Path, commit: Commit, room: Inbox, reader: Reader
):
    commit("a.py", "".join(LINES))
    (repository / "a.py").write_text(edited(10, 11, 12, 13, 14, 30), encoding="utf-8")
    room.send("a.py", "What about these?")
    assert "\nLine: 10-14, 30\n" in reader.read("lazygit://messages")
    (message,) = reader.run("check_lazygit_messages").wire()["messages"]
    assert (message["line"], message["changed_lines"]) == (None, "10-14, 30")


def test_a_line_that_was_given_stands_alone(repository: Path, commit: Commit, room: Inbox, reader: Reader):
    commit("a.py", "".join(LINES))
    (repository / "a.py").write_text(edited(10), encoding="utf-8")
    room.send("a.py", "This one", "30")
    (message,) = reader.run("check_lazygit_messages").wire()["messages"]
    assert (message["line"], message["changed_lines"]) == ("30", None)


@pytest.mark.parametrize("place", ["removed line 3", "the whole file"])
def test_a_remark_that_says_what_it_is_about_gets_no_lines(
    repository: Path, commit: Commit, room: Inbox, reader: Reader, place: str
):
    commit("a.py", "".join(LINES))
    (repository / "a.py").write_text(edited(10), encoding="utf-8")
    room.send("a.py", f"About the work tree, {place}:\n\nSplit it")
    assert "Line:" not in reader.check()
    room.send("a.py", "About the work tree, somewhere:\n\nSplit it")
    assert "\nLine: 10\n" in reader.check()


def test_a_new_file_has_changed_from_its_first_line_to_its_last(
    repository: Path, room: Inbox, reader: Reader
):
    (repository / "new.py").write_text("one\ntwo\n", encoding="utf-8")
    room.send("new.py", "All new")
    assert "\nLine: 1-2\n" in reader.check()


@pytest.mark.parametrize("content", [b"same\n", b"\0binary"])
def test_a_file_without_changed_lines_has_no_line(
    repository: Path, commit: Commit, room: Inbox, reader: Reader, content: bytes
):
    commit("a.py", "same\n")
    (repository / "a.py").write_bytes(content)
    room.send("a.py", "Hm")
    assert "Line:" not in reader.check()


def test_the_ranges_are_those_of_the_first_hand_over(
    repository: Path, commit: Commit, room: Inbox, reader: Reader
):
    commit("a.py", "".join(LINES))
    (repository / "a.py").write_text(edited(10), encoding="utf-8")
    receipt = room.send("a.py", "Hm")
    assert "\nLine: 10\n" in reader.check(answered=False)
    (repository / "a.py").write_text(edited(20), encoding="utf-8")
    assert "\nLine: 10\n" in reader.check()
    assert room.find(receipt.id).changed_lines == "10"


def test_sending_and_listing_start_no_git(
    repository: Path, commit: Commit, reader: Reader, monkeypatch: pytest.MonkeyPatch
):
    commit("a.py", "one\n")
    (repository / "a.py").write_text("two\n", encoding="utf-8")
    monkeypatch.setattr(lookups, "Git", None)
    reader.run("send_message", file="a.py", comment="Hm")
    (message,) = reader.run("list_messages").wire()["messages"]
    assert message["changed_lines"] is None


def test_each_file_is_looked_up_once_per_call(
    repository: Path, commit: Commit, room: Inbox, reader: Reader, monkeypatch: pytest.MonkeyPatch
):
    commit("a.py", "one\n")
    (repository / "a.py").write_text("two\n", encoding="utf-8")
    for number in range(5):
        room.send("a.py", f"Remark {number}")
    looked_up: list[str] = []
    changed_lines = lookups.Git.changed_lines
    monkeypatch.setattr(
        lookups.Git,
        "changed_lines",
        lambda git, path: (looked_up.append(path.text), changed_lines(git, path))[1],
    )
    assert reader.check().count("\nLine: 1\n") == 5
    assert looked_up == ["a.py"]


def test_very_many_ranges_are_counted_instead_of_listed(
    repository: Path, commit: Commit, room: Inbox, reader: Reader
):
    lines = [f"line {number}\n" for number in range(200)]
    commit("a.py", "".join(lines))
    changed = "".join("changed\n" if number % 2 else line for number, line in enumerate(lines))
    (repository / "a.py").write_text(changed, encoding="utf-8")
    room.send("a.py", "Hm")
    line = next(line for line in reader.check().splitlines() if line.startswith("Line:"))
    assert line.endswith("38, 40, and 80 more")

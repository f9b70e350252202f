from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.inbox.envelope import path_in_work_tree
from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import Invalid, InvalidArguments, InvalidPath
from holdfast.kernel.limits import LIMITS
from holdfast.kernel.untrusted import visible
from tests.conftest import RunHoldfast
from tests.inbox.conftest import Reader, TurnableClock
from tests.reliability.samples import examples


@pytest.mark.requirement("inbox-68")
def test_the_same_file_comment_and_time_is_stored_once(room: Inbox, clock: TurnableClock):
    assert not room.send("a.py", "Twice").duplicate
    assert room.send("a.py", "Twice").duplicate
    assert room.count("all") == 1
    clock.turn(1)
    assert not room.send("a.py", "Twice").duplicate
    assert room.count("all") == 2


@pytest.mark.requirement("inbox-68")
def test_a_message_that_was_delivered_is_still_known(room: Inbox, reader: Reader):
    room.send("a.py", "Twice")
    reader.check()
    assert room.send("a.py", "Twice").duplicate
    assert reader.check() == "No new messages from lazygit"


@pytest.mark.requirement("inbox-69")
def test_messages_are_identified_by_sha_256_over_file_comment_and_time_without_the_line(room: Inbox):
    receipt = room.send("a.py", "Same|text", "1")
    assert receipt.digest == hashlib.sha256(b"a.py|Same|text|2025-07-01T10:30:00Z").hexdigest()
    assert receipt.id == f"m_{receipt.digest[:16]}"
    assert room.send("a.py", "Same|text", "2").duplicate


@pytest.mark.requirement("inbox-67")
def test_messages_accumulate_until_they_are_fetched(room: Inbox, reader: Reader):
    for number in range(5):
        room.send("a.py", f"Remark {number}")
    answer = reader.check()
    assert [f"Comment: Remark {number}" in answer for number in range(5)] == [True] * 5


def test_a_receipt_says_what_was_stored(reader: Reader, commit: Callable[[str, str], None]):
    commit("src/a.py", "1\n2\n3\n")
    receipt = reader.run("send_message", file="src//a.py", comment="Hm", line="3").wire()
    again = reader.run("send_message", file="src/a.py", comment="Hm", line="3").wire()
    assert {**receipt, "duplicate": True} == again
    assert receipt["file"] == "src/a.py"
    assert receipt["time"] == "2025-07-01T10:30:00Z"


def test_the_sender_gets_the_acknowledgement_of_the_specification(reader: Reader):
    arguments = {"file": ".", "comment": "Hm"}
    assert reader.words("send_message", **arguments) == "Message sent successfully for ."
    assert reader.words("send_message", **arguments) == "Message already in the inbox for ."


@pytest.mark.parametrize("comment", ["", "  \n\t", "x" * (LIMITS.message_comment_characters + 1), "\ud83d"])
def test_a_comment_that_cannot_be_stored_is_refused(room: Inbox, reader: Reader, comment: str):
    with pytest.raises(Invalid):
        reader.run("send_message", file=".", comment=comment)
    with pytest.raises(Invalid):
        room.send("a.py", comment)
    assert room.count("all") == 0


def test_a_comment_of_the_longest_length_is_accepted(reader: Reader):
    reader.run("send_message", file=".", comment="x" * LIMITS.message_comment_characters)


@pytest.mark.parametrize("line", ["0", "-1", "1-", "a", "1-2-3", " 1", "01", "9" * 10, "١"])
def test_a_line_that_is_no_line_is_refused(room: Inbox, reader: Reader, line: str):
    with pytest.raises(InvalidArguments):
        reader.run("send_message", file=".", comment="Hm", line=line)
    with pytest.raises(Invalid):
        room.send("a.py", "Hm", line)
    assert room.count("all") == 0


def test_a_range_that_runs_backwards_is_refused(reader: Reader):
    with pytest.raises(Invalid, match="line"):
        reader.run("send_message", file=".", comment="Hm", line="9-3")


def test_a_line_may_come_as_a_number(reader: Reader):
    assert reader.run("send_message", file=".", comment="Hm", line=42).wire()["line"] == "42"


@pytest.mark.parametrize(
    "file",
    [
        "/etc/passwd",
        "../other/a.py",
        "a/../../b",
        ".git/config",
        "src/.GIT/x",
        "a\0b",
        "a\nb",
        "",
        "C:\\a",
        "a\udcff",
    ],
)
def test_a_path_that_is_not_in_the_work_tree_is_refused(room: Inbox, file: str):
    with pytest.raises(InvalidPath) as refused:
        room.send(file, "Hm")
    assert "/etc" not in refused.value.sentence()
    assert room.count("all") == 0


def test_an_absolute_path_inside_is_stored_from_the_root(room: Inbox, repository: Path, tmp_path: Path):
    assert room.send(str(repository / "src" / "a.py"), "Hm").file == "src/a.py"
    (tmp_path / "link").symlink_to(repository)
    (repository / "src").mkdir()
    assert room.send(str(tmp_path / "link" / "src" / "b.py"), "Hm").file == "src/b.py"


def test_a_path_from_a_directory_below_the_root_is_stored_from_the_root(
    room: Inbox, repository: Path, monkeypatch: pytest.MonkeyPatch
):
    (repository / "src").mkdir()
    (repository / "src" / "a.py").touch()
    (repository / "a.py").touch()
    (repository / "only-at-the-root.py").touch()
    monkeypatch.chdir(repository / "src")
    assert room.send("a.py", "What I see here").file == "src/a.py"
    assert room.send("./new.py", "What I name from here").file == "src/new.py"
    assert room.send("../a.py", "What I name from here").file == "a.py"
    assert room.send("only-at-the-root.py", "What lazygit names").file == "only-at-the-root.py"
    assert room.send("src/a.py", "What lazygit names").file == "src/a.py"


def test_a_remark_may_be_about_the_whole_work_tree(room: Inbox, reader: Reader):
    room.send(".", "Too many files")
    assert "\nFile: .\nComment: Too many files\n" in reader.check()


def test_the_root_of_the_file_system_may_be_the_work_tree():
    assert path_in_work_tree("etc/hosts", "/", "/tmp") == "etc/hosts"
    assert path_in_work_tree("/etc/hosts", "/", "/") == "etc/hosts"


@settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(comment=st.text(min_size=1, max_size=300).filter(lambda text: visible(text).strip()))
def test_any_text_is_stored_whole_and_leaves_without_what_nobody_can_see(
    room: Inbox, reader: Reader, comment: str
):
    receipt = room.send("a.py", comment)
    assert room.find(receipt.id).comment == comment
    if not receipt.duplicate:
        assert f"\nComment: {visible(comment)}\nTime: " in reader.check()


def test_what_nobody_can_see_is_removed_on_every_way_out(room: Inbox, reader: Reader):
    hidden = "\x1b[2Jlook\u202e away\U000e0041\u200b"
    receipt = room.send("a.py", hidden, author=hidden)
    room.reply(room.find(receipt.id), hidden, hidden)
    answers = [
        reader.read("lazygit://messages"),
        reader.read("lazygit://history"),
        reader.prompt("address_review_remarks"),
        reader.words("list_messages"),
        reader.words("show_message", message_id=receipt.id),
        str(reader.run("show_message", message_id=receipt.id).wire()),
        str(reader.run("list_messages").wire()),
        reader.run("drain_messages", answered=False).wire()["text"],
        reader.check(),
    ]
    for answer in answers:
        assert "look away" in answer
        assert visible(answer) == answer


@pytest.mark.parametrize("nothing", ["\u200b", " \u2060\n"])
def test_what_would_be_shown_as_nothing_is_refused(reader: Reader, run_holdfast: RunHoldfast, nothing: str):
    with pytest.raises(Invalid, match="The comment is empty"):
        reader.run("send_message", file=".", comment=nothing)
    assert run_holdfast("send", "--file", "a.py", "--comment", nothing).returncode != 0

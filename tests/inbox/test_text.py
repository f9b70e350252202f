from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.inbox.store import Inbox
from tests.inbox.conftest import Reader, TurnableClock

TWO_MESSAGES = (
    "Message 1:\nFile: src/main.go\nLine: 42\nComment: This function needs error handling\n"
    "Time: 2025-07-01T10:30:00Z\n\nPlease improve this code.\n\n"
    "--------------------------------------------------\n\n"
    "Message 2:\nFile: src/utils.go\nLine: 15\nComment: Add input validation\n"
    "Time: 2025-07-01T10:32:00Z\n\nPlease improve this code."
)


@pytest.mark.requirement("inbox-59", "inbox-60", "inbox-61", "inbox-62")
def test_the_example_of_the_specification_comes_out_to_the_letter(
    room: Inbox, reader: Reader, clock: TurnableClock
):
    room.send("src/main.go", "This function needs error handling", "42")
    clock.turn(120)
    room.send("src/utils.go", "Add input validation", "15")
    assert reader.check() == TWO_MESSAGES


@pytest.mark.requirement("inbox-63")
def test_an_empty_queue_says_so(reader: Reader):
    assert reader.check() == "No new messages from lazygit"


def test_asking_an_inbox_nobody_wrote_to_leaves_no_trace(repository: Path, reader: Reader):
    reader.check()
    reader.run("list_messages")
    assert reader.read("lazygit://messages") == "No new messages from lazygit"
    assert not (repository / ".git" / "holdfast").exists()


@pytest.mark.requirement("inbox-60")
def test_one_message_has_a_number_and_no_rule(room: Inbox, reader: Reader):
    room.send("a.py", "One", "1-3")
    assert reader.check() == (
        "Message 1:\nFile: a.py\nLine: 1-3\nComment: One\n"
        "Time: 2025-07-01T10:30:00Z\n\nPlease improve this code."
    )


@pytest.mark.requirement("inbox-60")
def test_without_a_known_line_that_part_is_left_out(room: Inbox, reader: Reader):
    room.send("gone.py", "No such file")
    assert reader.check() == (
        "Message 1:\nFile: gone.py\nComment: No such file\n"
        "Time: 2025-07-01T10:30:00Z\n\nPlease improve this code."
    )


def test_the_data_says_what_the_words_say(room: Inbox, reader: Reader):
    receipt = room.send("a.py", "One", "7", author="Ada")
    assert reader.run("check_lazygit_messages").wire() == {
        "messages": [
            {
                "id": receipt.id,
                "file": "a.py",
                "line": "7",
                "changed_lines": None,
                "comment": "One",
                "author": "Ada",
                "time": "2025-07-01T10:30:00Z",
                "state": "pending",
                "delivered_at": None,
                "replies": 0,
            }
        ],
        "waiting": 0,
    }


def test_the_strict_profile_lists_the_specified_description(reader: Reader):
    operation = reader.dispatcher.registry.operation("check_lazygit_messages")
    assert operation.specified
    assert operation.specified_description == "Check for new messages from lazygit"
    assert operation.description.startswith(operation.specified_description)

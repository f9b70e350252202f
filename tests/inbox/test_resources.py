from __future__ import annotations

import pytest

from holdfast import toolsets
from holdfast.inbox.resources import MAX_HISTORY_MESSAGES
from holdfast.inbox.store import Inbox
from tests.inbox.conftest import Reader

inbox = toolsets.toolset("inbox")


@pytest.mark.requirement("inbox-65")
def test_reading_gives_the_same_text_as_the_call(room: Inbox, reader: Reader):
    room.send("src/main.go", "Add validation here", "42")
    room.send("src/server.go", "Handle timeout properly", "89")
    read = reader.read("lazygit://messages")
    assert read == reader.check()
    assert read.startswith("Message 1:\nFile: src/main.go\nLine: 42\nComment: Add validation here\n")


@pytest.mark.requirement("inbox-72")
def test_reading_clears_nothing(room: Inbox, reader: Reader):
    room.send("a.py", "Hm")
    first = reader.read("lazygit://messages")
    assert reader.read("lazygit://messages") == first
    assert reader.read("lazygit://history") == reader.read("lazygit://history")
    assert room.count("pending") == 1
    assert "Comment: Hm" in reader.check()


@pytest.mark.requirement("inbox-63", "inbox-65")
def test_an_empty_queue_reads_as_none(reader: Reader):
    assert reader.read("lazygit://messages") == "No new messages from lazygit"


@pytest.mark.requirement("inbox-65")
def test_more_than_ten_are_counted_when_read(room: Inbox, reader: Reader):
    for number in range(13):
        room.send("a.py", f"Remark {number}")
    read = reader.read("lazygit://messages")
    assert read.endswith("3 more messages are waiting; call check_lazygit_messages again.")
    assert read == reader.check()


@pytest.mark.requirement("inbox-65")
def test_the_resource_is_declared_as_specified():
    (specified,) = [resource for resource in inbox.resources if resource.specified]
    assert (specified.uri, specified.name) == ("lazygit://messages", "Lazygit Messages")
    assert specified.description == "Messages from lazygit for code improvement"
    assert specified.mime_type == "text/plain"
    assert specified.topic == "inbox"


def test_history_shows_state_and_answers(room: Inbox, reader: Reader):
    first = room.send("a.py", "First", author="Ada")
    reader.check()
    room.reply(room.find(first.id), "Done in a.py", "agent")
    room.send("b.py", "Second", "2")
    history = reader.read("lazygit://history")
    assert history.startswith("Messages: 2\n")
    assert f"{first.id} (delivered) from Ada\nFile: a.py\n" in history
    assert "agent answered at 2025-07-01T10:30:00Z:\nDone in a.py" in history
    assert "(pending)\nFile: b.py\nLine: 2\n" in history


def test_history_is_bounded_and_names_the_total(room: Inbox, reader: Reader):
    for number in range(MAX_HISTORY_MESSAGES + 5):
        room.send("a.py", f"Remark {number}")
    history = reader.read("lazygit://history")
    assert history.startswith(f"The newest {MAX_HISTORY_MESSAGES} of {MAX_HISTORY_MESSAGES + 5} messages:")
    assert "Comment: Remark 4\n" not in history
    assert "Comment: Remark 5\n" in history
    assert history.endswith(f"Comment: Remark {MAX_HISTORY_MESSAGES + 4}")

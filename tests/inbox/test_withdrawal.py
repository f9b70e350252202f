"""A message withdrawn before an agent gets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import Conflict
from tests.conftest import RunHoldfast
from tests.inbox.conftest import Reader

NOTHING = "No new messages from lazygit"


def test_a_withdrawn_message_is_not_delivered_and_stays_in_the_history(room: Inbox, reader: Reader):
    first, second = room.send("a.py", "A slip"), room.send("a.py", "Meant")
    seen = room.fingerprint()
    assert reader.words("withdraw_message", message_id=first.id) == f"Message {first.id} is withdrawn"
    assert room.fingerprint() != seen
    assert "A slip" not in reader.read("lazygit://messages")
    assert f"{first.id} (withdrawn)" in reader.read("lazygit://history")
    assert "A slip" not in reader.check()
    assert reader.check() == NOTHING
    assert room.counts() == {"pending": 0, "delivered": 1, "withdrawn": 1, "replies": 0}
    for state, message in (("withdrawn", first), ("delivered", second)):
        assert [item.id for item in room.messages(state, after=0, limit=9)] == [message.id]
    assert reader.words("withdraw_message", message_id=first.id), "again changes nothing"


def test_a_message_that_an_agent_has_or_is_getting_cannot_be_withdrawn(room: Inbox, reader: Reader):
    message = room.send("a.py", "Too late")
    delivery = room.take()
    with pytest.raises(Conflict, match="is being delivered"):
        reader.run("withdraw_message", message_id=message.id)
    room.mark_delivered(delivery.lease)
    with pytest.raises(Conflict, match="was delivered already"):
        reader.run("withdraw_message", message_id=message.id)


def test_the_command_withdraws_by_the_beginning_of_an_id(repository: Path, run_holdfast: RunHoldfast):
    run_holdfast("send", "--file", ".", "--comment", "A slip", check=True)
    name = run_holdfast("inbox", "list", check=True).stdout.split()[0]
    assert run_holdfast("inbox", "withdraw", name[:8], check=True).stdout == f"Message {name} is withdrawn\n"
    assert "withdrawn" in run_holdfast("inbox", "list", check=True).stdout
    assert run_holdfast("inbox", "drain", "--hook", check=True).stdout == ""

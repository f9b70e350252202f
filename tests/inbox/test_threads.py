from __future__ import annotations

import pytest

from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import Invalid, InvalidArguments, InvalidCursor, NotFound
from holdfast.kernel.limits import LIMITS
from tests.conftest import RunHoldfast
from tests.inbox.conftest import Reader, TurnableClock


def test_an_agent_answers_and_the_sender_reads_the_thread(room: Inbox, reader: Reader, clock: TurnableClock):
    receipt = room.send("a.py", "Handle the error", "3", author="Ada")
    reader.check()
    clock.turn(60)
    replied = reader.run("reply_to_message", message_id=receipt.id, text="Done, it is returned now").wire()
    assert replied == {"message_id": receipt.id, "time": "2025-07-01T10:31:00Z", "replies": 1}
    reader.run("reply_to_message", message_id=receipt.id, text="Thanks", author="Ada")
    assert reader.words("show_message", message_id=receipt.id) == (
        f"{receipt.id} (delivered) from Ada\nFile: a.py\nLine: 3\nTime: 2025-07-01T10:30:00Z\n"
        "Comment: Handle the error\n"
        "\nAda answered at 2025-07-01T10:31:00Z:\nDone, it is returned now\n"
        "\nAda answered at 2025-07-01T10:31:00Z:\nThanks"
    )
    thread = reader.run("show_message", message_id=receipt.id).wire()
    assert [reply["author"] for reply in thread["replies"]] == ["Ada", "Ada"]
    assert thread["message"]["replies"] == 2


@pytest.mark.requirement("tasks-49")
def test_a_message_without_an_author_is_of_the_user_that_git_knows(
    room: Inbox, reader: Reader, monkeypatch: pytest.MonkeyPatch
):
    unnamed = room.send("a.py", "From lazygit")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Lin")
    named = room.send("a.py", "From a shell")
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    for receipt, author in ((unnamed, "Ada"), (named, "Lin")):
        assert reader.run("show_message", message_id=receipt.id).wire()["message"]["author"] == author


def test_the_beginning_of_a_name_is_enough(room: Inbox, reader: Reader):
    receipt = room.send("a.py", "Hm")
    assert reader.run("show_message", message_id=receipt.id[:6]).wire()["message"]["id"] == receipt.id


def test_a_beginning_of_several_names_says_which(room: Inbox):
    names: dict[str, str] = {}
    for number in range(2000):
        name = room.send("a.py", f"Remark {number}").id
        if name[:6] in names:
            break
        names[name[:6]] = name
    with pytest.raises(Invalid, match="Several") as refused:
        room.find(name[:6])
    assert name in str(refused.value.hint)
    assert names[name[:6]] in str(refused.value.hint)


@pytest.mark.parametrize("name", ["m_0000000000000000", "m_", "m_%", "m_zzzz", "nonsense", "m_0", "M_0123"])
def test_an_unknown_message_is_not_found(room: Inbox, reader: Reader, name: str):
    room.send("a.py", "Hm")
    for operation, more in (("show_message", {}), ("reply_to_message", {"text": "Done"})):
        with pytest.raises(NotFound):
            reader.run(operation, message_id=name, **more)


@pytest.mark.parametrize("text", ["", " \n", "x" * (LIMITS.reply_characters + 1)])
def test_a_reply_that_says_nothing_or_too_much_is_refused(room: Inbox, reader: Reader, text: str):
    receipt = room.send("a.py", "Hm")
    with pytest.raises(Invalid):
        reader.run("reply_to_message", message_id=receipt.id, text=text)
    assert room.replies(room.find(receipt.id)) == []


def test_lists_are_paged_oldest_first_and_stable_while_messages_come(room: Inbox, reader: Reader):
    for number in range(7):
        room.send("a.py", f"Remark {number}")
    seen: list[str] = []
    cursor = None
    while True:
        page = reader.run("list_messages", limit=3, cursor=cursor).wire()
        seen += [message["comment"] for message in page["messages"]]
        room.send("a.py", f"Remark {room.count('all')}") if room.count("all") < 9 else None
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == [f"Remark {number}" for number in range(9)]
    assert page["total"] == 9


def test_lists_can_be_narrowed_to_a_state(room: Inbox, reader: Reader):
    room.send("a.py", "Old")
    reader.check()
    room.send("a.py", "New")
    listed = {
        state: [message["comment"] for message in reader.run("list_messages", state=state).wire()["messages"]]
        for state in ("pending", "delivered", "all")
    }
    assert listed == {"pending": ["New"], "delivered": ["Old"], "all": ["Old", "New"]}


def test_a_cursor_of_another_list_is_refused(room: Inbox, reader: Reader):
    room.send("a.py", "One")
    room.send("a.py", "Two")
    cursor = reader.run("list_messages", limit=1).wire()["next_cursor"]
    with pytest.raises(InvalidCursor):
        reader.run("list_messages", state="pending", cursor=cursor)
    with pytest.raises(InvalidCursor):
        reader.run("list_messages", cursor="nonsense")
    with pytest.raises(InvalidArguments):
        reader.run("list_messages", state="unread")


def test_a_list_in_words_shows_one_line_each(room: Inbox, reader: Reader):
    assert reader.words("list_messages") == "No messages."
    first = room.send("a.py", "First\nline", "3")
    room.reply(room.find(first.id), "Done", "agent")
    room.send("b.py", "word " * 40)
    lines = reader.words("list_messages").splitlines()
    assert lines[0] == f"{first.id}  pending    2025-07-01T10:30:00Z  a.py:3  First line  (1 reply)"
    assert lines[1].endswith("word word…")
    assert (
        reader.words("list_messages", limit=1).splitlines()[1].startswith("2 in all; more with the cursor ")
    )


def test_the_commands_carry_a_conversation(run_holdfast: RunHoldfast):
    run_holdfast("send", "--file", ".", "--comment", "Why?", check=True)
    listed = run_holdfast("inbox", "list", "--state", "pending", check=True).stdout
    name = listed.split()[0]
    assert (
        run_holdfast("inbox", "reply", name, "--text", "Because", check=True).stdout
        == f"Reply sent for {name}\n"
    )
    assert "Ada answered" in run_holdfast("inbox", "show", name, check=True).stdout


def test_the_command_names_the_option_that_gives_the_rest(run_holdfast: RunHoldfast):
    for text in ("First", "Second"):
        run_holdfast("send", "--file", ".", "--comment", text, check=True)
    told = run_holdfast("inbox", "list", "--limit", "1", check=True).stdout.splitlines()[1]
    assert told.startswith("2 in all; more with --cursor ")

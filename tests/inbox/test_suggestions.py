"""Suggestions: exact lines in a remark, put in place of those it quotes, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.inbox.store import Inbox
from holdfast.inbox.toolset import Suggestion
from holdfast.kernel.errors import Conflict, Invalid
from tests.conftest import RunHoldfast
from tests.inbox.conftest import Reader


def suggestion(lines: str, quoted: list[str], replacement: str) -> str:
    """Return a remark as the page writes it."""
    quote = "".join(f"> {line}\n" for line in quoted)
    return f"About the work tree, line{'s' if '-' in lines else ''} {lines}:\n{quote}\nSo:\n\n{replacement}"


ONE = suggestion("2", ["two"], "```suggestion\nTWO\nand a half\n```")


def written(repository: Path, content: bytes) -> Path:
    path = repository / "a.txt"
    path.write_bytes(content)
    return path


def test_a_reader_gets_the_exact_lines(repository: Path, room: Inbox, reader: Reader):
    room.send("a.txt", ONE, "2")
    room.send("a.txt", "Only words", "2")
    room.send("a.txt", suggestion("3-4", ["x", ""], "````suggestion\n````"), "3-4")
    room.send("a.txt", "Typed in a shell\n```suggestion\n```js\n\n```", "7")
    found = [one.suggestion for one in reader.run("check_lazygit_messages").messages]  # type: ignore[attr-defined]
    assert found == [
        Suggestion(first_line=2, last_line=2, original="two\n", replacement="TWO\nand a half\n"),
        None,
        Suggestion(first_line=3, last_line=4, original="x\n\n", replacement=""),
        Suggestion(first_line=7, last_line=7, original=None, replacement="```js\n\n"),
    ]


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        ("```suggestion\nx\n```", None),
        ("```suggestion\nx", "2"),
        ("```python\nx\n```", "2"),
        ("About the work tree, removed line 2:\n> x\n\n```suggestion\nx\n```", "2"),
        ("About the work tree, line 2:\n> ```suggestion\n> x\n> ```\n\nWhat is this?", "2"),
    ],
)
def test_what_only_looks_like_a_suggestion_is_none(
    room: Inbox, reader: Reader, comment: str, line: str | None
):
    message = room.send("a.txt", comment, line)
    assert reader.run("show_message", message_id=message.id).message.suggestion is None  # type: ignore[attr-defined]
    with pytest.raises(Invalid, match="suggests no lines"):
        reader.run("apply_suggestion", message_id=message.id)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\ntwo\nthree\n", b"one\nTWO\nand a half\nthree\n"),
        (b"one\r\ntwo\r\nthree\r\n", b"one\r\nTWO\r\nand a half\r\nthree\r\n"),
        (b"\xff\xfe\ntwo", b"\xff\xfe\nTWO\nand a half"),
    ],
    ids=["line feeds", "CRLF", "no line end, and bytes that are no text"],
)
def test_applying_replaces_the_lines_and_no_other_byte(
    repository: Path, room: Inbox, reader: Reader, before: bytes, after: bytes
):
    path = written(repository, before)
    path.chmod(0o755)
    message = room.send("a.txt", ONE, "2")
    words = reader.words("apply_suggestion", message_id=message.id, author="Grace")
    assert words == "Applied to a.txt:2: 1 line replaced by 2"
    assert path.read_bytes() == after
    assert path.stat().st_mode & 0o777 == 0o755
    found = room.find(message.id)
    assert found.state == "withdrawn", "nobody has to do it again"
    assert [(one.author, one.text) for one in room.replies(found)] == [("Grace", "Applied the suggestion.")]
    with pytest.raises(Conflict, match=r"a\.txt no longer has the line 2"):
        reader.run("apply_suggestion", message_id=message.id)
    assert path.read_bytes() == after


def test_an_agent_applies_what_was_delivered_to_it(repository: Path, room: Inbox, reader: Reader):
    path = written(repository, b"one\ntwo\n")
    message = room.send("a.txt", ONE, "2")
    reader.check()
    reader.run("apply_suggestion", message_id=message.id)
    assert path.read_bytes() == b"one\nTWO\nand a half\n"
    assert room.find(message.id).state == "delivered"


def test_lines_that_moved_are_replaced_only_where_they_can_be_recognised(
    repository: Path, room: Inbox, reader: Reader
):
    known = "def number_of_tides(water):"
    path = written(repository, f"import sea\n\n{known}\n    return 2\n".encode())
    message = room.send("a.txt", suggestion("1", [known], "```suggestion\ndef tides():\n```"), "1")
    reader.run("apply_suggestion", message_id=message.id)
    assert path.read_bytes() == b"import sea\n\ndef tides():\n    return 2\n"
    for content, quoted in ((f"\n{known}\n{known}\n", known), ("\n}\n", "}")):
        path.write_text(content)
        message = room.send("a.txt", suggestion("1", [quoted], "```suggestion\nx\n```"), "1")
        with pytest.raises(Conflict, match="no longer has"):
            reader.run("apply_suggestion", message_id=message.id)
        assert path.read_text() == content


def test_without_a_quote_nothing_is_applied(repository: Path, room: Inbox, reader: Reader):
    path = written(repository, b"one\n")
    message = room.send("a.txt", "```suggestion\nx\n```", "1")
    with pytest.raises(Invalid, match="does not quote the lines"):
        reader.run("apply_suggestion", message_id=message.id)
    assert path.read_bytes() == b"one\n"


def test_the_command_applies_it(repository: Path, run_holdfast: RunHoldfast):
    path = written(repository, b"one\ntwo\n")
    run_holdfast("send", "--file", "a.txt", "--line", "2", "--comment", ONE, check=True)
    name = run_holdfast("inbox", "list", check=True).stdout.split()[0]
    run_holdfast("inbox", "apply", name, check=True)
    assert path.read_bytes() == b"one\nTWO\nand a half\n"

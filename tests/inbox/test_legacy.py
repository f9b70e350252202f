from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.inbox.legacy import LegacyFile
from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS
from holdfast.storage.git.repository import Repository
from tests.faces.http.running import HOLDFAST, running_server
from tests.inbox.conftest import Reader
from tests.waiting import wait_until
from tests.wire.client import wire_client

Leave = Callable[..., Path]

NOTHING = "No new messages from lazygit"
FROM_OLD_FILE = (
    "Message 1:\nFile: src/old.go\nComment: From the old file\nTime: 2025-06-30T09:00:00Z\n\n"
    "Please improve this code."
)


@pytest.mark.requirement("inbox-71", "inbox-73")
def test_the_old_file_is_delivered_once_and_removed_by_the_call(reader: Reader, leave_legacy: Leave):
    file = leave_legacy()
    assert reader.check() == FROM_OLD_FILE
    assert list(file.parent.iterdir()) == []
    assert reader.check() == NOTHING


@pytest.mark.requirement("inbox-72", "inbox-73")
def test_reading_shows_the_old_file_and_leaves_it(room: Inbox, reader: Reader, leave_legacy: Leave):
    file = leave_legacy()
    before = file.read_bytes()
    assert reader.read("lazygit://messages") == FROM_OLD_FILE
    assert "From the old file" in reader.prompt("address_review_remarks")
    assert room.count("pending") == 1
    assert file.read_bytes() == before


@pytest.mark.requirement("inbox-73", "inbox-81")
def test_a_reply_that_could_not_be_written_leaves_the_old_file(reader: Reader, leave_legacy: Leave):
    file = leave_legacy()
    reader.check(answered=False)
    assert file.exists()
    assert reader.check() == FROM_OLD_FILE
    assert not file.exists()


@pytest.mark.requirement("inbox-68")
def test_the_old_file_joins_the_queue_once_however_often_it_is_looked_at(
    room: Inbox, reader: Reader, leave_legacy: Leave
):
    file = leave_legacy()
    reader.check(answered=False)
    reader.check()
    leave_legacy()
    assert reader.check() == NOTHING
    assert not file.exists(), "what was delivered before is not kept waiting"
    assert room.count("all") == 1


def test_the_old_file_stays_while_its_message_waits_behind_others(
    room: Inbox, reader: Reader, leave_legacy: Leave
):
    for number in range(10):
        room.send("a.py", f"Remark {number}")
    file = leave_legacy()
    assert "From the old file" not in reader.check()
    assert file.exists()
    assert reader.check() == FROM_OLD_FILE
    assert not file.exists()


def test_what_is_written_while_the_answer_is_on_its_way_stays(
    room: Inbox, reader: Reader, leave_legacy: Leave
):
    file = leave_legacy()
    old = room.legacy.read(room.repository)
    assert old is not None
    leave_legacy(comment="Another one")
    room.legacy.remove(old.content)
    assert json.loads(file.read_text(encoding="utf-8"))["comment"] == "Another one"
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_what_replaces_the_file_at_the_last_moment_is_put_back(
    room: Inbox, leave_legacy: Leave, monkeypatch: pytest.MonkeyPatch
):
    file = leave_legacy()
    old = room.legacy.read(room.repository)
    assert old is not None
    rename = os.rename

    def write_then_rename(source: str, target: str) -> None:
        leave_legacy(comment="At the last moment")
        rename(source, target)

    monkeypatch.setattr(os, "rename", write_then_rename)
    room.legacy.remove(old.content)
    assert json.loads(file.read_text(encoding="utf-8"))["comment"] == "At the last moment"
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


@pytest.mark.requirement("inbox-79")
def test_a_message_for_another_project_is_neither_shown_nor_removed(
    reader: Reader, leave_legacy: Leave, tmp_path: Path
):
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    file = leave_legacy(project_root=str(other))
    before = file.read_bytes()
    assert reader.check() == NOTHING
    assert reader.read("lazygit://messages") == NOTHING
    assert file.read_bytes() == before


@pytest.mark.requirement("inbox-79")
def test_a_message_from_another_worktree_of_the_same_project_is_ours(
    reader: Reader, commit: Callable[[str, str], None], repository: Path, leave_legacy: Leave, tmp_path: Path
):
    commit("a.py", "1\n")
    worktree = tmp_path / "worktree"
    subprocess.run(["git", "worktree", "add", "--quiet", str(worktree)], cwd=repository, check=True)
    file = leave_legacy(project_root=str(worktree))
    assert reader.check() == FROM_OLD_FILE
    assert not file.exists()


def test_a_line_in_the_old_file_is_kept(reader: Reader, leave_legacy: Leave):
    leave_legacy(line=42)
    assert "\nLine: 42\n" in reader.check()


HOSTILE: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "half written": lambda path, message: path.write_text(json.dumps(message)[:40]),
    "empty": lambda path, message: path.write_text(""),
    "not an object": lambda path, message: path.write_text("[1, 2]"),
    "not UTF-8": lambda path, message: path.write_bytes(b'{"file": "\xff"}'),
    "without a time": lambda path, message: path.write_text(json.dumps({**message, "time": None})),
    "a time that is none": lambda path, message: path.write_text(json.dumps({**message, "time": "soon T"})),
    "an empty comment": lambda path, message: path.write_text(json.dumps({**message, "comment": " "})),
    "a comment that is none": lambda path, message: path.write_text(json.dumps({**message, "comment": 7})),
    "half a character": lambda path, message: path.write_text(json.dumps({**message, "comment": "\ud83d"})),
    "a file outside": lambda path, message: path.write_text(json.dumps({**message, "file": "../../secret"})),
    "a file in .git": lambda path, message: path.write_text(json.dumps({**message, "file": ".git/config"})),
    "a line that is none": lambda path, message: path.write_text(json.dumps({**message, "line": "x"})),
    "a root that is none": lambda path, message: path.write_text(json.dumps({**message, "project_root": 5})),
    "a root with NUL": lambda path, message: path.write_text(
        json.dumps({**message, "project_root": "/a\0b"})
    ),
    "a root that is gone": lambda path, message: path.write_text(
        json.dumps({**message, "project_root": "/gone"})
    ),
    "deeply nested": lambda path, message: path.write_text("[" * 100_000),
    "too large": lambda path, message: path.write_text(
        json.dumps({**message, "padding": "x" * LIMITS.legacy_message_file_bytes})
    ),
    "a directory": lambda path, message: path.mkdir(),
    "a pipe": lambda path, message: os.mkfifo(path),
    "unreadable": lambda path, message: (path.write_text(json.dumps(message)), path.chmod(0))[0],
}


@pytest.mark.parametrize("form", HOSTILE)
def test_a_file_that_is_not_what_it_should_be_is_left_alone(
    reader: Reader, legacy_file: Path, legacy_message: dict[str, Any], form: str
):
    if form == "unreadable" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    HOSTILE[form](legacy_file, legacy_message)
    before = _written(legacy_file)
    assert reader.check() == NOTHING
    assert reader.read("lazygit://messages") == NOTHING
    assert _written(legacy_file) == before


def _written(path: Path) -> tuple[int, ...]:
    """Return what changes with a file, unlike the time when it was last read."""
    status = os.lstat(path)
    return status.st_ino, status.st_mode, status.st_nlink, status.st_size, status.st_mtime_ns


def test_a_link_is_not_followed(reader: Reader, leave_legacy: Leave, legacy_file: Path):
    elsewhere = leave_legacy().rename(legacy_file.with_name("elsewhere.json"))
    legacy_file.symlink_to(elsewhere)
    assert reader.check() == NOTHING
    assert legacy_file.is_symlink()
    assert elsewhere.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_left_alone(reader: Reader, leave_legacy: Leave):
    file = leave_legacy()
    os.chown(file, 12345, -1)
    assert reader.check() == NOTHING
    assert file.exists()


def test_a_configuration_folder_that_cannot_be_written_fails_no_call(
    reader: Reader, leave_legacy: Leave, monkeypatch: pytest.MonkeyPatch
):
    file = leave_legacy()

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "rename", refuse)
    assert reader.check() == FROM_OLD_FILE
    assert reader.check() == NOTHING
    assert file.exists()


def test_the_file_is_where_the_configuration_folder_is(home: Path, monkeypatch: pytest.MonkeyPatch):
    place = os.path.join("jesseduffield", "lazygit", "mcp-messages.json")
    assert LegacyFile.of_this_user().path == str(home / ".config" / place)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    assert LegacyFile.of_this_user().path == f"/elsewhere/{place}"
    for unusable in ("", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", unusable)
        assert LegacyFile.of_this_user().path == str(home / ".config" / place)


def test_a_missing_file_is_no_message(home: Path, repository: Path):
    file = LegacyFile(str(home / "absent" / "file.json"))
    assert file.read(Repository.at(repository)) is None
    assert file.fingerprint() is None
    file.remove(b"")


@pytest.mark.parametrize(
    "look",
    [
        lambda reader: reader.room.fingerprint(),  # as the watcher does before it announces anything
        lambda reader: reader.read("lazygit://messages"),
        lambda reader: reader.read("lazygit://history"),
        lambda reader: reader.prompt("address_review_remarks"),
        lambda reader: reader.words("list_messages"),
    ],
)
def test_a_message_that_was_seen_outlives_the_one_that_overwrites_it(
    reader: Reader, leave_legacy: Leave, look: Callable[[Reader], object]
):
    leave_legacy(comment="The first")
    look(reader)
    leave_legacy(comment="The second")
    told = reader.check()
    assert told.index("The first") < told.index("The second")
    assert reader.check() == NOTHING


@pytest.mark.requirement("inbox-68")
@pytest.mark.parametrize("face", ["stdio", "http"])
def test_a_running_server_keeps_every_message_though_nobody_looks(
    room: Inbox, repository: Path, leave_legacy: Leave, home: Path, face: str
):
    environment = os.environ | {"HOME": str(home)}
    environment.pop("XDG_CONFIG_HOME", None)
    with contextlib.ExitStack() as running:
        if face == "http":
            running.enter_context(running_server(repository, environment=environment))
        else:
            command = [HOLDFAST, "serve", "--profile", "lazygit"]
            client = running.enter_context(wire_client(command, cwd=repository, env=environment))
            client.initialize()
        for number in range(1, 4):
            leave_legacy(comment=f"Remark {number}")
            wait_until(lambda number=number: room.count("pending") == number)


def test_a_message_that_cannot_be_stored_is_still_shown(
    room: Inbox, reader: Reader, leave_legacy: Leave, monkeypatch: pytest.MonkeyPatch
):
    leave_legacy()
    monkeypatch.setattr(Repository, "ensure_store", _refuse)
    assert reader.read("lazygit://messages") == FROM_OLD_FILE
    assert room.count("all") == 0


def test_an_old_file_that_cannot_be_stored_yet_is_stored_later(
    room: Inbox, leave_legacy: Leave, monkeypatch: pytest.MonkeyPatch
):
    leave_legacy()
    with monkeypatch.context() as broken:
        broken.setattr(Repository, "ensure_store", _refuse)
        room.fingerprint()
    assert room.count("all") == 0
    room.fingerprint()
    assert room.count("all") == 1


def _refuse(_repository: Repository) -> None:
    raise Unavailable("The disk is full.")

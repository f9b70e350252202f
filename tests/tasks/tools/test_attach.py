"""Files on tasks: kept once, shown as what they are, and part of the task's history."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from holdfast import toolsets
from holdfast.faces.mcp.results import content_block, embedded_fields, result_items
from holdfast.kernel.errors import InvalidArguments, NotFound, OutOfDate, TooLarge, UnknownResource
from holdfast.storage.git.repository import Repository
from holdfast.tasks.file_resources import attachment_content
from holdfast.tasks.store.history import state_of
from holdfast.tasks.store.records import CallerIdentity, Draft
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from holdfast.tasks.tools.attach import (
    MAX_ATTACHMENT_BYTES,
    MAX_EMBEDDED_BYTES,
    AttachFile,
    WhichAttachment,
    attach,
    attachment,
)
from tests.conftest import RunHoldfast
from tests.tasks.conftest import TurnedClock
from tests.tasks.happenings import events_of, replayed

toolset = toolsets.toolset("tasks")

ME = CallerIdentity("tester")
SOUND = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0\x80>\0\0\2\0\x10\0data\0\0\0\0"


def picture() -> bytes:
    """Return a picture of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")


@pytest.fixture
def room(repository: Path) -> Tasks:
    opened = Tasks.open(Repository.discover(repository))
    ensure_workspace(opened, "kelp", [], "none")
    opened.create([Draft("Listen to the voice note")], ME)
    return opened


def put(room: Tasks, name: str, content: bytes, **more: Any) -> Any:
    data = base64.b64encode(content).decode()
    return attach(room, AttachFile(task_id="TP-1", data=data, name=name, **more))


def look(room: Tasks, name: str) -> tuple[Any, list[dict[str, Any]]]:
    result = attachment(room, WhichAttachment(task_id="tp-1", name=name))
    operation = next(item for item in toolset.operations if item.name == "taskpilot_attachment")
    items = result_items(operation, result)
    blocks = [content_block(item).model_dump(mode="json", by_alias=True, exclude_none=True) for item in items]
    for position, fields in embedded_fields(items).get("embedded", {}).items():
        blocks[position]["resource"] |= fields
    return result, blocks


@pytest.mark.requirement("tasks-19")
def test_a_voice_note_comes_back_as_sound(room: Tasks):
    put(room, "note.wav", SOUND)
    _, blocks = look(room, "note.wav")
    assert blocks[0]["type"] == "text"
    assert blocks[1]["type"] == "audio"
    assert blocks[1]["mimeType"] in ("audio/wav", "audio/x-wav")
    assert base64.b64decode(blocks[1]["data"]) == SOUND


@pytest.mark.requirement("tasks-18")
def test_a_picture_comes_back_as_a_picture(room: Tasks):
    put(room, "sketch.png", picture())
    _, blocks = look(room, "sketch.png")
    assert (blocks[1]["type"], blocks[1]["mimeType"]) == ("image", "image/png")
    assert base64.b64decode(blocks[1]["data"]) == picture()


@pytest.mark.requirement("tasks-21")
def test_short_text_is_embedded_with_title_and_annotations(room: Tasks):
    put(room, "log.txt", b"three lines\nof a log\n")
    result, blocks = look(room, "log.txt")
    resource = blocks[1]["resource"]
    assert blocks[1]["type"] == "resource"
    assert resource["text"] == "three lines\nof a log\n"
    assert (resource["uri"], resource["title"]) == (result.attachment.uri, "log.txt")
    marks = {"audience": ["user", "assistant"], "priority": 0.7, "lastModified": result.attached_at}
    assert blocks[1]["annotations"] == resource["annotations"] == marks


@pytest.mark.requirement("tasks-21")
def test_an_embedded_file_tells_when_it_was_put_there_as_it_is(repository: Path, clock: TurnedClock):
    room = Tasks(Repository.discover(repository), clock=clock)
    ensure_workspace(room, "kelp", [], "none")
    room.create([Draft("Read the log")], ME)
    times = {}
    for name, content in (("a.txt", b"one"), ("b.txt", b"two"), ("a.txt", b"three"), ("c.txt", b"four")):
        clock.turn(hours=1)
        put(room, name, content)
        times[name] = clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    put(room, "b.txt", b"two")  # the same again is no change
    for name, at in times.items():
        assert look(room, name)[1][1]["annotations"]["lastModified"] == at


@pytest.mark.requirement("tasks-20")
def test_what_is_large_comes_as_a_link_that_can_be_read(room: Tasks):
    content = b"x" * (MAX_EMBEDDED_BYTES + 1)
    put(room, "long.log", content, mime_type="text/plain")
    result, blocks = look(room, "long.log")
    assert blocks[1] == {
        "type": "resource_link",
        "uri": result.attachment.uri,
        "name": "long.log",
        "description": "Read it as a resource.",
        "mimeType": "text/plain",
        "annotations": {"audience": ["assistant"], "priority": 0.9},
    }
    sha256 = result.attachment.uri.rpartition("/")[2]
    assert attachment_content(room, "current", sha256).text == content.decode()


def test_a_file_of_the_repository_is_attached_by_its_path(room: Tasks, repository: Path):
    (repository / "docs").mkdir()
    (repository / "docs/data.bin").write_bytes(b"\x00\xff")
    done = attach(room, AttachFile(task_id="TP-1", path="docs/data.bin"))  # type: ignore[arg-type]
    assert done.sha256 == hashlib.sha256(b"\x00\xff").hexdigest()
    assert (done.attachment.name, done.attachment.mime, done.attachment.size) == (
        "data.bin",
        "application/octet-stream",
        2,
    )
    assert attachment_content(room, "current", done.sha256).data == b"\x00\xff"


def test_the_same_file_twice_changes_nothing_and_another_replaces_it(room: Tasks):
    first = put(room, "a.txt", b"one")
    assert put(room, "a.txt", b"one").task.version == first.task.version
    assert put(room, "a.txt", b"two").task.version == first.task.version + 1
    assert look(room, "a.txt")[0].text == "two"


def test_attaching_is_an_event_from_which_the_state_follows(room: Tasks):
    put(room, "a.txt", b"one")
    events = events_of(room)
    assert events[-1].type == "attached"
    with room.reading() as connection:
        task = room.get("TP-1")
        assert replayed(events)[task.uid] == state_of(connection, task)


def test_somebody_who_saw_an_older_version_is_refused(room: Tasks):
    put(room, "a.txt", b"one")
    with pytest.raises(OutOfDate):
        put(room, "b.txt", b"two", if_version=1)
    with pytest.raises(NotFound):
        look(room, "b.txt")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"data": "aGk=", "path": "a.txt", "name": "a"},
        {"data": "aGk="},
        {"data": "not base64!", "name": "a"},
        {"data": "größe", "name": "a"},
        {"data": base64.b64encode(bytes(MAX_ATTACHMENT_BYTES + 1)).decode(), "name": "a"},
    ],
)
def test_what_cannot_be_attached_is_refused_and_nothing_is_kept(room: Tasks, arguments: dict[str, Any]):
    with pytest.raises((InvalidArguments, ValueError)):
        attach(room, AttachFile(task_id="TP-1", **arguments))
    assert room.get("TP-1").version == 1


def test_a_file_over_the_limit_is_refused(room: Tasks, repository: Path):
    (repository / "big").write_bytes(bytes(MAX_ATTACHMENT_BYTES + 1))
    with pytest.raises(TooLarge):
        attach(room, AttachFile(task_id="TP-1", path="big"))  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [b"", SOUND, b"\0\xff" * MAX_EMBEDDED_BYTES])
def test_a_command_writes_the_file_itself_to_a_pipe(room: Tasks, run_holdfast: RunHoldfast, content: bytes):
    put(room, "note.wav", content)
    piped: Any = run_holdfast("tasks", "attachment", "TP-1", "note.wav", text=False, encoding=None)
    assert (piped.returncode, piped.stdout) == (0, content)
    told = run_holdfast("tasks", "attachment", "TP-1", "note.wav", "--json", check=True).stdout
    assert json.loads(told)["attachment"]["size"] == len(content)


def test_a_missing_attachment_names_those_there_are(room: Tasks):
    put(room, "ab.txt", b"one")
    with pytest.raises(NotFound, match="has no attachment") as failure:
        look(room, "none.txt")
    assert "ab.txt" in failure.value.sentence()


def test_content_of_another_workspace_is_not_found(room: Tasks):
    with pytest.raises(UnknownResource, match="Resource not found"):
        attachment_content(room, "current", "0" * 64)

"""Many writers, an editor that saves meanwhile, damaged sidecars and swapped links."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import threading
from pathlib import Path

import pytest

from holdfast.comments.changes import Draft
from holdfast.comments.scan import Scan
from holdfast.comments.store import Comments
from holdfast.comments.writing import Writing
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.repo_path import RepoPath
from holdfast.storage.repository import Repository
from tests.reliability.harness import python, run_together
from tests.reliability.test_comments_survive import WRITING

PROCESSES, EACH = 8, 200

ADD_MANY = f"""
gather()
for number in range({EACH}):
    acknowledge(add(f"{{sys.argv[2]}}-{{number}}"))
"""

WITHOUT_LOCK = (
    """
import contextlib
from holdfast.storage.locks import Locks
Locks.holding = contextlib.contextmanager(lambda self, *keys: (yield))
"""
    + WRITING
    + "room.repository.ensure_store()\n"
)


def ids(repository: Path, file: str = "a.txt") -> list[str]:
    return [
        comment["id"] for comment in json.loads((repository / f"{file}.comments").read_bytes())["comments"]
    ]


@pytest.mark.slow
@pytest.mark.requirement("reliability-B1")
def test_b1_eight_processes_add_200_comments_each_to_one_file(repository: Path) -> None:
    (repository / "a.txt").write_text("one\ntwo\n")
    outcomes = run_together(
        [python(WRITING + ADD_MANY, repository, name) for name in range(PROCESSES)], seconds=240
    )
    acknowledged = [line for outcome in outcomes for line in outcome.output.split() if line != "ready"]
    assert [outcome.complaint for outcome in outcomes if outcome.status] == []
    stored = ids(repository)
    print(f"B1 comments: {len(set(stored))} of {PROCESSES * EACH} present")
    assert len(acknowledged) == len(set(acknowledged)) == PROCESSES * EACH
    assert sorted(stored) == sorted(acknowledged)


@pytest.mark.slow
def test_b1_control_without_the_lock_comments_are_lost(repository: Path) -> None:
    (repository / "a.txt").write_text("one\ntwo\n")
    program = (WITHOUT_LOCK + ADD_MANY).replace(f"range({EACH})", "range(40)")
    outcomes = run_together([python(program, repository, name) for name in range(4)])
    acknowledged = {line for outcome in outcomes for line in outcome.output.split() if line != "ready"}
    lost = acknowledged - set(ids(repository))
    print(f"B1 comments, control without a lock: {len(lost)} of {len(acknowledged)} lost")
    assert lost


@pytest.mark.slow
@pytest.mark.requirement("reliability-B6")
def test_b6_an_editor_that_saves_meanwhile_costs_no_comment_and_misplaces_none(repository: Path) -> None:
    body = [f"def function_{number}(value):\n    return value + {number}\n" for number in range(40)]
    source = repository / "a.py"
    source.write_text("\n".join(body))
    room = Comments.open(Repository.at(repository))
    writing, path = Writing(room), RepoPath.parse("a.py")
    wanted = {}
    for number in range(40):
        line = source.read_text().split("\n").index(f"def function_{number}(value):") + 1
        wanted[writing.add(path, Draft(line, "x", "t", "NOTE")).note.id] = f"def function_{number}(value):"
    stop = threading.Event()

    def edit() -> None:
        rounds = random.Random(1)
        while not stop.is_set():
            head = "\n".join(f"# {rounds.random()}" for _ in range(rounds.randrange(12)))
            text = head + "\n" + "\n".join(body)
            if rounds.random() < 0.5:
                source.write_text(text)  # in place: a reader may see half of it
            else:
                beside = source.with_suffix(".new")
                beside.write_text(text)
                os.replace(beside, source)

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        for _ in range(25):
            Scan(room).run()
            found = json.loads((repository / "a.py.comments").read_bytes())
            assert {comment["id"] for comment in found["comments"]} == wanted.keys()
    finally:
        stop.set()
        editor.join()
    Scan(room).run()
    lines = source.read_text().split("\n")
    placed = {note.id: lines[note.line - 1] for note in room.load("a.py").comments if not note.orphaned}
    room.close()
    assert placed == wanted


def damages(data: bytes) -> dict[str, bytes]:
    """Return one sidecar damaged in every way of the list."""
    found = {f"cut at {size}": data[:size] for size in range(0, len(data), 64)}
    chances = random.Random(7)
    for number in range(200):
        place = chances.randrange(len(data))
        flipped = bytearray(data)
        flipped[place] ^= 1 << chances.randrange(8)
        found[f"bit {number}"] = bytes(flipped)
    return found | {"not UTF-8": b"\xff\xfe" + data, "50 MB": b'{"comments": [' + b" " * 50_000_000}


def refusal(room: Comments) -> HoldfastError | None:
    try:
        room.load("a.txt")
    except HoldfastError as failure:
        return failure
    return None


@pytest.mark.slow
@pytest.mark.requirement("reliability-C1")
def test_c1_a_damaged_sidecar_is_named_left_alone_and_hides_no_other(repository: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (repository / name).write_text("one\ntwo\n")
    room = Comments.open(Repository.at(repository))
    writing, path = Writing(room), RepoPath.parse("a.txt")
    for name in ("a.txt", "b.txt"):
        writing.add(RepoPath.parse(name), Draft(2, "keep", "t", "TODO"))
    place = repository / "a.txt.comments"
    refused = 0
    for damaged in damages(place.read_bytes()).values():
        place.write_bytes(damaged)
        before = hashlib.sha256(damaged).digest()
        failure = refusal(room)
        if failure is not None:
            refused += 1
            assert "a.txt.comments" in failure.message
            for attempt in (
                lambda: writing.add(path, Draft(1, "x", "t", "TODO")),
                lambda: Scan(room).run(path),
            ):
                with contextlib.suppress(HoldfastError):
                    attempt()
            assert hashlib.sha256(place.read_bytes()).digest() == before
        assert [note.text for note in room.load("b.txt").comments] == ["keep"]
    print(f"C1 comments: {refused} damaged sidecars refused, all unchanged")
    assert refused > 40
    room.close()


@pytest.mark.requirement("reliability-C1")
@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_c1_what_is_no_file_is_not_taken_for_one(repository: Path, kind: str) -> None:
    (repository / "a.txt").write_text("one\ntwo\n")
    place = repository / "a.txt.comments"
    if kind == "folder":
        place.mkdir()
    elif kind == "link":
        place.symlink_to("elsewhere")
    else:
        os.mkfifo(place)
    room = Comments.open(Repository.at(repository))
    with pytest.raises(HoldfastError):
        room.load("a.txt")
    with pytest.raises(HoldfastError):
        Writing(room).add(RepoPath.parse("a.txt"), Draft(1, "x", "t", "TODO"))
    room.close()
    assert not (repository / "elsewhere").exists()


@pytest.mark.slow
@pytest.mark.requirement("reliability-E2")
def test_e2_a_link_swapped_in_between_leads_nowhere(repository: Path) -> None:
    outside = repository.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("one\n")
    inside, other = repository / "folder", repository / "other"
    inside.mkdir()
    (inside / "a.txt").write_text("one\n")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(inside, other)
            inside.symlink_to(outside)
            inside.unlink()
            os.rename(other, inside)

    swapper = threading.Thread(target=swap)
    swapper.start()
    room = Comments.open(Repository.at(repository))
    writing, path = Writing(room), RepoPath.parse("folder/a.txt")
    written = 0
    try:
        for number in range(10_000):
            with contextlib.suppress(HoldfastError):
                room.sidecar_bytes(path)
                room.source_bytes(path)
                if number % 100 == 0:
                    writing.add(path, Draft(1, "x", "t", "TODO"))
                    written += 1
    finally:
        stop.set()
        swapper.join()
        room.close()
    print(f"E2 comments: 10000 tries, {written} comments written, none outside")
    assert sorted(entry.name for entry in outside.iterdir()) == ["a.txt"]

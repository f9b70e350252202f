"""Many writers, an editor that saves meanwhile, damaged sidecars and swapped links."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.comments.anchors.scan import Scan
from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.store import Comments
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from tests.reliability.evidence import Tally
from tests.reliability.harness import python, run_together
from tests.reliability.samples import samples
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
from holdfast.storage.files.locks import StripedLocks
StripedLocks.holding = contextlib.contextmanager(lambda self, *keys: (yield))
"""
    + WRITING
    + "room.repository.ensure_store()\n"
)


def ids(repository: Path, file: str = "a.txt") -> list[str]:
    return [
        comment["id"] for comment in json.loads((repository / f"{file}.comments").read_bytes())["comments"]
    ]


@pytest.mark.requirement("reliability-B1")
@pytest.mark.evidence("B1", "comments", "8 processes add 200 comments each")
def test_b1_eight_processes_add_200_comments_each_to_one_file(repository: Path, tally: Tally) -> None:
    (repository / "a.txt").write_text("one\ntwo\n")
    outcomes = run_together(
        [python(WRITING + ADD_MANY, repository, name) for name in range(PROCESSES)], seconds=240
    )
    acknowledged = [line for outcome in outcomes for line in outcome.output.split() if line != "ready"]
    assert [outcome.complaint for outcome in outcomes if outcome.status] == []
    stored = ids(repository)
    tally(PROCESSES * EACH, set(acknowledged) ^ set(stored))
    assert len(acknowledged) == len(set(acknowledged)) == PROCESSES * EACH
    assert sorted(stored) == sorted(acknowledged)


@pytest.mark.evidence("B1", "comments", control="takes no lock")
def test_b1_control_without_the_lock_comments_are_lost(repository: Path, tally: Tally) -> None:
    (repository / "a.txt").write_text("one\ntwo\n")
    program = (WITHOUT_LOCK + ADD_MANY).replace(f"range({EACH})", "range(40)")
    outcomes = run_together([python(program, repository, name) for name in range(4)])
    acknowledged = {line for outcome in outcomes for line in outcome.output.split() if line != "ready"}
    lost = acknowledged - set(ids(repository))
    tally(len(acknowledged), lost)
    assert lost


# B6: an editor saves the source while its comments are re-anchored.

BODY = [f"def function_{number}(value):\n    return value + {number}\n" for number in range(40)]
ROUNDS = samples("saves")


@contextlib.contextmanager
def saving(source: Path) -> Iterator[None]:
    """Save a source again and again meanwhile, in place and by renaming, with other lines on top."""
    stop = threading.Event()

    def edit() -> None:
        rounds = random.Random(1)
        while not stop.is_set():
            head = "\n".join(f"# {rounds.random()}" for _ in range(rounds.randrange(12)))
            text = head + "\n" + "\n".join(BODY)
            if rounds.random() < 0.5:
                source.write_text(text)  # in place: a reader may see half of it
            else:
                beside = source.with_suffix(".new")
                beside.write_text(text)
                os.replace(beside, source)

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        yield
    finally:
        stop.set()
        editor.join()


def faults_while_saving(repository: Path, re_anchor: Callable[[Comments], None], rounds: int) -> list[str]:
    """Return what is lost or on a wrong line when a source is saved while its comments are re-anchored."""
    source = repository / "a.py"
    source.write_text("\n".join(BODY))
    room = Comments.open(Repository.at(repository))
    writing, path = CommentWriter(room), RepoPath.parse("a.py")
    wanted = {}
    for number in range(40):
        line = source.read_text().split("\n").index(f"def function_{number}(value):") + 1
        wanted[writing.add(path, CommentDraft(line, "x", "t", "NOTE")).note.id] = (
            f"def function_{number}(value):"
        )
    faults = []
    with saving(source):
        for _ in range(rounds):
            re_anchor(room)
            found = json.loads((repository / "a.py.comments").read_bytes())["comments"]
            faults += [f"lost {name}" for name in wanted.keys() - {comment["id"] for comment in found}]
            if faults:
                break
    re_anchor(room)
    lines = source.read_text().split("\n")
    stored = json.loads((repository / "a.py.comments").read_bytes())["comments"]
    faults += [
        f"{comment['id']} is on line {comment['line']}"
        for comment in stored
        if lines[comment["line"] - 1 : comment["line"]] != [wanted[comment["id"]]]
    ]
    shown = {note.id for note in room.load("a.py").comments if not note.orphaned}
    room.close()
    return faults + [f"orphaned {name}" for name in wanted.keys() - shown if not faults]


def keep_what_is_found(room: Comments) -> None:
    """Re-anchor as one would at first: take the source as it is now, and keep what is found in it."""
    place = Path(room.repository.root) / "a.py"
    lines = place.read_text().split("\n")
    sidecar = place.with_name("a.py.comments")
    document = json.loads(sidecar.read_bytes())
    texts = {marker["id"]: marker["lineText"] for marker in document["ghostMarkers"]}
    kept = [
        comment | {"line": lines.index(texts[comment["ghostMarkerId"]]) + 1}
        for comment in document["comments"]
        if texts[comment["ghostMarkerId"]] in lines
    ]
    sidecar.write_text(json.dumps(document | {"comments": kept}))


@pytest.mark.requirement("reliability-B6")
@pytest.mark.evidence("B6", "comments", "an editor saves while comments are found again")
def test_b6_an_editor_that_saves_meanwhile_costs_no_comment_and_misplaces_none(
    repository: Path, tally: Tally
) -> None:
    faults = faults_while_saving(repository, lambda room: Scan(room).run(), ROUNDS)
    tally(ROUNDS, faults)
    assert faults == []


@pytest.mark.evidence("B6", "comments", control="trusts half a file")
def test_b6_control_trusting_half_a_file_loses_comments(repository: Path, tally: Tally) -> None:
    faults = faults_while_saving(repository, keep_what_is_found, 10_000)
    tally(40, faults)
    assert any(fault.startswith("lost") for fault in faults)


@pytest.mark.evidence("B6", "comments", control="stays on the same line")
def test_b6_control_staying_on_the_same_line_misplaces_comments(repository: Path, tally: Tally) -> None:
    faults = faults_while_saving(repository, lambda _room: None, 2)
    tally(40, faults)
    assert any("is on line" in fault for fault in faults)


# C1: damaged sidecars.


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


def two_annotated(repository: Path) -> Comments:
    for name in ("a.txt", "b.txt"):
        (repository / name).write_text("one\ntwo\n")
    room = Comments.open(Repository.at(repository))
    for name in ("a.txt", "b.txt"):
        CommentWriter(room).add(RepoPath.parse(name), CommentDraft(2, "keep", "t", "TODO"))
    return room


def refusal(room: Comments) -> HoldfastError | None:
    try:
        room.load("a.txt")
    except HoldfastError as failure:
        return failure
    return None


def use(room: Comments) -> bool:
    """Read a file's comments, then add one and look for all; return whether reading was refused."""
    path = RepoPath.parse("a.txt")
    failure = refusal(room)
    if failure is None:
        return False
    assert "a.txt.comments" in failure.message
    for attempt in (
        lambda: CommentWriter(room).add(path, CommentDraft(1, "x", "t", "TODO")),
        lambda: Scan(room).run(path),
    ):
        with contextlib.suppress(HoldfastError):
            attempt()
    return True


def repair_and_use(room: Comments) -> bool:
    """Read as one would at first: what cannot be read is begun anew."""
    place = Path(room.repository.root) / "a.txt.comments"
    try:
        json.loads(place.read_bytes())["comments"][0]["id"]
    except (ValueError, LookupError, TypeError):
        place.write_text('{"comments": []}')
        return True
    return False


def overwritten(room: Comments, place: Path, use: Callable[[Comments], bool]) -> tuple[int, list[str]]:
    """Return how many damaged sidecars were refused, and which of those were changed by that."""
    refused, changed = 0, []
    for name, damaged in damages(place.read_bytes()).items():
        place.write_bytes(damaged)
        if use(room):
            refused += 1
            if hashlib.sha256(place.read_bytes()).digest() != hashlib.sha256(damaged).digest():
                changed.append(name)
        assert [note.text for note in room.load("b.txt").comments] == ["keep"]
    return refused, changed


@pytest.mark.requirement("reliability-C1")
@pytest.mark.evidence("C1", "comments", "cut short, bits flipped, not UTF-8, 50 MB")
def test_c1_a_damaged_sidecar_is_named_left_alone_and_hides_no_other(repository: Path, tally: Tally) -> None:
    room = two_annotated(repository)
    refused, changed = overwritten(room, repository / "a.txt.comments", use)
    room.close()
    tally(refused, changed)
    assert changed == []
    assert refused > 40


@pytest.mark.evidence("C1", "comments", control="repairs what it cannot read")
def test_c1_control_a_reader_that_repairs_what_it_cannot_read_is_caught(
    repository: Path, tally: Tally
) -> None:
    room = two_annotated(repository)
    refused, changed = overwritten(room, repository / "a.txt.comments", repair_and_use)
    room.close()
    tally(refused, changed)
    assert changed


@pytest.mark.requirement("reliability-C1")
@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.evidence("C1", "comments", "a {kind} in its place", every=True)
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
        CommentWriter(room).add(RepoPath.parse("a.txt"), CommentDraft(1, "x", "t", "TODO"))
    room.close()
    assert not (repository / "elsewhere").exists()


# E2: a folder is swapped for a link that leads outside, and back, again and again.


@contextlib.contextmanager
def swapping(inside: Path, outside: Path) -> Iterator[None]:
    outside.mkdir()
    inside.mkdir()
    for folder in (inside, outside):
        (folder / "a.txt").write_text("one\n")
    other, stop, chances = inside.with_name("other"), threading.Event(), random.Random(5)

    def swap() -> None:
        while not stop.is_set():
            os.rename(inside, other)
            inside.symlink_to(outside)
            inside.unlink()
            os.rename(other, inside)
            time.sleep(chances.random() * 0.002)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        yield
    finally:
        stop.set()
        swapper.join()


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.requirement("reliability-E2")
@pytest.mark.evidence("E2", "comments", "a folder swapped for a link and back")
def test_e2_a_link_swapped_in_between_leads_nowhere(repository: Path, tally: Tally) -> None:
    outside = repository.parent / "outside"
    written = refused = tries = 0
    with swapping(repository / "folder", outside):
        room = Comments.open(Repository.at(repository))
        writing, path = CommentWriter(room), RepoPath.parse("folder/a.txt")
        # On a busy machine the thread that swaps may not run for a while.
        while tries < 10_000 or (refused <= 10 and tries < 1_000_000):
            try:
                room.source_bytes(path)
                if tries % 20 == 0 and written < 500:
                    writing.add(path, CommentDraft(1, "x", "t", "TODO"))
                    written += 1
            except HoldfastError:
                refused += 1
            tries += 1
        room.close()
    tally(tries, names_in(outside)[1:], f"{refused} refused, {written} comments written")
    assert names_in(outside) == ["a.txt"]
    assert refused > 10
    assert written > 10


@pytest.mark.evidence("E2", "comments", control="checks the path before it opens it")
def test_e2_control_checking_the_path_before_opening_it_writes_outside(
    repository: Path, tally: Tally
) -> None:
    outside = repository.parent / "outside"
    place, tries = repository / "folder" / "a.txt.comments", 0
    with swapping(repository / "folder", outside):
        while names_in(outside) == ["a.txt"] and tries < 100_000:
            tries += 1
            # The folder may be gone at any step, of the check too.
            with contextlib.suppress(OSError):
                if os.path.realpath(place).startswith(f"{os.path.realpath(repository)}/"):
                    place.write_text("{}")
    tally(tries, names_in(outside)[1:])
    assert names_in(outside) == ["a.txt", "a.txt.comments"]

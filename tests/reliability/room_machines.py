"""The machines of comments and of the inbox."""

from __future__ import annotations

import json
import os
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.store import Comments
from holdfast.inbox.store import Inbox
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from tests.inbox.conftest import TurnableClock
from tests.milestones.clones import git
from tests.reliability.machine import FULL, SOME, WHICH, WORDS, Machine

# Comments: two servers on one work tree, an editor that adds lines, a rename, commits.


@dataclass
class Remark:
    text: str
    line: int
    status: str | None = None
    replies: list[str] = field(default_factory=list)


class CommentsMachine(Machine):
    """One file with its comments; another file for each example."""

    files = 0

    def __init__(self, root: Path, rooms: list[Comments]) -> None:
        super().__init__()
        self.root, self.rooms = root, rooms
        self.writers = [CommentWriter(room) for room in rooms]
        self.rename()
        self.place.write_text("".join(f"value_{number} = {number}\n" for number in range(20)))

    @property
    def place(self) -> Path:
        return self.root / self.path.text

    def rename(self) -> None:
        CommentsMachine.files += 1
        self.path = RepoPath.parse(f"file{CommentsMachine.files}.py")

    @rule(which=WHICH, line=st.integers(1, 20), text=WORDS)
    def add(self, which: int, line: int, text: str) -> None:
        placed = self.writers[which].add(self.path, CommentDraft(line, text, "ada", "TODO"))
        self.model[placed.note.id] = Remark(text, line)

    @FULL
    @rule(which=WHICH, number=SOME, text=WORDS)
    def edit(self, which: int, number: int, text: str) -> None:
        name, remark = self.some(number)
        self.writers[which].edit(self.path, name, text)
        remark.text = text

    @FULL
    @rule(which=WHICH, number=SOME, text=WORDS)
    def reply(self, which: int, number: int, text: str) -> None:
        name, remark = self.some(number)
        self.writers[which].reply(self.path, name, text, "bob")
        remark.replies.append(text)

    @FULL
    @rule(which=WHICH, number=SOME, status=st.sampled_from(["resolved", "open"]))
    def resolve(self, which: int, number: int, status: str) -> None:
        name, remark = self.some(number)
        self.writers[which].resolve(self.path, name, status, "eve")
        remark.status = status

    @FULL
    @rule(which=WHICH, number=SOME)
    def delete(self, which: int, number: int) -> None:
        name, _ = self.some(number)
        self.writers[which].delete(self.path, name)
        del self.model[name]

    @rule(at=st.integers(0, 19))
    def insert_a_line(self, at: int) -> None:
        lines = self.place.read_text().splitlines(keepends=True)
        lines.insert(at, f"added_{self.fresh()} = 'new here'\n")
        self.place.write_text("".join(lines))
        for remark in self.model.values():
            remark.line += remark.line > at

    @rule()
    def move_the_file(self) -> None:
        before = self.place
        self.rename()
        for suffix in ("", ".comments"):
            if Path(f"{before}{suffix}").exists():
                os.rename(f"{before}{suffix}", f"{self.place}{suffix}")

    @rule()
    def commit(self) -> None:
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "-m", "Change")

    def stored(self, room: Comments) -> dict[str, Remark]:
        found = {}
        for note in room.load(self.path.text).comments:
            replies = [answer["text"] for answer in note.raw.get("replies", [])]
            found[note.id] = Remark(note.text, note.line, note.raw.get("status"), replies)
        return found

    @invariant()
    def both_say_the_same(self) -> None:
        for room in self.rooms:
            assert self.stored(room) == self.model

    def teardown(self) -> None:
        with closing(Comments.open(Repository.at(self.root))) as fresh:
            assert self.stored(fresh) == self.model


# Inbox: two servers, readers that answer or die, the old message file.


@dataclass
class Letter:
    text: str
    holder: str | None = None
    expires: float = 0.0
    is_delivered: bool = False
    replies: list[str] = field(default_factory=list)


class InboxMachine(Machine):
    """Messages of one example among those of all examples before it, which were all delivered."""

    LEASE = 60.0

    def __init__(self, rooms: list[Inbox], clock: TurnableClock, root: Path) -> None:
        super().__init__()
        self.rooms, self.clock, self.root = rooms, clock, root
        self.now = 0.0
        self._pass(self.LEASE + 1)
        while (delivery := rooms[0].take()).messages:
            rooms[0].mark_delivered(delivery.lease)

    def _pass(self, seconds: float) -> None:
        self.clock.turn(seconds)
        self.now += seconds

    @rule(which=WHICH, text=WORDS, again=st.booleans())
    def send(self, which: int, text: str, again: bool) -> None:
        self._pass(1)
        receipt = self.rooms[which].send("a.py", text)
        assert not receipt.duplicate
        self.model[receipt.digest] = Letter(text)
        if again:
            assert self.rooms[1 - which].send("a.py", text).duplicate

    @rule(which=WHICH, text=WORDS)
    def find_the_old_file(self, which: int, text: str) -> None:
        self._pass(1)
        time = f"{self.clock():%Y-%m-%dT%H:%M:%SZ}"
        told = {"file": "old.go", "comment": text, "project_root": str(self.root), "time": time}
        Path(self.rooms[0].legacy.path).write_text(json.dumps(told))
        for room in (self.rooms[which], self.rooms[1 - which]):
            old = room.store_legacy()
            assert old is not None
        self.model[old.digest] = Letter(text)

    def _free(self) -> list[str]:
        return [name for name, one in self.model.items() if not one.is_delivered and one.expires <= self.now]

    @rule(which=WHICH, limit=st.integers(1, 4), ending=st.sampled_from(["answer", "give back", "die"]))
    def take(self, which: int, limit: int, ending: str) -> None:
        expected = self._free()[:limit]
        delivery = self.rooms[which].take(limit)
        assert [message.digest for message in delivery.messages] == expected
        for name in expected:
            self.model[name].expires = self.now + self.LEASE if ending == "die" else 0.0
            self.model[name].is_delivered = ending == "answer"
        if ending == "answer":
            self.rooms[which].mark_delivered(delivery.lease)
        elif ending == "give back":
            self.rooms[1 - which].release(delivery.lease)

    @rule()
    def wait(self) -> None:
        self._pass(self.LEASE + 1)

    @FULL
    @rule(which=WHICH, number=SOME, text=WORDS)
    def reply(self, which: int, number: int, text: str) -> None:
        name, letter = self.some(number)
        message = self.rooms[which].with_digest(name)
        assert message is not None
        self.rooms[which].reply(message, text, "ada")
        letter.replies.append(text)

    def check(self, room: Inbox) -> None:
        pending = {message.digest: message.comment for message in room.messages("pending", limit=1000)}
        assert pending == {name: one.text for name, one in self.model.items() if not one.is_delivered}
        for name, letter in self.model.items():
            message = room.with_digest(name)
            assert message is not None
            assert message.comment == letter.text
            assert [one.text for one in room.replies(message)] == letter.replies

    @invariant()
    def both_say_the_same(self) -> None:
        for room in self.rooms:
            self.check(room)

    def teardown(self) -> None:
        with closing(Inbox(Repository.at(self.root), clock=self.clock)) as fresh:
            self.check(fresh)

"""Any calls in any order through two openings of a store, beside a dictionary of what must be in it.

After each step both openings say what the dictionary says, and so does one that is opened anew at the end.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from holdfast.comments.comment_writer import CommentWriter
from holdfast.comments.sidecar.files import CommentDraft
from holdfast.comments.store import Comments
from holdfast.comments.tools.search_comments import SearchComments, search_comments
from holdfast.inbox.legacy import LegacyFile
from holdfast.inbox.store import Inbox
from holdfast.kernel.errors import HoldfastError
from holdfast.milestones.index.index import Answer, Index
from holdfast.milestones.store import Milestones
from holdfast.storage.files.repo_path import RepoPath
from holdfast.storage.git.repository import Repository
from holdfast.storage.sql.derived import NotUsable
from tests.inbox.conftest import TurnableClock
from tests.milestones.clones import Team, everything, git, issue, titles
from tests.reliability.evidence import Tally
from tests.reliability.machine import SOME, WHICH, WORDS, Machine, Make, forgetting, run
from tests.reliability.room_machines import CommentsMachine, InboxMachine
from tests.reliability.samples import samples

HARNESS = "any calls through two openings, beside a dictionary"
DERIVED = re.compile(r"(milestones|comment-places|comment-search).*(\.index|-[0-9a-f]{16}\.sqlite)")
FORGETS = "forgets every second change that it acknowledges"


@pytest.fixture
def comments(repository: Path) -> Iterator[Make]:
    rooms = [Comments.open(Repository.at(repository)) for _ in range(2)]
    yield lambda: CommentsMachine(repository, rooms)
    for room in rooms:
        room.close()


@pytest.fixture
def inbox(repository: Path, tmp_path: Path) -> Iterator[Make]:
    clock, legacy = TurnableClock(), LegacyFile(str(tmp_path / "messages.json"))
    rooms = [
        Inbox(Repository.at(repository), legacy=legacy, clock=clock, lease_seconds=InboxMachine.LEASE)
        for _ in range(2)
    ]
    yield lambda: InboxMachine(rooms, clock, repository)
    for room in rooms:
        room.close()


# Milestones: two clones of one hub, each with its room, that sync when they like.


@dataclass
class Issue:
    titles: set[str]
    """What it may be called: where both clones changed it since they last met, either may win."""
    labels: set[str] = field(default_factory=set)
    comments: set[str] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    """The clones that have it."""


class MilestonesMachine(Machine):
    """The issues of one example in two clones, which hold those of all examples before."""

    def __init__(self, team: Team) -> None:
        super().__init__()
        self.team, self.names = team, list(team.paths)

    def room(self, which: int) -> Milestones:
        return self.team[self.names[which]]

    def here(self, which: int, number: int) -> tuple[str, Issue] | None:
        known = [(name, one) for name, one in self.model.items() if which in one.known]
        return known[number % len(known)] if known else None

    @rule(which=WHICH, title=WORDS)
    def create(self, which: int, title: str) -> None:
        self.model[issue(self.room(which), title)] = Issue({title}, known={which})

    @rule(which=WHICH, number=SOME, title=WORDS)
    def retitle(self, which: int, number: int, title: str) -> None:
        if found := self.here(which, number):
            self.room(which).set(found[0], "title", title)
            assert self.room(which).get(None, found[0]).title == title
            found[1].titles.add(title)

    @rule(which=WHICH, number=SOME)
    def label(self, which: int, number: int) -> None:
        if found := self.here(which, number):
            word = f"l{self.fresh()}"
            self.room(which).change(found[0], add={"labels": [word]})
            found[1].labels.add(word)
            assert word in self.room(which).get(None, found[0]).labels

    @rule(which=WHICH, number=SOME)
    def comment(self, which: int, number: int) -> None:
        if found := self.here(which, number):
            text = f"c{self.fresh()}"
            self.room(which).comment(found[0], text)
            found[1].comments.add(text)

    @rule(which=WHICH)
    def sync(self, which: int) -> None:
        self.room(which).sync()

    @rule(which=WHICH)
    def collect_garbage(self, which: int) -> None:
        git(self.team.paths[self.names[which]], "gc", "--quiet", "--prune=now")

    @rule()
    def meet(self) -> None:
        """After all have heard of everything all clones hold the same, and it is what was written."""
        self.team.sync_until_still()
        one, other = (everything(self.room(which)) for which in range(2))
        assert one == other
        stored = {entity.id: entity for entity in one}
        for name, expected in self.model.items():
            found = stored[name]
            assert found.title in expected.titles
            assert {*found.labels} == expected.labels
            assert {comment.body for comment in found.comments} == expected.comments
            expected.titles, expected.known = {found.title}, {0, 1}

    def teardown(self) -> None:
        self.meet()
        with closing(Milestones(Repository.at(self.team.paths[self.names[0]]))) as fresh:
            assert everything(fresh) == everything(self.room(0))


@pytest.fixture
def milestones(home: Path, tmp_path: Path) -> Iterator[Make]:
    team = Team(tmp_path, "ab")
    yield lambda: MilestonesMachine(team)
    team.close()


# Derived indexes: whatever becomes of their files, they answer as if made anew.


class IndexMachine(Machine):
    """Issues and comments that are searched for, while the indexes are removed and damaged."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root
        self.tag = f"t{os.urandom(4).hex()}"
        self.path = RepoPath.parse(f"{self.tag}.py")
        (root / self.path.text).write_text("value = 1\n")
        self.open()

    def open(self) -> None:
        self.issues, self.comments = (room(Repository.at(self.root)) for room in (Milestones, Comments))

    def close(self) -> None:
        self.issues.close()
        self.comments.close()

    @rule()
    def create(self) -> None:
        word = f"{self.tag}i{self.fresh()}"
        self.model[word] = issue(self.issues, word)

    @rule()
    def remark(self) -> None:
        word = f"{self.tag}c{self.fresh()}"
        self.model[word] = (
            CommentWriter(self.comments).add(self.path, CommentDraft(1, word, "ada", "TODO")).note.id
        )

    @rule(how=st.sampled_from(["remove", "empty", "garbage", "cut", "flip"]), number=SOME)
    def damage(self, how: str, number: int) -> None:
        self.close()
        files = sorted(path for path in (self.root / ".git" / "holdfast").rglob("*") if is_derived(path))
        if files:
            path = files[number % len(files)]
            data = path.read_bytes()
            middle = len(data) // 2
            flipped = bytes(byte ^ 255 for byte in data[middle : middle + 64])
            flipped = data[:middle] + flipped + data[middle + 64 :]
            damaged = {"empty": b"", "garbage": b"no database" * 99, "cut": data[:middle], "flip": flipped}
            path.unlink() if how == "remove" else path.write_bytes(damaged[how])
        self.open()

    @invariant()
    def everything_is_found(self) -> None:
        query = SearchComments(query=f"{self.tag}c", limit=100)
        assert {one.text for one in search_comments(self.comments, query).comments} == self.words("c")
        assert {title for title in titles(self.issues) if title.startswith(self.tag)} == self.words("i")

    def words(self, kind: str) -> set[str]:
        return {word for word in self.model if word.startswith(self.tag + kind)}

    def teardown(self) -> None:
        self.close()


def is_derived(path: Path) -> bool:
    """Tell the files of an index from what cannot be made anew."""
    return path.is_file() and DERIVED.fullmatch(path.name) is not None


@pytest.fixture
def indexes(repository: Path) -> Make:
    return lambda: IndexMachine(repository)


@pytest.mark.requirement("reliability-B5")
@pytest.mark.evidence("B5", "{store}", HARNESS)
@pytest.mark.parametrize("store", ["comments", "inbox", "milestones", "indexes"])
def test_b5_a_store_is_what_a_dictionary_says_after_any_calls(
    store: str, request: pytest.FixtureRequest, tally: Tally
) -> None:
    examples = max(2, samples("machine examples") // {"milestones": 4, "indexes": 3}.get(store, 1))
    run(request.getfixturevalue(store), examples)
    tally(examples, 0, f"of up to {samples('machine steps')} steps")


def careless(self: Index, query: Callable[[sqlite3.Connection], Answer], **_more: object) -> Answer:
    """Answers from an index as it is, and takes one that is not usable for an empty one."""
    try:
        with self._database.read() as connection:
            return query(connection)
    except NotUsable:
        with self._empty_index.lend() as connection:
            return query(connection)


@pytest.mark.evidence("B5", "{store}", control=FORGETS)
@pytest.mark.parametrize(
    ("store", "owner", "method"),
    [("comments", CommentWriter, "edit"), ("inbox", Inbox, "reply"), ("milestones", Milestones, "set")],
)
def test_control_a_store_that_forgets_differs_from_the_dictionary(
    store: str, owner: type, method: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = forgetting(monkeypatch, owner, method, request.getfixturevalue(store))
    with pytest.raises((AssertionError, HoldfastError)):
        run(make, examples=100)


@pytest.mark.evidence("B5", "indexes", control="takes a damaged index for an empty one")
def test_control_an_index_that_is_not_made_anew_differs_from_the_dictionary(
    indexes: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Index, "read", careless)
    with pytest.raises((AssertionError, HoldfastError)):
        run(indexes, examples=100)

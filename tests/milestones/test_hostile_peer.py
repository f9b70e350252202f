"""A hostile peer, who pushes whatever git takes: nobody loses a word or is stopped, and each log is named."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import LIMITS
from holdfast.milestones.entity import Entity
from holdfast.milestones.index import update
from holdfast.milestones.log.entry import MAX_LAMPORT, Entry, derived_id, with_entity_id, with_operation_id
from holdfast.milestones.store import Milestones
from holdfast.storage.git.commits import commit
from tests.milestones.clones import Team, everything, git, issue, new_repository, opened

WHO = "Mallory <m@example.org>"
WHEN = "1780000000 +0000"
TIME = "2026-05-28T20:26:40Z"


def written(number: int, **more: object) -> Entry:
    """Return a sound operation of the peer's own."""
    entry = Entry(
        "", derived_id(str(number)), "issue", number, TIME, WHO, "create", None, {"title": f"M{number}"}
    )
    entry = entry._replace(**more)  # type: ignore[arg-type]
    return (
        with_operation_id(entry, 1_780_000_000_000)
        if entry.entity != ""
        else with_operation_id(with_entity_id(entry), 1_780_000_000_000)
    )


def changed(line: str, **members: object) -> str:
    """Return a line of JSON with other members; None leaves one out."""
    found = {**json.loads(line), **members}
    present = {key: value for key, value in found.items() if value is not None}
    return json.dumps(present, sort_keys=True, separators=(",", ":"))


@dataclass
class Peer:
    """Somebody who may push to the hub, with git and nothing else."""

    path: Path
    hub: Path
    victim: str = ""
    victims_lines: list[str] = field(default_factory=list)
    count: int = 0

    def raw(self, kind: str, content: bytes) -> str:
        command = ["git", "-C", str(self.path), "hash-object", "--literally", "-w", "-t", kind, "--stdin"]
        return subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode().strip()

    @property
    def tree(self) -> str:
        return self.raw("tree", b"")

    def commit(
        self,
        *lines: str | bytes,
        head: str = f"author {WHO} {WHEN}\ncommitter {WHO} {WHEN}",
        parents: tuple[str, ...] = (),
        tree: str | None = None,
    ) -> str:
        above = "".join(f"parent {parent}\n" for parent in parents)
        text = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
        start = f"tree {tree or self.tree}\n{above}{head}\n\npoison\n\n".encode()
        return self.raw("commit", start + text + b"\n")

    def sound(self) -> str:
        self.count += 1
        return self.commit(written(self.count).line())

    def pushes(self, tip: str, name: str | None = None, *, force: bool = False) -> str:
        name = name or os.urandom(16).hex()
        git(self.path, "push", "--quiet", *(["--force"] if force else []), str(self.hub),
            f"{tip}:refs/holdfast/log/{name}")  # fmt: skip
        return name


def of_lines(*lines: str | bytes) -> Callable[[Peer], str]:
    return lambda peer: peer.pushes(peer.commit(*lines))


def of_head(head: str) -> Callable[[Peer], str]:
    return lambda peer: peer.pushes(peer.commit(written(1).line(), head=head))


def of_tree(*entries: tuple[str, str, str]) -> Callable[[Peer], str]:
    def push(peer: Peer) -> str:
        blob = peer.raw("blob", b"#!/bin/sh\ntouch /tmp/never\n")
        listing = "".join(
            f"{mode} {kind} {blob if kind == 'blob' else '1' * 40}\t{name}\n" for mode, kind, name in entries
        )
        command = ["git", "-C", str(peer.path), "mktree", "--missing"]
        tree = subprocess.run(command, input=listing.encode(), capture_output=True, check=True).stdout
        return peer.pushes(peer.commit(written(2).line(), tree=tree.decode().strip()))

    return push


SOUND = written(3).line()
WORDS = "author Mallory <m> 1780000000 +0000\ncommitter Mallory <m> "

POISONS: dict[str, Callable[[Peer], str]] = {
    "a date beyond 2^63": of_head(WORDS + "99999999999999999999 +0000"),
    "a date beyond 2^64": of_head(WORDS + "18446744073709551616 +0000"),
    "a date of thousands of digits": of_head(WORDS + "9" * 5000 + " +0000"),
    "a date that is none": of_head(WORDS + "yesterday"),
    "a date before all time": of_head(WORDS + "-5 +0000"),
    "no committer": of_head("author Mallory <m> 1780000000 +0000"),
    "nobody at all": of_head("x-header nothing"),
    "UTF-16 declared": of_head(WORDS + "1780000000 +0000\nencoding UTF-16"),
    "UTF-32 declared": of_head(WORDS + "1780000000 +0000\nencoding UTF-32"),
    "a file": of_tree(("100644", "blob", "file")),
    "an executable": of_tree(("100755", "blob", "run")),
    "a symlink": of_tree(("120000", "blob", "link")),
    "a submodule": of_tree(("160000", "commit", "module")),
    "several parents": lambda peer: peer.pushes(peer.commit(SOUND, parents=(peer.sound(), peer.sound()))),
    "dozens of parents": lambda peer: peer.pushes(
        peer.commit(SOUND, parents=tuple(peer.sound() for _ in range(40)))
    ),
    "a blob": lambda peer: peer.pushes(peer.raw("blob", b"poison")),
    "a tree": lambda peer: peer.pushes(peer.tree),
    "a tag": lambda peer: peer.pushes(
        peer.raw("tag", f"object {peer.sound()}\ntype commit\ntag t\ntagger {WHO} {WHEN}\n\nx\n".encode())
    ),
    "deep objects": of_lines('{"a":' * 50_000 + "1" + "}" * 50_000),
    "deep lists": of_lines(changed(SOUND, x=json.loads("[" * 60 + "]" * 60))),
    "a line cut short": of_lines(SOUND[:-5]),
    "no JSON": of_lines("{poison"),
    "a NUL": of_lines(SOUND[:40].encode() + b"\0" + SOUND[40:].encode()),
    "bytes that are no UTF-8": of_lines(SOUND.encode().replace(b"M3", b"\xff\xfe")),
    "letters beyond ASCII": of_lines(SOUND.replace("M3", "Größe")),
    "half a surrogate pair": of_lines(SOUND.replace("M3", "\\ud800")),
    "a key that comes twice": of_lines(SOUND.replace('{"by"', '{"by":"Somebody else","by"')),
    "NaN": of_lines(SOUND.replace('"l":3', '"l":NaN')),
    "Infinity": of_lines(changed(SOUND, x={"title": "M", "y": 0}).replace('"y":0', '"y":-Infinity')),
    "an infinite number": of_lines(changed(SOUND, x={"title": "M", "y": 0}).replace('"y":0', '"y":1e999')),
    "a Lamport time beyond all": of_lines(changed(SOUND, l=MAX_LAMPORT + 1)),
    "a Lamport time of thousands of digits": of_lines(SOUND.replace('"l":3', f'"l":{"9" * 5000}')),
    "a negative Lamport time": of_lines(changed(SOUND, l=-1)),
    "an id that is none": of_lines(changed(SOUND, op="../../etc/passwd")),
    "an entity that is none": of_lines(changed(SOUND, e="'; DROP TABLE entity; --")),
    "a title of megabytes": of_lines(written(4, value={"title": "x" * 3_000_000}).line()),
    "a hundred thousand labels": of_lines(
        written(5, value={"title": "x", "labels": [f"l{n}" for n in range(100_000)]}).line()
    ),
    "an unknown type": of_lines(written(6, type="sparkle").line()),
    "a later version": of_lines(written(7, version=99).line()),
    "an unknown kind": of_lines(written(8, kind="virus").line()),
    "a status that is none": of_lines(written(9, type="set", field="status", value="owned").line()),
    "the largest Lamport time": of_lines(written(MAX_LAMPORT).line(), "{"),
    "a commit beyond all": of_lines(written(10).line(), "x" * 4_000_000),
    "a name with something below": lambda peer: peer.pushes(peer.sound(), f"{'d' * 32}/below"),
    "a name that is none": lambda peer: peer.pushes(peer.sound(), "';touch;$(id)"),
    "a name beyond ASCII": lambda peer: peer.pushes(peer.sound(), "größe-\u202e"),
    "a name that is no UTF-8": lambda peer: peer.pushes(peer.sound(), os.fsdecode(b"not\xfftext")),
    "the victim's words replaced": lambda peer: peer.pushes(peer.commit(*forged(peer, by="!"))),
    "the victim's words replaced, earlier": lambda peer: peer.pushes(peer.commit(*forged(peer, l=1))),
}


def forged(peer: Peer, **members: object) -> list[str]:
    """Return the victim's operations in words that sort before and come before the victim's."""
    return [
        changed(line, x="\x00forged" if '"x":"' in line else {"title": " forged"}, **members)
        for line in peer.victims_lines
    ]


@pytest.fixture
def team(home: Path, tmp_path: Path) -> Iterator[Team]:
    """A victim, an honest third clone, and what both have written so far."""
    team = Team(tmp_path, "vh")
    name = issue(team["v"], "Of the victim", description="In my own words", labels=("mine",))
    team["v"].comment(name, "As I said")
    issue(team["h"], "Of the third")
    team.sync_until_still()
    yield team
    team.close()


@pytest.fixture(autouse=True)
def _smaller_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a commit be too large at a size that a test can afford."""
    monkeypatch.setitem(vars(LIMITS), "log_commit_bytes", 3_500_000)


@pytest.fixture
def peer(team: Team, tmp_path: Path) -> Peer:
    (log,) = [path.read_text().strip() for path in [team.paths["v"] / ".git/holdfast/milestones.replica"]]
    return Peer(new_repository(tmp_path / "peer"), team.hub, log, list(team["v"].operations()))


def words(room: Milestones) -> dict[str, Entity]:
    """Return what honest people wrote, as it is shown."""
    return {one.id: one for one in everything(room) if "Mallory" not in one.author}


def assert_nobody_is_stopped(team: Team, before: dict[str, Entity]) -> None:
    """Everything acknowledged is there unaltered, and every clone still reads, writes and syncs."""
    for room in team.rooms.values():
        room.sync()
        assert {name: one for name, one in words(room).items() if name in before} == before
    new = [issue(room, f"After {who}") for who, room in team.rooms.items()]
    team.sync_until_still()
    for room in team.rooms.values():
        assert set(words(room)) == {*before, *new}


def named_in_doctor(room: Milestones) -> list[str]:
    """Return the last part of the name of each log that the doctor names, sorted."""
    return sorted(finding.text.split()[2].rpartition("/")[2] for finding in room.check())


def shown(log: str) -> str:
    """Return the last part of a log's name as it is shown."""
    return os.fsencode(log).decode("utf-8", "backslashreplace").rpartition("/")[2]


# One by one takes minutes: all of them by HOLDFAST_EACH_POISON=1, some of them always.
ONE_BY_ONE = [*POISONS][:: 1 if os.environ.get("HOLDFAST_EACH_POISON") else 8]


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("poison", ONE_BY_ONE)
@pytest.mark.evidence("C2", "milestones", "a poisoned log of a peer", every=True)
def test_a_poisoned_log_is_one_named_entry(team: Team, peer: Peer, poison: str):
    before = words(team["v"])
    log = POISONS[poison](peer)
    assert_nobody_is_stopped(team, before)
    for room in team.rooms.values():
        assert named_in_doctor(room) == [shown(log)]


@pytest.mark.requirement("reliability-C2")
@pytest.mark.evidence("C2", "milestones", "all poisons at once", every=True)
def test_all_poisons_at_once_stop_nobody_and_cost_a_newcomer_nothing(team: Team, peer: Peer, tmp_path: Path):
    before = words(team["v"])
    logs = [push(peer) for push in POISONS.values()]
    assert len(logs) >= 30
    assert_nobody_is_stopped(team, before)
    newcomer = new_repository(tmp_path / "newcomer")
    git(newcomer, "remote", "add", "origin", str(team.hub))
    with opened(newcomer) as room:
        room.sync()
        assert {name: one for name, one in words(room).items() if name in before} == before
        assert named_in_doctor(room) == sorted(map(shown, logs))
        assert room.sync().received == 0


# What a peer does to the log of somebody else.


def assert_everything_arrives(team: Team, before: dict[str, Entity], tmp_path: Path) -> None:
    """Nobody is stopped, and the hub gives a newcomer all that honest people wrote, before and after."""
    assert_nobody_is_stopped(team, before)
    newcomer = new_repository(tmp_path / "newcomer")
    git(newcomer, "remote", "add", "origin", str(team.hub))
    with opened(newcomer) as room:
        room.sync()
        assert words(room) == words(team["v"]) == words(team["h"])


def put_in_place_of(peer: Peer, tip: str) -> None:
    peer.pushes(tip, peer.victim, force=True)


ATTACKS: dict[str, Callable[[Peer], object]] = {
    "deleted": lambda peer: git(peer.hub, "update-ref", "-d", f"refs/holdfast/log/{peer.victim}"),
    "rewound": lambda peer: git(
        peer.hub, "update-ref", f"refs/holdfast/log/{peer.victim}", f"refs/holdfast/log/{peer.victim}~1"
    ),
    "rewritten": lambda peer: put_in_place_of(peer, peer.commit(*forged(peer))),
    "gone on with": lambda peer: (
        git(peer.path, "fetch", "--quiet", str(peer.hub), f"refs/holdfast/log/{peer.victim}"),
        put_in_place_of(
            peer, peer.commit(*forged(peer), parents=(git(peer.path, "rev-parse", "FETCH_HEAD").strip(),))
        ),
    ),
    "a blob instead": lambda peer: put_in_place_of(peer, peer.raw("blob", b"x")),
    "a tag instead": lambda peer: put_in_place_of(
        peer,
        peer.raw("tag", f"object {peer.sound()}\ntype commit\ntag t\ntagger {WHO} {WHEN}\n\nx\n".encode()),
    ),
    "another below it": lambda peer: (
        git(peer.hub, "update-ref", "-d", f"refs/holdfast/log/{peer.victim}"),
        peer.pushes(peer.sound(), f"{peer.victim}/below"),
    ),
    "another creation": lambda peer: peer.pushes(
        peer.commit(
            *(
                written(1, entity=json.loads(line)["e"], kind=kind, lamport=1).line()
                for line in peer.victims_lines
                for kind in ("milestone", "issue")
            )
        )
    ),
}


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.evidence("C2", "milestones", "a peer changes the log of another", every=True)
def test_nothing_is_lost_whatever_is_done_to_a_log(team: Team, peer: Peer, tmp_path: Path, attack: str):
    before = words(team["v"])
    ATTACKS[attack](peer)
    if attack == "another creation":  # anybody may say more about an issue; whose it is stays as it was
        team["v"].sync()
        after = words(team["v"])
        assert {name: (one.kind, one.title, one.author, one.created) for name, one in after.items()} == {
            name: (one.kind, one.title, one.author, one.created) for name, one in before.items()
        }
        return
    assert_everything_arrives(team, before, tmp_path)


def test_the_work_of_a_sync_does_not_grow_with_the_number_of_new_logs(
    team: Team, peer: Peer, monkeypatch: pytest.MonkeyPatch
):
    """Counted in processes: with twenty times the logs, as many as before."""
    started: list[object] = []

    class CountedProcess(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: Any, *given: Any, **more: Any) -> None:
            started.append(command)
            super().__init__(command, *given, **more)

    monkeypatch.setattr(subprocess, "Popen", CountedProcess)
    counts = []
    for number in (5, 100):
        specs = [f"{peer.sound()}:refs/holdfast/log/{os.urandom(16).hex()}" for _ in range(number)]
        git(peer.path, "push", "--quiet", str(peer.hub), *specs)
        for after in (number, 0):
            started.clear()
            assert team["v"].sync().received == after
            counts.append(len(started))
    assert counts[:2] == counts[2:]


# Controls: without its protection, the same peer does harm.


def test_control_words_are_replaced_where_the_smaller_line_counts(
    team: Team, peer: Peer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        update, "preferred_entry", lambda held, other: min(held, other, key=lambda one: one.line())
    )
    before = words(team["v"])
    POISONS["the victim's words replaced"](peer)
    team["v"].sync()
    assert words(team["v"]) != before


def test_control_one_date_ends_everything_where_dates_are_not_looked_at(
    team: Team, peer: Peer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(commit, "TIMESTAMP_PATTERN", re.compile("[0-9]+"))
    POISONS["a date beyond 2^63"](peer)
    with pytest.raises(OverflowError):
        team["v"].sync()

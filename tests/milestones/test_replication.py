"""Between clones: everything arrives everywhere, in any order, and nothing but the logs moves."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.kernel.call import Call, Listener, running
from holdfast.kernel.errors import InvalidPath, NotFound, Unavailable
from holdfast.milestones import log_fetch, replication
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.index.index import Index
from holdfast.milestones.index.query import EntityQuery
from holdfast.milestones.tools.sync import MileSynced
from tests.forked import run_at_once
from tests.milestones.clones import (
    Team,
    everything,
    fingerprint_of_work,
    git,
    issue,
    loose_object,
    new_repository,
    opened,
    room_at,
    titles,
)

NewTeam = Callable[[str], Team]


@pytest.fixture
def new_team(home: Path, tmp_path: Path) -> Iterator[NewTeam]:
    teams: list[Team] = []

    def make(names: str) -> Team:
        teams.append(Team(tmp_path / f"team{len(teams)}", names))
        return teams[-1]

    yield make
    for team in teams:
        team.close()


def merges(path: Path) -> str:
    return git(path, "log", "--all", "--merges", "--format=%H")


def operations(team: Team) -> set[str]:
    return {line for room in team.rooms.values() for line in room.operations()}


def test_taking_over_many_logs_is_told_in_portions(new_team: NewTeam, monkeypatch: pytest.MonkeyPatch):
    team, told = new_team("abcde"), list[str]()
    for name in "abcd":
        issue(team[name], f"By {name}")
        team[name].sync()
    monkeypatch.setattr(replication, "REFSPECS_PER_COMMAND", 2)

    class Heard(Listener):
        def progress(self, done: float, total: float | None, message: str | None) -> None:
            told.append(message or "")

    with running(Call(listener=Heard())):
        team["e"].sync()
    assert [words for words in told if "so far" in words] == [
        "Merging the logs, 0 of 4 so far", "Merging the logs, 2 of 4 so far",
    ]  # fmt: skip
    assert titles(team["e"]) == titles(team["d"])


@pytest.mark.requirement("milestones-45", "milestones-46")
def test_concurrent_edits_meet_without_a_merge_and_show_who_lost(new_team: NewTeam):
    team = new_team("ab")
    name = issue(team["a"], "Together", labels=("kept",))
    team.sync_until_still()
    team["a"].set(name, "title", "Of a")
    team["a"].change(name, remove={"labels": ["kept"]})
    team["b"].set(name, "title", "Of b")
    team["b"].change(name, add={"labels": ["new"]})
    team["b"].comment(name, "Said in b")
    team.sync_until_still()
    ours, theirs = team["a"].get("issue", name), team["b"].get("issue", name)
    assert ours == theirs
    (contested,) = ours.contested
    assert {contested.winner.value, contested.losers[0].value} == {"Of a", "Of b"}
    assert ours.labels == ("new",)
    assert [comment.body for comment in ours.comments] == ["Said in b"]
    assert merges(team.hub) == ""


@pytest.mark.requirement("milestones-44", "reliability-B7")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.evidence("B7", "milestones", "four real clones write and sync at random")
def test_clones_that_write_and_sync_at_random_converge_and_lose_nothing(new_team: NewTeam, seed: int):
    choices = random.Random(seed)
    team = new_team("abcd")
    written: set[str] = set()
    names = [issue(team["a"], "Start")]
    team.sync_until_still()
    for number in range(24):
        room = team[choices.choice("abcd")]
        if choices.random() < 0.3:
            room.sync()
            continue
        known = [name for name in names if name in {entity.id for entity in everything(room)}]
        name = choices.choice(known)
        act = choices.randrange(5)
        if act == 0:
            receipt = room.create(EntityDraft("issue", f"Issue {number}"))
            names.append(receipt.entity)
        elif act == 1:
            receipt = room.set(name, "title", f"Title {number}")
        elif act == 2:
            receipt = room.change(name, add={"labels": [choices.choice("xyz")]})
        elif act == 3:
            receipt = room.change(name, remove={"labels": [choices.choice("xyz")]})
        else:
            receipt = room.comment(name, f"Comment {number}")
        written.update(receipt.operations)
    order = list("abcd")
    for _ in range(2):
        choices.shuffle(order)
        for one in order:
            team[one].sync()
    states = [everything(room) for room in team.rooms.values()]
    assert all(state == states[0] for state in states)
    assert len({entity.id for entity in states[0]}) == len(names)
    found = {event.id for name in names for event in team["a"].history(name)}
    assert written <= found
    assert merges(team.hub) == ""


WRITER = """
import sys
from holdfast.milestones.entity import EntityDraft
from holdfast.milestones.store import Milestones
from holdfast.storage.git.repository import Repository
room = Milestones.open(Repository.at(sys.argv[1]))
for number in range(5):
    room.create(EntityDraft("issue", f"{sys.argv[2]} {number}"))
    if number % 2:
        room.sync()
room.sync()
room.close()
"""


@pytest.mark.requirement("milestones-44")
def test_processes_that_write_and_sync_in_parallel_lose_nothing(new_team: NewTeam):
    team = new_team("abc")
    commands = [
        [sys.executable, "-c", WRITER, str(team.paths[name]), f"{name}{k}"] for name in "abc" for k in "12"
    ]
    assert [(done.returncode, done.stderr) for done in run_at_once(commands, text=True)] == [(0, "")] * 6
    team.sync_until_still()
    expected = sorted(f"{name}{k} {number}" for name in "abc" for k in "12" for number in range(5))
    for room in team.rooms.values():
        assert titles(room) == expected
    assert len(git(team.hub, "for-each-ref", "refs/holdfast/log/").splitlines()) == 3
    assert git(team.hub, "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.requirement("milestones-47")
def test_a_copied_repository_loses_nothing_and_becomes_a_clone_of_its_own(new_team: NewTeam, tmp_path: Path):
    team = new_team("ab")
    name = issue(team["a"], "Before the copy")
    copy_path = tmp_path / "copy"
    shutil.copytree(team.paths["a"], copy_path)
    copy = room_at(copy_path)
    for number in range(2):
        team["a"].comment(name, f"Original {number}")
        copy.comment(name, f"Copy {number}")
    team["a"].sync()
    report = copy.sync()
    assert len(report.renamed_logs) == 1
    copy.comment(name, "Copy after")
    team["a"].comment(name, "Original after")
    for room in (team["a"], copy, team["b"], team["a"], copy, team["b"]):
        room.sync()
    expected = sorted(f"{who} {what}" for who in ("Original", "Copy") for what in ("0", "1", "after"))
    states = [room.get("issue", name) for room in (team["a"], copy, team["b"])]
    assert sorted(comment.body for comment in states[0].comments) == expected
    assert states[0] == states[1] == states[2]
    replicas = {
        (path / ".git" / "holdfast" / "milestones.replica").read_text()
        for path in (team.paths["a"], copy_path)
    }
    assert len(replicas) == 2
    assert copy.sync().renamed_logs == ()
    copy.close()


@pytest.mark.requirement("milestones-47")
def test_a_copy_that_only_read_so_far_takes_a_name_of_its_own(new_team: NewTeam, tmp_path: Path):
    team = new_team("a")
    name = issue(team["a"], "Before the copy")
    shutil.copytree(team.paths["a"], tmp_path / "copy")
    team["a"].comment(name, "Original")
    team["a"].sync()
    with opened(tmp_path / "copy") as copy:
        copy.sync()
        copy.comment(name, "Copy")
        team["a"].comment(name, "Original again")
        copy.sync()
        team["a"].sync()
        copy.sync()
        assert copy.get("issue", name) == team["a"].get("issue", name)
        assert copy.get("issue", name).comment_count == 3
    assert len(git(team.hub, "for-each-ref", "refs/holdfast/log/").splitlines()) == 2


def test_two_tails_of_a_strangers_log_met_at_two_remotes_are_both_kept(new_team: NewTeam, tmp_path: Path):
    team = new_team("ac")
    name = issue(team["a"], "Forked")
    other = new_repository(tmp_path / "second", "--bare")
    shutil.copytree(team.paths["a"], tmp_path / "copy")
    git(tmp_path / "copy", "remote", "set-url", "origin", str(other))
    team["a"].comment(name, "Original")
    team["a"].sync()
    with opened(tmp_path / "copy") as copy:
        copy.comment(name, "Copy")
        copy.sync()
    git(team.paths["c"], "remote", "add", "second", str(other))
    team["c"].sync("origin")
    report = team["c"].sync("second")
    assert report.refused == {}
    assert team["c"].get("issue", name).comment_count == 2
    team["c"].sync("origin")
    team["a"].sync()
    assert team["a"].get("issue", name).comment_count == 2


def test_what_was_learnt_from_one_remote_is_passed_on_to_the_next(new_team: NewTeam):
    left, right = new_team("a"), new_team("z")
    issue(left["a"], "From the left")
    left["a"].sync()
    git(right.paths["z"], "remote", "add", "left", str(left.hub))
    right["z"].sync("left")
    report = right["z"].sync("origin")
    assert report.sent == 1
    path = new_repository(right.place / "new")
    git(path, "remote", "add", "origin", str(right.hub))
    with opened(path) as newcomer:
        newcomer.sync()
        assert titles(newcomer) == ["From the left"]
    assert len(git(right.hub, "for-each-ref", "refs/holdfast/log/").splitlines()) == 1, "readers add no log"


def test_the_loser_of_a_claim_is_told_at_the_next_sync(new_team: NewTeam):
    team = new_team("ab")
    name = issue(team["a"], "Wanted by two")
    team.sync_until_still()
    team["a"].claim(name, actor="One <1>")
    team["b"].claim(name, actor="Two <2>")
    reports = {one: team[one].sync() for one in "ab"}
    reports["a"] = team["a"].sync()
    told = [claim for report in reports.values() for claim in report.lost_claims]
    assert len(told) == 1
    (lost,) = told
    winner = team["a"].get("issue", name).holder(team["a"].now())
    assert winner == team["b"].get("issue", name).holder(team["b"].now()) == lost.winner
    assert {lost.winner.actor, lost.loser.actor} == {"One <1>", "Two <2>"}
    loser = next(one for one, report in reports.items() if report.lost_claims)
    team[loser].release(name, actor=lost.loser.actor)
    assert team[loser].sync().lost_claims == ()


def test_after_a_clone_the_first_read_says_what_to_run(new_team: NewTeam):
    team = new_team("a")
    git(team.paths["a"], "commit", "--quiet", "--allow-empty", "--message", "x")
    git(team.paths["a"], "push", "--quiet", "origin", "main")
    issue(team["a"])
    team["a"].sync()
    clone = team.place / "clone"
    subprocess.run(["git", "clone", "--quiet", str(team.hub), str(clone)], check=True)
    with opened(clone) as room:
        assert room.find(EntityQuery("issue")).items == ()
        (notice,) = room.notices()
        assert "git mile sync" in notice
        room.sync()
        assert room.notices() == []
        assert titles(room) == ["Broken"]


def test_a_second_sync_moves_nothing(new_team: NewTeam):
    team = new_team("ab")
    issue(team["a"])
    first, second = team["a"].sync(), team["a"].sync()
    assert (first.sent, first.received, second.sent, second.received) == (1, 0, 0, 0)
    received = team["b"].sync()
    assert (received.received, received.logs) == (1, 1)


def test_nothing_but_the_logs_moves_on_either_side(new_team: NewTeam):
    team = new_team("ab")
    for one in "ab":
        git(team.paths[one], "commit", "--quiet", "--allow-empty", "--message", one)
    git(team.paths["a"], "push", "--quiet", "origin", "main")
    git(team.paths["a"], "tag", "v1")
    git(team.paths["b"], "config", "push.followTags", "true")
    issue(team["a"])
    issue(team["b"])
    before = {one: fingerprint_of_work(team.paths[one]) for one in "ab"}
    branches = git(team.hub, "for-each-ref", "refs/heads", "refs/tags")
    team.sync_until_still()
    assert {one: fingerprint_of_work(team.paths[one]) for one in "ab"} == before
    assert git(team.hub, "for-each-ref", "refs/heads", "refs/tags") == branches


def test_a_remote_that_is_not_there_is_named(new_team: NewTeam, repository: Path):
    team = new_team("a")
    issue(team["a"])
    with pytest.raises(NotFound, match="'nowhere'"):
        team["a"].sync("nowhere")
    with pytest.raises(NotFound, match="--upload"):
        team["a"].sync("--upload-pack=touch x")
    shutil.rmtree(team.hub)
    with pytest.raises(Unavailable, match="'origin'") as caught:
        team["a"].sync()
    assert str(team.place) not in caught.value.sentence()
    with opened(repository) as lonely, pytest.raises(NotFound, match="no remote"):
        lonely.sync()


def test_no_program_that_the_repository_names_is_run(new_team: NewTeam, tmp_path: Path):
    team = new_team("a")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    path = team.paths["a"]
    for key in (
        "core.sshCommand",
        "core.askPass",
        "credential.helper",
        "core.gitProxy",
        "remote.origin.uploadpack",
        "remote.origin.receivepack",
        "core.fsmonitor",
        "gpg.program",
    ):
        git(path, "config", key, str(trap))
    git(path, "config", "push.gpgSign", "true")
    hooks = path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"):
        shutil.copy(trap, hooks / hook)
    issue(team["a"])
    report = team["a"].sync()
    assert report.sent == 1
    assert not (tmp_path / "sprung").exists()
    git(path, "config", "remote.origin.url", f"ext::{trap}")
    with pytest.raises(Unavailable):
        team["a"].sync()
    git(path, "config", "remote.origin.url", "ssh://git@localhost:1/x")
    with pytest.raises(Unavailable):
        team["a"].sync()
    assert not (tmp_path / "sprung").exists()


@pytest.mark.requirement("reliability-C2")
def test_a_log_whose_last_commit_is_missing_is_named_and_not_called_refused(new_team: NewTeam):
    team = new_team("ab")
    issue(team["a"], "Of a")
    team.sync_until_still()
    issue(team["a"], "Lost")
    [ref] = [line.split()[1] for line in git(team.paths["a"], "show-ref").splitlines() if "/log/" in line]
    tip = git(team.paths["a"], "rev-parse", ref).strip()
    packs = list((team.paths["a"] / ".git" / "objects").rglob(f"*{tip[2:]}*"))
    assert packs
    for pack in packs:
        pack.rename(team.paths["a"] / pack.name)
    report = team["a"].sync()
    assert (report.refused, report.damaged) == ({}, (ref,))
    assert "`holdfast doctor`" in MileSynced.of(report).problems[0]
    for pack in packs:
        (team.paths["a"] / pack.name).rename(pack)
    report = team["a"].sync()
    assert (report.sent, report.damaged) == (1, ())


def test_a_ref_that_does_not_have_the_name_of_a_log_is_reported(new_team: NewTeam):
    team = new_team("ab")
    issue(team["a"], "Of a")
    team.sync_until_still()
    git(team.hub, "update-ref", "refs/holdfast/log/strange", git(team.hub, "for-each-ref", "--count=1",
        "--format=%(objectname)", "refs/holdfast/log/").strip())  # fmt: skip
    report = team["b"].sync()
    assert report.unnamed == ("refs/holdfast/remotes/origin/strange",)
    assert "does not have the name of a log" in MileSynced.of(report).problems[0]
    assert any("does not have the name of a log" in finding.text for finding in team["b"].check())


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("content", ["1" * 40 + "\n", "", "garbage\n"], ids=["no object", "empty", "garbage"])
@pytest.mark.evidence("C2", "milestones", "a ref that leads nowhere", every=True)
def test_a_log_that_leads_nowhere_is_named_and_the_others_sync(new_team: NewTeam, content: str):
    team = new_team("ab")
    issue(team["b"], "Of b")
    team.sync_until_still()
    issue(team["a"], "Of a")
    issue(team["b"], "Of b again")
    team["b"].sync()
    broken = team.paths["a"] / ".git" / "refs" / "holdfast" / "log" / ("0" * 32)
    broken.write_text(content)
    report = team["a"].sync()
    assert (report.received, report.sent) == (1, 1)
    assert report.damaged == (f"refs/holdfast/log/{'0' * 32}",)
    assert titles(team["a"]) == ["Of a", "Of b", "Of b again"]
    assert any("0000" in finding.text and finding.is_damage for finding in team["a"].check())
    assert any("0000" in notice for notice in team["a"].notices())
    assert broken.read_text() == content
    broken.unlink()
    assert team["a"].notices() == [], "a notice goes with its cause"
    assert team["a"].check() == []
    assert team["a"].sync().damaged == ()


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("content", [b"", b"garbage"], ids=["empty", "garbage"])
@pytest.mark.parametrize("is_own", [True, False], ids=["own log", "other log"])
@pytest.mark.evidence("C2", "milestones", "a commit damaged here", every=True)
def test_a_log_whose_bytes_are_damaged_here_is_set_aside_and_fetched_again(
    new_team: NewTeam, content: bytes, is_own: bool
):
    team = new_team("abc")
    for one in "ab":
        issue(team[one], f"Of {one}")
    team.sync_until_still()
    here = team.paths["b"]
    name = (
        (team.paths["b" if is_own else "a"] / ".git" / "holdfast" / "milestones.replica").read_text().strip()
    )
    tip = git(here, "rev-parse", f"refs/holdfast/log/{name}").strip()
    file = loose_object(here, tip)
    file.chmod(0o644)
    file.write_bytes(content)
    issue(team["c"], "Of c")
    team["c"].sync()
    report = team["b"].sync()
    assert (report.missing, report.refused, report.damaged) == ({}, {}, ())
    assert titles(team["b"]) == ["Of a", "Of b", "Of c"]
    assert (here / ".git" / "holdfast" / "damaged" / tip).read_bytes() == content
    issue(team["b"], "Of b again")
    assert team["b"].sync().sent == 1
    git(here, "fsck", "--strict")
    assert team["b"].check() == []


def test_of_a_log_that_a_shallow_fetch_cut_the_rest_is_named_and_fetched(new_team: NewTeam):
    team = new_team("ab")
    for number in range(3):
        issue(team["a"], f"Issue {number}")
    team["a"].sync()
    team["b"].track("origin")
    here = team.paths["b"]
    git(here, "remote", "set-url", "origin", f"file://{team.hub}")
    git(here, "fetch", "--quiet", "--depth=1", "origin")
    assert titles(team["b"]) == ["Issue 2"]
    assert ["is missing or damaged" in notice for notice in team["b"].notices()] == [True]
    assert [finding.is_damage for finding in team["b"].check()] == [True]
    report = team["b"].sync()
    assert (report.received, report.renamed_logs, report.damaged) == (3, (), ())
    assert titles(team["b"]) == [f"Issue {number}" for number in range(3)]
    assert team["b"].check() == []
    for number in range(3, 6):
        issue(team["a"], f"Issue {number}")
    team["a"].sync()
    git(here, "fetch", "--quiet", "--depth=1", "origin")
    report = team["b"].sync()
    assert (report.received, report.renamed_logs, report.damaged) == (3, (), ())
    assert titles(team["b"]) == [f"Issue {number}" for number in range(6)]


def test_a_repository_cannot_cut_a_log_by_a_graft(new_team: NewTeam):
    team = new_team("a")
    for number in range(3):
        issue(team["a"], f"Issue {number}")
    (tip,) = git(team.paths["a"], "for-each-ref", "--format=%(objectname)", "refs/holdfast/log").split()
    (team.paths["a"] / ".git" / "info" / "grafts").write_text(f"{tip}\n")
    for file in (team.paths["a"] / ".git" / "holdfast").glob("milestones*.sqlite"):
        file.unlink()
    with opened(team.paths["a"]) as room:
        assert titles(room) == [f"Issue {number}" for number in range(3)]


@pytest.mark.parametrize("folder", ["holdfast", "holdfast/log"])
def test_no_log_is_written_where_a_linked_folder_leads(new_team: NewTeam, tmp_path: Path, folder: str):
    team = new_team("a")
    linked, outside = team.paths["a"] / ".git" / "refs" / folder, tmp_path / "outside"
    outside.mkdir()
    linked.parent.mkdir(exist_ok=True)
    linked.symlink_to(outside)
    with pytest.raises(InvalidPath, match="symbolic link"):
        issue(team["a"], "Elsewhere")
    with pytest.raises(InvalidPath, match="symbolic link"):
        team["a"].sync()
    assert [*outside.iterdir()] == []


def test_control_a_log_whose_bytes_are_damaged_here_stops_the_others(
    new_team: NewTeam, monkeypatch: pytest.MonkeyPatch
):
    team = new_team("abc")
    issue(team["a"], "Of a")
    team.sync_until_still()
    name = (team.paths["a"] / ".git" / "holdfast" / "milestones.replica").read_text().strip()
    file = loose_object(team.paths["b"], git(team.hub, "rev-parse", f"refs/holdfast/log/{name}").strip())
    file.chmod(0o644)
    file.write_bytes(b"garbage")
    issue(team["c"], "Of c")
    team["c"].sync()
    monkeypatch.setattr(log_fetch, "set_aside_if_damaged", lambda *_: False)
    monkeypatch.setattr(Index, "find_damage", lambda _: set())
    with suppress(Unavailable):
        team["b"].sync()
    assert "Of c" not in titles(team["b"])


def damage_in_pack(repository: Path, name: str) -> None:
    """Have everything in one pack, and the bytes of one object in it changed."""
    git(repository, "repack", "-adq")
    (pack,) = (repository / ".git" / "objects" / "pack").glob("*.pack")
    lines = git(repository, "verify-pack", "--verbose", str(pack)).splitlines()
    ((size, start),) = (map(int, line.split()[3:5]) for line in lines if line.startswith(name))
    content = bytearray(pack.read_bytes())
    for place in range(start + 4, start + size):
        content[place] ^= 0x5A
    pack.chmod(0o644)
    pack.write_bytes(content)


def damage_loose(repository: Path, name: str) -> None:
    file = loose_object(repository, name)
    file.chmod(0o644)
    file.write_bytes(b"garbage")


def damaged_team(new_team: NewTeam, damage: Callable[[Path, str], None], place: int, whose: str) -> Team:
    """Return a team whose clone b is damaged in one log, while c has something new for everybody."""
    team = new_team("abc")
    for one in "ab":
        for number in range(3):
            issue(team[one], f"Of {one} {number}")
    team.sync_until_still()
    name = (team.paths[whose] / ".git" / "holdfast" / "milestones.replica").read_text().strip()
    damage(team.paths["b"], git(team.hub, "rev-parse", f"refs/holdfast/log/{name}~{place}").strip())
    issue(team["c"], "Of c")
    team["c"].sync()
    issue(team["b"], "Of b new")
    return team


DAMAGE_HERE = [(damage_loose, 1), (damage_in_pack, 0), (damage_in_pack, 1)]


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize(("damage", "place"), DAMAGE_HERE, ids=["loose, not the last", "packed", "in a pack"])
@pytest.mark.parametrize("whose", "ab")
@pytest.mark.evidence("C2", "milestones", "damage in a pack, or not to the last commit", every=True)
def test_damage_anywhere_in_a_log_stops_no_other_and_is_mended_from_the_remote(
    new_team: NewTeam, damage: Callable[[Path, str], None], place: int, whose: str
):
    team = damaged_team(new_team, damage, place, whose)
    assert any(finding.is_damage for finding in team["b"].check())
    report = team["b"].sync()
    assert (report.received, report.sent, report.missing, report.damaged) == (1, 1, {}, ())
    team["c"].sync()
    all_of_them = sorted([*(f"Of {one} {number}" for one in "ab" for number in range(3)), "Of b new", "Of c"])
    assert titles(team["b"]) == titles(team["c"]) == all_of_them
    assert team["b"].check() == []
    assert team["b"].sync()[1:3] == (0, 0)


def test_control_damage_that_is_not_looked_for_stops_the_others(
    new_team: NewTeam, monkeypatch: pytest.MonkeyPatch
):
    team = damaged_team(new_team, damage_in_pack, 1, "a")
    monkeypatch.setattr(Index, "find_damage", lambda _: set())
    with pytest.raises(Unavailable):
        team["b"].sync()
    assert "Of c" not in titles(team["b"])


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("damage", [damage_loose, damage_in_pack], ids=["loose", "packed"])
@pytest.mark.parametrize("place", [0, 1], ids=["the last", "not the last"])
def test_a_damaged_log_that_nobody_else_has_is_named_and_the_others_sync(
    new_team: NewTeam, damage: Callable[[Path, str], None], place: int
):
    team = new_team("bc")
    issue(team["b"], "Of b")
    team.sync_until_still()
    for number in range(3):
        issue(team["b"], f"Of b {number}")
    here, issue_of_c = team.paths["b"], issue(team["c"], "Of c")
    team["c"].sync()
    name = git(here, "for-each-ref", "--format=%(refname)", "refs/holdfast/log/").strip()
    damage(here, git(here, "rev-parse", f"{name}~{place}").strip())
    report = team["b"].sync()
    assert report.received == 1
    assert report.damaged == (name,)
    team["b"].comment(issue_of_c, "From b, after the damage")
    assert team["b"].sync().sent == 1, "what is written from now on is in another log"
    team["c"].sync()
    assert [one.body for one in team["c"].get("issue", issue_of_c).comments] == ["From b, after the damage"]
    assert [name in finding.text for finding in team["b"].check() if finding.is_damage] == [True]
    assert any(name in notice for notice in team["b"].notices())


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("content", [None, b"", b"garbage"], ids=["missing", "empty", "garbage"])
@pytest.mark.evidence("C2", "milestones", "a commit damaged at the remote", every=True)
def test_a_log_that_the_remote_cannot_give_is_named_and_the_others_sync(
    new_team: NewTeam, content: bytes | None
):
    team = new_team("abc")
    for one in "ab":
        issue(team[one], f"Of {one}")
        issue(team[one], f"Of {one} again")
        team[one].sync()
    name = (team.paths["b"] / ".git" / "holdfast" / "milestones.replica").read_text().strip()
    middle = git(team.hub, "rev-parse", f"refs/holdfast/log/{name}~1").strip()
    file = team.hub / "objects" / middle[:2] / middle[2:]
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    issue(team["c"], "Of c")
    report = team["c"].sync()
    assert [*report.missing] == [f"refs/holdfast/log/{name}"]
    assert report.received == 2
    assert titles(team["c"]) == ["Of a", "Of a again", "Of c"]
    if content is None:  # else the remote itself refuses to take anything
        assert (report.sent, report.refused) == (1, {})
        assert team["a"].sync().received == 1


def test_the_doctor_reads_the_logs_whatever_the_index_has(new_team: NewTeam):
    team = new_team("a")
    for number in range(3):
        issue(team["a"], f"Of a {number}")
    assert team["a"].check() == []
    name = git(team.paths["a"], "for-each-ref", "--format=%(refname)", "refs/holdfast/log/").strip()
    loose_object(team.paths["a"], git(team.paths["a"], "rev-parse", f"{name}~1").strip()).unlink()
    assert len(titles(team["a"])) == 3, "the index has it all the same"
    (finding,) = team["a"].check()
    assert finding.is_damage
    assert name in finding.text


REFUSALS = {
    "hidden refs": lambda hub: git(hub, "config", "receive.hideRefs", "refs/holdfast"),
    "a rule for branches only": lambda hub: hook(hub, 'case "$1" in refs/heads/*) exit 0;; *) exit 1;; esac'),
}


def hook(hub: Path, script: str) -> None:
    file = hub / "hooks" / "update"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_remote_that_takes_only_branches_gets_branches(new_team: NewTeam, refusal: str):
    team = new_team("ab")
    REFUSALS[refusal](team.hub)
    name = issue(team["a"], "Through a branch")
    report = team["a"].sync()
    assert (report.sent, report.refused) == (1, {})
    assert "refs/holdfast/" not in git(team.hub, "for-each-ref", "--format=%(refname)")
    assert team["b"].sync().received == 1
    team["b"].comment(name, "Answer")
    assert team["b"].sync().sent > 0
    team.sync_until_still()
    assert everything(team["a"]) == everything(team["b"])
    assert team["a"].get("issue", name).comment_count == 1
    assert (team["a"].sync().sent, team["a"].sync().received) == (0, 0)
    assert git(team.paths["a"], "for-each-ref", "refs/heads") == ""


def test_logs_are_read_from_branches_and_refs_alike(new_team: NewTeam):
    team = new_team("abc")
    git(team.hub, "config", "receive.hideRefs", "refs/holdfast")
    issue(team["a"], "While only branches were taken")
    team["a"].sync()
    git(team.hub, "config", "--unset", "receive.hideRefs")
    issue(team["b"], "Later")
    team.sync_until_still()
    expected = ["Later", "While only branches were taken"]
    assert [titles(team[one]) for one in "abc"] == [expected] * 3


def test_a_remote_that_takes_nothing_is_said_to_refuse(new_team: NewTeam):
    team = new_team("a")
    hook(team.hub, "exit 1")
    issue(team["a"])
    report = team["a"].sync()
    assert report.sent == 0
    assert all("declined" in words for words in report.refused.values())
    assert len(report.refused) == 1

"""The index: trusted no further than the refs, rebuilt when in doubt, never a reason for an empty answer."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import HoldfastError
from holdfast.milestones.entity import SCALARS, SETS, EntityDraft
from holdfast.milestones.index import bulk_load
from holdfast.milestones.index.creation_commit import INSERT_CREATION, parse_creation
from holdfast.milestones.index.query import Condition, EntityQuery
from holdfast.milestones.index.rows import EntityRows
from holdfast.milestones.index.schema import TABLES
from holdfast.milestones.log.entry import Entry, commit_message, derived_id, parse
from holdfast.milestones.store import Milestones
from holdfast.storage.git.commits.commit import EMPTY_TREES, parse_record
from tests.milestones.clones import Team, everything, git, issue, loose_object, new_repository, opened, titles
from tests.reliability.evidence import Tally


@pytest.fixture
def room(repository: Path) -> Iterator[Milestones]:
    with opened(repository) as room:
        yield room


@pytest.fixture
def filled(room: Milestones) -> list[str]:
    """Three issues of one clone, with something in every table."""
    names = [issue(room, f"Issue {number}", labels=("bug",), comments=("Hm",)) for number in range(3)]
    room.change(names[0], add={"links": ["x"], "dependencies": [names[1]]}, fields={"due": "2026-07-01"})
    room.claim(names[2])
    return names


def index_files(repository: Path) -> list[Path]:
    return sorted((repository / ".git" / "holdfast").glob("milestones*.sqlite*"))


def database_file(repository: Path) -> Path:
    (path,) = (path for path in index_files(repository) if path.suffix == ".sqlite")
    return path


def all_rows(room: Milestones) -> dict[str, list[tuple[object, ...]]]:
    everything(room)

    def rows(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr)
            for table in tables
        }

    return room.read(rows)


def own_log(repository: Path) -> str:
    refs = git(repository, "for-each-ref", "--format=%(refname)", "refs/holdfast/log/").split()
    return refs[0]


@pytest.mark.requirement("milestones-51")
def test_deleting_the_index_changes_no_row_of_it(repository: Path, room: Milestones, filled: list[str]):
    room.comment(filled[0], "Folded one by one", request="r-1")
    before, entities = all_rows(room), everything(room)
    for path in [*index_files(repository), repository / ".git" / "holdfast" / "milestones.index"]:
        path.unlink(missing_ok=True)
    assert all_rows(room) == before
    with opened(repository) as other:
        assert everything(other) == entities


DAMAGES = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_bytes(b"not a database\n" * 1000),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]),
    "one page": lambda path: path.write_bytes(
        path.read_bytes()[:8192] + b"\xff" * 4096 + path.read_bytes()[12288:]
    ),
    "missing": lambda path: path.unlink(),
    "a directory": lambda path: (path.unlink(), path.mkdir()),
    "of another version": lambda path: (
        sqlite3.connect(path).execute("PRAGMA user_version = 99").connection.close()
    ),
    "without its tables": lambda path: (
        sqlite3.connect(path).executescript("DROP TABLE entity").connection.close()
    ),
}


@pytest.mark.requirement("milestones-51")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_built_anew(repository: Path, room: Milestones, filled: list[str], damage: str):
    expected = everything(room)
    room.close()
    path = database_file(repository)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    DAMAGES[damage](path)
    with opened(repository) as other:
        assert everything(other) == expected
        assert titles(other, condition=Condition("entity.title = ?", ("Issue 1",))) == ["Issue 1"]
        other.comment(filled[0], "Still works")
        assert len(everything(other)) == 3


def test_a_pointer_to_something_else_is_not_followed(repository: Path, room: Milestones, filled: list[str]):
    pointer = repository / ".git" / "holdfast" / "milestones.index"
    for text in ("", "../../secret.sqlite\n", "milestones-0000000000000000.sqlite\n", "\xff" * 500):
        pointer.write_text(text)
        assert len(titles(room)) == 3


@pytest.mark.requirement("milestones-51")
def test_logs_that_cannot_be_read_at_all_are_an_error_and_not_an_empty_answer(
    repository: Path, room: Milestones, filled: list[str], monkeypatch: pytest.MonkeyPatch
):
    for path in index_files(repository):
        path.unlink()
    monkeypatch.setenv("PATH", "/nonexistent")
    with opened(repository) as other, pytest.raises(HoldfastError, match="git"):
        other.find(EntityQuery("issue"))


def test_reading_where_nothing_was_written_leaves_no_trace(repository: Path, room: Milestones):
    assert room.find(EntityQuery("issue")).items == ()
    assert not (repository / ".git" / "holdfast").exists()
    assert room.notices() == []


@pytest.mark.requirement("milestones-50")
def test_what_plain_git_brings_is_in_the_next_list(home: Path, tmp_path: Path):
    team = Team(tmp_path, "ab")
    issue(team["a"], "From a")
    git(team.paths["a"], "push", "--quiet", "origin", "refs/holdfast/log/*")
    assert titles(team["b"]) == []
    assert team["b"].track("origin")
    assert not team["b"].track("origin")
    git(team.paths["b"], "fetch", "--quiet")
    assert titles(team["b"]) == ["From a"]
    issue(team["a"], "More")
    git(team.paths["a"], "push", "--quiet", "origin", "refs/holdfast/log/*")
    git(team.paths["b"], "fetch", "--quiet", "origin")
    git(team.paths["b"], "pack-refs", "--all")
    assert titles(team["b"]) == ["From a", "More"]
    team.close()


def test_another_process_is_seen_at_once(repository: Path, room: Milestones):
    name = issue(room)
    with opened(repository) as other:
        other.comment(name, "Hm")
        assert room.get("issue", name).comment_count == 1
        room.set_status(name, "closed")
        assert titles(other) == []
        assert titles(other, include_closed=True) == ["Broken"]


def test_a_log_that_was_cut_short_by_hand_is_followed(repository: Path, room: Milestones, filled: list[str]):
    ref = own_log(repository)
    git(repository, "update-ref", ref, f"{ref}~4")
    assert titles(room) == ["Issue 0"]
    git(repository, "update-ref", "-d", ref)
    assert titles(room) == []


# C2: one damaged log is one finding; the others are read.


@pytest.fixture
def two_logs(home: Path, tmp_path: Path) -> Iterator[Team]:
    """Clone `a` with a log of its own, three issues long, and one of `b`, packed nowhere."""
    team = Team(tmp_path, "ab")
    issue(team["b"], "Of b")
    team["b"].sync()
    for number in range(3):
        issue(team["a"], f"Of a {number}")
    team["a"].sync()
    yield team
    team.close()


def forget_index(path: Path) -> None:
    for file in (path / ".git" / "holdfast").glob("milestones*.sqlite*"):
        file.unlink()


def damage_object(path: Path, name: str, content: bytes | None) -> None:
    file = loose_object(path, name)
    file.chmod(0o644)
    file.unlink() if content is None else file.write_bytes(content)


REF_DAMAGES = [
    "garbage",
    "empty ref",
    "missing object",
    "empty object",
    "garbage object",
    "a blob",
    "middle missing",
]


@pytest.mark.requirement("reliability-C2")
@pytest.mark.parametrize("cold", [True, False], ids=["cold", "warm"])
@pytest.mark.parametrize("damage", REF_DAMAGES)
@pytest.mark.evidence("C2", "milestones", "a damaged ref or object", every=True)
@pytest.mark.evidence("C2", "milestones", control="git log over all logs at once")
def test_c2_a_damaged_log_is_named_and_the_others_are_listed(
    two_logs: Team, damage: str, cold: bool, tally: Tally
):
    path, room = two_logs.paths["a"], two_logs["a"]
    name = (path / ".git" / "holdfast" / "milestones.replica").read_text().strip()
    ref, tracked = f"refs/holdfast/log/{name}", f"refs/holdfast/remotes/origin/{name}"
    git(path, "update-ref", "-d", tracked)
    room.find(EntityQuery("issue"))
    tip = git(path, "rev-parse", ref).strip()
    file = path / ".git" / ref
    if damage == "garbage":
        file.write_text("garbage\n")
    elif damage == "empty ref":
        file.write_text("")
    elif damage == "a blob":
        (path / "x").write_text("x")
        file.write_text(git(path, "hash-object", "-w", "x"))
    else:
        target = git(path, "rev-parse", f"{ref}~1").strip() if damage == "middle missing" else tip
        content = {"empty object": b"", "garbage object": b"garbage"}.get(damage)
        damage_object(path, target, content)
    listed = subprocess.run(["git", "-C", path, "log", "--glob=refs/holdfast/log/*"], capture_output=True)
    tally(1, int(listed.returncode != 0), of="git log over all logs at once")
    if cold:
        forget_index(path)
    with opened(path) as fresh:
        found = titles(fresh)
        assert "Of b" in found
        if cold or damage in ("garbage", "empty ref", "a blob"):
            assert any(ref in notice for notice in fresh.notices())
            assert any(finding.is_damage and ref in finding.text for finding in fresh.check())
        if cold and damage == "middle missing":
            assert "Of a 2" in found, "what can still be reached is shown"
        before = file.read_bytes()
        issue(fresh, "Written afterwards")
        assert "Written afterwards" in titles(fresh)
        if damage in ("garbage", "empty ref", "a blob") or (cold and damage != "middle missing"):
            assert file.read_bytes() == before, "damaged bytes are not overwritten"


@pytest.mark.parametrize("damage", ["garbage", "middle missing"])
@pytest.mark.parametrize("cure", ["removed", "put back"])
def test_damage_whose_cause_is_gone_is_named_no_longer(two_logs: Team, damage: str, cure: str):
    path = two_logs.paths["a"]
    name = (path / ".git" / "holdfast" / "milestones.replica").read_text().strip()
    ref = f"refs/holdfast/log/{name}"
    git(path, "update-ref", "-d", f"refs/holdfast/remotes/origin/{name}")
    file = path / ".git" / ref
    if damage == "middle missing":
        file = loose_object(path, git(path, "rev-parse", f"{ref}~1").strip())
        file.chmod(0o644)
    before = file.read_bytes()
    file.write_bytes(b"garbage\n")
    forget_index(path)
    with opened(path) as room:
        assert any(ref in notice for notice in room.notices())
        if cure == "put back":
            file.write_bytes(before)
        else:
            (path / ".git" / ref).unlink()
        assert room.notices() == []
        assert [finding for finding in room.check() if finding.is_damage] == []
        of_a = [f"Of a {number}" for number in range(3)] if cure == "put back" else []
        assert titles(room) == [*of_a, "Of b"], "nothing is shown that no log says"


@pytest.mark.requirement("reliability-C2")
@pytest.mark.evidence("C2", "milestones", "operations of unknown types and versions", every=True)
def test_c2_operations_of_unknown_types_and_versions_are_kept_and_skipped(repository: Path, room: Milestones):
    name = issue(room, "Known")
    (line,) = room.operations()
    later = [
        line.replace('"t":"create"', '"t":"paint"')
        .replace('"op":"0', '"op":"1')
        .replace('"v":1', '"v":1,"z":[1]'),
        line.replace('"v":1', '"v":2').replace('"op":"0', '"op":"2'),
        "{not json at all",
        line.replace('"l":1', '"l":"x"'),
    ]
    tree = git(repository, "write-tree").strip()
    message = "\n".join(["issue: something newer", "", *later])
    commit = git(repository, "commit-tree", tree, "-p", own_log(repository), "-m", message).strip()
    git(repository, "update-ref", own_log(repository), commit)
    assert titles(room) == ["Known"]
    assert room.get("issue", name).waiting == 2
    assert sorted(room.operations()) == sorted([line, *later[:2]]), "kept as they came"
    room.set(name, "title", "Changed")
    assert room.get("issue", name).title == "Changed"


def test_a_repository_full_of_other_refs_is_read_by_prefix_only(
    repository: Path, room: Milestones, filled: list[str]
):
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "First")
    for number in range(20):
        git(repository, "update-ref", f"refs/holdfastly/log/{number}", "HEAD")
        git(repository, "tag", f"holdfast/{number}")
    git(repository, "pack-refs", "--all")
    assert len(titles(room)) == 3
    assert all(ref.startswith("refs/holdfast/") for ref, _ in room.fingerprint())  # type: ignore[misc]


@given(
    contents=st.dictionaries(
        st.sampled_from([*SCALARS, *SETS, "colour"]),
        st.one_of(
            st.none(),
            st.integers(),
            st.sampled_from(["", "open", "closed", "2026-07-01", "Ä", derived_id("x")]),
            st.lists(st.one_of(st.sampled_from(["a", "b", "Ä", ""]), st.integers()), max_size=4),
        ),
    )
)
def test_what_was_only_created_gets_the_same_rows_the_short_way(contents: dict[str, object]):
    entry = Entry(
        derived_id("o"),
        derived_id("e"),
        "issue",
        1,
        "2026-06-01T12:00:00Z",
        "A <a>",
        "create",
        None,
        contents,
    )
    rows = EntityRows()
    rows.add([entry])
    found = parse_creation(record_of(entry))
    if found is None:
        return
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    connection.execute(INSERT_CREATION, found.entity)
    assert connection.execute("SELECT * FROM entity").fetchall() == [
        tuple(row.values()) for row in rows.entities
    ]
    assert found.operation == (entry.entity, entry.lamport, entry.id, "c" * 40, entry.line())
    assert rows.dependencies + rows.links + rows.claims == []


def record_of(entry: Entry) -> str:
    return f"{'a' * 40} {'c' * 40} {EMPTY_TREES[0]} 1780000000,{'b' * 40}\n{commit_message([entry])}"


PLAIN = Entry(
    derived_id("o"),
    derived_id("e"),
    "issue",
    1,
    "2026-06-01T12:00:00Z",
    "A <a@b>",
    "create",
    None,
    {"title": 'A "title"', "description": "Two\nlines\\", "status": "draft", "labels": ["b", "a", "b"]},
)


def test_the_plainest_creation_does_go_the_short_way():
    found = parse_creation(record_of(PLAIN))
    assert found is not None
    assert found.entity[2:5] == ('A "title"', "Two\nlines\\", "draft")
    assert found.entity[-1] == '["a", "b"]'


@given(st.data())
def test_a_record_that_is_read_the_short_way_reads_the_same_the_long_way(data: st.DataObject):
    """Whatever is changed in a record, both ways agree on what it creates."""
    record = record_of(PLAIN)
    place = data.draw(st.integers(0, len(record) - 1))
    length = data.draw(st.integers(0, 3))
    pieces = st.sampled_from(['"', "\\", "]", "[", ",", "{", "}", ":", "\n", "0", "-1", "\\u0041", "ä", "\t"])
    record = record[:place] + data.draw(pieces) + record[place + length :]
    found = parse_creation(record)
    if found is None:
        return
    (line,) = (line for line in parse_record(record).message.split("\n") if line.startswith("{"))
    entry = parse(line)
    assert entry is not None
    rows = EntityRows()
    rows.add([entry])
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    connection.execute(INSERT_CREATION, found.entity)
    assert connection.execute("SELECT * FROM entity").fetchall() == [
        tuple(row.values()) for row in rows.entities
    ]
    assert found.operation[:3] == (entry.entity, entry.lamport, entry.id)
    assert found.operation[4] == line


def test_text_that_cannot_be_written_down_makes_an_operation_unreadable_and_nothing_else(
    repository: Path, room: Milestones, filled: list[str]
):
    broken = PLAIN._replace(value={"title": "half a \ud800 pair"})
    tree = git(repository, "hash-object", "-w", "-t", "tree", os.devnull).strip()
    commit = git(repository, "commit-tree", tree, "-m", commit_message([broken])).strip()
    git(repository, "update-ref", f"refs/holdfast/log/{'0' * 32}", commit)
    assert len(titles(room)) == 3
    for path in index_files(repository):
        path.unlink()
    assert len(titles(room)) == 3


@pytest.mark.requirement("milestones-51")
def test_whatever_came_by_in_whatever_order_a_new_index_equals_the_one_kept_up_to_date(
    home: Path, tmp_path: Path
):
    """Several logs, batches of one, and no room in memory: every way an entity can be folded."""
    team = Team(tmp_path, "abc")
    names = [issue(team["a"], f"Issue {number}", labels=("bug", "ü")) for number in range(6)]
    team["a"].sync()
    for clone in "bc":
        team[clone].sync()
        for name in names[:4]:
            team[clone].comment(name, f"From {clone}", request=f"{clone} {name}")
        issue(team[clone], f"Only {clone}")
        team[clone].sync()
    team["a"].sync()
    team["a"].set(names[5], "title", "Größer")
    expected = all_rows(team["a"])
    for room, batch in ((1, 1), (3, 2), (100, 100)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bulk_load, "MAX_PENDING_OPERATIONS", room)
            patch.setattr(bulk_load, "OPERATIONS_PER_INSERT", batch)
            for path in index_files(team.paths["a"]):
                path.unlink()
            assert all_rows(team["a"]) == expected


def test_threads_of_one_server_share_a_room_even_while_its_index_is_taken_away(
    repository: Path, room: Milestones, filled: list[str]
):
    def work(number: int) -> None:
        for step in range(4):
            if number == 0:
                for path in index_files(repository):
                    path.unlink(missing_ok=True)
            room.comment(filled[number % 3], f"{number}-{step}")
            assert len(room.find(EntityQuery("issue")).items) == 3

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert sum(room.get("issue", name).comment_count for name in filled) == 3 + 32


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to become another user")
def test_an_index_that_may_not_be_written_is_an_error_that_says_so(repository: Path, filled: list[str]):
    shutil.rmtree(repository / ".git" / "holdfast")
    program = (
        "import os,sys; os.setgid(65534); os.setuid(65534)\n"
        "from holdfast.milestones.store import Milestones\n"
        "from holdfast.milestones.index.query import EntityQuery\n"
        "from holdfast.storage.git.repository import Repository\n"
        "from holdfast.kernel.errors import HoldfastError\n"
        "try: print(Milestones.open(Repository.at('.')).find(EntityQuery('issue')))\n"
        "except HoldfastError as failure: sys.exit('refused: ' + failure.sentence())\n"
    )
    for folder in [repository, *repository.parents][:4]:
        if str(folder).startswith("/tmp/pytest"):
            folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode != 0


def test_bulk_creation_and_single_creation_are_the_same_to_readers(room: Milestones, tmp_path: Path):
    draft = EntityDraft(
        "issue", "Same", labels=("a", "b"), comments=("Hm",), id="aaaa0000-0000-4000-8000-000000000001"
    )
    room.create(draft)
    with opened(new_repository(tmp_path / "bulk")) as bulk:
        bulk.import_drafts([draft], actor="Ada <ada@example.org>")
        one, many = everything(room)[0], everything(bulk)[0]
    assert (one.labels, one.title, [c.body for c in one.comments]) == (
        many.labels,
        many.title,
        [c.body for c in many.comments],
    )


def test_what_stands_for_nothing_does_not_outlive_the_emptiness(repository: Path, room: Milestones) -> None:
    def look(connection: sqlite3.Connection) -> None:
        assert connection.execute("SELECT count(*) FROM entity").fetchone()[0] == 0
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO tip VALUES ('a', 'b')")

    for _ in range(3):
        room.read(look)
    with opened(repository) as other:
        issue(other, "First")
    assert titles(room) == ["First"]

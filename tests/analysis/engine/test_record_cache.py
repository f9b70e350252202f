"""The cache of records: what it spares, what it survives, and what it never does."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.analysis.engine import code_version as core_version
from holdfast.analysis.engine import record_cache as cache
from holdfast.analysis.engine import scan_in_progress
from holdfast.analysis.engine.code_version import hash_version
from holdfast.analysis.engine.product_memory import ProductMemory
from holdfast.analysis.engine.record_cache import RecordCache
from holdfast.analysis.engine.scan import Project, Scan
from holdfast.analysis.room import Analysis
from holdfast.kernel.errors import Unavailable
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
from holdfast.syntax.core.sections import PackedRecord, pack
from holdfast.syntax.record import read_record
from tests.analysis.engine.test_scanner import CODE, SKIPS, reasons, scan, write
from tests.forked import run_at_once
from tests.storage.git_support import commit, git

OTHER = "import os\n\n\nclass Two:\n    # a remark\n    def two(self):\n        return os.sep\n"


def figures(found: Scan) -> tuple[int, int]:
    return found.hits, found.misses


def same(one: Scan, other: Scan) -> bool:
    return (one.files, one.sizes, one.skipped, one.other_files) == (
        other.files, other.sizes, other.skipped, other.other_files,
    )  # fmt: skip


def database(root: Path) -> Path:
    (found,) = (root / ".git" / "holdfast").glob("records-*.sqlite")
    return found


def test_a_record_kept_is_the_record(repository: Path) -> None:
    record = read_record("a.py", OTHER.encode())
    assert record is not None
    kept = PackedRecord(pack(record))

    assert kept == record
    assert record == kept
    assert tuple(kept) == tuple(record)
    assert kept[:4] == record[:4]
    assert kept.comments == record.comments
    assert kept.names == record.names
    assert kept._replace(lines=99) == record._replace(lines=99)
    assert kept != record._replace(lines=99)
    assert len({kept, PackedRecord(pack(record))}) == 1


@pytest.mark.requirement("analysis-99")
def test_the_second_survey_parses_nothing(repository: Path) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER, "README.md": "x\n"})

    first, second = scan(repository), scan(repository)

    assert (figures(first), figures(second)) == ((0, 2), (2, 0))
    assert same(first, second)


@pytest.mark.parametrize("is_new_room", [False, True])
def test_names_are_read_when_they_are_first_wanted(repository: Path, is_new_room: bool) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER})
    room = Analysis(Repository.at(repository))
    numbers = room.scan(Project(), with_names=False)
    other = Analysis(Repository.at(repository)) if is_new_room else room
    whole, again = other.scan(Project()), other.scan(Project(), with_names=False)
    offline = other.scan(Project(), strategy="offline")
    room.close()
    other.close()

    assert [figures(found) for found in (numbers, whole, again)] == [(0, 2), (0, 2), (2, 0)]
    assert same(whole, again)
    assert same(whole, offline)
    for path, record in numbers.files.items():
        with pytest.raises(ValueError, match="were not read"):
            _ = record.names  # never an empty answer for one that nobody looked for
        other_record = whole.files[path]
        assert (record.functions, record.comments) == (other_record.functions, other_record.comments)
    assert whole.files["b.py"].names.definitions[0].name == "Two"


def test_whoever_asked_for_names_has_them_read_with_the_rest(repository: Path) -> None:
    commit(repository, {"a.py": CODE})
    room = Analysis(Repository.at(repository))
    room.scan(Project())
    write(repository, {"a.py": OTHER})
    numbers, whole = room.scan(Project(), with_names=False), room.scan(Project())
    room.close()

    assert (figures(numbers), figures(whole)) == ((0, 1), (1, 0))
    assert same(numbers, whole)


def test_only_what_changed_is_parsed_again(repository: Path) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER})
    scan(repository)
    write(repository, {"a.py": CODE * 2})

    found = scan(repository)

    assert figures(found) == (1, 1)
    assert found.files["a.py"].lines == 4


def test_content_that_is_known_is_parsed_nowhere_again(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER})
    scan(repository)
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "other"))
    git(repository, "mv", "a.py", "moved.py")

    assert figures(scan(repository)) == (2, 0)
    assert figures(scan(tmp_path / "other")) == (2, 0)


def test_a_change_that_leaves_size_and_time_is_seen(repository: Path) -> None:
    write(repository, {"a.py": "x = 1\n"})
    room = Analysis(Repository.at(repository))
    room.scan(Project())
    before = (repository / "a.py").stat()
    (repository / "a.py").write_text("y=[1]\n")
    os.utime(repository / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    found = room.scan(Project())
    room.close()

    assert figures(found) == (0, 1)


def test_a_file_that_looks_as_it_did_is_not_opened(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER, "packed.js": SKIPS["packed.js"][1]})
    monkeypatch.setattr(scan_in_progress, "RECENT_CHANGE_NANOSECONDS", -(10**15))
    room = Analysis(Repository.at(repository))
    first = room.scan(Project())
    monkeypatch.setattr(Tree, "read_bytes", None)

    found = [room.scan(Project()), scan(repository)]
    control = scan(repository, strategy="force-refresh")
    room.close()

    assert all(same(first, one) and figures(one) == (2, 0) for one in found)
    assert set(reasons(control).values()) == {"could not be analysed"}


@pytest.mark.requirement("analysis-100")
def test_force_refresh_parses_everything_and_rewrites_what_was_kept(repository: Path) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER})
    first = scan(repository)
    with sqlite3.connect(database(repository)) as connection:
        connection.execute("UPDATE record SET metrics = x'00', checksum = 0")
    connection.close()

    refreshed, after = scan(repository, strategy="force-refresh"), scan(repository)

    assert (figures(refreshed), figures(after)) == ((0, 2), (2, 0))
    assert same(first, after)


@pytest.mark.requirement("analysis-101")
def test_offline_answers_from_the_cache_without_starting_anything(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {name: content for name, (_, content) in SKIPS.items()})
    write(repository, {"a.py": CODE, "x/b.py": OTHER, "README.md": "x\n", "tool": "#!/bin/bash\n"})
    normal = scan(repository)
    with sqlite3.connect(database(repository)) as connection:
        connection.execute("DELETE FROM record WHERE key LIKE 'bash%'")
    connection.close()
    write(repository, {"new.py": CODE, "a.py": "changed = 1\n"})
    monkeypatch.setattr(subprocess, "Popen", None)

    found = scan(repository, strategy="offline")

    assert reasons(found) == reasons(normal) | {"tool": "not cached"}
    assert found.files == {path: record for path, record in normal.files.items() if path != "tool"}
    assert found.other_files == normal.other_files
    assert figures(found) == (2, 0)
    assert list(scan(repository, Project("x"), strategy="offline").files) == ["x/b.py"]


def test_offline_says_when_nothing_is_known(repository: Path) -> None:
    write(repository, {"a.py": CODE})

    with pytest.raises(Unavailable, match="Nothing of this repository is cached"):
        scan(repository, strategy="offline")
    assert not (repository / ".git" / "holdfast").exists()


def test_offline_forgets_files_that_are_gone(repository: Path) -> None:
    write(repository, {"a.py": CODE, "x/b.py": OTHER})
    scan(repository)
    (repository / "x" / "b.py").unlink()
    scan(repository, Project("x"))

    assert list(scan(repository, strategy="offline").files) == ["a.py"]


@pytest.mark.parametrize("damage", ["nonsense", "middle", "blob", "pointer"])
def test_damage_costs_time_and_nothing_else(repository: Path, damage: str) -> None:
    commit(repository, {f"m{number}.py": OTHER + f"x{number} = 1\n" for number in range(40)})
    first = scan(repository)
    place = database(repository)
    if damage == "nonsense":
        place.write_bytes(b"nonsense" * 2000)
    elif damage == "middle":
        data = bytearray(place.read_bytes())
        data[8192:] = b"\xaa" * (len(data) - 8192)
        place.write_bytes(data)
    elif damage == "blob":
        with sqlite3.connect(place) as connection:
            connection.execute("UPDATE record SET names = x'1234'")
        connection.close()
    else:
        (repository / ".git" / "holdfast" / "records.index").write_text("../../elsewhere\n")
    for rest in (f"{place}-wal", f"{place}-shm"):
        Path(rest).unlink(missing_ok=True)

    second, third = scan(repository), scan(repository)

    assert same(first, second)
    assert same(first, third)
    assert (second.misses, third.misses) == (40, 0)
    assert all(record.names for record in third.files.values())


def test_another_version_of_the_code_trusts_nothing(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, {"a.py": CODE})
    scan(repository)
    monkeypatch.setattr(cache, "record_version", lambda: core_version.record_version() ^ 1)

    assert figures(scan(repository)) == (0, 1)
    monkeypatch.setattr(cache, "record_version", lambda: 7)
    with pytest.raises(Unavailable):
        scan(repository, strategy="offline")


def test_the_version_follows_from_code_and_grammars() -> None:
    known = hash_version([b"one", b"two"], ["tree_sitter_go-0.25.0.dist-info"])

    assert known == hash_version([b"one", b"two"], ["tree_sitter_go-0.25.0.dist-info"])
    assert known != hash_version([b"one", b"twO"], ["tree_sitter_go-0.25.0.dist-info"])
    assert known != hash_version([b"one", b"two"], ["tree_sitter_go-0.25.1.dist-info"])
    assert any("tree_sitter_python" in name for name in core_version.installed_grammars())
    assert 0 <= core_version.record_version() < 2**31


def test_the_size_is_bounded_and_what_was_not_used_for_longest_goes_first(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LIMITS", Limits(**{**vars(LIMITS), "record_cache_bytes": 400_000}))
    day = 0
    kept = RecordCache(Repository.at(repository), clock=lambda: day * 86_400)
    for day in range(20):
        kept.put({f"{day}:{number}": (os.urandom(2000), b"", b"") for number in range(20)}, {})
        kept.load(["0:0"])

    keys = set(kept.keys())
    kept.close()

    assert database(repository).stat().st_size < 800_000
    assert {"0:0", "19:19"} <= keys
    assert "0:1" not in keys
    assert len(keys) < 200


def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(repository: Path) -> None:
    commit(repository, {"a.py": CODE})
    (repository / ".git" / "holdfast").write_text("in the way")

    assert figures(scan(repository)) == (0, 1)


SURVEYS = """
import sys
from pathlib import Path
from holdfast.analysis.room import Analysis
from holdfast.analysis.engine.scan import Project
from holdfast.storage.files.work_tree import Tree
from holdfast.storage.git.repository import Repository
for _ in range(3):
    room = Analysis(Repository.at(sys.argv[1]))
    found = room.scan(Project(), strategy=sys.argv[2])
    assert len(found.files) == 30, found.counts
    assert all(record.names.definitions for record in found.files.values())
    room.close()
"""


def test_several_processes_use_it_at_once(repository: Path) -> None:
    commit(repository, {f"m{number}.py": OTHER + f"x{number} = 1\n" for number in range(30)})
    strategies = ("normal", "force-refresh", "normal", "force-refresh")
    done = run_at_once([[sys.executable, "-c", SURVEYS, repository, strategy] for strategy in strategies])

    assert [process.stderr for process in done] == [b""] * 4
    assert figures(scan(repository)) == (30, 0)


def test_memory_lets_go_of_what_was_not_used_for_longest() -> None:
    record = read_record("a.py", OTHER.encode())
    assert record is not None
    parts = pack(record)
    memory = ProductMemory[PackedRecord](max_bytes=sum(map(len, parts)) * 2)
    for key in ("a", "b"):
        memory.put(key, PackedRecord(parts))
    memory.get("a")
    memory.put("c", PackedRecord(parts))

    assert [memory.get(key) is not None for key in ("a", "b", "c")] == [True, False, True]


def test_an_answer_is_found_anew_only_where_something_changed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_in_progress, "RECENT_CHANGE_NANOSECONDS", -(10**15))
    commit(repository, {"a.py": CODE, "page.html": "<p>\n"})
    room = Analysis(Repository.at(repository))
    asked: list[int] = []

    def answer() -> int:
        found = room.scan(Project())
        return room.cached("how many", found, lambda: asked.append(1) or len(asked))  # type: ignore[func-returns-value]

    first = [answer(), answer()]
    write(repository, {"a.py": OTHER})
    second = [answer(), answer()]
    write(repository, {"page.html": "<p>one\n"})
    third = [answer(), answer()]
    (repository / "page.html").unlink()
    fourth = [answer(), answer()]
    room.close()

    assert (first, second, third, fourth) == ([1, 1], [2, 2], [3, 3], [4, 4])


def test_what_changed_a_moment_ago_has_no_version(repository: Path) -> None:
    write(repository, {"a.py": CODE, "page.html": "<p>\n"})
    found = scan(repository)

    assert found.version is None
    assert scan(repository, Project(languages=frozenset({"go"}), exclude=("*.html",))).version is not None


@pytest.mark.parametrize("is_prepared", [True, False])
def test_a_cache_that_came_with_the_repository_is_not_believed(
    repository: Path, is_prepared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, {"a.py": CODE, "b.py": OTHER})
    if is_prepared:  # by somebody else, and then unpacked with its `.git` folder
        monkeypatch.setenv("XDG_STATE_HOME", str(repository.parent / "state of another user"))
    true = scan(repository).files
    with sqlite3.connect(database(repository)) as forged:
        forged.execute("UPDATE record SET key = 'x' || key")
        (one, *parts), (other, *_) = forged.execute("SELECT key, metrics, comments, names FROM record")
        forged.execute("DELETE FROM record")
        cached = RecordCache(Repository.at(repository))
        forged.commit()
        cached.put({other[1:]: tuple(parts), one[1:]: tuple(parts)}, {})
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)

    assert (scan(repository).files == true) == is_prepared

"""Tasks under kill -9, power cuts, failing disks and damage: nothing acknowledged is lost, no manual step."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from holdfast.kernel.errors import Corrupted, Unavailable
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store import schema
from holdfast.tasks.store.history import state_of
from holdfast.tasks.store.query import Query
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.rows import task_by_uid
from holdfast.tasks.store.tasks import Tasks
from holdfast.tasks.store.workspace import ensure_workspace
from tests.conftest import RunHoldfast
from tests.reliability import test_database_survives
from tests.reliability.evidence import Tally
from tests.reliability.harness import (
    DATABASE_ERRORS,
    WRITE_CALLS,
    Outcome,
    fail_at_every_syscall,
    kill_at_every_syscall,
    python,
    restoring,
    run_kill_trials,
)
from tests.reliability.power import CUTS, Disk, cut_again_and_again, disk_to_cut
from tests.reliability.samples import SCALE, samples
from tests.tasks.happenings import events_of, replayed
from tests.tasks.postgres import Server, running_server

ADA = CallerIdentity("ada")
OLD, NEW = "An old task", "A new task"

ROOM = """
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.records import CallerIdentity, Change, Draft
from holdfast.tasks.store.tasks import Tasks
room = Tasks(Repository.at(sys.argv[1]), database=os.environ.get("HOLDFAST_DATABASE"))
who = CallerIdentity("w")
"""

WRITE_FOREVER = """
name = sys.argv[2]
number = 0
while True:
    number += 1
    if number % 4:
        room.create([Draft(f"{name}-{number}")], who)
    else:
        room.update("TP-1", Change(add={"labels": [f"{name}-{number}"]}), who)
    acknowledge(f"{name}-{number}")
"""

# Time passes between the acknowledgement and the write, as it may on a busy machine.
ACKNOWLEDGE_EARLY = """
import time
""" + WRITE_FOREVER.replace(
    "    if number", "    acknowledge(f'{name}-{number}'); time.sleep(0.05)\n    if number", 1
)

# What SQLite does without the promise: consistent, but an acknowledged write may be gone.
NOT_FLUSHED = """
from holdfast.storage.sql import sqlite as database
database.SETTINGS = ("PRAGMA synchronous = OFF", "PRAGMA foreign_keys = ON")
"""


def prepared(path: Path, database: str | None = None) -> None:
    room = Tasks(Repository.at(path), database=database)
    ensure_workspace(room, "Kelp", [], "criteria")
    room.create([Draft(OLD)], ADA)
    room.close()


def items(path: Path, database: str | None = None, *, whole: bool = True) -> set[str]:
    """Return every title and label, after everything was found sound and every history true."""
    room = Tasks(Repository.at(path), database=database)
    try:
        if whole:
            assert [finding for finding in room.check() if finding.is_damage] == []
        with room.reading() as connection:
            for uid, state in replayed(events_of(room, limit=1_000_000)).items() if whole else ():
                assert state_of(connection, task_by_uid(connection, uid)) == state
            titles = connection.execute("SELECT title FROM task").fetchall()
            labels = connection.execute("SELECT label FROM label").fetchall()
        return {row[0] for row in (*titles, *labels)}
    finally:
        room.close()


@pytest.fixture
def store(repository: Path) -> Path:
    """The store of a repository with one task."""
    prepared(repository)
    return repository / ".git" / "holdfast"


# A1: killed at random moments.


@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "tasks in sqlite", "killed with signal 9 at random moments")
def test_a1_no_acknowledged_task_is_lost_to_kills(repository: Path, store: Path, tally: Tally):
    report = run_kill_trials(
        lambda name: python(ROOM + WRITE_FOREVER, repository, name),
        lambda: items(repository, whole=False),
        kills=samples("kills"),
        at_once=4,
        delay=(0.1, 0.6),
    )
    tally(report.kills, report.failures, report.summary())
    assert report.failures == []
    assert report.acknowledged <= items(repository)
    assert report.kills == samples("kills")
    assert len(report.acknowledged) > report.kills


@pytest.mark.evidence("A1", "tasks in sqlite", control="acknowledges before it stores")
def test_a1_control_acknowledging_before_the_task_is_stored_is_caught(
    repository: Path, store: Path, tally: Tally
):
    report = run_kill_trials(
        lambda name: python(ROOM + ACKNOWLEDGE_EARLY, repository, name),
        lambda: items(repository, whole=False),
        kills=30,
        at_once=3,
        delay=(0.1, 0.6),
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


@pytest.mark.postgres
@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "tasks in postgresql", "clients killed at random moments, then the server")
def test_a1_no_acknowledged_task_is_lost_when_clients_and_then_the_server_are_killed(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tally: Tally
):
    with running_server(durable=True) as server:
        database = server.new_database()
        monkeypatch.setenv("HOLDFAST_DATABASE", database)
        prepared(repository, database)
        report = run_kill_trials(
            lambda name: python(ROOM + WRITE_FOREVER, repository, name),
            lambda: items(repository, database, whole=False),
            kills=samples("kills with PostgreSQL"),
            at_once=3,
            delay=(0.2, 1.0),
        )
        tally(report.kills, report.failures, report.summary())
        assert report.failures == []
        server.crash_and_start()
        assert report.acknowledged <= items(repository, database)


@pytest.mark.postgres
@pytest.mark.evidence("A1", "tasks in postgresql", control="acknowledges before it stores")
def test_a1_control_acknowledging_before_a_server_has_the_task_is_caught(
    repository: Path, postgres_server: Server, monkeypatch: pytest.MonkeyPatch, tally: Tally
):
    database = postgres_server.new_database()
    monkeypatch.setenv("HOLDFAST_DATABASE", database)
    prepared(repository, database)
    report = run_kill_trials(
        lambda name: python(ROOM + ACKNOWLEDGE_EARLY, repository, name),
        lambda: items(repository, database, whole=False),
        kills=12,
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


# A3: the power is cut.


@pytest.fixture
def disk(home: Path, tmp_path: Path) -> Iterator[Disk]:
    with disk_to_cut(tmp_path) as disk:
        subprocess.run(["git", "init", "--quiet", str(disk.repository)], check=True)
        prepared(disk.repository)
        os.sync()
        yield disk


def cuts(disk: Disk, program: str, number: int) -> tuple[int, int]:
    """Cut the power under a writer of tasks; return acknowledgements, and cuts that lost some."""

    def writer(name: str) -> list[str]:
        return python(program + WRITE_FOREVER, disk.repository, name)

    return cut_again_and_again(disk, writer, lambda path: list(items(path)), number)


@pytest.mark.requirement("reliability-A3")
@pytest.mark.evidence("A3", "tasks in sqlite", "power cut under a writer")
def test_a3_no_acknowledged_task_is_lost_when_the_power_is_cut(disk: Disk, tally: Tally):
    acknowledged, losing = cuts(disk, ROOM, CUTS)
    tally(CUTS, losing, f"{acknowledged} acknowledged")
    assert losing == 0


@pytest.mark.evidence("A3", "tasks in sqlite", control="flushes nothing")
def test_a3_control_a_store_that_is_not_flushed_loses_acknowledged_tasks(disk: Disk, tally: Tally):
    acknowledged, losing = cuts(disk, NOT_FLUSHED + ROOM, 5)
    tally(5, losing, f"{acknowledged} acknowledged")
    assert losing > 0


# A4: the disk fails at each call of one write. A2 comes along: the same write, killed at each call.

WRITE_ONCE = f"""
from holdfast.kernel.errors import HoldfastError
room.workspace()
try:
    begin()
    room.create([Draft({NEW!r}, depends_on=[("TP-1", "blocks")], labels=["x"])], who)
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""


def old_or_new(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        found = items(repository)
        assert found in ({OLD}, {OLD, NEW, "x"})
        assert NEW in found or not outcome.acknowledged, "acknowledged, but not stored"

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "tasks in sqlite", "killed at every system call of a write", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_whole_task_or_nothing(
    repository: Path, store: Path, tally: Tally
):
    program = python(ROOM + WRITE_ONCE, repository)
    calls = ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "openat")
    report = kill_at_every_syscall(program, restoring(store), old_or_new(repository), calls=calls)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 5


@pytest.mark.strace
@pytest.mark.evidence("A2", "tasks in sqlite", control="acknowledges before it stores")
def test_a2_control_acknowledging_before_the_task_is_stored_is_caught(
    repository: Path, store: Path, tally: Tally
):
    program = python(ROOM + WRITE_ONCE.replace("    begin()", "    begin()\n    acknowledge()"), repository)
    check, calls = old_or_new(repository), ("pwrite64", "fdatasync")
    report = kill_at_every_syscall(program, restoring(store), check, calls=calls, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


RENAME_ONCE = WRITE_ONCE.replace(
    f'room.create([Draft({NEW!r}, depends_on=[("TP-1", "blocks")], labels=["x"])], who)',
    f"room.update(\"TP-1\", Change(set={{'title': {NEW!r}}}), who)",
)


def either_name(repository: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        found = items(repository)
        assert found in ({OLD}, {NEW})
        assert found == {NEW} or not outcome.acknowledged, "acknowledged, but not stored"

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A4")
@pytest.mark.parametrize("error", DATABASE_ERRORS)
@pytest.mark.evidence("A4", "tasks in sqlite", "{error} at every call of a write", every=True)
def test_a4_a_failing_call_is_reported_and_never_acknowledged_in_vain(
    repository: Path, store: Path, error: str, tally: Tally
):
    def check(outcome: Outcome) -> None:
        either_name(repository)(outcome)
        assert outcome.acknowledged == (outcome.status == 0)
        assert outcome.admits(items(repository) == {NEW}), f"stored, and told: {outcome.complaint}"
        assert outcome.acknowledged or "tasks.sqlite" in outcome.complaint
        assert "Traceback" not in outcome.complaint
        assert str(repository) not in outcome.complaint

    program = python(ROOM + RENAME_ONCE, repository)
    report = fail_at_every_syscall(program, restoring(store), check, errors=DATABASE_ERRORS[error])
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 3


@pytest.mark.strace
@pytest.mark.evidence("A4", "tasks in sqlite", control="swallows the error")
def test_a4_control_a_writer_that_swallows_the_error_is_caught(repository: Path, store: Path, tally: Tally):
    program = python(ROOM + RENAME_ONCE.replace("sys.exit(failure.sentence())", "pass"), repository)
    check, errors = either_name(repository), {"fdatasync": "EIO"}
    report = fail_at_every_syscall(program, restoring(store), check, errors=errors, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


# A6: a store of the first release, upgraded by this one and killed on the way.

UPGRADE_FOREVER = """
import shutil
from pathlib import Path
from holdfast.storage.git.repository import Repository
from holdfast.tasks.store.tasks import Tasks
template, name = sys.argv[2], sys.argv[3]
number = 0
while True:
    number += 1
    place = Path(sys.argv[1]) / f"{name}-{number}"
    shutil.copytree(template, place.with_suffix(".part"))
    place.with_suffix(".part").rename(place)
    room = Tasks(Repository.at(place))
    assert room.get("TP-1").title == "An old task"
    room.close()
    acknowledge(f"{name}-{number}")
"""


@pytest.fixture
def first_release(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose store was made when there was one migration."""
    with monkeypatch.context() as patched:
        patched.setattr("holdfast.tasks.store.tasks.MIGRATIONS", schema.MIGRATIONS[:1])
        prepared(repository)
    return repository


@pytest.mark.requirement("reliability-A6")
@pytest.mark.evidence("A6", "tasks in sqlite", "upgrades from the first release killed at random moments")
def test_a6_upgrades_killed_at_random_moments_are_completed(
    first_release: Path, tmp_path: Path, tally: Tally
):
    assert len(schema.MIGRATIONS) > 1
    places, template = tmp_path / "places", tmp_path / "template"
    places.mkdir()
    shutil.copytree(first_release, template, ignore=shutil.ignore_patterns("hooks", "info", "tasks.sqlite-*"))
    checked: set[str] = set()

    def read() -> set[str]:
        for place in places.iterdir():
            if place.suffix != ".part":  # whose copy was killed, before there was a store to upgrade
                assert items(place) == {OLD}
                checked.add(place.name)
            shutil.rmtree(place)
        return set(checked)

    report = run_kill_trials(
        lambda name: python(UPGRADE_FOREVER, places, template, name),
        read,
        kills=samples("upgrades killed"),
        at_once=4,
        delay=(0.1, 0.5),
    )
    interrupted = len(checked - report.acknowledged)
    tally(report.kills, report.failures, f"{report.summary()}; {interrupted} upgrades were interrupted")
    assert report.failures == []
    assert interrupted > 5


UPGRADE_ONCE = (
    ROOM
    + """
begin()
assert room.get("TP-1").title == "An old task"
end()
acknowledge()
"""
)

# Each statement by itself, and the version after those of its migration.
UPGRADE_BIT_BY_BIT = (
    "from holdfast.tasks.store.schema import MIGRATIONS\n"
    + test_database_survives.NAIVE_UPGRADE.replace(repr(test_database_survives.UPGRADED), "MIGRATIONS")
)
AUTOCOMMIT = """
import psycopg
execute = psycopg.Connection.execute
def at_once(self, statement, *more, **options):
    ends = str(statement) in ("BEGIN", "COMMIT")
    return execute(self, "SELECT 1" if ends else statement, *more, **options)
psycopg.Connection.execute = at_once
"""


def upgraded(repository: Path) -> Callable[[Outcome], None]:
    def check(_outcome: Outcome) -> None:
        assert items(repository, os.environ.get("HOLDFAST_DATABASE")) == {OLD}

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A6")
@pytest.mark.evidence("A6", "tasks in sqlite", "an upgrade killed at every system call", every=True)
def test_a6_an_upgrade_killed_at_every_system_call_is_completed_by_the_next_program(
    first_release: Path, tally: Tally
):
    calls = WRITE_CALLS if SCALE else ("fdatasync", "fsync", "rename")
    prepare, check = restoring(first_release / ".git" / "holdfast"), upgraded(first_release)
    report = kill_at_every_syscall(python(UPGRADE_ONCE, first_release), prepare, check, calls=calls)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.points


@pytest.mark.strace
@pytest.mark.evidence("A6", "tasks in sqlite", control="each statement by itself")
def test_a6_control_an_upgrade_statement_by_statement_is_caught(first_release: Path, tally: Tally):
    store = first_release / ".git" / "holdfast"
    program = python(UPGRADE_BIT_BY_BIT, store / "tasks.sqlite")
    prepare, check = restoring(store), upgraded(first_release)
    report = kill_at_every_syscall(program, prepare, check, calls=("pwrite64",), enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


@pytest.fixture
def team_of_the_first_release(
    repository: Path, postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """What puts the database of a team back to how the first release made it."""
    first, now = postgres_server.new_database(), postgres_server.new_database()
    with monkeypatch.context() as patched:
        patched.setattr("holdfast.tasks.store.tasks.MIGRATIONS", schema.MIGRATIONS[:1])
        prepared(repository, first)
    monkeypatch.setenv("HOLDFAST_DATABASE", now)
    names = [urlsplit(address).path[1:] for address in (now, first)]
    return lambda: postgres_server.copy_database(*names)


@pytest.mark.strace
@pytest.mark.postgres
@pytest.mark.requirement("reliability-A6")
@pytest.mark.evidence("A6", "tasks in postgresql", "an upgrade killed before each message", every=True)
def test_a6_an_upgrade_of_a_team_killed_before_each_message_is_completed_by_the_next_program(
    repository: Path, team_of_the_first_release: Callable[[], None], tally: Tally
):
    program, check = python(UPGRADE_ONCE, repository), upgraded(repository)
    report = kill_at_every_syscall(
        program, team_of_the_first_release, check, calls=("sendto",), most=samples("messages of an upgrade")
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 4


@pytest.mark.strace
@pytest.mark.postgres
@pytest.mark.evidence("A6", "tasks in postgresql", control="each statement by itself")
def test_a6_control_an_upgrade_of_a_team_statement_by_statement_is_caught(
    repository: Path, team_of_the_first_release: Callable[[], None], tally: Tally
):
    program, check = python(AUTOCOMMIT + UPGRADE_ONCE, repository), upgraded(repository)
    report = kill_at_every_syscall(program, team_of_the_first_release, check, calls=("sendto",), enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


@pytest.mark.requirement("reliability-A6")
@pytest.mark.evidence("A6", "tasks in sqlite", "an older program opens a newer store", every=True)
def test_a6_an_older_program_refuses_a_newer_store_and_leaves_it_alone(
    repository: Path, store: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("holdfast.tasks.store.tasks.MIGRATIONS", schema.MIGRATIONS[:1])
    before = (store / "tasks.sqlite").read_bytes()
    room = Tasks(Repository.at(repository))
    with pytest.raises(Unavailable, match="newer Holdfast"):
        room.find(Query())
    assert (store / "tasks.sqlite").read_bytes() == before


@pytest.mark.postgres
@pytest.mark.requirement("reliability-A6")
@pytest.mark.evidence("A6", "tasks in postgresql", "an older program opens a newer database", every=True)
def test_a6_an_older_program_refuses_a_newer_database_of_a_team(
    repository: Path, monkeypatch: pytest.MonkeyPatch
):
    with running_server() as server:
        database = server.new_database()
        prepared(repository, database)
        with monkeypatch.context() as older:
            older.setattr("holdfast.tasks.store.tasks.MIGRATIONS", schema.MIGRATIONS[:1])
            with pytest.raises(Unavailable, match="newer Holdfast"):
                Tasks(Repository.at(repository), database=database).find(Query())
        assert items(repository, database) == {OLD}


# C3: damage.


def damage_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (path.stat().st_size - 8192))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "damaged page": damage_page,
    "wrong magic": lambda path: path.write_bytes(b"x" * 8192),
    "no bytes": lambda path: path.write_bytes(b""),
    "missing": lambda path: path.unlink(),
}


def _use(room: Tasks) -> None:
    room.find(Query())
    room.update("TP-40", Change(set={"title": "Changed"}), ADA)
    events_of(room, limit=1000)


@pytest.mark.requirement("reliability-C3")
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.evidence("C3", "tasks in sqlite", "{damage}", every=True)
def test_c3_a_damaged_store_is_named_left_alone_and_never_made_anew(
    repository: Path, store: Path, run_holdfast: RunHoldfast, damage: str
):
    file = store / "tasks.sqlite"
    room = Tasks(Repository.at(repository))
    room.create([Draft(f"Task {number}", "x" * 500) for number in range(50)], ADA)
    room.close()
    for leftover in store.glob("tasks.sqlite-*"):
        leftover.unlink()
    DAMAGES[damage](file)
    before = file.read_bytes() if file.exists() else None
    room = Tasks(Repository.at(repository))
    with pytest.raises(Corrupted, match=r"tasks\.sqlite"):
        _use(room)
    room.close()
    told = run_holdfast("doctor")
    assert told.returncode == Corrupted.exit_code
    assert "tasks.sqlite" in told.stdout
    assert (file.read_bytes() if file.exists() else None) == before


@pytest.mark.requirement("reliability-C3")
@pytest.mark.evidence("C3", "tasks in sqlite", "the log is missing", every=True)
def test_c3_what_was_not_in_the_file_yet_is_lost_with_its_log_and_the_rest_is_read(
    repository: Path, store: Path
):
    room = Tasks(Repository.at(repository))
    room.create([Draft("In the log only")], ADA)
    log = store / "tasks.sqlite-wal"
    assert log.stat().st_size > 0
    copied = repository.with_name("copied")
    shutil.copytree(repository, copied, ignore=shutil.ignore_patterns("tasks.sqlite-*"))
    room.close()
    assert OLD in items(copied)

"""A SQLite store under kill -9, failing disks and crowds: no acknowledged write lost, always open to all."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.kernel.errors import Unavailable
from holdfast.storage.sql.sqlite import Database
from tests.reliability.evidence import Tally
from tests.reliability.harness import (
    Outcome,
    fail_at_every_syscall,
    kill_at_every_syscall,
    python,
    run_kill_trials,
    run_together,
)
from tests.reliability.samples import samples
from tests.upgrades.stores import backups

APPLICATION = 77
SCHEMA = ("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL, size INTEGER NOT NULL) STRICT;",)

OPEN = f"""
from holdfast.kernel.errors import Busy, HoldfastError
from holdfast.storage.sql.sqlite import Database
def open_store(migrations={SCHEMA!r}):
    return Database(sys.argv[1], application_id={APPLICATION}, migrations=migrations)
"""


def open_store(path: Path, migrations=SCHEMA) -> Database:
    return Database(path, application_id=APPLICATION, migrations=migrations)


def texts(path: Path) -> list[str]:
    with open_store(path) as database, database.read() as connection:
        return [row[0] for row in connection.execute("SELECT text FROM item")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "inbox.sqlite"


# A1: from an empty directory, so that creation is killed as well.

ADD_FOREVER = f"""{OPEN}
name = sys.argv[2]
number = 0
with open_store() as database:
    while True:
        number += 1
        with database.write() as connection:
            connection.execute("INSERT INTO item (text, size) VALUES (?, 1)", (f"{{name}}-{{number}}",))
        acknowledge(f"{{name}}-{{number}}")
"""

ACKNOWLEDGE_EARLY = ADD_FOREVER.replace(
    'connection.execute("INSERT',
    'acknowledge(f"{name}-{number}"); time.sleep(0.005); connection.execute("INSERT',
).replace("number = 0", "import time; number = 0")


@pytest.mark.requirement("reliability-A1")
@pytest.mark.evidence("A1", "SQLite", "killed with signal 9 at random moments")
def test_a1_no_acknowledged_row_is_lost_to_kills(path, tally: Tally):
    report = run_kill_trials(
        lambda name: python(ADD_FOREVER, path, name), lambda: texts(path), kills=samples("kills")
    )
    tally(report.kills, report.failures, report.summary())
    assert report.failures == []
    assert report.kills == samples("kills")
    assert len(report.acknowledged) > report.kills
    with open_store(path) as database:
        assert database.verify() == []


@pytest.mark.evidence("A1", "SQLite", control="acknowledges before the commit")
def test_a1_control_acknowledging_before_the_commit_is_caught(path, tally: Tally):
    report = run_kill_trials(
        lambda name: python(ACKNOWLEDGE_EARLY, path, name), lambda: texts(path), kills=30
    )
    tally(report.kills, report.failures, report.summary())
    assert report.lost


# A2 and A4: one update of an existing row.

UPDATE_ONCE = f"""{OPEN}
try:
    begin()
    with open_store() as database:
        with database.write() as connection:
            connection.execute("UPDATE item SET text = ?, size = ?", ("new " * 3000, 12000))
    end()
except HoldfastError as failure:
    sys.exit(failure.sentence())
acknowledge()
"""

UPDATE_IN_TWO_TRANSACTIONS = f"""{OPEN}
begin()
with open_store() as database:
    for change, value in (("text = ?", "new " * 3000), ("size = ?", 12000)):
        with database.write() as connection:
            connection.execute("UPDATE item SET " + change, (value,))
end()
acknowledge()
"""

OLD, NEW = ("old", 3), ("new " * 3000, 12000)


def restore(path: Path) -> Callable[[], None]:
    template = path.parent.with_name("template")
    template.mkdir()
    with open_store(template / path.name) as database, database.write() as connection:
        connection.execute("INSERT INTO item (text, size) VALUES (?, ?)", OLD)

    def prepare() -> None:
        shutil.rmtree(path.parent)
        shutil.copytree(template, path.parent)

    return prepare


def whole(path: Path) -> Callable[[Outcome], None]:
    def check(outcome: Outcome) -> None:
        with open_store(path) as database:
            assert database.verify() == []
            with database.read() as connection:
                row = connection.execute("SELECT text, size FROM item").fetchone()
        assert row in (OLD, NEW), f"neither old nor new: {row[0][:10]}, {row[1]}"
        assert row == NEW or not outcome.acknowledged, "acknowledged, but the old row is there"

    return check


@pytest.mark.strace
@pytest.mark.requirement("reliability-A2")
@pytest.mark.evidence("A2", "SQLite", "killed at every system call of a write", every=True)
def test_a2_a_kill_at_every_system_call_leaves_the_old_row_or_the_new(path, tally: Tally):
    report = kill_at_every_syscall(python(UPDATE_ONCE, path), restore(path), whole(path))
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []
    assert len(report.points) >= 15


@pytest.mark.strace
@pytest.mark.evidence("A2", "SQLite", control="one change in two transactions")
def test_a2_control_a_change_in_two_transactions_is_caught(path, tally: Tally):
    calls = ("pwrite64",)
    program = python(UPDATE_IN_TWO_TRANSACTIONS, path)
    report = kill_at_every_syscall(program, restore(path), whole(path), calls=calls, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


ERRORS = {
    "EIO": {"pwrite64": "EIO", "fdatasync": "EIO", "fsync": "EIO", "ftruncate": "EIO"},
    "ENOSPC": {"pwrite64": "ENOSPC", "fdatasync": "ENOSPC", "ftruncate": "ENOSPC"},
}


@pytest.mark.strace
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.requirement("reliability-A4")
@pytest.mark.evidence("A4", "SQLite", "{error} at every call of a write", every=True)
def test_a4_a_failing_call_is_reported_not_acknowledged_and_leaves_the_store_working(
    path, error, tally: Tally
):
    def check(outcome: Outcome) -> None:
        whole(path)(outcome)
        assert outcome.acknowledged or "inbox.sqlite" in outcome.complaint, (
            f"no reason given: {outcome.complaint}"
        )
        assert "Traceback" not in outcome.complaint
        assert str(path.parent) not in outcome.complaint

    report = fail_at_every_syscall(python(UPDATE_ONCE, path), restore(path), check, errors=ERRORS[error])
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert len(report.points) >= 5


SWALLOWING = UPDATE_ONCE.replace("sys.exit(failure.sentence())", "pass")


@pytest.mark.strace
@pytest.mark.evidence("A4", "SQLite", control="swallows the error")
def test_a4_control_a_program_that_swallows_the_error_is_caught(path, tally: Tally):
    program = python(SWALLOWING, path)
    report = fail_at_every_syscall(program, restore(path), whole(path), errors={"fdatasync": "EIO"}, enough=3)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


# A6: creation and upgrade.

FILL = """
    WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers LIMIT 200)
    INSERT INTO label (name) SELECT 'label ' || value FROM numbers;
"""
UPGRADED = (
    *SCHEMA,
    f"CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT; {FILL}",
    "ALTER TABLE item ADD COLUMN done INTEGER NOT NULL DEFAULT 0; CREATE INDEX by_done ON item (done);",
)

UPGRADE = f"""{OPEN}
begin()
open_store({UPGRADED!r}).close()
end()
acknowledge()
"""


def usable(path: Path) -> None:
    """Assert that the store is old (then the old program opens it) or new, and that it can be completed."""
    try:
        with open_store(path) as database:
            assert database.version() == 1
    except Unavailable as refusal:
        assert "newer Holdfast" in refusal.message  # noqa: PT017 - either answer is right
    with open_store(path, UPGRADED) as database:
        assert database.version() == 3
        assert database.verify() == []
        with database.write() as connection:
            assert connection.execute("SELECT count(*) FROM label").fetchone() == (200,)
            connection.execute("INSERT INTO item (text, size, done) VALUES ('later', 5, 1)")
    for backup in backups(path):
        with closing(sqlite3.connect(f"file:{backup}?immutable=1", uri=True)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.strace
@pytest.mark.evidence("A6", "SQLite", "an upgrade killed at every system call", every=True)
def test_a6_an_upgrade_killed_at_every_system_call_leaves_the_old_version_or_the_new(path, tally: Tally):
    def check(outcome: Outcome) -> None:
        usable(path)
        assert texts_of_upgraded(path)[0] == "old"
        assert len(backups(path)) == 1

    report = kill_at_every_syscall(python(UPGRADE, path), restore(path), check)
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []


@pytest.mark.strace
@pytest.mark.evidence("A6", "SQLite", "a creation killed at every system call", every=True)
def test_a6_a_creation_killed_at_every_system_call_is_completed_by_the_next_program(path, tally: Tally):
    def prepare() -> None:
        shutil.rmtree(path.parent)
        path.parent.mkdir()

    report = kill_at_every_syscall(python(UPGRADE, path), prepare, lambda _outcome: usable_from_nothing(path))
    tally(len(report.points), report.failed, report.summary())
    assert report.failures == []
    assert report.missed == []


def usable_from_nothing(path: Path) -> None:
    with open_store(path, UPGRADED) as database:
        assert database.version() == 3
        assert database.verify() == []


def texts_of_upgraded(path: Path) -> list[str]:
    with open_store(path, UPGRADED) as database, database.read() as connection:
        return [row[0] for row in connection.execute("SELECT text FROM item ORDER BY id")]


UPGRADE_FOREVER = f"""{OPEN}
import shutil
template, name = sys.argv[2:]
base = os.path.dirname(sys.argv[1])
number = 0
while True:
    number += 1
    place = os.path.join(base, f"{{name}}-{{number}}")
    shutil.copytree(template, place + ".copy")
    os.rename(place + ".copy", place)
    sys.argv[1] = os.path.join(place, "inbox.sqlite")
    open_store({UPGRADED!r}).close()
    acknowledge(f"{{name}}-{{number}}")
"""


@pytest.mark.evidence("A6", "SQLite", "upgrades killed at random moments")
def test_a6_upgrades_killed_at_random_moments_are_completed(path, tally: Tally):
    restore(path)()
    template = path.parent.with_name("template")
    checked: set[str] = set()

    def read() -> set[str]:
        for place in path.parent.glob("w*-*[0-9]"):
            if place.name not in checked:
                usable(place / path.name)
                checked.add(place.name)
        return checked

    report = run_kill_trials(
        lambda name: python(UPGRADE_FOREVER, path, template, name), read, kills=samples("upgrades killed")
    )
    interrupted = len(checked - report.acknowledged)
    tally(report.kills, report.failures, f"{report.summary()}; {interrupted} upgrades were interrupted")
    assert report.failures == []
    assert interrupted > 5


NAIVE_UPGRADE = f"""
import sqlite3
from holdfast.storage.sql.upgrade import split_statements
begin()
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for version, script in enumerate({UPGRADED!r}[1:], 2):
    for statement in split_statements(script):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {{version}}")
connection.close()
end()
acknowledge()
"""


@pytest.mark.strace
@pytest.mark.evidence("A6", "SQLite", control="sets the version apart from the schema")
def test_a6_control_a_version_set_apart_from_its_schema_is_caught(path, tally: Tally):
    calls = ("pwrite64",)
    program = python(NAIVE_UPGRADE, path)
    report = kill_at_every_syscall(
        program, restore(path), lambda _outcome: usable(path), calls=calls, enough=3
    )
    tally(len(report.points), report.failed, report.summary())
    assert report.failures


# B3: a crowd.

COUNT_UP = f"""{OPEN}
with open_store() as database:
    gather()
    for _ in range(int(sys.argv[2])):
        with database.write() as connection:
            size = connection.execute("SELECT size FROM item").fetchone()[0]
            connection.execute("UPDATE item SET size = ?", (size + 1,))
"""

COUNT_UP_WITH_PLAIN_BEGIN = """
import sqlite3
connection = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
gather()
busy = 0
for _ in range(int(sys.argv[2])):
    try:
        connection.execute("BEGIN")
        size = connection.execute("SELECT size FROM item").fetchone()[0]
        connection.execute("UPDATE item SET size = ?", (size + 1,))
        connection.execute("COMMIT")
    except sqlite3.OperationalError:
        busy += 1
        if connection.in_transaction: connection.execute("ROLLBACK")
connection.close()
acknowledge(busy)
"""


def size_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT size FROM item").fetchone()[0])
    finally:
        connection.close()


@pytest.fixture
def counter(path: Path) -> Path:
    restore(path)()
    with open_store(path) as database, database.write() as connection:
        connection.execute("UPDATE item SET size = 0")
    return path


@pytest.mark.requirement("reliability-B3")
@pytest.mark.evidence("B3", "SQLite", "8 processes make 250 updates each")
def test_b3_eight_processes_make_2000_updates_and_none_is_busy_or_lost(counter, tally: Tally):
    started = time.monotonic()
    outcomes = run_together([python(COUNT_UP, counter, 250) for _ in range(8)])
    tally(2000, 2000 - size_of(counter), f"{time.monotonic() - started:.1f} s")
    assert [outcome.complaint for outcome in outcomes] == [""] * 8
    assert size_of(counter) == 2000


@pytest.mark.evidence("B3", "SQLite", control="begins to read and then writes")
def test_b3_control_a_plain_begin_is_busy(counter, tally: Tally):
    outcomes = run_together([python(COUNT_UP_WITH_PLAIN_BEGIN, counter, 100) for _ in range(8)])
    busy = sum(int(outcome.output) for outcome in outcomes)
    tally(800, busy)
    assert busy > 0
    assert size_of(counter) == 800 - busy

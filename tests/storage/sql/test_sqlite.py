"""A SQLite store: opening, transactions, upgrades, and what happens when the file is not what it was."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import sys
import threading
from pathlib import Path

import pytest

from holdfast.kernel.errors import (
    Busy,
    Corrupted,
    Denied,
    HoldfastError,
    InvalidPath,
    NotFound,
    OutOfSpace,
    Unavailable,
)
from holdfast.storage.sql.sqlite import Database
from holdfast.storage.sql.upgrade import split_statements
from tests.forked import run_at_once

APPLICATION = 0x486F6C64
FIRST = "CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;"
SECOND = "ALTER TABLE item ADD COLUMN done INTEGER NOT NULL DEFAULT 0;"


def open_store(path: Path, *migrations, **options) -> Database:
    return Database(path, application_id=APPLICATION, migrations=migrations or (FIRST,), **options)


def add(database: Database, text: str) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO item (text) VALUES (?)", (text,))


def texts(database: Database) -> list[str]:
    with database.read() as connection:
        return [row[0] for row in connection.execute("SELECT text FROM item ORDER BY id")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inbox.sqlite"


@pytest.fixture
def database(path: Path):
    with open_store(path) as database:
        yield database


def test_what_was_written_is_there_after_reopening(path):
    with open_store(path) as database:
        add(database, "one")
    with open_store(path) as database:
        assert texts(database) == ["one"]
        assert database.version() == 1
        assert database.verify() == []
        assert (database.path, database.name) == (str(path), "inbox.sqlite")


def test_the_file_is_opened_durable_private_and_recognisable(database, path):
    add(database, "one")
    with database.read() as connection:
        settings = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS}
    assert settings == SETTINGS
    for suffix in ("", "-wal", "-shm", ".created", ".lock"):
        assert stat.S_IMODE(os.stat(f"{path}{suffix}").st_mode) == 0o600


SETTINGS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
    "trusted_schema": 0,
    "busy_timeout": 10_000,
    "application_id": APPLICATION,
    "user_version": 1,
}


def test_an_exception_undoes_everything_inside(database):
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        assert connection.execute("INSERT INTO item (text) VALUES ('lost')").rowcount / 0
    assert texts(database) == []
    add(database, "kept")
    assert texts(database) == ["kept"]


def test_a_broken_constraint_is_the_callers_to_explain(database):
    add(database, "same")
    with pytest.raises(sqlite3.IntegrityError):
        add(database, "same")
    assert texts(database) == ["same"]


def test_a_mistake_in_sql_is_a_defect_and_not_dressed_up(database):
    with pytest.raises(sqlite3.OperationalError, match="syntax"), database.read() as connection:
        connection.execute("SELEKT 1")


def test_a_reader_cannot_write(database):
    with pytest.raises(Denied), database.read() as connection:
        connection.execute("INSERT INTO item (text) VALUES ('x')")
    add(database, "y")
    assert texts(database) == ["y"]


def test_a_reader_sees_one_moment(database):
    add(database, "before")
    with database.read() as connection:
        connection.execute("SELECT count(*) FROM item").fetchone()
        add(database, "meanwhile")
        assert connection.execute("SELECT count(*) FROM item").fetchone() == (1,)
    assert len(texts(database)) == 2


def test_a_half_read_answer_does_not_hold_on_to_its_moment(database):
    for number in range(10):
        add(database, str(number))
    with database.read() as connection:
        connection.execute("SELECT text FROM item").fetchone()
    add(database, "later")
    assert texts(database)[-1] == "later"


def test_many_threads_write_and_read_at_once(database):
    failures = []

    def work(worker: int) -> None:
        try:
            for number in range(25):
                add(database, f"{worker}-{number}")
                assert f"{worker}-{number}" in texts(database)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(texts(database)) == 200


def test_a_writer_that_waits_too_long_is_told_that_the_store_is_busy(path):
    with open_store(path, busy_seconds=0.1) as one, open_store(path, busy_seconds=0.1) as other:
        with one.write():
            with pytest.raises(Busy, match=r"inbox\.sqlite"):
                add(other, "x")
            with pytest.raises(Busy, match=r"inbox\.sqlite"):
                add(one, "x")
        add(other, "y")
        add(one, "z")


def test_a_full_disk_keeps_what_was_stored(database):
    add(database, "kept")
    with database.write() as connection:
        connection.execute("PRAGMA max_page_count = 3")
    with pytest.raises(OutOfSpace, match="disk is full"):
        add(database, "x" * 100_000)
    assert texts(database) == ["kept"]


def test_the_data_version_changes_with_the_data_and_only_then(path, database):
    with open_store(path) as other:
        before = database.data_version()
        assert database.data_version() == before
        texts(other)
        assert database.data_version() == before
        add(other, "theirs")
        between = database.data_version()
        add(database, "ours")
        assert len({before, between, database.data_version()}) == 3


def test_a_closed_store_says_so(path):
    database = open_store(path)
    database.close()
    database.close()
    for action in (lambda: texts(database), lambda: add(database, "x"), database.data_version):
        with pytest.raises(Unavailable, match="closed"):
            action()


def test_a_connection_in_use_while_the_store_closes_is_closed_on_its_return(path):
    database = open_store(path)
    with database.read() as connection:
        database.close()
        assert connection.execute("SELECT count(*) FROM item").fetchone() == (0,)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")


def test_opening_adding_one_row_and_closing_again_and_again_keeps_every_row(path):
    open_store(path).close()
    for number in range(21):
        with open_store(path) as database:
            add(database, str(number))
    with open_store(path) as database:
        assert texts(database) == [str(number) for number in range(21)]


# Upgrades.


def test_an_older_store_is_upgraded_in_order(path):
    with open_store(path) as database:
        add(database, "old")
    with open_store(path, FIRST, SECOND) as database:
        assert database.version() == 2
        with database.read() as connection:
            assert connection.execute("SELECT text, done FROM item").fetchall() == [("old", 0)]


def test_an_upgrade_that_fails_leaves_the_old_store(path):
    with open_store(path) as database:
        add(database, "old")

    def broken(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO item (text) VALUES ('half')")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        open_store(path, FIRST, SECOND, broken)
    with open_store(path) as database:
        assert texts(database) == ["old"]


def test_an_upgrade_may_rebuild_tables_but_not_leave_broken_references(path):
    schema = FIRST + "CREATE TABLE reply (item INTEGER NOT NULL REFERENCES item (id)) STRICT;"
    with open_store(path, schema) as database:
        add(database, "one")
        with database.write() as connection:
            connection.execute("INSERT INTO reply VALUES (1)")
    with pytest.raises(Corrupted, match="reply"):
        open_store(path, schema, "DELETE FROM item;")
    rebuild = (
        "CREATE TABLE copy AS SELECT * FROM item; DROP TABLE item; "
        + FIRST
        + "INSERT INTO item SELECT * FROM copy;"
    )
    with open_store(path, schema, rebuild) as database:
        assert texts(database) == ["one"]


@pytest.mark.evidence("C3", "SQLite", "of a newer release", every=True)
def test_a_store_of_a_newer_release_is_refused_untouched(path):
    open_store(path, FIRST, SECOND).close()
    before = digest(path)
    with pytest.raises(Unavailable, match=r"newer Holdfast \(format 2, known 1\)") as caught:
        open_store(path)
    assert "Upgrade holdfast" in str(caught.value.hint)
    assert digest(path) == before
    with open_store(path, read_only=True) as database:
        assert database.version() == 2


def test_a_store_upgraded_while_it_is_open_is_not_written_by_the_older_program(path):
    with open_store(path) as older:
        add(older, "before")
        with open_store(path, FIRST, SECOND) as newer:
            add(newer, "upgraded")
            for action in (lambda: add(older, "after"), lambda: texts(older)):
                with pytest.raises(Unavailable, match="newer Holdfast"):
                    action()
            assert texts(newer) == ["before", "upgraded"]


def test_processes_that_open_a_new_store_at_once_agree(path):
    code = (
        "import sys; from holdfast.storage.sql.sqlite import Database\n"
        f"with Database(sys.argv[1], application_id={APPLICATION}, migrations=({FIRST!r},)) as database:\n"
        "    with database.write() as connection:\n"
        "        connection.execute('INSERT INTO item (text) VALUES (?)', (sys.argv[2],))\n"
    )
    done = run_at_once([[sys.executable, "-c", code, path, str(number)] for number in range(8)])
    assert [writer.stderr for writer in done] == [b""] * 8
    with open_store(path) as database:
        assert sorted(texts(database)) == sorted(map(str, range(8)))


@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_a_store_that_another_process_creates_between_two_looks_is_opened(path, left, monkeypatch):
    if left == "an empty file":
        path.touch()
    look, creating = os.lstat, [FIRST]

    def look_then_create(name, *arguments, **options):
        try:
            return look(name, *arguments, **options)
        finally:
            if os.fspath(name) == str(path) and creating:
                open_store(path, creating.pop()).close()

    monkeypatch.setattr(os, "lstat", look_then_create)
    with open_store(path) as database:
        assert not creating
        add(database, "one")
        assert texts(database) == ["one"]


def test_a_script_is_split_into_statements_as_sqlite_reads_it():
    script = """
        CREATE TABLE a (text TEXT DEFAULT ';'); -- a comment; with a semicolon
        CREATE TRIGGER b AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;
        INSERT INTO a VALUES ('x;y')
    """
    pieces = list(split_statements(script))
    assert len(pieces) == 3
    connection = sqlite3.connect(":memory:")
    for statement in pieces:
        connection.execute(statement)
    assert connection.execute("SELECT * FROM a").fetchall() == [("x;y",)]
    connection.close()


# C3: the file is not what it was. Never recreated, never changed.


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fill(path: Path) -> None:
    with open_store(path) as database, database.write() as connection:
        connection.executemany(
            "INSERT INTO item (text) VALUES (?)", [(f"{n} {'x' * 500}",) for n in range(200)]
        )


def foreign(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()


LOSSES = {
    "emptied": lambda path: path.write_bytes(b""),
    "a text file": lambda path: path.write_bytes(b"not a database\n" * 1000),
    "wrong magic": lambda path: path.write_bytes(b"XX" + path.read_bytes()[2:]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a short header": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "another program's": foreign,
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
@pytest.mark.evidence("C3", "SQLite", "emptied, foreign or not a database", every=True)
def test_a_lost_store_is_reported_and_left_as_it_is(path, lose):
    fill(path)
    lose(path)
    before = digest(path)
    for options in ({}, {"read_only": True}, {}):
        with pytest.raises(Corrupted, match=r"inbox\.sqlite") as caught:
            open_store(path, **options)
        assert "holdfast doctor" in str(caught.value.hint)
        assert str(path.parent) not in caught.value.sentence()
    assert digest(path) == before


@pytest.mark.evidence("C3", "SQLite", control="SQLite by itself")
@pytest.mark.evidence("C3", "any", control="SQLite by itself takes an emptied store for a new one")
def test_control_plain_sqlite_takes_the_emptied_store_for_a_new_one(path):
    fill(path)
    path.write_bytes(b"")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
    connection.close()


@pytest.mark.evidence("C3", "SQLite", "missing", every=True)
def test_a_missing_store_is_reported_and_not_recreated(path):
    fill(path)
    path.unlink()
    with pytest.raises(Corrupted, match="missing"):
        open_store(path)
    assert not path.exists()


def test_an_emptied_store_keeps_the_log_that_sqlite_would_delete(path):
    database = open_store(path)
    add(database, "one")
    log = Path(f"{path}-wal")
    content = log.read_bytes()
    assert content
    database.close()
    log.write_bytes(content)
    path.write_bytes(b"")
    Path(f"{path}.created").unlink()
    with pytest.raises(Corrupted, match="empty"):
        open_store(path)
    assert log.read_bytes() == content


@pytest.mark.evidence("C3", "SQLite", "its log is missing", every=True)
def test_a_store_without_its_log_opens_at_its_last_checkpoint(path):
    database = open_store(path)
    content = path.read_bytes()
    add(database, "in the log")
    assert path.read_bytes() == content
    database.close()
    path.write_bytes(content)  # as if the log had been deleted after a crash
    with open_store(path) as database:
        assert database.verify() == []
        assert texts(database) == []


@pytest.mark.evidence("C3", "SQLite", "damaged pages", every=True)
def test_a_damaged_page_is_reported_and_the_rest_stays_readable(path):
    fill(path)
    content = bytearray(path.read_bytes())
    content[-4096 * 3 :] = b"\xa5" * 4096 * 3
    path.write_bytes(content)
    before = digest(path)
    with open_store(path) as database:
        with pytest.raises(Corrupted, match="damaged"):
            texts(database)
        with pytest.raises(Corrupted, match="damaged"):
            add(database, "x")
        with database.read() as connection:
            assert connection.execute("SELECT text FROM item WHERE id = 1").fetchone()[0].startswith("0 ")
        assert database.verify()
    assert digest(path) == before
    with open_store(path, read_only=True) as database:
        assert database.verify()
        with database.read() as connection:
            assert connection.execute("SELECT count(*) FROM item WHERE id < 10").fetchone() == (9,)


def test_flipped_bytes_are_reported_or_harmless_but_never_a_crash(path):
    fill(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 200)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            with open_store(path, read_only=True) as database:
                database.verify()
                texts(database)
        except HoldfastError as failure:
            assert "inbox.sqlite" in failure.message  # noqa: PT017 - either outcome is right
        assert path.read_bytes()[place] == whole[place] ^ 0xFF


def test_a_text_that_is_no_text_is_reported_without_being_quoted(database):
    with database.write() as connection:
        connection.execute("INSERT INTO item (text) VALUES (CAST(x'736563726574ff' AS TEXT))")
    with pytest.raises(Corrupted, match="damaged text") as caught:
        texts(database)
    assert caught.value.__cause__ is None
    assert "secret" not in caught.value.sentence()
    add(database, "other rows may still be written")


def test_what_the_store_itself_calls_damaged_does_not_stop_other_writes(database):
    with pytest.raises(Corrupted), database.read():
        raise Corrupted("One row is unreadable.")
    add(database, "still works")


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("elsewhere"), os.mkfifo])
def test_a_store_that_is_no_regular_file_is_refused(path, make):
    make(path)
    with pytest.raises(InvalidPath, match=r"inbox\.sqlite"):
        open_store(path)
    assert not (path.parent / "elsewhere").exists()


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("elsewhere"), os.mkfifo])
def test_a_store_that_was_a_regular_file_and_is_none_any_more_is_damaged(path, make):
    open_store(path).close()
    path.unlink()
    make(path)
    with pytest.raises(Corrupted, match=r"'inbox\.sqlite' is no longer a regular file"):
        open_store(path)
    assert not (path.parent / "elsewhere").exists()


def test_a_store_in_a_missing_directory_is_not_found(tmp_path):
    with pytest.raises(NotFound):
        open_store(tmp_path / "missing" / "inbox.sqlite")


def test_a_directory_that_vanishes_under_a_running_process_is_not_found(tmp_path):
    (tmp_path / "store").mkdir()
    with open_store(tmp_path / "store" / "inbox.sqlite") as database:
        (tmp_path / "store").rename(tmp_path / "moved")
        with pytest.raises(NotFound, match="inbox"):
            add(database, "x")
        (tmp_path / "store").touch()
        with pytest.raises(InvalidPath, match="inbox"):
            texts(database)


def test_a_creation_cut_short_is_completed(path):
    path.touch()
    open_store(path).close()
    path.unlink()
    Path(f"{path}.created").unlink()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with open_store(path) as database:
        add(database, "x")


def test_a_marker_lost_after_creation_is_written_again(path):
    fill(path)
    Path(f"{path}.created").unlink()
    open_store(path).close()
    assert Path(f"{path}.created").exists()


def test_a_read_only_store_changes_nothing(path):
    fill(path)
    before = {name: digest(path.parent / name) for name in os.listdir(path.parent)}
    with open_store(path, read_only=True) as database:
        assert len(texts(database)) == 200
        with pytest.raises(Denied, match="reading only"):
            add(database, "x")
    after = {name: digest(path.parent / name) for name in os.listdir(path.parent)}
    assert {name: after[name] for name in before} == before


def test_a_file_restored_under_a_running_process_is_followed(path):
    fill(path)
    backup = path.read_bytes()
    with open_store(path) as database:
        first = database.data_version()
        path.unlink()
        with pytest.raises(Corrupted, match="missing"):
            add(database, "to a file without a name")
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        path.write_bytes(backup)
        add(database, "after the restore")
        assert len(texts(database)) == 201
        assert database.data_version() != first
    with open_store(path) as database:
        assert texts(database)[-1] == "after the restore"


@pytest.mark.parametrize("name", ["a b.sqlite", "50%25.sqlite", "what?.sqlite", "a#b.sqlite", "é;&=.sqlite"])
def test_a_name_with_odd_characters_is_that_very_file(tmp_path, name):
    with open_store(tmp_path / name) as database:
        add(database, "x")
    assert (tmp_path / name).stat().st_size > 0
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"{name}.created", f"{name}.lock"])

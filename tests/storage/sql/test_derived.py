"""A derived database: built anew under a new name, and never mistaken for an empty one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.kernel.errors import Unavailable
from holdfast.storage.sql.derived import DerivedDatabase, NotUsable


def derived(place: Path, version: int = 1) -> DerivedDatabase:
    return DerivedDatabase(
        str(place), "example", application_id=77, version=version, prepare=lambda connection: None
    )


def authenticated(place: Path) -> DerivedDatabase:
    return DerivedDatabase(
        str(place),
        "example",
        application_id=77,
        version=1,
        prepare=lambda connection: None,
        authenticated=True,
    )


def with_number(number: int) -> Callable[[sqlite3.Connection], None]:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE kept (number)")
        connection.execute("INSERT INTO kept VALUES (?)", (number,))

    return fill


def number_in(database: DerivedDatabase) -> int:
    with database.read() as connection:
        return int(connection.execute("SELECT number FROM kept").fetchone()[0])


def files(place: Path) -> list[str]:
    return sorted(path.name for path in place.glob("*.sqlite"))


def test_nothing_is_not_an_empty_database(tmp_path: Path):
    with pytest.raises(NotUsable):
        number_in(derived(tmp_path))


def test_a_rebuild_counts_for_processes_that_have_the_old_file_open(tmp_path: Path):
    one, other = derived(tmp_path), derived(tmp_path)
    one.rebuild(with_number(1))
    assert (number_in(one), number_in(other)) == (1, 1)
    with other.read() as reading:
        one.rebuild(with_number(2))
        assert reading.execute("SELECT number FROM kept").fetchone() == (1,)
    assert (number_in(one), number_in(other)) == (2, 2)
    assert len(files(tmp_path)) == 1
    one.close()
    other.close()


def test_a_pipe_in_place_of_the_file_and_a_folder_in_place_of_the_pointer_are_built_around(tmp_path: Path):
    derived(tmp_path).rebuild(with_number(1))
    place = tmp_path / files(tmp_path)[0]
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(NotUsable):
        number_in(derived(tmp_path))
    (tmp_path / "example.index").unlink()
    (tmp_path / "example.index").mkdir()
    database = derived(tmp_path)
    database.rebuild(with_number(2))
    assert number_in(database) == 2
    database.close()


def test_a_link_to_a_database_elsewhere_is_not_followed(tmp_path: Path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder, number in ((ours, 1), (theirs, 2)):
        folder.mkdir()
        derived(folder).rebuild(with_number(number))
    linked, target = ours / files(ours)[0], theirs / files(theirs)[0]
    linked.unlink()
    linked.symlink_to(target)
    with pytest.raises(NotUsable), derived(ours).write() as connection:
        connection.execute("UPDATE kept SET number = 3")
    assert number_in(derived(theirs)) == 2


def fail_after_a_change(database: DerivedDatabase) -> None:
    with database.write() as connection:
        connection.execute("UPDATE kept SET number = 5")
        raise ZeroDivisionError


def test_a_write_is_whole_or_nothing(tmp_path: Path):
    database = derived(tmp_path)
    database.rebuild(with_number(1))
    with pytest.raises(ZeroDivisionError):
        fail_after_a_change(database)
    assert number_in(database) == 1
    with database.read() as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("UPDATE kept SET number = 5")
    database.close()


def test_a_rebuild_that_fails_leaves_what_was_there(tmp_path: Path):
    database = derived(tmp_path)
    database.rebuild(with_number(1))

    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE kept (number)")
        raise Unavailable("The source cannot be read.")

    with pytest.raises(Unavailable):
        database.rebuild(fail)
    assert number_in(database) == 1
    assert len(files(tmp_path)) == 1
    database.close()


def test_another_version_is_not_usable(tmp_path: Path):
    database = derived(tmp_path)
    database.rebuild(with_number(1))
    newer = derived(tmp_path, version=2)
    with pytest.raises(NotUsable, match="version"):
        number_in(newer)
    newer.rebuild(with_number(3))
    assert number_in(newer) == 3
    database.close()
    newer.close()


def test_damage_met_while_reading_makes_it_unusable(tmp_path: Path):
    database = derived(tmp_path)
    database.rebuild(with_number(1))
    database.close()
    (path,) = tmp_path.glob("*.sqlite")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(NotUsable):
        number_in(database)
    database.discard()
    database.rebuild(with_number(2))
    assert number_in(database) == 2
    database.close()


def test_an_authenticated_file_is_used_by_other_processes_of_the_user(home: Path, tmp_path: Path):
    authenticated(tmp_path).rebuild(with_number(1))
    assert number_in(authenticated(tmp_path)) == 1


def test_an_authenticated_file_that_another_user_built_is_not_used(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    authenticated(tmp_path).rebuild(with_number(1))
    assert number_in(authenticated(tmp_path)) == 1
    monkeypatch.delenv("XDG_STATE_HOME")
    with pytest.raises(NotUsable):
        number_in(authenticated(tmp_path))


def test_a_copy_of_an_authenticated_file_is_not_used(home: Path, tmp_path: Path):
    authenticated(tmp_path).rebuild(with_number(1))
    (name,) = files(tmp_path)
    (tmp_path / "copy").write_bytes((tmp_path / name).read_bytes())
    (tmp_path / "copy").replace(tmp_path / name)
    with pytest.raises(NotUsable):
        number_in(authenticated(tmp_path))


def test_without_a_state_of_the_user_an_authenticated_database_is_in_memory(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    database = authenticated(tmp_path)
    database.rebuild(with_number(1))
    assert number_in(database) == 1
    assert files(tmp_path) == []
    with pytest.raises(NotUsable):
        number_in(authenticated(tmp_path))

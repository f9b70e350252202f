"""Where the numbers of commits are kept: together, by version, within bounds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from holdfast.analysis.trend import point_store
from holdfast.analysis.trend.point_store import PointStore
from holdfast.storage.git.repository import Repository
from tests.forked import run_at_once

WRITER = """
import sys
from holdfast.analysis.trend.point_store import PointStore
from holdfast.storage.git.repository import Repository
store, name = PointStore(Repository.discover(sys.argv[1])), sys.argv[2]
for number in range(20):
    assert store.add("", "a" * 40, {f"{name}{number}": number}, 1)
    assert store.add("", f"{name}{number}", {"files": number}, 1)
"""


@pytest.fixture
def store(repository: Path) -> PointStore:
    return PointStore(Repository.discover(repository))


def test_numbers_of_different_analyses_add_up_and_the_last_one_counts(store):
    assert store.find("", ["a"]) == ({}, 0)
    assert store.add("", "a", {"files": 1, "tdg": 0.5}, 1)
    assert store.add("", "a", {"files": 2, "health": 0.1}, 2)
    assert store.add("src", "a", {"files": 9}, 3)
    assert store.find("", ["a", "b"]) == ({"a": {"files": 2, "tdg": 0.5, "health": 0.1}}, 0)


def test_numbers_of_another_version_are_counted_and_not_mixed_in(store, monkeypatch):
    store.add("", "a", {"files": 1}, 1)
    store.add("", "b", {"files": 1}, 1)
    monkeypatch.setattr(point_store, "analysis_version", lambda: 7)
    store.add("", "b", {"files": 2}, 1)
    assert store.find("", ["a", "b"]) == ({"b": {"files": 2}}, 1)


def test_of_too_many_points_those_kept_for_longest_go(repository):
    store = PointStore(Repository.discover(repository), max_points=8)
    for number in range(9):
        store.add("", str(number), {"files": number}, number)
    assert sorted(store.find("", map(str, range(9)))[0]) == ["3", "4", "5", "6", "7", "8"]


def test_a_damaged_store_is_made_anew(repository, store):
    store.add("", "a", {"files": 1}, 1)
    store.close()
    [file] = (repository / ".git" / "holdfast").glob("trend-*.sqlite")
    file.write_bytes(b"nothing of the sort")
    assert store.find("", ["a"]) == ({}, 0)
    assert store.add("", "a", {"files": 3}, 1)
    assert store.find("", ["a"]) == ({"a": {"files": 3}}, 0)


def test_processes_that_keep_at_once_take_nothing_from_each_other(repository, store):
    """Each begins without a store, so that they also meet where it is built."""
    done = run_at_once([[sys.executable, "-c", WRITER, str(repository), name] for name in "xyz"])
    assert [writer.stderr for writer in done] == [b""] * 3
    known, _ = store.find("", ["a" * 40, *(f"{name}{number}" for name in "xyz" for number in range(20))])
    assert len(known) == 61
    assert len(known["a" * 40]) == 60


def test_where_the_whole_row_is_replaced_one_of_them_loses_numbers(repository, store, monkeypatch):
    """The control: without the union in the database the second analysis takes away what the first kept."""
    monkeypatch.setattr(point_store, "MERGE_POINT", "INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?)")
    store.add("", "a", {"files": 1}, 1)
    store.add("", "a", {"health": 1}, 1)
    assert store.find("", ["a"]) == ({"a": {"health": 1}}, 0)

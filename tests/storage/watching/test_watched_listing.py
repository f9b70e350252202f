"""A watched listing holds what a fresh scan would find, whatever happened in between."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

import pytest

from holdfast.storage.watching.errors import EventsLost, WatchUnavailable
from holdfast.storage.watching.inotify import Inotify
from holdfast.storage.watching.watched_listing import WatchedListing

SUFFIX = ".comments"


def _listing(root: Path, **options: float) -> WatchedListing:
    return WatchedListing(str(root), lambda name: name.endswith(SUFFIX), **options)


def _watching(root: Path, **options: float) -> WatchedListing:
    kept = _listing(root, **options)
    kept.current()
    kept.current()
    return kept


def test_a_process_that_asks_once_watches_nothing(tmp_path):
    (tmp_path / "a.py.comments").write_text("{}")
    once = _listing(tmp_path)
    assert list(once.current()) == ["a.py.comments"]
    assert not once.is_watching


def test_other_suffixes_skipped_directories_and_links_are_left_out(tmp_path):
    (tmp_path / ".git").mkdir()
    for name in ("a.py", "b.py.comments", ".git/c.py.comments"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "link.comments").symlink_to("b.py.comments")
    (tmp_path / "round").symlink_to(".", target_is_directory=True)
    assert list(_watching(tmp_path).current()) == ["b.py.comments"]


def test_an_unchanged_tree_gives_the_same_object(tmp_path):
    (tmp_path / "a.py.comments").write_text("{}")
    kept = _watching(tmp_path)
    before = kept.current()
    (tmp_path / "a.py").write_text("x = 1\n")
    assert kept.current() is before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has inotify")
def test_with_inotify_no_file_of_an_unchanged_tree_is_read(tmp_path, monkeypatch):
    for number in range(50):
        (tmp_path / f"{number}.py.comments").write_text("{}")
    kept = _watching(tmp_path)
    stats: list[str] = []
    original = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path, **more: (stats.append(path), original(path, **more))[1])
    assert kept.is_watching
    assert len(kept.current()) == 50
    assert stats == []
    (tmp_path / "7.py.comments").write_text("{ }")
    kept.current()
    assert len(stats) == 1


def test_a_directory_that_another_replaced_is_read_anew(tmp_path):
    (tmp_path / "one" / "deep").mkdir(parents=True)
    (tmp_path / "one" / "deep" / "a.py.comments").write_text("{}")
    kept = _watching(tmp_path)
    shutil.rmtree(tmp_path / "one")
    (tmp_path / "one" / "deep").mkdir(parents=True)
    assert kept.current() == {}
    (tmp_path / "one" / "deep" / "b.py.comments").write_text("{}")
    assert list(kept.current()) == ["one/deep/b.py.comments"]


def test_lost_events_lead_to_a_full_scan(tmp_path, monkeypatch):
    kept = _watching(tmp_path)

    def lost(self: object) -> list[object]:
        raise EventsLost("there were too many")

    monkeypatch.setattr(Inotify, "read", lost)
    (tmp_path / "a.py.comments").write_text("{}")
    assert list(kept.current()) == ["a.py.comments"]


def test_without_inotify_every_answer_is_a_scan(tmp_path, monkeypatch):
    def none(self: object) -> None:
        raise WatchUnavailable("the system has no inotify")

    monkeypatch.setattr(Inotify, "__init__", none)
    kept = _watching(tmp_path)
    assert not kept.is_watching
    (tmp_path / "a.py.comments").write_text("{}")
    assert list(kept.current()) == ["a.py.comments"]


def test_what_no_event_reports_is_found_after_a_while(tmp_path):
    outside = tmp_path / "outside"
    inside = tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (inside / "a.py.comments").write_text("{}")
    os.link(inside / "a.py.comments", outside / "other")
    kept = _watching(inside, trusted_seconds=0.0)
    (outside / "other").write_text("{ }")
    assert kept.current()["a.py.comments"][1] == 3


@pytest.mark.parametrize("seed", range(12))
def test_random_changes_leave_the_watched_listing_equal_to_a_fresh_one(tmp_path, seed):
    chance = random.Random(seed)
    kept = _watching(tmp_path)
    for _ in range(150):
        _change(tmp_path, chance)
        if chance.random() < 0.4:
            assert dict(kept.current()) == dict(_listing(tmp_path).current())
    assert dict(kept.current()) == dict(_listing(tmp_path).current())


def _change(root: Path, chance: random.Random) -> None:
    """Do one random thing to a tree."""
    directories = [root, *(path for path in root.rglob("*") if path.is_dir())]
    place = chance.choice(directories)
    name = chance.choice("abcd")
    match chance.randrange(6):
        case 0 | 1:
            (place / f"{name}.py{SUFFIX}").write_text("x" * chance.randrange(9))
        case 2:
            (place / name).mkdir(exist_ok=True)
        case 3:
            for found in sorted(place.glob(f"*{SUFFIX}"))[:1]:
                found.unlink()
        case 4 if place != root:
            shutil.rmtree(place)
        case 5 if place != root:
            target = chance.choice(directories) / chance.choice("wxyz")
            if not target.exists() and place not in target.parents:
                place.rename(target)

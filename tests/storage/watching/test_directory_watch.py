"""inotify reports every change in a place, whatever happens to its folders."""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.storage.watching import directory_watch
from holdfast.storage.watching.directory_watch import DirectoryWatch
from holdfast.storage.watching.errors import WatchUnavailable
from holdfast.storage.watching.fsevents import FileSystemEvents
from holdfast.storage.watching.source_folders import is_entered
from holdfast.storage.watching.topic_source import WatchedPlace, file_place
from tests.storage.watching.waiting import Counter, Paths

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has inotify")


@pytest.fixture
def seen() -> Paths:
    return Paths()


@pytest.fixture(params=["inotify", "watchdog"])
def watch(request: pytest.FixtureRequest, seen: Paths) -> Iterator[DirectoryWatch | FileSystemEvents]:
    """Both sources of events. The second is for macOS; here its library uses inotify."""
    if request.param == "watchdog":
        watch: DirectoryWatch | FileSystemEvents = FileSystemEvents(seen)
    else:
        watch = DirectoryWatch(seen, lambda _reason: None)
    yield watch
    watch.close()


def tree(root: Path) -> WatchedPlace:
    return WatchedPlace(str(root), enters=is_entered)


def test_a_place_that_does_not_exist_yet_is_reported_when_it_appears(watch, seen, tmp_path):
    place = tmp_path / "not" / "there" / "yet"
    watch.add(file_place(str(place)))
    for folder in reversed(place.relative_to(tmp_path).parents[:-1]):
        (tmp_path / folder).mkdir()
        assert seen.holds(tmp_path / folder)
    place.touch()
    assert seen.holds(place)


def test_new_folders_of_a_tree_are_watched(watch, seen, tmp_path):
    watch.add(tree(tmp_path))
    (tmp_path / "one").mkdir()
    assert seen.holds(tmp_path / "one")
    (tmp_path / "one" / "two").mkdir()
    assert seen.holds(tmp_path / "one" / "two")
    (tmp_path / "one" / "two" / "a.py").touch()
    assert seen.holds(tmp_path / "one" / "two" / "a.py")


def test_foreign_folders_are_not_watched(tmp_path, seen):
    watch = DirectoryWatch(seen, lambda _reason: None)
    watch.add(tree(tmp_path))
    for name in ("node_modules", ".git", "src"):
        (tmp_path / name).mkdir()
        assert seen.holds(tmp_path / name)
    for name in ("node_modules", ".git", "src"):
        (tmp_path / name / "file").touch()
    assert seen.holds(tmp_path / "src" / "file")
    watch.close()
    assert not {path for path in seen.seen if Path(path).parent.name in ("node_modules", ".git")}


def test_a_folder_that_was_renamed_or_replaced_is_watched_under_its_new_name(tmp_path, seen):
    watch = DirectoryWatch(seen, lambda _reason: None)
    (tmp_path / "one" / "deep").mkdir(parents=True)
    watch.add(tree(tmp_path))
    (tmp_path / "one").rename(tmp_path / "two")
    assert seen.holds(tmp_path / "two")
    (tmp_path / "two" / "deep" / "a.py").touch()
    assert seen.holds(tmp_path / "two" / "deep" / "a.py")
    shutil.rmtree(tmp_path / "two")
    assert seen.holds(tmp_path / "two")
    seen.clear()
    (tmp_path / "two" / "deep").mkdir(parents=True)
    (tmp_path / "two" / "b.py").touch()
    # A file that is there before its new folder is watched is reported with the folder.
    assert seen.holds(tmp_path / "two" / "b.py", tmp_path / "two")
    (tmp_path / "two" / "deep" / "c.py").touch()
    assert seen.holds(tmp_path / "two" / "deep" / "c.py", tmp_path / "two" / "deep")
    watch.close()


def test_a_place_that_was_removed_is_reported_when_it_comes_back(tmp_path, seen):
    watch = DirectoryWatch(seen, lambda _reason: None)
    refs = tmp_path / "refs" / "holdfast"
    refs.mkdir(parents=True)
    watch.add(WatchedPlace(str(refs), enters=lambda _name: True))
    shutil.rmtree(tmp_path / "refs")
    assert seen.holds(refs)
    seen.clear()
    (refs / "log").mkdir(parents=True)
    assert seen.holds(tmp_path / "refs", refs)
    watch.close()


def test_after_the_queue_has_overflowed_everything_is_watched_anew(tmp_path, seen):
    release, lost = threading.Event(), Counter()

    def changed(path: str) -> None:
        seen(path)
        assert release.wait(60)

    watch = DirectoryWatch(changed, lambda reason: lost() if reason is None else None)
    watch.add(tree(tmp_path))
    (tmp_path / "first").touch()
    assert seen.holds(tmp_path / "first")  # now the thread that empties the queue is held up
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for number in range(most // 2 + 1):
        os.mkdir(tmp_path / str(number))
        os.rmdir(tmp_path / str(number))
    (tmp_path / "new").mkdir()
    release.set()
    assert lost.reaches(1)
    (tmp_path / "new" / "a.py").touch()
    assert seen.holds(tmp_path / "new" / "a.py")
    watch.close()


def test_when_no_more_folders_may_be_watched_the_owner_is_told_and_the_thread_ends(
    tmp_path, seen, monkeypatch
):
    monkeypatch.setattr(directory_watch, "MAX_WATCHED_DIRECTORIES", 3)
    reasons = Paths()
    watch = DirectoryWatch(seen, lambda reason: reasons(str(reason)))
    watch.add(tree(tmp_path))
    for number in range(4):
        (tmp_path / str(number)).mkdir()
    assert reasons.holds("more than 3 directories")
    watch.close()
    with pytest.raises(WatchUnavailable):
        DirectoryWatch(seen, lambda _reason: None).add(tree(tmp_path))


@pytest.mark.parametrize("seed", range(6))
def test_after_random_changes_a_new_file_in_every_folder_is_reported(tmp_path, seen, seed):
    chance = random.Random(seed)
    watch = DirectoryWatch(seen, lambda _reason: None)
    watch.add(tree(tmp_path))
    for _ in range(120):
        folders = [path for path in tmp_path.rglob("*") if path.is_dir()]
        place = chance.choice([tmp_path, *folders])
        match chance.randrange(4):
            case 0 | 1:
                (place / chance.choice("abcd")).mkdir(exist_ok=True)
            case 2 if place != tmp_path:
                shutil.rmtree(place)
            case 3 if place != tmp_path:
                target = chance.choice([tmp_path, *folders]) / chance.choice("wxyz")
                if not target.exists() and place not in target.parents and place != target.parent:
                    place.rename(target)
    (tmp_path / "last").touch()
    assert seen.holds(tmp_path / "last")
    for folder in [path for path in tmp_path.rglob("*") if path.is_dir()]:
        (folder / "new file").touch()
        assert seen.holds(folder / "new file")
    watch.close()

"""Code that went to another file."""

from __future__ import annotations

from holdfast.comments.tracking.files import find_moved
from holdfast.comments.tracking.models import Anchor, Version

CODE = """import json


def load_settings(path):
    with open(path) as handle:
        settings = json.load(handle)
    settings.setdefault("language", "en")
    return settings


def save_settings(path, settings):
    with open(path, "w") as handle:
        json.dump(settings, handle, indent=2)
"""
UNRELATED = "def area(width, height):\n    return width * height\n"


def test_the_file_that_holds_the_lines_around_is_found():
    old = Version("settings.py", CODE)
    moved = Version(
        "core/configuration.py", '"""Settings."""\n' + CODE.replace("settings.set", "settings.set")
    )
    (found,) = find_moved(old, [Anchor(7)], [Version("shapes.py", UNRELATED), moved])
    assert found is not None
    assert found.path == "core/configuration.py"
    assert found.placement.line == 8
    assert found.clear


def test_each_anchor_finds_the_file_its_own_code_went_to():
    old = Version("settings.py", CODE)
    load, save = CODE.split("def save_settings")
    parts = [Version("load.py", load), Version("save.py", "def save_settings" + save)]
    first, second = find_moved(old, [Anchor(7), Anchor(13)], parts)
    assert first is not None
    assert second is not None
    assert (first.path, second.path) == ("load.py", "save.py")


def test_two_files_with_the_same_code_are_not_a_clear_answer():
    old = Version("settings.py", CODE)
    (found,) = find_moved(old, [Anchor(7)], [Version("one.py", CODE), Version("two.py", CODE)])
    assert found is not None
    assert not found.clear


def test_code_that_is_nowhere_is_not_found():
    assert find_moved(Version("settings.py", CODE), [Anchor(7)], [Version("shapes.py", UNRELATED)]) == [None]
    assert find_moved(Version("settings.py", CODE), [Anchor(7)], []) == [None]

"""A folder as a page's tree shows it: what git tracks or would add, and what no path can be written with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.kernel.errors import InvalidPath
from holdfast.source.room import Source
from holdfast.source.tools.list_files import ListFiles, list_files
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit


@pytest.fixture
def room(repository: Path) -> Iterator[Source]:
    commit(
        repository, {"src/kelp.py": "one\n", "src/deep/rock.py": "", "gone.py": "", ".gitignore": "built/\n"}
    )
    room = Source(Repository.discover(repository))
    yield room
    room.close()


def listed(room: Source, folder: str = ".", **more: int) -> list[tuple[str, str, int | None]]:
    found = list_files(room, ListFiles.model_validate({"folder": folder, **more}))
    return [(entry.name, entry.kind, entry.size) for entry in found.entries]


def test_a_folder_shows_what_git_tracks_or_would_add_and_no_more(room: Source, repository: Path) -> None:
    (repository / "gone.py").unlink()
    (repository / "new.py").write_text("new", encoding="utf-8")
    (repository / "built").mkdir()
    (repository / "built" / "out.py").write_text("", encoding="utf-8")
    (repository / "empty").mkdir()
    assert listed(room) == [("src", "folder", None), (".gitignore", "file", 7), ("new.py", "file", 3)]
    assert listed(room, "src/") == [("deep", "folder", None), ("kelp.py", "file", 4)]
    assert list_files(room, ListFiles(folder="src", limit=1)).total == 2


def test_links_and_unwritable_names_are_shown_and_not_offered(room: Source, repository: Path) -> None:
    (repository / "outside").symlink_to("/etc")
    os.mkdir(os.fsencode(repository) + b"/odd")
    for name in (b"latin\xe9", b"line\nbreak", "zero\u200bwidth".encode(), b"plain"):
        Path(os.fsdecode(os.fsencode(repository) + b"/odd/" + name)).write_bytes(b"")
    assert ("outside", "other", None) in listed(room)
    assert [kind for _, kind, _ in listed(room, "odd")].count("other") == 3
    assert ("plain", "file", 0) in listed(room, "odd")


def test_a_file_is_no_folder(room: Source) -> None:
    with pytest.raises(InvalidPath, match="is a file"):
        listed(room, "src/kelp.py")


def test_outside_of_git_the_folder_itself_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("1", encoding="utf-8")
    room = Source(Repository.discover(tmp_path))
    assert listed(room, "a") == [("b.py", "file", 1)]
    room.close()

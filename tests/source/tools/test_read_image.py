"""Images of the work tree and of commits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import Denied, Invalid, NotFound
from holdfast.source.room import Source
from holdfast.source.tools.read_image import ReadImage, SourceImage, read_image
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit, git

PIXEL = b"\x89PNG\r\n\x1a\n\0pixel"


@pytest.fixture
def room(repository: Path) -> Iterator[Source]:
    room = Source(Repository.discover(repository))
    yield room
    room.close()


def image(room: Source, file: str, **more: Any) -> SourceImage:
    return read_image(room, ReadImage.model_validate({"file": file, **more}))


def test_an_image_is_shown_as_the_work_tree_or_a_commit_has_it(room: Source, repository: Path) -> None:
    commit(repository, {"a.py": "one\n"})
    (repository / "logo.PNG").write_bytes(PIXEL)
    git(repository, "add", "logo.PNG")
    commit(repository, {"b.py": "one\n"})
    (repository / "logo.PNG").write_bytes(PIXEL + b"s")
    assert image(room, "logo.PNG").file_content == PIXEL + b"s"
    before = image(room, "logo.PNG", revision="HEAD")
    assert (before.file_content, before.mime, before.size) == (PIXEL, "image/png", len(PIXEL))


def test_other_files_and_ignored_ones_are_refused(room: Source, repository: Path) -> None:
    commit(repository, {"a.py": "one\n", ".gitignore": "secret.png\n"})
    (repository / "secret.png").write_bytes(PIXEL)
    for file, error in (("a.py", Invalid), ("gone.png", NotFound), ("secret.png", Denied)):
        with pytest.raises(error):
            image(room, file)

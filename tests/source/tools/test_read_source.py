"""A file as a page shows it: coloured pieces, pages, revisions, and what is not shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.kernel.errors import Denied, InvalidPath, NotFound
from holdfast.kernel.limits import LIMITS
from holdfast.source.room import Source
from holdfast.source.tools.read_source import ReadSource, SourceLines, read_source
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit

KELP = "class Kelp:\n    def grow(self):\n        return 1\n"


@pytest.fixture
def room(repository: Path) -> Iterator[Source]:
    commit(repository, {"kelp.py": KELP, "notes.txt": "plain words\r\nand more"})
    room = Source(Repository.discover(repository))
    yield room
    room.close()


def read(room: Source, file: str, **more: object) -> SourceLines:
    return read_source(room, ReadSource.model_validate({"file": file, **more}))


def text_of(found: SourceLines) -> list[str]:
    return ["".join(text for _, text in line) for line in found.lines]


def test_a_file_comes_coloured_with_its_outline(room: Source) -> None:
    found = read(room, "kelp.py", highlight=True)
    assert (found.language, found.total_lines, found.cut, found.unshown) == ("python", 3, False, None)
    assert found.lines[0] == [("keyword", "class"), ("", " "), ("type", "Kelp"), ("", ":")]
    assert [(one.name, one.kind, one.depth, one.start_line, one.end_line) for one in found.outline or []] == [
        ("Kelp", "Class", 0, 1, 3),
        ("grow", "Method", 1, 2, 3),
    ]
    assert read(room, "kelp.py").lines[0] == [("", "class Kelp:")]
    plain = read(room, "notes.txt")
    assert (plain.language, plain.outline) == (None, [])
    assert plain.lines == [[("", "plain words")], [("", "and more")]]


def test_a_long_file_comes_in_pages_of_one_text(room: Source, repository: Path) -> None:
    (repository / "long.py").write_text('"""' + "x = 1\n" * 20_000 + '"""\ny = 2\n', encoding="utf-8")
    pages, start = [], 1
    while (page := read(room, "long.py", start=start, limit=4000, highlight=True)).lines:
        pages.append(page)
        start += len(page.lines)
    assert [len(page.lines) for page in pages] == [4000] * 5 + [2]
    assert (
        "\n".join(line for page in pages for line in text_of(page)) + "\n"
        == (repository / "long.py").read_text()
    )
    assert {page.digest for page in pages} == {pages[0].digest}
    assert {colour for page in pages[:-1] for line in page.lines for colour, _ in line} == {"string"}
    assert [page.cut for page in pages] == [True] * 5 + [False]
    assert [page.outline is None for page in pages] == [False] + [True] * 5


def test_pages_and_lines_are_bounded_by_characters(room: Source, repository: Path) -> None:
    wide = "x" * 1900
    (repository / "wide.txt").write_text(f"{wide}\n" * 1000, encoding="utf-8")
    found = read(room, "wide.txt")
    assert found.cut
    assert len(found.lines) == LIMITS.source_page_characters // len(wide)
    (repository / "minified.js").write_text("f(1);" * 10_000, encoding="utf-8")
    found = read(room, "minified.js")
    assert text_of(found) == [("f(1);" * 10_000)[: LIMITS.source_line_characters]]
    assert (found.cut, found.total_lines) == (True, 1)


def test_a_revision_shows_the_file_as_it_was(room: Source, repository: Path) -> None:
    then = commit(repository, {"kelp.py": "new = 1\n"})
    (repository / "kelp.py").write_text("newer = 2\n", encoding="utf-8")
    assert text_of(read(room, "kelp.py")) == ["newer = 2"]
    assert text_of(read(room, "kelp.py", revision=then)) == ["new = 1"]
    found = read(room, "kelp.py", revision="HEAD~1")
    assert text_of(found) == KELP.splitlines()
    assert found.revision is not None
    with pytest.raises(NotFound):
        read(room, "later.py", revision="HEAD")


def test_binary_and_too_large_files_say_so(room: Source, repository: Path) -> None:
    (repository / "a.png").write_bytes(b"\x89PNG\0\0")
    (repository / "big.py").write_bytes(b"# kelp\n" * (LIMITS.source_file_bytes // 7 + 1))
    assert (read(room, "a.png").unshown, read(room, "a.png").bytes) == ("binary", 6)
    assert (read(room, "big.py").unshown, read(room, "big.py").bytes) == ("too large", None)
    assert read(room, "big.py").lines == []


def test_nothing_outside_of_the_work_tree_is_read(room: Source, repository: Path) -> None:
    (repository / "link.py").symlink_to("/etc/hostname")
    with pytest.raises(InvalidPath):
        read(room, "link.py")
    with pytest.raises(InvalidPath):
        read(room, ".git/config")
    (repository / ".gitignore").write_text(".env\n", encoding="utf-8")
    (repository / ".env").write_text("SECRET=1\n", encoding="utf-8")
    with pytest.raises(Denied, match="git ignores"):
        read(room, ".env")
    assert text_of(read(room, ".gitignore")) == [".env"]

"""Lists with filters, comments that lost their code, and a file with its comments in the margin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.comments.errors import SourceNotFound
from holdfast.comments.store import Comments
from holdfast.comments.tools.blame_file import BlameFile, blame_file, render_annotated
from holdfast.comments.tools.list_comments import ListComments, list_comments, render_table
from holdfast.comments.tools.list_orphans import ListOrphans, list_orphans, render_orphans
from holdfast.kernel.dispatch.validation import validate_arguments
from holdfast.kernel.errors import InvalidArguments
from holdfast.kernel.text import display_width
from holdfast.storage.git.repository import Repository
from tests.comments.making import PYTHON, annotate, comment

AI = {"model": "m"}


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Comments]:
    annotate(
        tmp_path,
        "src/a.py",
        PYTHON,
        comment(1, 9, "Written twice, twice, twice", tag="FIXME", status="resolved"),
        comment(2, 4, "Written once", author="user", created="2024-01-01T00:00:00Z"),
        comment(3, 5, "A range of lines that is explained in rather many words, for wrapping", endLine=6),
    )
    annotate(tmp_path, "b.txt", "one\ntwo\n", comment(4, 2, "Unique line", aiMeta=AI, tag="HACK"))
    room = Comments(Repository.at(tmp_path))
    yield room
    room.close()


def numbers(room: Comments, **given: Any) -> list[int]:
    found = list_comments(room, validate_arguments(ListComments, given))
    return [int(one.id.removeprefix("c_")) - 1730000000000 for one in found.comments]


def test_a_list_is_ordered_by_file_line_and_id_whatever_matches(room):
    assert numbers(room) == [4, 2, 3, 1]
    assert numbers(room, match="twice|once") == [2, 1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"file": "src/**"}, [2, 3, 1]),
        ({"file": "b.txt"}, [4]),
        ({"tag": "HACK"}, [4]),
        ({"author": "user"}, [2]),
        ({"status": "resolved"}, [1]),
        ({"status": "open", "file": "src/"}, [2, 3]),
        ({"ai": True}, [4]),
        ({"ai": False, "limit": 1}, [2]),
        ({"since": "2025-01-01T00:00:00Z"}, [4, 3, 1]),
        ({"until": "2025-01-01T00:00:00Z"}, [2]),
        ({"since": "2025-10-19", "until": "2025-10-19"}, [4, 3, 1]),
        ({"until": "2025-10-18"}, [2]),
        ({"standing": "placed"}, [4, 2, 3, 1]),
        ({"standing": "orphaned"}, []),
    ],
)
def test_filters_of_a_list(room, given, expected):
    assert numbers(room, **given) == expected


def test_a_moment_that_is_none_is_refused():
    with pytest.raises(InvalidArguments, match="offset"):
        validate_arguments(ListComments, {"since": "last week"})
    with pytest.raises(InvalidArguments, match="offset"):
        validate_arguments(ListComments, {"until": "2025-13-01"})
    with pytest.raises(InvalidArguments):
        validate_arguments(ListComments, {"since": [1, 2, 3, 4]})


def test_a_list_fits_the_terminal(room):
    result = list_comments(room, ListComments())
    assert all(display_width(line) <= 60 for line in render_table(result, 60).splitlines())
    assert "b.txt:2" in render_table(result)
    limited = list_comments(room, ListComments(limit=2))
    assert "2 of 4" in render_table(limited)


def test_orphans_come_with_the_code_as_it_was_and_leave_when_it_returns(room, tmp_path):
    assert list_orphans(room, ListOrphans()).total == 0
    assert "Every comment" in render_orphans(list_orphans(room, ListOrphans()))
    source = tmp_path / "b.txt"
    source.unlink()
    found = list_orphans(room, ListOrphans())
    assert (found.total, found.orphans[0].file_path) == (1, "b.txt")
    assert found.orphans[0].comment.reason == "file_deleted"
    assert "two" in str(found.orphans[0].old_code)
    assert "b.txt:2 (HACK, orphaned, file deleted)" in render_orphans(found)
    assert numbers(room, standing="orphaned") == [4]
    assert list_orphans(room, ListOrphans(file="src/**")).total == 0
    source.write_text("one\ntwo\n")
    assert list_orphans(room, ListOrphans()).total == 0


def test_orphans_are_found_in_files_that_nobody_asked_for_before(room, tmp_path):
    (tmp_path / "src" / "a.py").unlink()
    assert list_orphans(room, ListOrphans(limit=2)).total == 3


@pytest.mark.parametrize("width", [40, 60, 100])
def test_a_file_with_its_comments_fits_the_terminal(room, width):
    shown = render_annotated(blame_file(room, BlameFile(file="src/a.py")), width)
    lines = shown.splitlines()
    assert all(display_width(line) <= width for line in lines)
    assert sum(line.split("┃")[0].split("│")[0].strip().isdigit() for line in lines) == 11
    margin = " ".join(line[-20:] for line in lines)
    assert "FIXME" in shown
    assert "wrapping" in margin


def test_the_margin_shows_where_comments_begin_and_how_far_they_reach(room):
    result = blame_file(room, BlameFile(file="src/a.py"))
    assert [line.line for line in result.lines if line.comments] == [4, 5, 9]
    assert [line.line for line in result.lines if line.covered_by] == [6]
    lines = render_annotated(result, 200).splitlines()
    assert [line.split()[0] for line in lines if "┃" in line] == ["4", "5", "6", "9"]


def test_comments_of_a_deleted_file_are_shown_as_orphaned(room, tmp_path):
    (tmp_path / "b.txt").unlink()
    shown = render_annotated(blame_file(room, BlameFile(file="b.txt")), 80)
    assert shown == "orphaned, last on line 2: HACK claude: Unique line"
    with pytest.raises(SourceNotFound):
        blame_file(room, BlameFile(file="missing.py"))


@pytest.mark.parametrize("width", [24, 30, 40, 55])
def test_on_a_narrow_terminal_nothing_runs_over_and_nothing_is_missing(room, width):
    shown = render_table(list_comments(room, ListComments(file="src/a.py")), width)
    assert max(map(display_width, shown.split("\n"))) <= width
    whole = " ".join(shown.split())
    assert "c_1730000000002 Written once" in whole
    assert "A range of lines that is explained in rather many words, for wrapping" in whole
    blamed = render_annotated(blame_file(room, BlameFile(file="src/a.py")), width)
    assert max(map(display_width, blamed.split("\n"))) <= width
    words = " ".join(line.partition("┃")[2].strip() for line in blamed.split("\n"))
    assert "A range of lines that is explained in rather many words, for wrapping" in words


def test_a_tag_is_not_said_twice(room, tmp_path):
    annotate(tmp_path, "tagged.txt", "one\n", comment(7, 1, "TODO: once is enough"))
    assert "TODO:" not in render_table(list_comments(room, ListComments(file="tagged.txt")))
    assert "TODO claude: once" in render_annotated(blame_file(room, BlameFile(file="tagged.txt")), 80)


def test_of_a_binary_file_only_the_comments_are_shown(room, tmp_path):
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\0\0\x1b[2J\n")
    annotate(tmp_path, "other.png", "x\n", comment(8, 1, "Redraw it", tag="NOTE"))
    (tmp_path / "other.png.comments").rename(tmp_path / "image.png.comments")
    found = blame_file(room, BlameFile(file="image.png"))
    shown = render_annotated(found, 80)
    assert (found.is_text, found.lines) == (False, [])
    assert "not a text file" in shown
    assert "NOTE claude: Redraw it" in shown
    assert "\x1b" not in shown


def test_nothing_in_a_source_moves_the_cursor(room, tmp_path):
    (tmp_path / "odd.txt").write_bytes(b"one\rtwo\x0bthree\x0cfour\x1b[31m\nlast\n")
    shown = render_annotated(blame_file(room, BlameFile(file="odd.txt")), 80)
    assert len(shown.split("\n")) == 2
    assert all(line.isprintable() for line in shown.split("\n"))

"""Letters to places: whole names before beginnings, parts and letters in order; symbols once known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.source.jumps import Jumps
from holdfast.source.room import Source
from holdfast.source.tools.find_files import FindFiles, find_files
from holdfast.workspace import Workspace
from tests.storage.git_support import commit

FILES = {
    "src/work_tree.py": "def open_read(): ...\n",
    "src/tree.py": "class Tree: ...\n",
    "docs/tree.md": "x\n",
}


@pytest.fixture
def workspace(repository: Path) -> Iterator[Workspace]:
    commit(repository, dict(FILES))
    workspace = Workspace.discover(repository)
    yield workspace
    workspace.close()


def found(room: Source, query: str, **more: int) -> list[tuple[str, str | None, int | None]]:
    result = find_files(room, FindFiles.model_validate({"query": query, **more}))
    return [(one.path, one.name, one.line) for one in result.matches]


def test_the_closest_names_come_first_and_letters_in_order_find_the_rest(workspace: Workspace) -> None:
    room: Source = workspace.room("source")
    assert [path for path, _, _ in found(room, "tree")] == ["docs/tree.md", "src/tree.py", "src/work_tree.py"]
    assert found(room, "wrkt py") == [("src/work_tree.py", None, None)]
    assert found(room, "docs/t") == [("docs/tree.md", None, None)]
    assert found(room, "tree", limit=1) == [("docs/tree.md", None, None)]
    assert found(room, "xyz") == found(room, "^.*") == []


def test_symbols_are_found_once_an_analysis_has_read_them(workspace: Workspace, repository: Path) -> None:
    room: Source = workspace.room("source")
    assert find_files(room, FindFiles(query="Tree")).files_with_symbols == 0
    from holdfast.analysis.engine.scan import Project

    workspace.room("analyze").scan(Project())
    (repository / "later.txt").write_text("", encoding="utf-8")  # files are those of this moment
    assert found(room, "later") == [("later.txt", None, None)]
    assert ("src/tree.py", "Tree", 1) in found(room, "tree")
    assert found(room, "opnrd") == [("src/work_tree.py", "open_read", 1)]


@given(
    st.lists(st.text("ab/._", min_size=1, max_size=6), unique=True),
    st.text("ab/._[^]\\", min_size=1, max_size=4),
)
def test_what_is_found_is_what_has_the_letters_in_order(paths: list[str], query: str) -> None:
    wanted = re.compile(".*".join(map(re.escape, query)))
    expected = {path for path in paths if wanted.search(path)}
    assert {place.path for place in Jumps(paths, {}).find(query, 1000)} == expected

"""Results by file, kept on disk: computed again only for files that changed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.storage.files.authenticated_file import read_authenticated, write_authenticated
from holdfast.storage.git.repository import Repository
from tests.analysis.engine.test_scanner import write
from tests.storage.git_support import commit

FILES = {f"m{number}.py": f"x{number} = 'é'\n" for number in range(8)}


def measure(root: Path) -> tuple[dict[str, object], list[str]]:
    """Return a result for each file from a new room, and the files for which it was computed."""
    room, computed = Analysis(Repository.at(root)), list[str]()

    def compute(path: str, record: object) -> object:
        computed.append(path)
        return {"path": path, "lines": [record.lines, 0.1, None]}  # type: ignore[attr-defined]

    try:
        return room.cached_by_file("lines of files", room.scan(Project()), compute, on_disk=True), computed
    finally:
        room.close()


def expected(paths: Iterable[str]) -> dict[str, object]:
    return {path: {"path": path, "lines": [1, 0.1, None]} for path in paths}


def test_results_are_computed_once_by_all_processes_and_again_only_where_a_file_changed(
    repository: Path,
) -> None:
    commit(repository, FILES)
    assert measure(repository) == (expected(FILES), sorted(FILES))
    assert measure(repository) == (expected(FILES), [])
    write(repository, {"m1.py": "changed = 2\n", "copy.py": FILES["m2.py"]})
    (repository / "m3.py").unlink()
    files = sorted({*FILES, "copy.py"} - {"m3.py"})
    assert measure(repository) == (expected(files), ["copy.py", "m1.py"])
    assert measure(repository) == (expected(files), [])


def other_results(kept: Path) -> Path:
    """Return a file of other results that are as genuine."""
    other = kept.with_name("other.results")
    write_authenticated(str(other), bytes(read_authenticated(str(kept), 1 << 20) or b""))
    return other


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "renamed", "link", "another user's"])
def test_results_that_are_not_exactly_what_was_kept_are_computed_again(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    commit(repository, FILES)
    measure(repository)
    kept = repository / ".git" / "holdfast" / "lines-of-files.results"
    if damage == "flipped":
        kept.write_bytes(kept.read_bytes().replace(b"[1, 0.1", b"[2, 0.1"))
    elif damage == "cut":
        kept.write_bytes(kept.read_bytes()[:-40])
    elif damage == "empty":
        kept.write_bytes(b"")
    elif damage == "renamed":
        kept.write_bytes(other_results(kept).read_bytes())
    elif damage == "link":
        kept.rename(kept.with_name("target"))
        kept.symlink_to("target")
    else:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert measure(repository) == (expected(FILES), sorted(FILES))

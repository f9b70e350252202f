"""The search of other files for names: each name once, and what it found is known to later processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.analysis.dead_code import text_references
from holdfast.analysis.dead_code.detection import newly_dead_code
from holdfast.analysis.dead_code.text_references import TextReferences, TextSearch
from holdfast.analysis.engine import scan_in_progress
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit

FILES = {
    "page.html": "{{ user.full_name }} $total",
    "notes.md": "Use half_done. Gr\u00fc\u00dfe",
    "data.lock": "pinned",
}


class Reading:
    """Reads the files, and lists which were read."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def __call__(self, path: str) -> bytes | None:
        self.paths.append(path)
        return FILES[path].encode()


def all_found() -> TextReferences:
    """Return what one search for all names finds."""
    names = ["full_name", "$total", "half_done", "pinned", "absent", "Gr\u00fc\u00dfe"]
    return TextSearch(FILES, Reading()).find(names)


def test_only_a_new_name_that_a_file_contains_is_searched_for_again() -> None:
    read = Reading()
    search = TextSearch(FILES, read)
    assert search.find(["full_name", "absent"]).referring == {"full_name": "page.html"}
    read.paths.clear()
    search.find(["missing", "full_name"])
    assert read.paths == []
    search.find(["$total", "half_done", "pinned", "Gr\u00fc\u00dfe"])
    assert read.paths == sorted(FILES)
    assert search.find([]) == all_found()


def test_a_later_search_knows_what_an_earlier_one_found() -> None:
    earlier = TextSearch(FILES, Reading())
    earlier.find(["full_name", "absent"])
    read = Reading()
    later = TextSearch(FILES, read, json.loads(json.dumps(earlier.known)))
    assert later.find(["full_name", "absent"]) == earlier.find([])
    assert (read.paths, later.has_more) == ([], False)
    assert later.find(["half_done", "pinned", "$total", "Gr\u00fc\u00dfe"]) == all_found()
    assert later.has_more


def test_words_that_are_too_many_to_keep_are_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_references, "_MAX_KEPT_BYTES", 20)
    search = TextSearch(FILES, Reading())
    search.find(["full_name"])
    assert search.known is None
    assert search.find(["$total", "half_done", "pinned", "absent", "Gr\u00fc\u00dfe"]) == all_found()


def test_a_later_process_reads_other_files_only_if_one_changed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_in_progress, "RECENT_CHANGE_NANOSECONDS", -(2**62))  # trusts every stat
    commit(repository, {**FILES, "code.py": "def full_name(): pass\ndef half_done(): pass\n"})

    class Room(Analysis):
        def read_bytes(self, path: str, most: int) -> bytes | None:
            if path in FILES:
                read.append(path)
            return super().read_bytes(path, most)

    def reasons() -> dict[str, str]:
        read.clear()
        room = Room(Repository.at(repository))
        try:
            return {item.name: item.reason for item in newly_dead_code(room, room.scan(Project()), None)}
        finally:
            room.close()

    read: list[str] = []
    first = reasons()
    assert "page.html" in first["full_name"]
    assert read == sorted(FILES)
    assert reasons() == first
    assert read == []
    (repository / "page.html").write_text("nothing", encoding="utf-8")
    assert "page.html" not in reasons()["full_name"]

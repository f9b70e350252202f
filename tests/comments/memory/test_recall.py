"""What `recall` answers with, and in which order."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.comments.making import LONG_AGO

TEXTS = {
    "src/parser.py": "parseConfig reads the settings before the logger exists",
    "src/store.py": "The store keeps one connection per thread",
    "src/deep/cache.py": "Entries of the cache expire after an hour",
}


@pytest.fixture
def full(desk):
    for path, text in TEXTS.items():
        desk.write(path, f"value = 1  # {path}\n")
        desk.run("remember", text=text, about=path)
    desk.run("remember", text="Logs go to the collector", about="src")
    desk.run("remember", text="Releases are cut on Tuesdays")
    return desk


def texts(desk, **given: Any) -> list[str]:
    return [memory["text"] for memory in desk.run("recall", **given).wire()["memories"]]


def test_words_find_parts_of_identifiers_and_other_endings(full):
    for words in ("config", "parse the CONFIG", "parseConfig", "parser", "parsing"):
        assert texts(full, words=words)[0] == TEXTS["src/parser.py"], words
    assert texts(full, words="what do we know about expired entries") == [TEXTS["src/deep/cache.py"]]
    assert texts(full, words="'\"*() AND NOT") == []
    assert texts(full, words="nonsense") == []
    assert "No memories" in full.words("recall", words="nonsense")


def test_a_path_narrows_to_what_is_on_it_in_it_and_around_it(full):
    around = ["Logs go to the collector", "Releases are cut on Tuesdays"]
    assert texts(full, path="src/store.py") == [TEXTS["src/store.py"], *around]
    assert texts(full, path="src/deep") == [TEXTS["src/deep/cache.py"], *around]
    assert texts(full, path="src", words="cache") == [TEXTS["src/deep/cache.py"]]
    assert len(texts(full, path=".")) == 5


def test_an_answer_keeps_to_its_budget_and_says_how_to_get_the_rest(full):
    seen: list[str] = []
    answer = full.run("recall", max_tokens=1).wire()
    while True:
        assert len(answer["memories"]) == 1
        assert answer["total"] == 5
        seen += [memory["text"] for memory in answer["memories"]]
        assert answer["left_out"] == 5 - len(seen)
        if "next_skip" not in answer:
            break
        answer = full.run("recall", max_tokens=1, skip=answer["next_skip"]).wire()
    assert sorted(seen) == sorted(texts(full, max_tokens=20_000))
    assert "4 memories left out: skip=1" in full.words("recall", max_tokens=1)


def test_without_a_question_files_changed_last_come_first(full):
    for number, path in enumerate(["src/store.py", "src/deep/cache.py", "src/parser.py"]):
        os.utime(full.root / path, (LONG_AGO - number, LONG_AGO - number))
    assert texts(full)[0] != TEXTS["src/parser.py"]
    full.write("src/parser.py", "value = 2\n")
    assert texts(full)[0] == TEXTS["src/parser.py"]


def test_a_change_by_another_process_is_in_the_next_answer(full, open_comments):
    other = open_comments(full.root)
    assert len(texts(other)) == 5
    full.run("remember", text="The gateway signs every request")
    assert texts(other, words="gateway") == ["The gateway signs every request"]
    (full.root / "src/store.py.comments").unlink()
    assert texts(other, words="connection") == []

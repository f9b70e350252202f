"""The index: no answer depends on it, and every change is in the next answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.comments.search.index import SearchIndex
from holdfast.comments.search.pattern import compile_query
from holdfast.comments.search.query import CommentQuery
from holdfast.comments.sidecar.source import is_sidecar
from holdfast.comments.store import Comments
from holdfast.kernel.call import Call, current_call, running
from holdfast.kernel.errors import Cancelled
from holdfast.storage.git.repository import Repository
from holdfast.storage.watching.errors import WatchUnavailable
from holdfast.storage.watching.inotify import Inotify
from holdfast.storage.watching.watched_listing import WatchedListing
from tests.comments.making import PYTHON, age, annotate, comment


@pytest.fixture(params=["with inotify", "without inotify"])
def room(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Comments]:
    """A room over a few files, on a system with inotify and on one without."""
    if request.param == "without inotify":

        def none(self: object) -> None:
            raise WatchUnavailable("the system has no inotify")

        monkeypatch.setattr(Inotify, "__init__", none)
    for name in ("a", "b", "deep/er/c"):
        place = annotate(tmp_path, f"{name}.py", PYTHON, comment(ord(name[0]), 4, f"word in {name}"))
        age(place)
    room = Comments(Repository.at(tmp_path))
    assert texts(room) == ["word in a", "word in b", "word in deep/er/c"]
    yield room
    room.close()


def texts(room: Comments, query: str = "word") -> list[str]:
    return [hit.text for hit in room.search.find(CommentQuery(compile_query(query))).hits]


def fresh(room: Comments, query: str = "word") -> list[str]:
    other = Comments(room.repository)
    try:
        return texts(other, query)
    finally:
        other.close()


def rewrite(place: Path, old: str, new: str) -> None:
    place.write_text(place.read_text().replace(old, new))


@pytest.mark.requirement("comments-index")
def test_a_sidecar_written_in_place_is_noticed_at_once(room, tmp_path):
    for number in range(5):
        rewrite(tmp_path / "a.py.comments", "word", f"word{number}")
        assert texts(room, f"word{number}") == fresh(room, f"word{number}") != []


def test_a_reader_who_leaves_marks_no_file_as_damaged(room, tmp_path):
    leaving = Call()

    def load(path, moves):
        if current_call() is leaving:
            raise Cancelled("The request was cancelled.")  # here alone: no later check notices
        return room.load_owned(path, moves)

    rewrite(tmp_path / "a.py.comments", "word", "words")
    listing = WatchedListing(tmp_path, is_sidecar)
    with closing(SearchIndex(room.repository, listing, load, room.moves)) as search:
        with running(leaving), pytest.raises(Cancelled):
            search.find(CommentQuery(compile_query("words")))
        answer = search.find(CommentQuery(compile_query("words")))
    assert ([hit.text for hit in answer.hits], answer.damaged) == (["words in a"], [])


def test_changes_of_the_same_length_in_quick_succession_are_all_noticed(room, tmp_path):
    old = "word in a"
    for new in ("wore in a", "wood in a", "work in a"):
        rewrite(tmp_path / "a.py.comments", old, new)
        assert texts(room, new) == [new]
        old = new


def test_new_renamed_and_removed_sidecars_are_noticed(room, tmp_path):
    annotate(tmp_path, "new/d.py", PYTHON, comment(77, 4, "word in d"))
    assert texts(room)[-1] == "word in d"
    (tmp_path / "new").rename(tmp_path / "older")
    assert [hit.path for hit in room.search.find(CommentQuery(compile_query("in d"))).hits] == [
        "deep/er/c.py",
        "older/d.py",
    ]
    (tmp_path / "a.py.comments").unlink()
    assert texts(room) == ["word in b", "word in deep/er/c", "word in d"]


def test_an_atomic_replacement_is_noticed(room, tmp_path):
    place = tmp_path / "b.py.comments"
    aside = tmp_path / "aside"
    aside.write_text(place.read_text().replace("word in b", "word replaced"))
    aside.rename(place)
    assert "word replaced" in texts(room)


def test_what_git_checks_out_is_noticed(room, tmp_path):
    def git(*arguments: str) -> None:
        named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *named, *arguments], cwd=tmp_path, check=True, capture_output=True)

    room.close()
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=one")
    git("checkout", "--quiet", "-b", "other")
    rewrite(tmp_path / "a.py.comments", "word in a", "word elsewhere")
    git("commit", "--quiet", "--all", "--message=two")
    here = Comments(Repository.discover(tmp_path))
    try:
        assert "word elsewhere" in texts(here)
        git("checkout", "--quiet", "main")
        assert texts(here) == ["word in a", "word in b", "word in deep/er/c"]
        git("merge", "--quiet", "other")
        assert "word elsewhere" in texts(here)
    finally:
        here.close()


def test_another_process_finds_and_fills_the_same_index(room, tmp_path):
    program = (
        "import sys; from holdfast.comments.store import Comments;"
        "from holdfast.comments.search.query import CommentQuery;"
        "from holdfast.comments.search.pattern import compile_query;"
        "from holdfast.storage.git.repository import Repository;"
        "room = Comments(Repository.at(sys.argv[1]));"
        "print([hit.text for hit in room.search.find(CommentQuery(compile_query('word'))).hits])"
    )
    annotate(tmp_path, "e.py", PYTHON, comment(78, 4, "word in e"))
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True
    ).stdout
    assert "word in e" in found
    assert "word in e" in texts(room)
    names = [name for name in os.listdir(room.repository.store_directory) if name.endswith(".index")]
    assert sum(name.startswith("comment-search-") for name in names) == 1


@pytest.mark.requirement("comments-index")
def test_a_deleted_or_damaged_index_changes_no_answer(room, tmp_path):
    before = texts(room)
    store = Path(room.repository.store_directory)
    for name in os.listdir(store):
        if name.startswith("comment-search-") and name.endswith(".sqlite"):
            (store / name).write_bytes(b"\0" * 8192)
    assert fresh(room) == before
    for name in os.listdir(store):
        if name.startswith("comment-search-"):
            (store / name).unlink()
    assert texts(room) == before


def test_threads_get_whole_answers_while_files_change(room, tmp_path):
    stop = threading.Event()
    failures: list[object] = []

    def look() -> None:
        while not stop.is_set():
            found = texts(room)
            if len(found) != 3:
                failures.append(found)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    place = tmp_path / "b.py.comments"
    for number in range(20):
        aside = tmp_path / "aside"
        data = json.loads(place.read_text())
        data["comments"][0]["text"] = f"word number {number}"
        aside.write_text(json.dumps(data, indent=2))
        aside.rename(place)
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert "word number 19" in texts(room)


def test_a_workspace_without_comments_is_left_without_a_trace(tmp_path):
    room = Comments(Repository.at(tmp_path))
    assert texts(room) == texts(room) == []
    room.close()
    assert os.listdir(tmp_path) == []


def test_work_trees_of_one_repository_have_indexes_of_their_own(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "init", "--quiet"], cwd=first, check=True)
    subprocess.run(["git", *named, "commit", "--quiet", "--allow-empty", "-m", "x"], cwd=first, check=True)
    subprocess.run(
        ["git", "worktree", "add", "--quiet", str(second)], cwd=first, check=True, capture_output=True
    )
    annotate(first, "a.py", PYTHON, comment(1, 4, "word first"))
    annotate(second, "a.py", PYTHON, comment(1, 4, "word second"))
    for root, expected in ((first, "word first"), (second, "word second"), (first, "word first")):
        room = Comments(Repository.discover(root))
        assert texts(room) == [expected]
        room.close()


_WORDS = st.text(alphabet="abAB ßſкК.\n", min_size=0, max_size=12)
_EXPRESSIONS = st.recursive(
    st.sampled_from(
        ["a", "b", "ab", "Ba", "abab", " ", ".", "[ab]", "a+", "b?", r"\b", "^", "$", "ß", "к", r"\."]
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "+?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@given(st.lists(_WORDS, min_size=1, max_size=6), _EXPRESSIONS)
def test_looking_up_letters_first_finds_what_trying_every_comment_finds(
    tmp_path_factory, written, expression
):
    root = tmp_path_factory.mktemp("workspace")
    annotate(root, "a.txt", "one\n", *(comment(number, 1, text) for number, text in enumerate(written)))
    pattern = compile_query(expression)
    expected = sorted(number for number, text in enumerate(written) if pattern.count(text))
    room = Comments(Repository.at(root))
    hits = room.search.find(CommentQuery(pattern)).hits
    room.close()
    assert sorted(int(hit.comment_id.removeprefix("c_")) - 1730000000000 for hit in hits) == expected

"""The history of a repository: each commit read from git once, and told as it is now."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from holdfast.analysis.churn import history as module
from holdfast.analysis.churn.history import History
from holdfast.kernel.call import Call, Listener, running
from holdfast.kernel.errors import Cancelled
from holdfast.storage.git.repository import Repository
from tests.forked import run_at_once
from tests.storage.git_support import commit, git


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many commits were read from git, one number for each time."""
    counts: list[int] = []
    read = module.read_commits

    def counted(git, ids):
        counts.append(len(ids))
        return read(git, ids)

    monkeypatch.setattr(module, "read_commits", counted)
    return counts


def changed(where: Path, project: str = "") -> dict[str, tuple[int, int, int]]:
    """Return commits and lines of each file, as a process that has just been started would."""
    history = History(Repository.discover(where))
    try:
        found = history.churn(project, None)
    finally:
        history.close()
    return {file.path: (file.commits, file.additions, file.deletions) for file in found.files}


def cache(where: Path) -> Path:
    [file] = (where / ".git" / "holdfast").glob("commits-*.sqlite")
    return file


def test_a_commit_is_read_once(repository, reads):
    commit(repository, {"a": "1\n"})
    commit(repository, {"a": "2\n"})
    first = changed(repository)
    assert changed(repository) == first == {"a": (2, 2, 1)}
    assert reads == [2]
    commit(repository, {"b": "1\n2\n"})
    assert changed(repository) == {"a": (2, 2, 1), "b": (1, 2, 0)}
    assert reads == [2, 1]


def test_what_touched_a_file_follows_it_and_fixes_stay_known(repository, reads):
    commit(repository, {"a": "1\n2\n3\n"}, "Begin")
    commit(repository, {"a": "1\n2\n4\n"}, "Mend the end\n\nFixes #12")
    git(repository, "mv", "a", "b")
    git(repository, "commit", "--quiet", "-m", "Fix typo in a name")
    found = []
    for _ in range(2):
        history = History(Repository.discover(repository))
        touched = history.touches(30)
        assert history.touches(30) is touched
        found.append([(commit.subject, commit.is_fix) for commit in touched.commits])
        history.close()
    assert found[0] == found[1] == [("Fix typo in a name", False), ("Mend the end", True), ("Begin", False)]
    assert touched.files["b"][::3] == [0, 1, 2]
    assert reads == [3]


def test_a_commit_over_very_many_files_is_no_fix(repository):
    commit(repository, {f"f{number}": "1\n" for number in range(41)}, "Fix the first line of each")
    history = History(Repository.discover(repository))
    touched = history.touches(30)
    history.close()
    assert [commit.is_fix for commit in touched.commits] == [False]


def test_a_rewritten_history_is_told_as_it_is(repository, reads):
    commit(repository, {"a": "1\n"})
    commit(repository, {"a": "2\n"})
    changed(repository)
    git(repository, "reset", "--quiet", "--hard", "HEAD~1")
    assert changed(repository) == {"a": (1, 1, 0)}
    commit(repository, {"a": "1\n2\n3\n"})
    assert changed(repository) == {"a": (2, 3, 0)}
    assert reads == [2, 1]


def test_work_trees_share_what_was_read(repository, tmp_path, reads):
    commit(repository, {"a": "1\n"})
    git(repository, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "other"))
    commit(tmp_path / "other", {"b": "1\n"})
    assert changed(tmp_path / "other") == {"a": (1, 1, 0), "b": (1, 1, 0)}
    assert changed(repository) == {"a": (1, 1, 0)}
    assert reads == [2]


def test_a_damaged_cache_is_made_anew(repository, reads):
    commit(repository, {f"file {number}": "1\n" for number in range(500)})
    before = changed(repository)
    file = cache(repository)
    content = file.read_bytes()
    file.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    assert changed(repository) == before
    assert changed(repository) == before
    assert reads == [1, 1]
    file = cache(repository)
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE commits")
    connection.close()
    assert changed(repository) == before
    assert reads == [1, 1, 1]


def test_a_cache_that_cannot_be_written_changes_no_answer(repository):
    commit(repository, {"a": "1\n"})
    store = repository / ".git" / "holdfast"
    store.mkdir(mode=0o700)
    (store / "commits.index").mkdir()
    assert changed(repository) == changed(repository) == {"a": (1, 1, 0)}


def test_a_cache_that_is_full_begins_anew(repository, reads, monkeypatch):
    monkeypatch.setattr(module, "LIMITS", type("Small", (), {"commit_cache_bytes": 0}))
    commit(repository, {"a": "1\n"})
    changed(repository)
    commit(repository, {"b": "1\n"})
    assert len(changed(repository)) == len(changed(repository)) == 2
    with sqlite3.connect(cache(repository)) as connection:
        assert connection.execute("SELECT count(*) FROM commits").fetchone() == (1,)
    connection.close()


def test_several_processes_read_the_same_history_at_once(repository):
    for number in range(20):
        commit(repository, {"a": f"{number}\n"})
    code = (
        "import sys; from pathlib import Path; from tests.analysis.churn.test_history import changed;"
        "print(changed(Path(sys.argv[1])))"
    )
    children = run_at_once([[sys.executable, "-c", code, repository]] * 4, text=True)
    answers = {child.stdout.strip() for child in children}
    assert answers == {str(changed(repository))} == {"{'a': (20, 20, 19)}"}


def test_what_was_read_before_a_cancellation_is_kept(repository, reads, monkeypatch):
    monkeypatch.setattr(module, "COMMITS_PER_PROGRESS_REPORT", 2)
    for number in range(6):
        commit(repository, {"a": f"{number}\n"})

    class Impatient(Listener):
        def progress(self, done, total, message):
            assert total == 6
            assert message == "commits read"
            if done >= 2:
                call.cancel()

    call = Call(listener=Impatient())
    with running(call), pytest.raises(Cancelled):
        changed(repository)
    assert changed(repository) == {"a": (6, 6, 5)}
    assert reads[0] == 6
    assert 0 < reads[1] < 6


def test_names_that_are_no_text_are_kept_as_they_are(repository):
    name = b"caf\xe9 \xff"
    with open(bytes(repository) + b"/" + name, "w", encoding="utf-8") as file:
        file.write("x\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "odd", "--author", "A\udce9 <a@example.org>")
    first = changed(repository)
    assert first == changed(repository)
    assert first[name.decode("utf-8", "surrogateescape")] == (1, 1, 0)

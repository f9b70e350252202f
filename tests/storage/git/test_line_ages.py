"""When lines were last changed: as `git blame` has it, for all files at once."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.kernel.call import Call, Listener, running
from holdfast.kernel.errors import Cancelled
from holdfast.storage.files.user_key import authentication_code
from holdfast.storage.git.history import line_ages as module
from holdfast.storage.git.history.line_ages import Age, line_ages
from holdfast.storage.git.repository import Repository
from tests.storage.git_support import commit, git

NOW = 4_000_000_000


def ages(where: Path, lines: dict[str, list[int]], **more: float) -> module.Ages:
    return line_ages(Repository.discover(where), lines, NOW, **more)


def commits(where: Path, path: str) -> list[str]:
    """Return the commit of each line of a file, or the reason why there is none."""
    count = len((where / path).read_bytes().splitlines())
    found = ages(where, {path: list(range(1, count + 1))})[path]
    return [age.commit if isinstance(age, Age) else age for age in found.values()]


def blamed(where: Path, path: str) -> list[str]:
    told = git(where, "blame", "--porcelain", "HEAD", "--", path)
    return re.findall(r"^([0-9a-f]{40}) \d+ \d+", told, re.MULTILINE)


def test_each_line_has_the_commit_that_brought_it(repository):
    first = commit(repository, {"a.py": "one\ntwo\nthree\n"})
    second = commit(repository, {"a.py": "one\n2\nthree\n", "b.py": "x\n"})
    commit(repository, {"c.py": "unrelated\n"})
    assert commits(repository, "a.py") == [first, second, first] == blamed(repository, "a.py")
    assert commits(repository, "b.py") == [second]


def test_an_age_names_commit_time_and_days(repository, monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_DATE", "1000000000 +0300")
    brought = commit(repository, {"a.py": "one\n"})
    [age] = ages(repository, {"a.py": [1]})["a.py"].values()
    assert age == Age(brought, 1_000_000_000, (NOW - 1_000_000_000) // 86400)


class WalkCounter(Listener):
    """Counts the commits of each walk from the progress that it reports."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        if done == 0:
            self.counts.append(0)
        self.counts[-1] += 1


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many commits each walk looked at."""
    monkeypatch.setattr(module, "COMMITS_PER_REPORT", 1)
    counter = WalkCounter()
    with running(Call(listener=counter)):
        yield counter.counts


def test_what_was_found_before_is_not_looked_for_again(repository, walked):
    text = "".join(f"line {number}\n" for number in range(30))
    first = commit(repository, {"a.py": text})
    for number in range(5):
        commit(repository, {"b.py": f"{number}\n"})
    assert commits(repository, "a.py") == commits(repository, "a.py") == [first] * 30
    assert walked == [6]
    git(repository, "mv", "a.py", "c.py")
    last = commit(repository, {"c.py": f"new\n{text}"})
    assert commits(repository, "c.py") == [last, *[first] * 30] == blamed(repository, "c.py")
    assert walked == [6, 2]
    (repository / "c.py").write_text(f"not yet\nnew\n{text}")
    assert commits(repository, "c.py") == [module.NOT_COMMITTED, last, *[first] * 30]
    assert ages(repository, {"b.py": [1]})["b.py"][1].commit != last
    assert walked == [6, 2, 2]


def test_what_was_kept_of_a_history_that_is_gone_is_not_believed(repository):
    commit(repository, {"a.py": "one\n"})
    commit(repository, {"a.py": "two\n"})
    commits(repository, "a.py")
    git(repository, "reset", "--quiet", "--hard", "HEAD~1")
    other = commit(repository, {"a.py": "two\nthree\n"})
    assert commits(repository, "a.py") == [other, other]


@pytest.mark.parametrize("damage", [b"", b"\xff", b"[]", b'{"x": 1}', b'{"%s": {"a.py": {"1": 7}}}'])
def test_a_damaged_file_of_what_was_kept_costs_a_walk(repository, walked, damage):
    first = commit(repository, {"a.py": "one\n"})
    assert commits(repository, "a.py") == [first]
    data = damage.replace(b"%s", first.encode())
    write_cache(repository, authentication_code(data), data)
    assert commits(repository, "a.py") == commits(repository, "a.py") == [first]
    assert walked == [1, 1]


def write_cache(repository, code, data):
    place = repository / ".git" / "holdfast" / "line-ages-2.json"
    place.write_bytes(str(code).encode() + b"\n" + data)


def test_ages_that_came_with_the_repository_are_not_used(repository, walked):
    first = commit(repository, {"a.py": "one\n"})
    assert commits(repository, "a.py") == [first]
    data = json.dumps({first: {"a.py": {"1": ["f" * 40, 7]}}}).encode()
    write_cache(repository, authentication_code(data), data)
    assert commits(repository, "a.py") == ["f" * 40]  # the control: with the user's code they are
    write_cache(repository, "0" * 32, data)
    assert commits(repository, "a.py") == [first]


def test_the_last_commits_of_several_work_trees_are_kept(repository, walked, tmp_path):
    commit(repository, {"a.py": "one\n"})
    for name in ("b", "c", "d", "e"):
        git(repository, "worktree", "add", "--quiet", "-b", name, str(tmp_path / name))
        commit(tmp_path / name, {name: "1\n"})
        ages(tmp_path / name, {"a.py": [1], name: [1]})
    for name in ("e", "d", "c", "b"):
        ages(tmp_path / name, {"a.py": [1], name: [1]})
    assert walked == [2, 2, 2, 2]


def test_a_renamed_file_keeps_its_past(repository):
    text = "".join(f"line {number}\n" for number in range(30))
    first = commit(repository, {"old name.py": text})
    git(repository, "mv", "old name.py", "new.py")
    second = commit(repository, {"new.py": text.replace("line 7\n", "seven\n")})
    assert set(commits(repository, "new.py")) == {first, second}
    assert commits(repository, "new.py") == blamed(repository, "new.py")


def test_a_line_that_moved_within_its_file_keeps_its_age(repository):
    first = commit(repository, {"a.py": "# note: mend\na\nb\nc\n"})
    commit(repository, {"a.py": "b\nc\nnew\n# note: mend\na\n"})
    assert commits(repository, "a.py")[3] == first


def test_one_of_several_equal_lines_is_told_from_the_others(repository):
    first = commit(repository, {"a.py": "x\n# note\ny\n"})
    second = commit(repository, {"a.py": "x\n# note\ny\nz\n# note\n"})
    assert commits(repository, "a.py") == [first, first, first, second, second]


def test_of_a_merge_a_line_belongs_to_the_side_that_brought_it(repository):
    first = commit(repository, {"a.py": "1\n2\n3\n4\n5\n"})
    git(repository, "checkout", "--quiet", "-b", "side")
    side = commit(repository, {"a.py": "1\n2\n3\n4\nside\n", "only.py": "s\n"})
    git(repository, "checkout", "--quiet", "main")
    main = commit(repository, {"a.py": "main\n2\n3\n4\n5\n"})
    git(repository, "merge", "--quiet", "--no-commit", "side")
    merge = commit(repository, {"a.py": "main\n2\nmerged\n4\nside\n"})
    assert commits(repository, "a.py") == [main, first, merge, first, side] == blamed(repository, "a.py")
    assert commits(repository, "only.py") == [side]


def test_a_long_history_gives_what_blame_gives(repository):
    source = random.Random(7)
    files = {name: [f"{name} {number}" for number in range(40)] for name in ("a", "b", "c")}
    stream: list[str] = []
    for number in range(120):
        name = source.choice("abc")
        lines = files[name]
        place = source.randrange(len(lines))
        lines[place : place + source.randrange(3)] = [f"{number} {new}" for new in range(source.randrange(4))]
        stream.append(f"commit refs/heads/main\ncommitter A <a@b> {1_000_000_000 + number} +0000\ndata 0\n")
        for path, text in files.items():
            content = "\n".join(text) + "\n"
            stream.append(f"M 644 inline {path}\ndata {len(content)}\n{content}\n")
    fast_import = ["git", "fast-import", "--quiet"]
    subprocess.run(fast_import, input="".join(stream).encode(), cwd=repository, check=True)
    git(repository, "reset", "--quiet", "--hard")
    for name in files:
        assert commits(repository, name) == blamed(repository, name)


def test_what_has_no_age_has_a_reason(repository):
    first = commit(repository, {"a.py": "one\ntwo\n", "binary": b"\0\1"})
    (repository / "a.py").write_bytes(b"new\r\none\r\ntwo\r\n")
    (repository / "new.py").write_text("x\n")
    found = ages(repository, {"a.py": [1, 2, 9, 0], "new.py": [1], "binary": [1], "../out": [1], "gone": [1]})
    assert found["a.py"][2].commit == first
    assert found["a.py"] == {
        0: module.NO_LINE, 1: module.NOT_COMMITTED, 2: found["a.py"][2], 9: module.NO_LINE
    }  # fmt: skip
    assert found["new.py"] == {1: module.NOT_COMMITTED}
    assert found["binary"] == found["../out"] == found["gone"] == {1: module.NO_TEXT}


def test_without_commits_or_git_there_is_a_reason(repository, tmp_path):
    (repository / "a.py").write_text("x\n")
    assert ages(repository, {"a.py": [1]}) == {"a.py": {1: module.NOT_COMMITTED}}
    plain = tmp_path / "plain"
    plain.mkdir()
    assert ages(plain, {"a.py": [1]}) == {"a.py": {1: module.NO_GIT}}


def test_a_shallow_clone_says_where_its_history_ends(repository, tmp_path):
    commit(repository, {"a.py": "one\ntwo\n"})
    second = commit(repository, {"a.py": "one\n2\n"})
    third = commit(repository, {"a.py": "1\n2\n"})
    git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{repository}", "shallow")
    assert commits(tmp_path / "shallow", "a.py") == [third, module.SHALLOW]
    assert commits(repository, "a.py") == [third, second]


def test_a_partial_clone_says_which_lines_it_cannot_tell(repository, tmp_path):
    commit(repository, {"a.py": "one\ntwo\n", "b.py": "".join(f"{n}\n" for n in range(40))})
    git(repository, "mv", "b.py", "c.py")
    commit(repository, {"a.py": "one\n2\n", "c.py": "".join(f"{n}\n" for n in range(41))})
    newest = commit(repository, {"new.py": "x\n"})
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{repository}", "partial")
    assert commits(tmp_path / "partial", "new.py") == [newest]
    assert commits(tmp_path / "partial", "a.py") == [module.PARTIAL] * 2
    assert set(commits(tmp_path / "partial", "c.py")) == {module.PARTIAL}


def test_a_worktree_and_names_that_are_hard_to_write_work(repository, tmp_path):
    first = commit(repository, {"ü\tn [a].py": "one\n"})
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "other"))
    (tmp_path / "other" / "ü\tn [a].py").write_text("two\none\n")
    assert ages(tmp_path / "other", {"ü n.py": [1]}) == {"ü n.py": {1: module.NO_TEXT}}
    commit(tmp_path / "other", {"größe [a].py": "x\n"})
    assert commits(tmp_path / "other", "größe [a].py") != [first]


def test_a_history_that_takes_too_long_leaves_the_rest_open(repository):
    commit(repository, {"a.py": "one\n"})
    commit(repository, {"b.py": "one\n"})
    assert ages(repository, {"a.py": [1]}, seconds=-1) == {"a.py": {1: module.NO_TIME}}


def test_the_repository_cannot_have_a_program_run(repository, tmp_path):
    ran = tmp_path / "ran"
    commit(repository, {"a.py": "one\n", ".gitattributes": "*.py diff=evil\n"})
    commit(repository, {"a.py": "two\n"})
    for name in ("diff.evil.textconv", "diff.evil.command", "diff.external"):
        git(repository, "config", name, f"sh -c 'echo >> {ran}; cat \"$0\"'")
    assert len(commits(repository, "a.py")) == 1
    assert not ran.exists()
    git(repository, "blame", "HEAD", "--", "a.py", check=False)
    assert ran.exists(), "control: blame itself runs it"


def test_nobody_waiting_ends_the_walk(repository):
    commit(repository, {"a.py": "one\n"})
    call = Call()
    call.cancel()
    with running(call), pytest.raises(Cancelled):
        ages(repository, {"a.py": [1]})

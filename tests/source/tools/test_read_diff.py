"""Diffs as git has them, without git ever looking at the work tree, and what they mark beyond that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel.errors import InvalidArguments, NotFound
from holdfast.kernel.limits import LIMITS, Limits
from holdfast.source.diff.comparison import Comparison
from holdfast.source.room import Source
from holdfast.source.tools.read_diff import Diff, DiffFile, ReadDiff, read_diff
from holdfast.storage.git.repository import Repository
from tests.reliability.samples import examples
from tests.storage.git_support import commit, git

_ENDS = {None: "\n", "CRLF": "\r\n", "CR": "\r", "no line end": ""}
_BLOCK = "".join(f"def kelp_{number}(water):\n    return water + {number}\n" for number in range(3))


@pytest.fixture
def room(repository: Path) -> Iterator[Source]:
    room = Source(Repository.discover(repository))
    yield room
    room.close()


def diff(room: Source, what: str = "worktree", **more: object) -> Diff:
    return read_diff(room, ReadDiff.model_validate({"what": what, **more}))


def kinds(found: Diff) -> dict[str, str]:
    return {file.path: file.kind for file in found.files}


def lines_of(room: Source, file: str, what: str = "worktree", **more: object) -> DiffFile:
    [found] = diff(room, what, file=file, **more).files
    return found


def applied(old: str, file: DiffFile) -> str:
    """Apply hunks to a text, refusing those that do not fit it."""
    before = old.split("\n")
    before = [line + "\n" for line in before[:-1]] + ([before[-1]] if before[-1] else [])
    after: list[str] = []
    place = 0
    for hunk in file.hunks or []:
        for line in hunk:
            if line.old is not None:
                after += before[place : line.old - 1]
                place = line.old
                assert before[line.old - 1] == line.text + _ENDS[line.note]
                if line.kind == "same":
                    after.append(before[line.old - 1])
            else:
                if not after and line.new is not None and place < line.new - 1:
                    after += before[place : line.new - 1]
                    place = line.new - 1
                after.append(line.text + _ENDS[line.note])
            assert line.new is None or len(after) == line.new
    return "".join([*after, *before[place:]])


_TEXT = st.lists(st.sampled_from(["a", "b", "  a", "kelp(water)", "", "ü x", "c\r"]), max_size=14).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "".join(line + "\n" for line in lines)])
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_TEXT, _TEXT, st.integers(1, 4), st.booleans())
def test_applying_the_hunks_of_a_diff_gives_the_new_file(
    room: Source, repository: Path, old: str, new: str, context: int, is_staged: bool
) -> None:
    place = repository / "a.txt"
    place.write_bytes(old.encode())
    git(repository, "add", "a.txt")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "one")
    place.write_bytes(new.encode())
    if is_staged:
        git(repository, "add", "a.txt")
    what = "staged" if is_staged else "worktree"
    if old == new:
        assert diff(room, what).files == []
        return
    file = lines_of(room, "a.txt", what, context=context)
    assert applied(old, file) == new
    assert [file.added, file.removed] == [
        sum(line.kind == kind for hunk in file.hunks or [] for line in hunk) for kind in ("added", "removed")
    ]
    for hunk in file.hunks or []:
        assert all(0 <= start < end <= len(line.text) for line in hunk for start, end in line.changed)


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "mode", "stage", "unstage", "link"]),
        st.sampled_from(["a", "b", "d/c", "new", "d/new"]),
        st.sampled_from(["one\n", "two\n", ""]),
    ),
    max_size=8,
)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_STEPS)
def test_the_same_files_differ_as_git_says(
    room: Source, repository: Path, steps: list[tuple[str, str, str]]
) -> None:
    git(repository, "rm", "-rfq", "--ignore-unmatch", ".")
    git(repository, "clean", "-fdq")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "nothing")
    commit(repository, {"a": "one\n", "b": "two\n", "d/c": "three\n"})
    for action, name, text in steps:
        place = repository / name
        if action == "write":
            place.unlink(missing_ok=True)
            place.parent.mkdir(exist_ok=True)
            place.write_text(text, encoding="utf-8")
        elif action == "delete":
            place.unlink(missing_ok=True)
        elif action == "mode" and place.exists():
            place.chmod(0o755)
        elif action == "link":
            place.unlink(missing_ok=True)
            place.parent.mkdir(exist_ok=True)
            place.symlink_to("b")
        elif action == "stage":
            git(repository, "add", "-A", name, check=False)
        elif action == "unstage":
            git(repository, "reset", "-q", "--", name, check=False)
    letters = {"A": "added", "D": "deleted", "M": "changed", "T": "changed"}
    others = git(repository, "ls-files", "--others", "--exclude-standard").splitlines()
    for what, options in {"unstaged": (), "staged": ("--cached", "HEAD")}.items():
        rows = [
            row.split("\t")
            for row in git(repository, "diff", "--no-renames", "--name-status", *options).splitlines()
        ]
        expected = {path: letters[letter] for letter, path in rows}
        if what == "unstaged":
            expected |= dict.fromkeys(others, "added")
        found: dict[str, str] = {}
        for file in diff(room, what).files:
            if file.former is not None:
                found[file.former] = "deleted"
            found[file.path] = "added" if file.former is not None else file.kind
        assert found == expected, what


def test_each_way_to_review_compares_what_it_says(room: Source, repository: Path) -> None:
    assert diff(room).files == diff(room, "staged").files == []  # no commit, no file
    (repository / "first.py").write_text("one\n", encoding="utf-8")
    assert kinds(diff(room)) == {"first.py": "added"}
    first = commit(repository, {"first.py": "one\n", "old.py": _BLOCK})
    assert kinds(diff(room, "commit")) == {"first.py": "added", "old.py": "added"}
    git(repository, "checkout", "-q", "-b", "work")
    second = commit(repository, {"first.py": "one\ntwo\n"}, "Add two")
    git(repository, "mv", "old.py", "moved.py")
    (repository / "new.py").write_text("new\n", encoding="utf-8")
    os.chmod(repository / "first.py", 0o755)
    found = diff(room)
    assert kinds(found) == {"first.py": "changed", "moved.py": "renamed", "new.py": "added"}
    assert [(file.former, file.mode) for file in found.files] == [
        (None, "100644 → 100755"), ("old.py", None), (None, None),
    ]  # fmt: skip
    assert kinds(diff(room, "staged")) == {"moved.py": "renamed"}
    assert kinds(diff(room, "unstaged")) == {"first.py": "changed", "new.py": "added"}
    shown = diff(room, "commit", revision="work")
    assert (shown.old, shown.new, shown.subject, kinds(shown)) == (
        first,
        second,
        "Add two",
        {"first.py": "changed"},
    )
    assert kinds(diff(room, "range", base="main")) == {"first.py": "changed"}
    assert kinds(diff(room, "branch", revision="HEAD")) == {"first.py": "changed"}
    assert kinds(diff(room, "branch")) == kinds(found)
    version = found.files[2].version
    assert diff(room).files[2].version == version
    (repository / "new.py").write_text("newer\n", encoding="utf-8")
    assert diff(room).files[2].version != version


def test_words_that_differ_and_blocks_that_moved_are_marked(room: Source, repository: Path) -> None:
    rest = "".join(f"line {number}\n" for number in range(20))
    commit(repository, {"a.py": _BLOCK + rest + "total = count(water) + 1\n", "b.py": "begin\n"})
    (repository / "a.py").write_text(rest + "total = count(salt) + 1\n", encoding="utf-8")
    (repository / "b.py").write_text(
        "begin\nif wet:\n" + "".join(f"  {line}\n" for line in _BLOCK.splitlines()), encoding="utf-8"
    )
    file = lines_of(room, "a.py")
    lines = [line for hunk in file.hunks or [] for line in hunk]
    [removed] = [line for line in lines if line.kind == "removed" and line.moved is None]
    [added] = [line for line in lines if line.kind == "added"]
    assert [removed.text[start:end] for start, end in removed.changed] == ["water"]
    assert [added.text[start:end] for start, end in added.changed] == ["salt"]
    assert [line.moved for line in lines if line.moved] == [f"b.py:{number}" for number in range(3, 9)]
    came = [line for hunk in lines_of(room, "b.py").hunks or [] for line in hunk]
    assert [line.moved for line in came] == [None, None, *(f"a.py:{number}" for number in range(1, 7))]


def test_what_cannot_be_shown_line_by_line_says_why(room: Source, repository: Path) -> None:
    commit(repository, {"kept.bin": b"\0\1"})
    (repository / "kept.bin").write_bytes(b"\0\2")
    (repository / "large.txt").write_bytes(b"x" * (LIMITS.diff_file_bytes + 1))
    (repository / "we\nird").write_text("x", encoding="utf-8")
    (repository / "hidden.py").write_text("a\u202eb\n", encoding="utf-8")
    os.symlink("/etc/passwd", repository / "link")
    notes = {file.path: file.note for file in diff(room).files}
    assert notes == {
        "kept.bin": "It is binary.",
        "large.txt": "It is too large for a line-by-line comparison.",
        "we\\nird": "It cannot be read by this name.",
        "hidden.py": None,
        "link": "It is a symbolic link.",
    }
    assert lines_of(room, "link").hunks is None
    [hunk] = lines_of(room, "hidden.py").hunks or []
    assert [(line.text, line.note) for line in hunk] == [("ab", "hidden characters")]
    (repository / "long.txt").write_text("x\n" * (LIMITS.review_lines + 9), encoding="utf-8")
    long = lines_of(room, "long.txt")
    assert sum(len(hunk) for hunk in long.hunks or []) == LIMITS.review_lines
    assert (long.added, long.note) == (
        LIMITS.review_lines + 9,
        f"Only the first {LIMITS.review_lines} lines are shown.",
    )


def test_of_very_many_files_the_first_are_listed_and_the_rest_told(room: Source, repository: Path) -> None:
    commit(repository, {f"{number:04}.txt": "one\n" for number in range(LIMITS.review_files + 3)})
    found = diff(room, "commit")
    assert (len(found.files), found.total_files) == (LIMITS.review_files, LIMITS.review_files + 3)
    assert found.note == "3 more files differ; list them with a higher limit."
    all_files = diff(room, "commit", limit=found.total_files)
    assert (len(all_files.files), all_files.note) == (found.total_files, None)
    last = f"{LIMITS.review_files + 2:04}.txt"
    assert lines_of(room, last, "commit").added == 1


def test_no_program_that_a_repository_configures_runs(room: Source, repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    attributes = "* filter=evil diff=evil\n"
    commit(repository, {"a.txt": "one\n", ".gitattributes": attributes})
    for setting in (
        "filter.evil.clean",
        "filter.evil.smudge",
        "diff.evil.textconv",
        "diff.evil.command",
        "diff.external",
    ):
        git(repository, "config", setting, f"touch {ran}; cat")
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    for what in ("worktree", "unstaged", "staged", "commit", "branch"):
        diff(room, what)
    assert lines_of(room, "a.txt").added == 1
    assert not ran.exists()
    git(repository, "diff", check=False)
    assert ran.exists()  # as it does where git looks by itself


def test_wrong_revisions_are_refused_in_words(room: Source, repository: Path) -> None:
    with pytest.raises(NotFound, match="There is no commit 'HEAD'"):
        diff(room, "commit")
    commit(repository, {"a.txt": "one\n"})
    for revision in ("gone", "-x", "--output=x", "HEAD:a.txt", "a\nb"):
        with pytest.raises(NotFound, match="There is no commit"):
            diff(room, "commit", revision=revision)
    with pytest.raises(InvalidArguments, match="needs its base"):
        diff(room, "range")
    with pytest.raises(NotFound, match="does not differ"):
        diff(room, file="../a.txt")
    git(repository, "branch", "-m", "trunk")
    with pytest.raises(NotFound, match="no commit 'main' or 'master'"):
        diff(room, "branch")


def test_lines_have_the_styles_of_their_own_version_on_request(room: Source, repository: Path) -> None:
    commit(repository, {"a.py": "x = 1\n# kelp\n"})
    (repository / "a.py").write_text('x = "\u00e9\u202e"  # weed\n# kelp\n', encoding="utf-8")
    [hunk] = lines_of(room, "a.py", highlight=True).hunks or []
    styled = [
        (line.text, [(line.text[start:end], style) for start, end, style in line.styles or ()])
        for line in hunk
    ]
    assert styled == [
        ("x = 1", [("1", "number")]),
        ('x = "\u00e9"  # weed', [('"\u00e9"', "string"), ("# weed", "comment")]),
        ("# kelp", [("# kelp", "comment")]),
    ]
    [plain] = lines_of(room, "a.py").hunks or []
    assert [line.styles for line in plain] == [None] * 3


def test_totals_count_files_over_the_limits_too_and_say_what_they_leave_out(
    room: Source, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, {"a.py": "1\n", "b.py": "1\n2\n"})
    commit(repository, {"a.py": "2\n", "b.py": "1\n2\n3\n", "c.bin": "\0"})
    monkeypatch.setattr("holdfast.source.diff.review.LIMITS", Limits(review_bytes=1))
    found = diff(room, "commit")
    assert (found.total_added, found.total_removed, found.uncounted_files) == (2, 1, 1)
    assert [(file.path, file.added, file.removed) for file in found.files] == [
        ("a.py", 1, 1),
        ("b.py", 1, 0),
        ("c.bin", None, None),
    ]
    (repository / "a.py").write_text("3\n", encoding="utf-8")
    (repository / "b.py").write_text("3\n", encoding="utf-8")
    uncommitted = diff(room)
    assert (uncommitted.total_added, uncommitted.total_removed, uncommitted.uncounted_files) == (1, 1, 1)


@given(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=30),
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=30),
    st.integers(0, 4),
    st.lists(st.tuples(st.integers(1, 35), st.integers(1, 35)), max_size=3),
)
def test_unfolded_lines_are_each_shown_once_and_in_order(
    old: list[bytes], new: list[bytes], context: int, ranges: list[tuple[int, int]]
) -> None:
    compared = Comparison.of(b"".join(old), b"".join(new))
    spans = [(min(each) - 1, max(each)) for each in ranges]
    lines = [line for hunk in compared.hunks(context, spans) for line in hunk]
    numbers = [line.new for line in lines if line.new is not None]
    assert numbers == sorted(set(numbers))
    wanted = {number for start, end in spans for number in range(start, min(end, len(new)))}
    assert wanted <= set(numbers)
    assert all(old[line.old] == new[line.new] == line.line for line in lines if line.kind == "same")
    assert [line.old for line in lines if line.kind == "removed"] == [
        number for change in compared.changes for number in range(change.old_start, change.old_end)
    ]
    assert [line.new for line in lines if line.kind == "added"] == [
        number for change in compared.changes for number in range(change.new_start, change.new_end)
    ]


def test_a_quick_answer_leaves_out_what_takes_long_until_it_is_known(room: Source, repository: Path) -> None:
    commit(repository, {"from.py": _BLOCK + "end = 1\n"})
    commit(repository, {"from.py": "end = 1\n", "to.py": "begin = 1\n" + _BLOCK, "src.py": "x = 1\n"})
    quick = diff(room, "commit", quick=True)
    [lines] = diff(room, "commit", quick=True, file="to.py").files
    assert lines.hunks is not None
    assert (lines.added, {line.moved for line in lines.hunks[0]}) == (7, {None})
    assert [(file.path, file.added) for file in quick.files] == [
        ("from.py", None),
        ("src.py", None),
        ("to.py", None),
    ]
    assert (quick.total_files, quick.total_added, quick.total_removed, quick.uncounted_files) == (
        3,
        None,
        None,
        None,
    )
    whole = diff(room, "commit")
    assert (whole.total_added, whole.total_removed) == (8, 6)
    assert [file.version for file in whole.files] == [file.version for file in quick.files]
    assert diff(room, "commit", quick=True) == whole
    [lines] = diff(room, "commit", quick=True, file="to.py").files
    assert lines.hunks is not None
    assert "from.py:1" in {line.moved for line in lines.hunks[0]}

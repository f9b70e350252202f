"""Which lines changed: agreement with git, and time that stays bounded."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.storage.git.binary_content import is_binary
from holdfast.storage.git.line_diff import changed_lines, former_indexes


def text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize(
    ("old", "new", "ranges"),
    [
        ("abc", "abc", []),
        ("", "abc", [(1, 3)]),
        ("abc", "", []),
        ("abc", "axc", [(2, 2)]),
        ("abc", "abxc", [(3, 3)]),
        ("abc", "abcx", [(4, 4)]),
        ("abc", "xabc", [(1, 1)]),
        ("abcde", "xbcdy", [(1, 1), (5, 5)]),
        ("abcde", "ade", [(1, 1)]),
        ("abc", "bc", [(1, 1)]),
        ("abc", "ab", [(2, 2)]),
        ("aaaa", "aaa", [(3, 3)]),
        ("abcd", "acbd", None),
    ],
)
def test_changes_are_given_as_ranges_of_the_new_text(old, new, ranges):
    found = changed_lines(text(old), text(new))
    assert found == ranges if ranges is not None else found


@pytest.mark.parametrize(
    ("old", "new"), [(b"a\r\nb\r\n", b"a\nb\n"), (b"a\nb", b"a\nb\n"), (b"", b""), (b"a\n", b"a")]
)
def test_line_ends_alone_are_no_change(old, new):
    assert changed_lines(old, new) == changed_lines(new, old) == []


def test_binary_is_what_has_a_nul_near_its_start():
    assert is_binary(b"a\0b")
    assert not is_binary(b"a" * 8000 + b"\0")
    assert not is_binary("é".encode("latin-1"))


lines = st.lists(st.sampled_from("abcdefg"), max_size=30).map("".join)


@given(lines, lines)
def test_lines_outside_the_ranges_are_in_the_old_text_in_order(old, new):
    ranges = changed_lines(text(old), text(new))
    inside = {line for start, end in ranges for line in range(start, end + 1)}
    kept = [character for number, character in enumerate(new, 1) if number not in inside]
    remaining = iter(old)
    assert all(character in remaining for character in kept)
    assert all(1 <= start <= end <= len(new) for start, end in ranges)
    assert all(one[1] < other[0] for one, other in pairwise(ranges))
    assert (ranges == []) == (old == new or not new)


def test_a_few_edits_in_a_large_file_are_what_git_reports(tmp_path):
    source = random.Random(7)
    old = [f"line {number} {source.random()}" for number in range(20_000)]
    new = list(old)
    for place in sorted(source.sample(range(20_000), 40), reverse=True):
        new[place : place + 1] = ["changed", f"and added {place}"]
    for name, content in (("old", old), ("new", new)):
        (tmp_path / name).write_text("\n".join(content) + "\n")
    ranges = changed_lines((tmp_path / "old").read_bytes(), (tmp_path / "new").read_bytes())
    command = ["git", "diff", "--no-index", "--unified=0", "old", "new"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    hunks = re.findall(r"^@@ -\S+ \+(\d+),(\d+) @@", answer, re.MULTILINE)
    assert ranges == [(int(start), int(start) + int(count) - 1) for start, count in hunks]


HOSTILE = {
    "two kinds of lines": lambda source: bytes(source.choice(b"ab\n") for _ in range(2 << 20)),
    "one kind of line": lambda source: b"x\n" * (1 << 20),
    "blank lines": lambda source: b"\n" * (2 << 20),
    "one line": lambda source: bytes(source.choice(b"ab") for _ in range(2 << 20)),
    "many gaps": lambda source: b"".join(
        b"%d\n" % (n if n % 50 == 0 else source.randrange(2)) for n in range(200_000)
    ),
    "interleaved": lambda source: b"".join(source.sample([b"x\n"] * 270 + [b"y\n"] * 270, 540)),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_compared_in_linear_time(make):
    old, new = make(random.Random(1)), make(random.Random(2))
    changed_lines(old, new + b"end\n")


def test_a_gap_that_is_too_large_to_be_compared_leaves_the_others_to_be_compared():
    large = ("1", "2"), ("2", "1")
    old = ["start", *large[0] * 600, "middle", "same", "x", "same", "end"]
    new = ["begin", *large[1] * 600, "middle", "same", "y", "same", "stop"]
    ranges = changed_lines(text(old), text(new))
    assert [span for span in ranges if span[0] > 1202] == [(1204, 1204), (1206, 1206)]


@given(lines, lines)
def test_a_kept_line_is_the_same_line_and_no_other_line_is_it(old, new):
    before, after = list(old), list(new)
    kept = former_indexes(before, after, range(len(after)))
    assert all(before[former] == after[index] for index, former in kept.items())
    assert len(set(kept.values())) == len(kept)
    assert former_indexes(after, after, range(len(after))) == {index: index for index in range(len(after))}


def test_a_line_that_only_moved_is_kept():
    before, after = b"a todo b c".split(), b"b c new todo a".split()
    assert former_indexes(before, after, [2, 3]) == {3: 1}


class CountingLine(bytes):
    """A line that counts the comparisons with other lines."""

    comparisons = 0
    __hash__ = bytes.__hash__

    def __eq__(self, other: object) -> bool:
        CountingLine.comparisons += 1
        return bytes.__eq__(self, other)  # type: ignore[arg-type]


@pytest.mark.parametrize("copies", [1, 2])
def test_moved_lines_are_found_without_comparing_each_with_all(copies: int):
    before = [CountingLine(b"%d" % number) for number in range(2000)] * copies
    CountingLine.comparisons = 0
    former_indexes(before, before[::-1], range(len(before)))
    assert CountingLine.comparisons < 100 * len(before)

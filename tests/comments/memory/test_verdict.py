"""What became of the code that a memory is about."""

from __future__ import annotations

import pytest

from holdfast.comments.memory.verdict import MAX_DIFFERENCES, CodeVerdict, Found, judge, judge_file
from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.comments.tracking.track import track

OLD = """\
import os


class Tokens:
    @cached
    def limit(self, attempts):
        if attempts > 5:
            raise ValueError("too many attempts")
        return attempts


def login(user, password):
    tokens = Tokens()
    tokens.limit(1)
    return user, tokens
"""
LIMIT, LOGIN, TEST = Anchor(6, 9), Anchor(12, 15), Anchor(7)


def verdict(new: str, anchor: Anchor, path: str = "a.py") -> CodeVerdict:
    before, after = FileVersion("a.py", OLD), FileVersion(path, new)
    [found] = track(before, after, [anchor])
    return judge(before, anchor, after, Found(found.line, found.end_line, found.confidence, found.reason))


def test_lines_above_shift_code_but_do_not_change_it():
    found = verdict("import sys\n" + OLD, LIMIT)
    assert (found.state, found.confidence, found.line, found.end_line) == ("unchanged", "high", 7, 10)
    assert verdict(OLD, TEST).state == "unchanged"


def test_a_block_that_is_indented_as_a_whole_is_unchanged():
    body = "".join(f"    {line}\n" if line else "\n" for line in OLD.splitlines()[11:])
    assert verdict(OLD[: OLD.index("def login")] + "if os.name:\n" + body, LOGIN).state == "unchanged"


def test_an_edited_block_shows_the_changed_lines_and_no_others():
    found = verdict(OLD.replace("> 5", "> 7"), LIMIT)
    assert (found.state, found.confidence, found.changed) == ("edited", "high", 2)
    assert found.differences == ("-    if attempts > 5:", "+    if attempts > 7:")


def test_a_changed_decorator_is_an_edit_of_the_function_below_it():
    assert verdict(OLD.replace("@cached", "@measured"), LIMIT).state == "edited"


def test_equal_code_in_another_function_or_file_has_moved():
    moved = OLD.replace("def login(user, password):", "def enter(user, password):")
    assert (verdict(moved, Anchor(14)).state, verdict(moved, Anchor(14)).confidence) == ("moved", "low")
    assert verdict(OLD, LIMIT, "b.py").state == "moved"


def test_code_is_gone_only_if_no_line_of_it_is_left():
    without = OLD[: OLD.index("def login")]
    found = verdict(without, LOGIN)
    assert (found.state, found.line, found.reason) == ("gone", None, "symbol_deleted")
    kept = OLD.replace("def login(user, password):\n", "x = 1\ny = 2\nif 1:\n")
    found = verdict(kept, LOGIN)
    assert found.state == "edited"
    assert found.line is not None


@pytest.mark.parametrize(("path", "state"), [("a.py", "unchanged"), ("b.py", "moved")])
def test_a_whole_file_is_compared_by_its_text(path, state):
    before = FileVersion("a.py", OLD)
    assert judge_file(before, FileVersion(path, OLD)).state == state
    found = judge_file(before, FileVersion(path, "one\n" * 30))
    assert found.state == "edited"
    assert len(found.differences) == MAX_DIFFERENCES < found.changed

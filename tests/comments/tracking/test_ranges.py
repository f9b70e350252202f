"""Ranges: where they end after an edit."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.placement import Anchor, FileVersion
from holdfast.comments.tracking.track import track

LOOP = """package a

func Sum(values []int) int {
	total := 0
	for _, value := range values {
		total += value
	}
	return total
}
"""


def test_a_range_that_was_a_node_ends_with_the_node():
    new = LOOP.replace("\t\ttotal += value\n", "\t\tif value > 0 {\n\t\t\ttotal += value\n\t\t}\n")
    (loop, function) = track(
        FileVersion("a.go", LOOP), FileVersion("a.go", new), [Anchor(5, 7), Anchor(3, 9)]
    )
    assert (loop.line, loop.end_line) == (5, 9)
    assert (function.line, function.end_line) == (3, 11)


def test_a_range_that_lost_its_last_line_ends_with_what_is_left():
    old = "alpha = load('alpha')\nbeta = load('beta')\ngamma = load('gamma')\nsave(everything)\n"
    new = "alpha = load('alpha')\nbeta = load('beta')\nsave(everything)\n"
    (placement,) = track(FileVersion("a.txt", old), FileVersion("a.txt", new), [Anchor(1, 3)])
    assert placement.line == 1
    assert placement.end_line == 3 or placement.end_line == 2


@pytest.mark.parametrize("path", ["a.py", "a.txt"])
def test_an_end_is_never_before_its_start_nor_behind_the_file(path: str):
    old = "one = 1\ntwo = 2\nthree = 3\nfour = 4\n"
    new = "four = 4\nthree = 3\ntwo = 2\none = 1"
    for start in range(1, 5):
        for end in range(start, 9):
            (placement,) = track(FileVersion(path, old), FileVersion(path, new), [Anchor(start, end)])
            if placement.line is not None:
                assert placement.end_line is not None
                assert placement.line <= placement.end_line <= 4

"""Texts at the edges: other line ends, marks at the start, nothing at all, far too much."""

from __future__ import annotations

import random

import pytest

from holdfast.comments.sidecar.source import split_lines
from holdfast.comments.tracking.lines import split_lines as tracking_lines
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from holdfast.comments.tracking.track import track

TEXT = "first = 1\nsecond = load(first)\n\nthird = save(second)\n"


@pytest.mark.parametrize(
    "other",
    [TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT.rstrip("\n"), TEXT.replace("\n", " \t\n")],
    ids=["crlf", "byte order mark", "no newline at the end", "trailing space"],
)
def test_line_ends_and_marks_are_no_changes(other: str):
    old, new = FileVersion("a.py", TEXT), FileVersion("a.py", other)
    for before, after in ((old, new), (new, old)):
        placements = track(before, after, [Anchor(line) for line in range(1, 5)])
        assert [placement.line for placement in placements] == [1, 2, 3, 4]
        assert {placement.confidence for placement in placements} == {Confidence.HIGH}


@pytest.mark.parametrize("text", ["a\r\nb\rc\n", "", "\r", "a\x0cb\u2028c", "a\n\r\n\rb"])
def test_lines_are_split_as_sidecars_count_them(text: str):
    assert tracking_lines(text) == split_lines(text)


def test_a_lone_carriage_return_does_not_shift_what_follows():
    old = "first = 'a\rb'\nsecond = load(first)\nthird = save(second)\n"
    (placement,) = track(FileVersion("a.py", old), FileVersion("a.py", "import os\n" + old), [Anchor(3)])
    assert (placement.line, placement.confidence) == (4, Confidence.HIGH)


def test_nothing_is_left_in_an_emptied_file():
    (placement,) = track(FileVersion("a.py", TEXT), FileVersion("a.py", ""), [Anchor(2)])
    assert placement.line is None
    assert placement.confidence is Confidence.NONE
    assert placement.reason == "symbol_deleted"


def test_an_anchor_outside_the_text_has_no_place():
    placements = track(FileVersion("a.py", TEXT), FileVersion("a.py", TEXT), [Anchor(0), Anchor(99)])
    assert [placement.line for placement in placements] == [None, None]


def test_a_deleted_symbol_is_the_reason_where_there_was_one():
    new = "def keep():\n    return load_settings()\n"
    old = new + "\n\ndef drop(queue):\n    queue.cancel_everything(now=True)\n"
    (placement,) = track(FileVersion("a.py", old), FileVersion("a.py", new), [Anchor(6)])
    assert placement.line is None
    assert placement.reason == "symbol_deleted"


def _changed(lines: list[str]) -> list[str]:
    """Return lines of which every third is edited, some are deleted and the halves are exchanged."""
    edited = [line + " + 1" if number % 3 == 0 else line for number, line in enumerate(lines) if number % 17]
    return edited[len(edited) // 2 :] + edited[: len(edited) // 2]


PATHOLOGICAL = {
    "all lines equal": (["x = y"] * 20_000, ["x = y"] * 19_000),
    "all lines equal but new ones between": (["x = y"] * 8_000, ["x = y", "y = x"] * 4_000),
    "one line of a megabyte": (["data = '" + "ab " * 350_000 + "'"], ["data = '" + "ba " * 350_000 + "'"]),
    "only blank lines": ([""] * 20_000, [" "] * 15_000),
    "twenty thousand lines in new order": (
        [f"value_{number} = compute({number % 97}, 'name {number % 13}')" for number in range(20_000)],
        _changed(
            [f"value_{number} = compute({number % 97}, 'name {number % 13}')" for number in range(20_000)]
        ),
    ),
    "deep nesting": (["(" * 3_000 + ")" * 3_000], ["[" * 3_000 + "]" * 3_000]),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_hard_texts_are_answered_within_the_file(name: str):
    old, new = ("\n".join(lines) for lines in PATHOLOGICAL[name])
    count = old.count("\n") + 1
    anchors = [Anchor(random.Random(seed).randint(1, count)) for seed in range(5)]
    for placement in track(FileVersion("a.py", old), FileVersion("a.py", new), anchors):
        assert placement.line is None or 1 <= placement.line <= new.count("\n") + 1

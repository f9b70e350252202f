"""Following through revisions: what agrees is sure, what is lost on the way is sought again."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.follow import follow
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from holdfast.comments.tracking.track import track

FIRST = "def area(width, height):\n    result = width * height\n    return result\n"


LONGER = """\
def volume(width, height, depth, offset):
    begin(width, height, depth, session, moment)
    print(width * height * depth + offset)
    finish(width, height, depth, session, moment)
"""


def _versions(*texts: str, path: str = "a.py") -> list[FileVersion]:
    return [FileVersion(path, text) for text in texts]


def test_one_version_places_every_line_where_it_is():
    (placement,) = follow(_versions(FIRST), [Anchor(2)])
    assert (placement.line, placement.confidence) == (2, Confidence.HIGH)


def test_without_a_version_there_is_nothing_to_follow():
    with pytest.raises(ValueError, match="at least one version"):
        follow([], [Anchor(1)])


def test_a_line_that_changed_beyond_recognition_is_found_through_its_revisions():
    steps = _versions(
        FIRST,
        FIRST.replace("result = width * height", "result = width * height * SCALE_FACTOR"),
        FIRST.replace("result = width * height", "result = scaled(width * height, SCALE_FACTOR)"),
        FIRST.replace("result = width * height", "surface = scaled(SCALE_FACTOR, corners(width))"),
    )
    (placement,) = follow(steps, [Anchor(2)])
    assert placement.line == 2


def test_agreement_of_different_comparisons_is_high_confidence():
    edited = LONGER.replace("+ offset", "+ offset + 1").replace("begin(", "begin_now(")
    again = edited.replace("+ 1", "+ 2").replace("begin_now(", "begin_later(")
    for old, new in ((LONGER, edited), (edited, again), (LONGER, again)):
        (once,) = follow(_versions(old, new, path="a.txt"), [Anchor(3)])
        assert (once.line, once.confidence) == (3, Confidence.MEDIUM)
    steps = _versions(LONGER, edited, again, "import math\n\n\n" + again, path="a.txt")
    (followed,) = follow(steps, [Anchor(3)])
    assert (followed.line, followed.confidence) == (6, Confidence.HIGH)


@pytest.mark.parametrize("unrelated", ["import math\n\n\n{}", "{}\n\nprint(area)\n"], ids=["above", "below"])
def test_an_edit_to_be_reviewed_stays_so_after_an_unrelated_one(unrelated: str):
    edited = LONGER.replace("+ offset", "+ offset + 1").replace("begin(", "begin_now(")
    (review,) = follow(_versions(LONGER, edited, path="a.txt"), [Anchor(3)])
    (later,) = follow(_versions(LONGER, edited, unrelated.format(edited), path="a.txt"), [Anchor(3)])
    assert review.confidence is Confidence.MEDIUM
    assert later.confidence is Confidence.MEDIUM


def test_what_each_revision_is_sure_of_stays_sure():
    edited = LONGER.replace("+ offset", "+ offset + 1")
    later = edited.replace("begin(", "begin_now(").replace("finish(", "finish_now(")
    (direct,) = follow(_versions(LONGER, later, path="a.txt"), [Anchor(3)])
    (placement,) = follow(_versions(LONGER, edited, later, path="a.txt"), [Anchor(3)])
    assert (direct.line, direct.confidence) == (3, Confidence.MEDIUM)
    assert (placement.line, placement.confidence) == (3, Confidence.HIGH)


def test_a_line_that_was_taken_out_and_put_back_is_found_again():
    without = FIRST.replace("    result = width * height\n", "").replace("return result", "return 0")
    (gone,) = follow(_versions(FIRST, without), [Anchor(2)])
    (back,) = follow(_versions(FIRST, without, "import os\n" + FIRST), [Anchor(2)])
    assert gone.line is None
    assert (back.line, back.confidence) == (3, Confidence.HIGH)


def test_a_line_that_is_gone_in_the_last_version_is_gone():
    without = FIRST.replace("    result = width * height\n", "").replace("return result", "return 0")
    (placement,) = follow(_versions(FIRST, "import os\n" + FIRST, without), [Anchor(2)])
    assert placement.line is None
    assert placement.reason == "line_deleted"


def test_ranges_are_followed_with_both_ends():
    steps = _versions(
        FIRST, "import os\n" + FIRST, "import os\n\n\n" + FIRST.replace("    return", "    log()\n    return")
    )
    (placement,) = follow(steps, [Anchor(1, 3)])
    assert (placement.line, placement.end_line) == (4, 7)


def test_where_the_ways_differ_the_answer_is_no_more_than_medium_and_both_are_candidates():
    first = "begin(session)\nresult = load(alpha, beta)\nfinish(session)\n"
    edited = first.replace("beta)", "beta, gamma)")
    doubled = edited + "begin(other)\nresult = load(alpha, beta)\nfinish(other)\n"
    last = doubled.replace("begin(session)", "start(first_session, now)").replace(
        "finish(session)", "stop(all)"
    )
    texts = [FileVersion("a.txt", text) for text in (first, edited, doubled, last)]
    (direct,) = track(texts[0], texts[-1], [Anchor(2)])
    (placement,) = follow(texts, [Anchor(2)])
    assert direct.line == 5
    assert placement.confidence in (Confidence.MEDIUM, Confidence.LOW)
    assert {candidate.line for candidate in placement.candidates} >= {2, 5}

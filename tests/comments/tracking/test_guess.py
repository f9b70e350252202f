"""An edited line is sure where something beside its text speaks for it, and only there."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.placement import Anchor, Confidence, Version
from holdfast.comments.tracking.track import track

BEFORE = """\
import os


def validate(password):
    text = password.strip()
    if len(text) < 8:
        return False
    return True
"""


def placed(after: str, line: int, path: str = "a.py"):
    (placement,) = track(Version(path, BEFORE), Version(path, after), [Anchor(line)])
    return placement


def test_a_line_edited_between_the_same_neighbours_is_sure():
    placement = placed(BEFORE.replace("< 8", "< 12"), 6)
    assert (placement.line, placement.confidence) == (6, Confidence.HIGH)


def test_it_is_sure_further_down_and_in_plain_text_too():
    placement = placed("# one\n# two\n" + BEFORE.replace("< 8", "< 12"), 6, "notes.txt")
    assert (placement.line, placement.confidence) == (8, Confidence.HIGH)


def test_an_edited_declaration_of_the_same_function_is_sure():
    placement = placed("import sys\n\n" + BEFORE.replace("validate(password)", "validate(password, *)"), 4)
    assert (placement.line, placement.confidence) == (6, Confidence.HIGH)


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace("    if len(text) < 8:\n", "    log(text)\n    if len(text) < 12:\n    audit(text)\n"),
        BEFORE.replace(
            "    text = password.strip()\n    if len(text) < 8:\n        return False\n",
            "    if len(word) < 12:\n        return 0\n",
        ),
        BEFORE.replace("    if len(text) < 8:\n", "    raise NotImplementedError\n"),
    ],
    ids=["both neighbours new", "the neighbour gone", "another line"],
)
def test_without_such_a_sign_it_is_not(after: str):
    assert placed(after, 6).confidence is not Confidence.HIGH

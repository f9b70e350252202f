"""The next branch of a chain is not the same line, however much it looks like it."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.placement import Confidence
from tests.comments.tracking.edits import tracked

CHAIN = """
def pick(kind):
    if kind == "open": «head»
        return first() «inside»
    elif kind == "closed":
        return second()
    elif kind == "lost":
        return third()
    return None
"""
WITHOUT_FIRST = """
def pick(kind):
    if kind == "closed":
        return second()
    elif kind == "lost":
        return third()
    return None
"""
BRANCHES = """
function pick(kind) {
  if (kind === 'open') {
    first();
  } else if (kind === 'closed') { «head»
    second(); «inside»
  }
}
"""
WITH_ANOTHER = """
function pick(kind) {
  if (kind === 'open') {
    first();
  } else if (kind === 'lost') {
    third();
  }
}
"""


@pytest.mark.parametrize(
    ("path", "old", "new"), [("pick.py", CHAIN, WITHOUT_FIRST), ("pick.js", BRANCHES, WITH_ANOTHER)]
)
def test_another_branch_in_the_place_of_a_deleted_one_is_at_most_offered(path: str, old: str, new: str):
    placed, _ = tracked(path, old, new)
    for placement in placed.values():
        assert placement.line is None or placement.confidence is Confidence.MEDIUM


def test_a_branch_that_became_the_first_of_its_chain_is_found():
    placed, goals = tracked(
        "pick.py",
        CHAIN.replace(" «head»", "").replace(" «inside»", "").replace('"closed":', '"closed": «head»'),
        WITHOUT_FIRST.replace('"closed":', '"closed": «head»'),
    )
    assert placed["head"].line == goals["head"]


def test_a_branch_whose_condition_is_other_and_whose_content_is_the_same_is_sure():
    placed, goals = tracked(
        "pick.py",
        """
        def pick(kind):
            if kind == "open":
                return first()
            elif kind == "closed": «head»
                log("The door is closed", kind)
                return second()
        """,
        """
        def pick(kind):
            if kind == "open":
                return first()
            elif kind in SHUT: «head»
                log("The door is closed", kind)
                return second()
        """,
    )
    assert (placed["head"].line, placed["head"].confidence) == (goals["head"], Confidence.HIGH)

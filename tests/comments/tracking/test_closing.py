"""Lines without words follow the block that they are in, and are for review where nothing confirms them."""

from __future__ import annotations

import pytest

from holdfast.comments.tracking.follow import follow
from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from tests.comments.tracking.edits import tracked

HIGH, MEDIUM = Confidence.HIGH, Confidence.MEDIUM
VIEWS = """
class Shelf {
    private View all;
    private View open;

    View all() {
        View view = all;
        return view != null ? view : (all = new View());
    }

    View open() {
        View view = open;
        return view != null ? view : (open = new View());
    } «end»

    static final class Row {
        Row next;
    }
}
"""
VIEWS_BY_CONDITION = """
class Shelf {
    private View all;
    private View open;

    View all() {
        View view = all;
        if (view == null) {
            view = all = new View();
        }
        return view;
    }

    View open() {
        View view = open;
        if (view == null) {
            view = open = new View();
        }
        return view;
    } «end»

    static final class Row {
        Row next;
    }
}
"""
CONDITIONS = """
function check(order) {
  if (order.open) {
    close(order);
  } «first»
  if (order.paid) {
    ship(order);
  } «second»
}
"""
CONDITIONS_WITH_MORE = """
function check(order) {
  if (order.open) {
    close(order);
    notify(order.owner);
  } «first»
  if (order.late) {
    remind(order);
  }
  if (order.paid) {
    if (order.heavy) {
      weigh(order);
    }
    ship(order);
  } «second»
}
"""
VALUES = """
class Values {
    int next() {
        return start;
    } «next»

    int last() {
        return end;
    } «last»
}
"""
ANNOTATED_VALUES = """
class Values {
    @Override
    int next() {
        check(start);
        return start++;
    } «next»

    @Override
    int last() {
        check(end);
        return end--;
    } «last»
}
"""
TABLE = """
const table = {
  "zero": [
    none,
  ],
  "one": [
    first,
  ], «one»
  "two": [
    second,
  ], «two»
};
"""
TABLE_WITH_MORE = """
const table = {
  "zero": [
    none,
  ],
  "one": [
    first,
    again,
  ], «one»
  "two": [
    second,
    again,
  ], «two»
};
"""


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("Shelf.java", VIEWS, VIEWS_BY_CONDITION),
        ("check.js", CONDITIONS, CONDITIONS_WITH_MORE),
        ("Values.java", VALUES, ANNOTATED_VALUES),
        ("table.js", TABLE, TABLE_WITH_MORE),
    ],
)
def test_a_closing_line_ends_the_same_block_with_certainty(path: str, old: str, new: str):
    for before, after in ((old, new), (new, old)):
        placed, goals = tracked(path, before, after)
        found = {mark: (placement.line, placement.confidence) for mark, placement in placed.items()}
        assert found == {mark: (line, HIGH) for mark, line in goals.items()}


def test_of_several_such_lines_in_a_block_those_that_nothing_confirms_are_for_review():
    placed, goals = tracked(
        "steps.py",
        """
        def run(order):
            first = check(order)
            «one»
            second = weigh(order)
            «two»
            return first + second
        """,
        """
        def run(order):
            total = measure(order)
            «one»
            second = label(order)

            third = send(order)
            «two»
            return total
        """,
    )
    assert goals
    assert HIGH not in {placement.confidence for placement in placed.values()}


def test_the_end_of_a_deleted_function_is_not_silently_that_of_another():
    placed, _ = tracked(
        "rows_test.js",
        """
        describe('rows', function () {
          describe('when empty', function () {
            it('shows a hint', function () {
              expect(hint()).to.equal('Nothing here');
            });
          }); «end»

          describe('when full', function () {
            it('shows all rows', function () {
              expect(rows()).to.have.length(10);
            });
          });
        });
        """,
        """
        describe('rows', function () {
          describe('when full', function () {
            it('shows all rows', function () {
              expect(rows()).to.have.length(10);
            });
          });
        });
        """,
    )
    assert placed["end"].line is None or placed["end"].confidence is not HIGH


def test_agreement_of_two_ways_does_not_make_a_line_without_words_certain():
    texts = [
        "});\n});\nopen(door, slowly)\n}\n});\nclose(shop, early)\n}\ncount(till, twice)",
        "});\n});\nlock(door, firmly)\n}\n});\nclose(shop, early)\n}",
        "});\n});\n}\nlock(door, firmly)\nsweep(floor, early)\n});\nclose(shop, early)\n}",
        "});\n});\n}\nlock(door, firmly)\nlock(till, twice)\nclose(shop, early)\n}",
    ]
    versions = [FileVersion("notes.txt", text) for text in texts]
    (placement,) = follow(versions, [Anchor(1)])
    assert placement.confidence is MEDIUM

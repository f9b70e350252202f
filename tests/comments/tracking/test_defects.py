"""The faults of trackers that came before, each as a test that they would fail."""

from __future__ import annotations

from holdfast.comments.tracking.placement import Anchor, Confidence, FileVersion
from holdfast.comments.tracking.track import track
from tests.comments.tracking.edits import tracked


def test_a_place_inside_a_symbol_is_not_taken_without_looking_at_its_text():
    """D1: the symbol with an offset holds another line now."""
    placed, goals = tracked(
        "shop.py",
        """
        def total(items):
            price = sum(item.price for item in items)
            return price * (1 + TAX_RATE) «tax»
        """,
        """
        def total(items):
            check(items)
            discount = best_discount(items)
            price = sum(item.price for item in items)
            return price * (1 + TAX_RATE) «tax»
        """,
    )
    assert placed["tax"].line == goals["tax"]
    assert placed["tax"].confidence is Confidence.HIGH


def test_a_deleted_line_is_not_given_to_whatever_stands_in_its_place():
    """D1: nothing else in the function is the deleted line."""
    placed, _ = tracked(
        "shop.py",
        """
        def total(items):
            audit_log.write("started", user=current_user()) «log»
            return sum(item.price for item in items)
        """,
        """
        def total(items):
            return sum(item.price for item in items)
        """,
    )
    assert placed["log"].line is None
    assert placed["log"].reason == "line_deleted"


def test_renaming_a_function_keeps_the_notes_inside_it():
    """D2: a symbol that is not found by name must not end the search."""
    placed, goals = tracked(
        "shop.py",
        """
        def total(items): «head»
            price = sum(item.price for item in items) «body»
            return price «back»
        """,
        """
        import tax


        def amount_due(items): «head»
            price = sum(item.price for item in items) «body»
            return price «back»
        """,
    )
    assert {name: placement.line for name, placement in placed.items()} == goals


def test_overloads_and_equal_names_in_several_scopes_are_distinguished():
    """D3: kind, holder and signature decide, not the name alone."""
    placed, goals = tracked(
        "Box.java",
        """
        class Box {
            void put(int number) {
                store(number); «int»
            }
            void put(String text) {
                store(text.length()); «text»
            }
            class Inner {
                void put(int number) {
                    outer.store(number); «inner»
                }
            }
        }
        """,
        """
        class Box {
            class Inner {
                void put(int number) {
                    outer.store(number, true); «inner»
                }
            }
            void put(String text) {
                store(text.length(), true); «text»
            }
            void put(int number) {
                store(number, true); «int»
            }
        }
        """,
    )
    assert {name: placement.line for name, placement in placed.items()} == goals


def test_an_edited_line_is_found_far_from_where_it_was():
    """D4: neither an exact match nor ten lines each way are enough."""
    filler = "\n".join(f"setting_{number} = {number * 7}" for number in range(60))
    old = FileVersion("settings.py", "retry_limit = compute_limit(base, factor)\n")
    new = FileVersion("settings.py", filler + "\nretry_limit = compute_limit(base, factor, cap)\n")
    (placement,) = track(old, new, [Anchor(1)])
    assert placement.line == 61


def test_what_is_unchanged_is_never_called_lost():
    """D5: a detector whose hashes differ from the marker's calls everything orphaned."""
    text = "alpha = 1\n\nbeta = 2\n}\n"
    placements = track(
        FileVersion("a.py", text), FileVersion("a.py", text), [Anchor(line) for line in range(1, 6)]
    )
    assert [placement.line for placement in placements] == [1, 2, 3, 4, 5]
    assert {placement.confidence for placement in placements} == {Confidence.HIGH}


def test_a_note_on_a_blank_line_follows_it():
    """D6: an empty line is a line."""
    placed, goals = tracked(
        "shop.py",
        """
        first = load("first")
        second = load("second")
         «gap»
        third = load("third")
        """,
        """
        import shop

        first = load("first")
        second = load("second")
         «gap»
        third = load("third")
        """,
    )
    assert placed["gap"].line == goals["gap"]


def test_both_ends_of_a_range_move():
    """D7: the end follows as the start does."""
    old = FileVersion("a.py", "def one():\n    first()\n    second()\n    return 3\n")
    new = FileVersion(
        "a.py", "import os\n\n\ndef one():\n    first()\n    between()\n    second()\n    return 3\n"
    )
    (placement,) = track(old, new, [Anchor(1, 4)])
    assert (placement.line, placement.end_line) == (4, 8)

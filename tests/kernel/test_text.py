from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.text import counted, display_width, fit_to_width, one_line, shorten, table

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), max_size=40)


def test_what_is_counted_is_called_by_its_number():
    assert [counted(number, "file") for number in (0, 1, 2, 1234)] == [
        "0 files",
        "1 file",
        "2 files",
        "1,234 files",
    ]
    assert [counted(number, "reply", "replies") for number in (1, 2)] == ["1 reply", "2 replies"]


def test_a_table_that_fits_is_shown_whole():
    rows = [("a1", "open", "Short", "bug"), ("b22", "closed", "Longer title", "")]
    assert table(rows, 80, flexible=(2, 3)) == "a1   open    Short         bug\nb22  closed  Longer title"


def test_only_flexible_columns_are_cut_and_the_short_one_keeps_its_words():
    row = ("8903a9b6", "open", "A title that goes on and on", "bug", "2 comments")
    text = table([row], 50, flexible=(2, 3))
    assert display_width(text) == 50
    assert "8903a9b6  open" in text
    assert text.endswith("bug  2 comments")
    assert "…" in text


def test_the_first_flexible_column_gives_way_last():
    row = ("8903a9b6", "open", "A title that goes on", "many, many, labels")
    assert table([row], 28, flexible=(2, 3)).startswith("8903a9b6  open  A title tha…")


def test_a_column_that_is_empty_everywhere_takes_no_room():
    assert table([("a", "", "b"), ("c", "", "d")], 20, flexible=(2,)) == "a  b\nc  d"


def test_no_rows_are_no_text():
    assert table([], 80, flexible=()) == ""


def test_wide_and_combining_characters_are_counted_as_terminals_show_them():
    assert display_width("日本") == 4
    assert display_width("é") == 1
    assert fit_to_width("日本語", 4) == "日… "


def test_stored_text_stays_on_its_line():
    shown = one_line("two\nlines\x1b[31m and\tmore\u202e")
    assert shown.startswith("two lines")
    assert not {"\n", "\t", "\x1b", "\u202e"} & set(shown)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5), st.integers(140, 200))
def test_no_line_is_wider_than_the_terminal(rows, width):
    assert all(display_width(line) <= width for line in table(rows, width, flexible=(1, 2)).split("\n"))


@given(CELLS, st.integers(1, 60))
def test_a_fitted_text_takes_exactly_its_width(text, width):
    assert display_width(fit_to_width(text, width)) == width


def test_a_short_text_stays_whole_and_a_long_one_says_where_it_was_cut():
    assert shorten("12345", 5) == "12345"
    assert shorten("123456", 5) == "1234…"


def test_the_mark_of_a_cut_is_the_callers_choice():
    assert shorten("one two three", 5) == "one …"
    assert shorten("one two three", 5, tidy=True) == "one…"
    assert shorten("one two three", 5, mark="...", beyond=True) == "one t..."


def test_a_line_can_keep_its_spaces():
    assert one_line("a  b\nc") == "a b c"
    assert one_line("a  b\nc", keep_spaces=True) == "a  b c"


def test_a_path_is_cut_at_its_start():
    assert fit_to_width("pkg/gui/controllers/refresh_helper.go:176", 22) == "…refresh_helper.go:176"
    assert fit_to_width("either/or is a sentence", 12) == "either/or i…"

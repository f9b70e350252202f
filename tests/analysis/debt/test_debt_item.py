from __future__ import annotations

from textwrap import dedent

import pytest

from holdfast.analysis.debt.debt_item import debt_items, file_debt, probability_threshold
from holdfast.analysis.engine.scan import Scan
from holdfast.syntax.record import read_record

TODO, FIXME = "TODO", "FIXME"
ADMITTED = "This is an ugly workaround, should be removed."


def items(path, text, *, probable=True, min_probability=None):
    record = read_record(path, dedent(text).encode())
    assert record is not None
    threshold = probability_threshold(min_probability) if probable else None
    return sorted(file_debt(path, record, threshold), key=lambda item: item.order)


def places(found):
    return [(item.line, item.column, item.text) for item in found]


@pytest.mark.parametrize(
    ("path", "text", "column"),
    [
        ("a.py", "x = 1  # {} more", 10),
        ("a.c", "int x; /* {} more */", 11),
        ("a.cpp", "int x; // {} more", 11),
        ("a.cs", "class A {{ }} // {} more", 16),
        ("a.go", "package a // {} more", 14),
        ("a.java", "class A {{ }} // {} more", 16),
        ("a.js", "let x = 1; // {} more", 15),
        ("a.kt", "val x = 1 // {} more", 14),
        ("a.php", "<?php $x = 1; # {} more", 17),
        ("a.rb", "x = 1 # {} more", 9),
        ("a.rs", "struct A; // {} more", 14),
        ("a.sh", "x=1 # {} more", 7),
        ("a.swift", "let x = 1 // {} more", 14),
        ("a.ts", "let x: number = 1; // {} more", 23),
        ("a.tsx", "let x = <a/>; // {} more", 18),
    ],
)
def test_a_trailing_comment_is_found_in_every_language(path, text, column):
    assert places(items(path, text.format(TODO) + "\n")) == [(1, column, "TODO more")]


def test_a_string_that_looks_like_a_comment_is_no_debt():
    text = f'''
        """{TODO}: in a docstring"""
        x = "# {TODO}: in a string"
        y = 1  # {TODO}: in a comment
    '''
    assert places(items("a.py", text)) == [(4, 10, "TODO: in a comment")]


def test_each_marked_line_of_a_block_is_an_item_to_the_end_of_its_paragraph():
    text = f"""\
        /**
         * Adds two numbers.
         * {TODO}: also three,
         *   one day.
         * - {FIXME} overflows
         *
         * Not a part of it.
         * @todo subtract
         * @return the sum
         */
        int add(int a, int b);
    """
    assert places(items("a.c", text)) == [
        (5, 6, "FIXME overflows"),
        (3, 4, "TODO: also three, one day."),
        (8, 5, "todo subtract"),
    ]


def test_line_comments_below_each_other_are_one_passage():
    text = f"""\
        # {TODO}: one
        # two

        # three
        x = 1  # {TODO}: four
        # five
    """
    assert places(items("a.py", text)) == [(1, 3, "TODO: one two"), (5, 10, "TODO: four")]


def test_what_has_no_marker_is_probable_with_its_probability():
    [item] = items("a.py", f"# {ADMITTED}\n")
    assert (item.certainty, item.severity, item.marker) == ("probable", "Low", None)
    assert item.probability is not None
    assert 0.5 < item.probability <= 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# Returns the number of lines.\n"),
        ("a.py", f"# Copyright 2020 Ann. {ADMITTED}\n"),
        ("a.py", f"x = 1  # noqa: E501 {ADMITTED}\n"),
        ("a.py", "# why = should(ugly)\n# not_sure.remove(hack)\n# return workaround\n"),
        ("a.java", f"/** {ADMITTED} */ class A {{}}\n"),
        ("a.rs", f"/// {ADMITTED}\nstruct A;\n"),
        ("a.py", f"# Bug #123: {ADMITTED}\n"),
        ("a.py", "#\n"),
    ],
)
def test_documentation_licences_code_orders_and_issues_are_not_probable(path, text):
    assert items(path, text) == []


def test_documentation_with_the_word_of_a_marker_in_its_middle_may_be_probable():
    text = f"/** Adds. This is an ugly {TODO}, should be removed. */\nclass A {{}}\n"
    assert [item.certainty for item in items("a.java", text)] == ["probable"]
    assert [item.certainty for item in items("a.java", text.replace("Adds. This is an ugly", "<p>"))] == [
        "certain"
    ]


def test_probable_debt_is_left_out_where_it_is_not_wanted_or_not_probable_enough():
    text = f"# {ADMITTED}\n\n# {TODO}: more\n"
    [_, probable] = items("a.py", text)
    assert [item.certainty for item in items("a.py", text, probable=False)] == ["certain"]
    assert len(items("a.py", text, min_probability=0.9999)) == 1
    assert len(items("a.py", text, min_probability=probable.probability - 0.001)) == 2


def test_items_are_ordered_by_severity_certainty_and_place():
    record = read_record("a.py", f"# {ADMITTED}\n\n# {TODO}\n\n# {FIXME}\n\n# SECURITY: open\n".encode())
    assert record is not None
    found = debt_items(Scan({"b.py": record, "a.py": record}, {}), probability_threshold(None))
    assert [(item.severity, item.certainty[0], item.file) for item in found] == [
        ("Critical", "c", "a.py"),
        ("Critical", "c", "b.py"),
        ("High", "c", "a.py"),
        ("High", "c", "b.py"),
        ("Low", "c", "a.py"),
        ("Low", "c", "b.py"),
        ("Low", "p", "a.py"),
        ("Low", "p", "b.py"),
    ]


def test_a_long_text_is_cut():
    [item] = items("a.py", f"# {TODO}: {'word ' * 100}\n")
    assert len(item.text) <= 300
    assert item.text.endswith("…")

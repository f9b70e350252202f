"""What is said of an expression from its syntax alone is what RE2 does with it."""

from __future__ import annotations

import pytest
from hypothesis import given

from holdfast.comments.search.chain import chain_of
from holdfast.comments.search.literals import required
from holdfast.comments.search.pattern import compiled
from holdfast.comments.search.shape import Kind, Shape, shape_of, shape_of_text
from holdfast.comments.search.syntax import parsed
from tests.comments.search.test_words import _EXPRESSIONS, _TEXTS


def shape(expression: str) -> Shape | None:
    choice = parsed(expression)
    return None if choice is None else shape_of(choice)


def kinds(found: Shape | None) -> list[str] | None:
    """Each branch as letters: w for a word, g for a gap, e for an edge of the text."""
    if found is None:
        return None
    letters = {Kind.WORD: "w", Kind.GAP: "g"}
    return [
        "".join("e" if piece.source is None else letters[piece.kind] for piece in branch)
        for branch in found.branches
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"\bcache(s|d)?\b", ["w"]),
        (r"[\w.]+@\w+", ["w"]),
        (r"\d{4}|TODO:", ["w"]),
        ("é+", ["w"]),
        (r"\S+", ["w"]),
        ("a\u2003b", ["w"]),
        (r"cache\s+\w+", ["wgw"]),
        ("a b", ["wgw"]),
        ("a.b", ["w", "wgw"]),
        (r"a\W", ["w", "wg"]),
        ("rate limit|race condition", ["wgw", "wgw"]),
        ("(lock|path) (file|user)", ["wgw"]),
        (r"\s*cache\s*", ["w"]),
        (r"\w*\s+cache", ["gw"]),
        ("^a", ["ew"]),
        (r"a\z", ["we"]),
        (r"(^|\s)a(\s|$)", ["gwg"]),
        (r"(a b){2}", ["wgwgw"]),
        ("a|", None),
        (r"\w*", None),
        ("(a|b?)", None),
        ("a{0,3}", None),
        (r"\b", None),
        (r"\s+", None),
        (r"a\s+\b", None),
        (r"\w*(^|\s)a", None),
        (r"(a\s)+", None),
        ("a.*b", None),
        ("b^a", None),
        (r"\pZ", None),
        ("(?s)a", None),
        ("a)(b", None),
        (r"[\x41]b", None),
        (r"[\s\w]a", None),
    ],
)
def test_how_matches_lie_across_words_is_told_from_the_expression(expression, expected):
    assert kinds(shape(expression)) == expected


@pytest.mark.parametrize("expression", ["a", "[ab]", ".", r"\s", "(a|.)", r"\d|\W"])
def test_an_expression_for_one_letter_is_known_as_such(expression):
    assert shape(expression).is_one_letter  # type: ignore[union-attr]


@pytest.mark.parametrize("expression", ["ab", r"\ba", "a?", "^a", "(a|bc)"])
def test_an_expression_for_more_or_less_than_one_letter_is_not(expression):
    found = shape(expression)
    assert found is None or not found.is_one_letter


@pytest.mark.parametrize(
    ("text", "expected"),
    [("rate limit", ["wgw"]), (" a", ["gw"]), ("a\n", ["wg"]), ("a", ["w"]), (" ", []), ("  ", None)],
)
def test_how_a_text_lies_across_words_is_read_from_it(text, expected):
    assert kinds(shape_of_text(text)) == expected


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("TODO.*cache", 2),
        ("a.+b.*?c d", 3),
        ("cache.*", 1),
        ("^.*cache", 1),
        ("^a.*b$", 2),
        ("cache", None),
        (".*", None),
        (".+cache", None),
        ("cache.*?", None),
        (r"a\s.*b", None),
        ("a.*b|c", None),
        ("$.*a", None),
        ("a.+.+b", None),
    ],
)
def test_what_follows_each_other_in_a_line_is_told_from_the_expression(expression, parts):
    choice = parsed(expression)
    assert choice is not None
    found = chain_of(choice)
    assert (None if found is None else len(found.parts)) == parts


@given(_EXPRESSIONS, _TEXTS)
def test_matches_said_to_lie_within_words_do(expression, text):
    import re2

    found = shape(expression)
    if compiled(expression).refusal is None and found is not None and found.is_within_words:
        options = re2.Options()
        options.case_sensitive = False
        matches = [match.group() for match in re2.compile(expression, options).finditer(text)]
        assert all(match and not set("\t\n\f\r ").intersection(match) for match in matches)


def test_what_a_match_must_contain_is_read_from_the_expression():
    choice = parsed(r"Rate\s+limit(er|ing)x*")
    assert choice is not None
    needs = required(choice)
    assert needs.texts == ["rate", "limit"]
    assert [[branch.texts for branch in choice] for choice in needs.choices] == [[["er"], ["ing"]]]

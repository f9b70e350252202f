from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.analysis.names.subwords import is_name, subwords


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HTTPServer2Config", ["http", "server", "2", "config"]),
        ("calculateTotal", ["calculate", "total"]),
        ("MAX_LINE_LENGTH", ["max", "line", "length"]),
        ("__init__", ["init"]),
        ("parseURL", ["parse", "url"]),
        ("sha256sum", ["sha", "256", "sum"]),
        ("kebab-case?", ["kebab", "case"]),
        ("größterWert", ["größter", "wert"]),
        ("ÄndereÖffnung", ["ändere", "öffnung"]),
        ("名前", ["名前"]),
        ("_", []),
        ("", []),
    ],
)
def test_names_split_at_humps_underscores_acronyms_and_digits(name, words):
    assert subwords(name) == words


@given(st.text())
def test_every_letter_and_digit_stays_in_one_word_and_nothing_else_does(name):
    kept = "".join(character for character in name if character.isalpha() or character.isdecimal())
    assert "".join(subwords(name)).casefold() == kept.lower().casefold()


@pytest.mark.parametrize("name", ["total", "x1", "save!", "_private", "$el", "größe", "kebab-case", "~Shape"])
def test_what_somebody_chose_is_a_name(name):
    assert is_name(name)


@pytest.mark.parametrize("name", ["app.get('/') callback", "[Symbol.iterator]", "'next-auth'", "_", "$", ""])
def test_what_stands_in_for_a_name_is_none(name):
    assert not is_name(name)

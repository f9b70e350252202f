"""Colours of source text: nothing is lost in any language, and words are what the language says they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.syntax.highlighting import HighlightedText
from holdfast.syntax.languages import LANGUAGES, language_of
from holdfast.syntax.languages.python import PYTHON

SAMPLES = sorted(
    path for path in Path(__file__).with_name("samples").iterdir() if not path.name.endswith(".expected")
)
BY_LANGUAGE = {found.name: path.read_text("utf-8") for path in SAMPLES if (found := language_of(path.name))}
ODD = st.sampled_from(
    ["\r\n", "\r", "\n", '"""', "/*", "é", "\ufeff", "日本", "😀", "`${", "<<EOF\n", "'", "{", ""]
)


def joined(colouring: HighlightedText, start: int = 1) -> list[str]:
    return ["".join(text for _, text in line) for line in colouring.lines(start)]


def expected(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@given(st.data())
def test_joined_pieces_are_the_text_in_every_language(language: object, data: st.DataObject) -> None:
    found = next(each for each in LANGUAGES if each is language)
    sample = BY_LANGUAGE[found.name]
    at = data.draw(st.integers(0, len(sample)))
    text = (
        sample[at : at + data.draw(st.integers(0, 400))] + data.draw(ODD | st.text(max_size=40)) + sample[:at]
    )
    colouring = HighlightedText(found, text)
    clean = text.encode("utf-8", "replace").decode("utf-8")
    assert joined(colouring) == expected(clean)
    assert colouring.line_count == len(expected(clean))
    start = data.draw(st.integers(1, colouring.line_count + 1))
    assert list(colouring.lines(start)) == list(colouring.lines(1))[start - 1 :]


@pytest.mark.parametrize("name", sorted(BY_LANGUAGE))
def test_every_language_has_keywords_comments_and_functions(name: str) -> None:
    language = next(each for each in LANGUAGES if each.name == name)
    colouring = HighlightedText(language, BY_LANGUAGE[name])
    assert {"keyword", "comment", "function"} <= {colour for line in colouring.lines(1) for colour, _ in line}


def test_words_are_what_python_says_they_are() -> None:
    text = "class Kelp:  # green\n    async def grow(self, by=1.5):\n"
    text += '        return f"""a\nb {by}""" if None else 0x1f\n'
    assert list(HighlightedText(PYTHON, text).lines(1)) == [
        [("keyword", "class"), ("", " "), ("type", "Kelp"), ("", ":  "), ("comment", "# green")],
        [
            ("", "    "), ("keyword", "async"), ("", " "), ("keyword", "def"), ("", " "),
            ("function", "grow"), ("", "(self, by="), ("number", "1.5"), ("", "):"),
        ],
        [("", "        "), ("keyword", "return"), ("", " "), ("string", 'f"""a')],
        [
            ("string", 'b {by}"""'), ("", " "), ("keyword", "if"), ("", " "), ("keyword", "None"), ("", " "),
            ("keyword", "else"), ("", " "), ("number", "0x1f"),
        ],
    ]  # fmt: skip


def test_what_no_parser_reads_is_plain() -> None:
    assert list(HighlightedText(None, "def a\n\nb").lines(1)) == [[("", "def a")], [], [("", "b")]]
    assert list(HighlightedText(None, "").lines(1)) == []
    assert list(HighlightedText(PYTHON, "x = 1\n").lines(2)) == []

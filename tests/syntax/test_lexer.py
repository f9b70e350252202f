"""Tokens of texts: literals, comments and imports of each language, and texts that nobody would write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.analysis.duplicates.clone_corpus import CloneCorpus, Codes, Integers, kinds_of
from holdfast.analysis.duplicates.token_columns import token_columns
from holdfast.analysis.engine.product import TOKENS, SourceText
from holdfast.syntax.languages import LANGUAGES
from holdfast.syntax.lexer import TokenKind, tokenize
from tests.reliability.samples import examples

NAMES = [language.name for language in LANGUAGES]


class Tokens(NamedTuple):
    """The tokens of a text, blank ones left out."""

    exact: Codes
    kind: Codes
    line: Integers
    end_line: Integers


def tokens(language: str, text: str | bytes) -> Tokens:
    source = text if isinstance(text, bytes) else text.encode()
    parts = TOKENS.make(SourceText("a", language, source))
    assert parts is not None
    files = {"a": TOKENS.restore(parts)}
    corpus = CloneCorpus(files, token_columns(files.values()))
    positions = np.arange(corpus.size)
    return Tokens(
        corpus.tokens, kinds_of(corpus.tokens), corpus.lines_at(positions), corpus.end_lines_at(positions)
    )


def kinds(language: str, text: str) -> str:
    """Return a letter for each token: sign, name, number (#), string (")), import."""
    return "".join(' sn#"i'[kind] for kind in tokens(language, text).kind)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "x = f\"a{b}\" + r'c' # d", 'ns"s"'),
        ("python", '"""a\nb"""\nif x: 1.5e-3', '"sns#'),
        ("javascript", "let a = `x ${y}` ; b = /[/]+/g; // no", 'sns"sns"s'),
        ("typescript", "a /* x\n */ = b / c / d", "nsnsnsn"),
        ("tsx", "<a b='c'>", 'snns"s'),
        ("java", 'String s = """\n  "x" """;', 'nns"s'),
        ("go", "s := `a\n'b` + 'c'", 'nss"s"'),
        ("rust", 'let s: &\'a str = r#"x"y"#;', 'snsssnns"s'),
        ("c", "char c = '\\n'; /* ' */ x", 'nns"sn'),
        ("cpp", 'auto s = R"(a"b)";', 'sns"s'),
        ("csharp", 'var s = @"a\\" + $"b";', 'sns"ss"s'),
        ("ruby", 'x = <<~SQL\n  don\'t\n  SQL\ny = "z" # n', 'ns"ns"'),
        ("php", "$a = 'b'; # c\n$d = <<<EOT\n it's\n EOT;", 'ns"sns"s'),
        ("kotlin", 'val s = """a"b"""', 'sns"'),
        ("swift", 'let s = "a\\"b"', 'sns"'),
        ("bash", "a='b\nc' # d\ncat <<EOF\nit's\nEOF\nfi", 'ns"n"s'),
    ],
)
def test_literals_comments_and_words_are_told_apart(language: str, text: str, expected: str) -> None:
    assert kinds(language, text) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "from a import (\n    b,  # c)\n    d\n)\nimport e"),
        ("javascript", "import {\n a, b } from './c';\nexport * from 'd'"),
        ("go", 'package a\nimport (\n "b"\n)'),
        ("rust", "use a::{\n b, c };\npub use d;"),
        ("c", '#include <a.h>\n#include "b.h"'),
        ("csharp", "using A.B;\nglobal using C;"),
        ("java", "package a;\nimport b.C;"),
        ("ruby", "require 'a'\nrequire_relative 'b'"),
        ("php", "use A\\B;\nrequire_once 'c';"),
        ("bash", "source a\n. b"),
    ],
)
def test_an_import_at_the_beginning_of_a_line_is_one_token(language: str, text: str) -> None:
    assert kinds(language, text) == "ii"


def test_lines_count_through_comments_blank_lines_and_long_strings() -> None:
    found = tokens("python", 'a  # b\n\n"""c\nd"""; \\\ne\r\n    f(g)')

    assert list(zip(found.line.tolist(), found.end_line.tolist(), strict=True)) == [
        (1, 1), (3, 4), (4, 4), (5, 5), (6, 6), (6, 6), (6, 6), (6, 6),
    ]  # fmt: skip
    assert tokens("c", "/* a\n b */ x").line.tolist() == [2]


def test_layout_and_comments_do_not_count_and_every_other_text_does() -> None:
    one = tokens("java", "int f(int a) { return a+1; }")
    other = tokens("java", "int f(int a)\n{\n  // why\n  return a + 1;\n}\n")

    assert one.exact.tolist() == other.exact.tolist()
    assert one.exact.tolist() != tokens("java", "int f(int a) { return a+2; }").exact.tolist()


@pytest.mark.parametrize("language", NAMES)
def test_an_empty_text_has_no_tokens(language: str) -> None:
    assert len(tokens(language, "").exact) == 0


@settings(max_examples=examples(300), deadline=None)
@given(language=st.sampled_from(NAMES), source=st.binary(max_size=400))
def test_any_bytes_have_tokens_on_lines_that_are_there(language: str, source: bytes) -> None:
    found = tokens(language, source)

    lines = source.count(b"\n") + 1
    assert all(1 <= first <= last <= lines for first, last in zip(found.line, found.end_line, strict=True))
    assert set(found.kind.tolist()) <= set(TokenKind) - {TokenKind.BLANK}
    assert tokenize(language, source) == tokenize(language, source)


SPLINTERS = (
    b'"\\"', b"'\\'", b"`\\`", b'"""', b"'''", b"/*", b"=/[", b'r#"', b'@"@""', b"<<A\n", b"import (\n",
    b"\nimport a", b"from x import (\n", b"use a\n", b'R"(', b"(((((", b"\\\n", b'aaaa"', b"/=/\\[", b"'a",
    b"1.1.1e", b"\n\n  ",
)  # fmt: skip


@pytest.mark.parametrize("language", NAMES)
def test_text_made_to_be_searched_again_and_again_is_searched_once(language: str) -> None:
    """Quadratic time would be minutes here, and the suite's own limit ends it."""
    for splinter in SPLINTERS:
        tokenize(language, splinter * (60_000 // len(splinter)))

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from bench.anchors.source_tokens import comment_lines, comments, tokens

from holdfast.syntax import parse as parsing
from holdfast.syntax.complexity import measure_functions
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong, captures, parse
from holdfast.syntax.symbols import symbols
from tests.syntax.named import language_named

PYTHON = language_named("python")
C = language_named("c")


def test_what_is_wrong_is_named_with_its_place():
    problems = parse(PYTHON, "def f():\n    return 1\n\nclass = 3\n").problems
    assert problems
    assert problems[0].line == 4
    assert "class" in problems[0].message
    missing = parse(C, "int main(void) { return 0 }\n").problems
    assert [(problem.line, problem.message) for problem in missing] == [(1, "Missing ';'")]


def test_only_the_first_problems_are_told():
    assert len(parse(C, "int ((;\n" * 500).problems) == parsing.MAX_PROBLEMS


def test_a_text_over_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(parsing, "MAX_CHARACTERS", 10)
    assert parse(PYTHON, "x = 12345\n").problems == ()
    with pytest.raises(ParseTooLong, match="11 characters"):
        parse(PYTHON, "x = 123456\n")


def test_a_text_that_takes_too_long_is_refused_and_the_next_is_parsed():
    slow = "x = (1 + 2)\n" * 20_000
    with pytest.raises(ParseTooLong, match="within"):
        parse(PYTHON, slow, seconds=0.001)
    assert parse(PYTHON, "x = 1\n").problems == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("python", "x = " + "(" * 30_000 + "1" + ")" * 30_000 + "\n"),
        ("javascript", "f(" * 20_000 + "() => 1" + ")" * 20_000),
        ("java", "class A { int x = " + "(" * 20_000),
        ("python", "[" * 12_000),
    ],
    ids=["python", "javascript", "java cut off", "python cut off"],
)
def test_depth_ends_nothing(name, text):
    parsed = parse(language_named(name), text)
    symbols(parsed)
    measure_functions(parsed)
    assert comments(parsed) == ()
    assert sum(1 for _ in tokens(parsed)) > 10_000


def test_the_search_for_errors_counts_towards_the_time_of_the_tree():
    nested = 'x = "' + '#{"' * 20_000 + "\n"
    with pytest.raises(ParseTooLong, match=r"within 0(\.\d+)? s"):
        parse(language_named("ruby"), nested, seconds=0.5)


def test_symbols_far_inside_each_other_are_left_out():
    depth = 1_000
    nested = parse(language_named("ruby"), "def inner\n" * depth + "end\n" * depth + "def after\nend\n")
    found = symbols(nested)
    assert max(len(symbol.path) for symbol in found) == len(found) - 1 == 200
    assert found[-1].path == ("after",)


def test_a_search_that_takes_too_long_is_refused():
    parsed = parse(C, "x;\n")
    wide = replace(parsed, tree=parse(C, "int x = 1;\n" * 20_000).tree)
    with pytest.raises(ParseTooLong, match="within"):
        captures(wide, "(_) @all", seconds=0.001)
    assert len(captures(parsed, "(identifier) @name")["name"]) == 1


def test_symbols_survive_errors_elsewhere():
    parsed = parse(PYTHON, "def good():\n    pass\n\nx = = 3\n\ndef other():\n    pass\n")
    assert parsed.problems
    assert [symbol.name for symbol in symbols(parsed) if symbol.is_function] == ["good", "other"]


CALL_SIGNATURES = """interface Get {
  <K extends string>(key: K): E[K]
  <
    K,
  >(key: K): M[K]
}
export type * from './types'
export const late = (a: number) => a
"""


def test_what_the_grammar_of_typescript_does_not_know_hides_nothing():
    parsed = parse(language_named("typescript"), CALL_SIGNATURES)
    assert parsed.problems == ()
    assert parsed.source == CALL_SIGNATURES.encode()
    [late] = [symbol for symbol in symbols(parsed) if symbol.is_function]
    assert (late.name, late.start_line) == ("late", 8)
    assert parse(language_named("typescript"), "const a = = 1\n  <b\n").problems


def test_a_macro_before_the_name_of_a_class_makes_no_function_of_it():
    text = "struct LIB_EXPORT Options {\n  bool create = false;\n};\nclass LIB_API Reader : Options {};\n"
    parsed = parse(language_named("cpp"), text)
    kinds = {symbol.name: symbol.kind for symbol in symbols(parsed)}
    assert (kinds["Options"], kinds["Reader"], parsed.source) == ("Struct", "Class", text.encode())


def test_lines_are_those_of_line_feeds():
    text = "x = 1\r\n\u2028 # no new line\r\ndef f():\r\n    pass\r\n"
    found = symbols(parse(PYTHON, text))
    assert [(one.name, one.start_line, one.end_line) for one in found if one.is_function] == [("f", 3, 4)]


def test_characters_outside_the_alphabet_move_nothing():
    text = "# \U0001f980 caf\u00e9 \ud800\ndef gr\u00f6\u00dfe():\n    return '\u65e5'\n"
    parsed = parse(PYTHON, text)
    assert [(one.name, one.start_line) for one in symbols(parsed)] == [("gr\u00f6\u00dfe", 2)]
    assert comment_lines(parsed) == {1}


def test_tokens_keep_literals_and_comments_whole():
    parsed = parse(PYTHON, 'x = "a b"  # why\n')
    assert [(token.text, token.comment) for token in tokens(parsed)] == [
        ("x", False),
        ("=", False),
        ('"a b"', False),
        ("# why", True),
    ]


def test_comment_lines_hold_nothing_else():
    text = "/* one\n   two */\nint x; /* three */\n// four\nint y; /* five\n six */ int z;\n"
    assert comment_lines(parse(C, text)) == {1, 2, 4}


@pytest.mark.parametrize(
    ("path", "first", "name"),
    [
        ("a/b.py", "", "python"),
        ("a.JAVA", "", "java"),
        ("a.C", "", "cpp"),
        ("a.c", "", "c"),
        ("Rakefile", "", "ruby"),
        ("run", "#!/usr/bin/env python3.11", "python"),
        ("run", "#!/bin/sh -e", "bash"),
        ("run", "#!/usr/bin/env -S node --flag", "javascript"),
        ("run", "plain", None),
        ("run.txt", "#!/bin/sh", None),
        ("run", "#!", None),
        ("", "", None),
    ],
)
def test_the_language_follows_from_the_name_or_the_first_line(path, first, name):
    language = language_of(path, first)
    assert (language.name if language else None) == name


def test_looking_up_a_language_loads_no_parser():
    code = (
        "import sys; from holdfast.syntax.languages import language_of; language_of('a.py');"
        "sys.exit('tree_sitter' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

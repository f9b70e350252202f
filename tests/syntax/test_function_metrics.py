"""Functions of hard cases in every language: where they begin and end, and what is counted in them.

Beside each sample stands what was counted by hand: lines, name, cyclomatic, extended and cognitive
complexity, nesting, parameters, and `recursive` where one for recursion is in.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast.syntax.languages import LANGUAGES, language_of
from holdfast.syntax.record import FunctionMetrics, read_record

SAMPLES = sorted(
    path for path in (Path(__file__).parent / "complexity_samples").iterdir() if path.suffix != ".expected"
)


def described(row: FunctionMetrics) -> str:
    counts = (row.cyclomatic, row.extended, row.cognitive, row.nesting, row.parameters)
    figures = " ".join(map(str, counts))
    return f"{row.line}-{row.end_line} {row.name} = {figures}" + (" recursive" if row.recursive else "")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_functions_and_their_figures_are_those_counted_by_hand(path: Path) -> None:
    record = read_record(path.name, path.read_bytes())
    assert record is not None
    expected = path.with_name(path.name + ".expected").read_text(encoding="utf-8").splitlines()
    assert [described(row) for row in record.functions] == expected


def test_every_grammar_has_a_sample_of_hard_cases() -> None:
    sampled = {language.name for path in SAMPLES if (language := language_of(path.name)) is not None}
    assert {language.name for language in LANGUAGES} - sampled == {"javascript", "typescript"}  # as tsx


def rows(name: str, text: str) -> list[FunctionMetrics]:
    record = read_record(name, text.encode())
    assert record is not None
    return list(record.functions)


@pytest.mark.parametrize(
    ("name", "text", "counts"),
    [
        # n1, n2, N1, N2: def ( , ) is one pair; : return +; f a b twice each but f
        ("a.py", "def f(a, b):\n    return a + b\n", (6, 3, 6, 5)),
        ("a.py", 'def f():  # a + b\n    return "a + b"\n', (4, 2, 4, 2)),
        ("a.py", 'def f():\n    """It\'s # not a comment."""\n    x = r"\\d" % 3\n', (5, 5, 5, 5)),
        ("a.js", "function f(a) { return /['\"]/.test(a) // b\n}", (5, 4, 6, 5)),
        ("a.js", "function f() { return `a ${b} \\` c` }", (4, 2, 4, 2)),
        ("a.go", "package p\nfunc f() { x := `a\n\" b`; _ = '\\''; }", (6, 5, 7, 5)),
        ("a.rs", "fn f<'a>(x: &'a str) -> char { 'x' }", (8, 6, 8, 7)),
        ("A.java", 'class A { String f() { return """\n  a " b\n  """; } }', (4, 3, 4, 3)),
        ("a.sh", "f() {\n  cat <<EOF\n a + b\nEOF\n}\n", (2, 3, 2, 3)),
    ],
)
def test_operators_and_operands_are_those_of_the_table(
    name: str, text: str, counts: tuple[int, int, int, int]
) -> None:
    [row] = rows(name, text)
    assert (row.distinct_operators, row.distinct_operands, row.operators, row.operands) == counts


def test_inner_functions_have_their_own_words_and_the_outer_one_the_rest() -> None:
    outer, inner = rows("a.py", "def outer(a):\n    def inner(b):\n        return b * b\n    return a\n")
    assert (outer.operators, outer.operands) == (4, 3)
    assert (inner.operators, inner.operands) == (5, 4)


def test_lines_of_code_leave_blank_lines_and_comments_out() -> None:
    text = "def f():\n\n    # nothing\n    x = '''a\n\n    # text\n    '''  # here\n    return x\n"
    [row] = rows("a.py", text)
    assert (row.line, row.end_line, row.lines_of_code) == (1, 8, 5)
    [row] = rows("a.c", "int f(void)\n{ /* one\n two */\n\n  /* three */ return 1; // four\n}\n")
    assert row.lines_of_code == 4


def test_halstead_effort_is_difficulty_times_volume() -> None:
    [row] = rows("a.py", "def f(a, b):\n    return a + b\n")
    assert row.volume == pytest.approx(11 * 3.169925)
    assert row.difficulty == pytest.approx(6 / 2 * 5 / 3)
    assert row.effort == pytest.approx(row.volume * row.difficulty)


def test_the_documentation_has_the_operators_of_every_language() -> None:
    text = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    told = {
        name: words
        for names, words in re.findall(r"^\| ([\w, ]+) \| (.*) \|$", text, re.MULTILINE)
        for name in names.split(", ")
    }
    for language in LANGUAGES:
        assert told[language.name] == " ".join(sorted(set(language.flow.operators.split()))), language.name

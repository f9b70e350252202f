from __future__ import annotations

import pytest

from holdfast.syntax.facts import facts, statement_starts
from holdfast.syntax.parse import parse
from tests.syntax.named import language_named


def starts(name: str, text: str) -> tuple[int, ...]:
    return statement_starts(parse(language_named(name), text))


def test_a_line_that_continues_a_statement_belongs_to_its_first():
    text = "x = call(\n    one,\n    two,\n)\ny = 1\n"
    assert starts("python", text) == (1, 1, 1, 1, 5, 6)


def test_statements_in_a_block_begin_for_themselves():
    text = "def f(\n    a,\n):\n    if a:\n        return (\n            a\n        )\n    return 2\n"
    assert starts("python", text) == (1, 1, 1, 4, 5, 5, 5, 8, 9)


def test_what_closes_a_block_belongs_to_what_opened_it():
    text = "function f() {\n  if (a) {\n    b()\n  } else {\n    c()\n  }\n}\n"
    assert starts("javascript", text) == (1, 2, 3, 2, 5, 2, 1, 8)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("java", "class A {\n  int f() {\n    return g(\n      1);\n  }\n}", (1, 2, 3, 3, 2, 1)),
        ("go", "func f() {\n\tg(\n\t\t1,\n\t)\n}", (1, 2, 2, 2, 1)),
        ("rust", "fn f() {\n    let x = g(\n        1,\n    );\n}", (1, 2, 2, 2, 1)),
        ("c", "int f(void)\n{\n  return g(1,\n    2);\n}", (1, 1, 3, 3, 1)),
        ("ruby", "def f\n  g(1,\n    2)\nend", (1, 2, 2, 1)),
        ("kotlin", "fun f() {\n    g(\n        1\n    )\n}", (1, 2, 2, 2, 1)),
        ("swift", "func f() {\n    g(\n        1\n    )\n}", (1, 2, 2, 2, 1)),
        ("php", "<?php\nfunction f() {\n  g(\n    1\n  );\n}", (1, 2, 3, 3, 3, 2)),
        ("csharp", "class A {\n  void F() {\n    G(\n      1);\n  }\n}", (1, 2, 3, 3, 2, 1)),
        ("bash", "f() {\n  g 1 \\\n    2\n}", (1, 2, 2, 1)),
    ],
)
def test_every_language_knows_its_blocks(name, text, expected):
    assert starts(name, text) == expected


def test_facts_have_the_statements_of_every_line():
    text = "x = (\n  1\n)\n"
    assert facts("a.py", text).statements == (1, 1, 1, 4)
    assert facts("a.txt", text).statements == ()

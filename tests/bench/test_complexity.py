"""What others are known to count otherwise is seen in a function, and nothing where there is none of it."""

from __future__ import annotations

import ast

import pytest
from bench.complexity import PYTHON, RECURSION, constructs, ours


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return a + b", set()),
        ("assert a", {"assert"}),
        ("try:\n    a()\nfinally:\n    b()", {"finally"}),
        ("for x in a:\n    b()\nelse:\n    a()", {"else of a loop or try"}),
        ("if a:\n    b()\nelif b:\n    a()", {"elif"}),
        ("match a:\n    case 1:\n        b()", {"match"}),
        ("return [x for x in a]", {"comprehension"}),
        ("return lambda: a", {"inner function"}),
        ("return a and b", {"operators"}),
        ("return f(a)", {RECURSION}),
    ],
)
def test_a_construct_is_named(body, expected):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    [function] = ast.parse(f"def f(a, b):\n{lines}").body
    assert isinstance(function, ast.FunctionDef)
    assert set(constructs(function)) == expected


def test_every_reason_that_a_program_differs_can_be_found():
    sample = (
        "async def f(a):\n    async for x in a:\n        assert x\n    else:\n"
        "        f(lambda: [y for y in a and x])\n"
        "    try:\n        a()\n    finally:\n        match a:\n            case 1:\n                a()\n"
        "    if a:\n        a()\n    elif x:\n        a()\n"
    )
    [function] = ast.parse(sample).body
    assert isinstance(function, ast.AsyncFunctionDef)
    known = {reason for _, _, reasons in PYTHON.values() for reason in reasons}
    assert known <= set(constructs(function))


def test_functions_are_found_by_file_and_line(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "a.py").write_text("\ndef f(a):\n    return a or 1\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("def f(): pass\n", encoding="utf-8")
    found = ours(tmp_path)
    assert [(place, each.name, each.extended) for place, each in found.items()] == [
        (("package/a.py", 2), "f", 2)
    ]

"""Python's own parser counts too, as radon reads it; both must agree, on all of this project."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.syntax.complexity import measure_functions
from holdfast.syntax.parse import parse
from holdfast.syntax.record import read_record
from tests.syntax.named import language_named

SAMPLE = Path(__file__).parent / "samples" / "inventory.pyw"
ONE = (ast.If, ast.ExceptHandler, ast.IfExp, ast.Assert)
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef)


def weight(node: ast.AST) -> int:
    if isinstance(node, ONE):
        return 1
    if isinstance(node, ast.BoolOp):
        return len(node.values) - 1
    if isinstance(node, ast.comprehension):
        return 1 + len(node.ifs)
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        return 1 + bool(node.orelse)
    if isinstance(node, (ast.Try, ast.TryStar)):
        return bool(node.orelse)
    if isinstance(node, ast.match_case):
        always = isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None
        return node.guard is not None or not always
    return 0


def independent(tree: ast.AST) -> list[tuple[int, str, int]]:
    functions = [node for node in ast.walk(tree) if isinstance(node, NAMED)]
    return sorted((function.lineno, function.name, 1 + inside(function)) for function in functions)


def inside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    total = 0
    waiting: list[ast.AST] = [node.args, *node.body]
    while waiting:
        child = waiting.pop()
        if isinstance(child, NAMED):
            continue
        total += weight(child)
        if not isinstance(child, ast.Assert):
            waiting.extend(ast.iter_child_nodes(child))
    return total


def test_both_counts_agree_on_every_function_of_this_project():
    seen = 0
    for path in sorted(Path(holdfast.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        theirs = independent(ast.parse(text))
        defined = {(line, name) for line, name, _count in theirs}  # lambdas with a name have rows as well
        ours = sorted(
            (each.metrics.line, name, each.metrics.extended)
            for each in measure_functions(parse(language_named("python"), text))
            if (each.metrics.line, name := each.metrics.name.rpartition(".")[2]) in defined
        )
        assert ours == theirs, path.name
        seen += len(ours)
    assert seen > 500


def test_statements_are_counted_as_ruff_counts_them():
    root = Path(holdfast.__file__).parent
    command = [
        str(Path(sys.executable).with_name("ruff")),
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "C901",
    ]
    limit = ["--config", "lint.mccabe.max-complexity=0", "--output-format", "json", "--exclude", "*.pyi"]
    told = json.loads(
        subprocess.run([*command, *limit, root, SAMPLE], capture_output=True, check=False).stdout
    )
    theirs = {
        (entry["filename"], entry["location"]["row"]): int(entry["message"].split("(")[1].split(" ")[0])
        for entry in told
    }
    assert len(theirs) > 2000
    ours = {}
    for path in [SAMPLE, *root.rglob("*.py")]:
        record = read_record(path.name, path.read_bytes())
        assert record is not None
        ours |= {(str(path), row.line): row.cyclomatic for row in record.functions if "<" not in row.name}
    assert {place: ours.get(place) for place in theirs} == theirs


@pytest.mark.parametrize("path", ["a.ts", "a.js"])
def test_initial_values_of_fields_have_rows_of_their_own_like_in_eslint(path: str) -> None:
    """As eslint 9 counts them, which reports `x`, `y` and the function of `z` apart."""
    text = (
        "function f() {\n"
        "  return class A { x = a ? b : c; static y = a && b || c; z = v => v ? 1 : 2; w = 1 }\n"
        "}\n"
    )
    record = read_record(path, text.encode())
    assert record is not None
    rows = {row.name: row.extended for row in record.functions}
    assert rows == {"f": 1, "f.x": 2, "f.y": 3, "f.z": 2}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f(a=1 if x else 2, b=[i for i in y if i], k=lambda v: 1 if v else 2):\n    return a\n"),
        ("a.cpp", "int f(int a = x ? 1 : 2) { return a; }\n"),
    ],
)
def test_a_decision_in_a_default_argument_is_not_of_the_function(path: str, text: str) -> None:
    """Python runs it where the function is defined and C++ where it is called; radon leaves it out too."""
    record = read_record(path, text.encode())
    assert record is not None
    assert [(row.name, row.extended, row.cognitive) for row in record.functions] == [("f", 1, 0)]

"""Python's own parser counts too, as radon reads it; both must agree, on all of this project."""

from __future__ import annotations

import ast
from pathlib import Path

import holdfast
from holdfast.syntax.complexity import measured
from holdfast.syntax.parse import parse
from tests.syntax.named import language_named

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
    if isinstance(node, ast.Try):
        return bool(node.orelse)
    if isinstance(node, ast.match_case):
        return not (isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None)
    return 0


def independent(tree: ast.AST) -> list[tuple[int, str, int]]:
    functions = [node for node in ast.walk(tree) if isinstance(node, NAMED)]
    return sorted((function.lineno, function.name, 1 + inside(function)) for function in functions)


def inside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    total = 0
    waiting: list[ast.AST] = list(node.body)
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
        ours = sorted(
            (each.metrics.line, each.metrics.name.rpartition(".")[2], each.metrics.extended)
            for each in measured(parse(language_named("python"), text))
        )
        assert ours == independent(ast.parse(text)), path.name
        seen += len(ours)
    assert seen > 500

"""Hold the size budget: files of at most 400 lines, functions of at most 50."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
FILE_LINES = 400
FUNCTION_LINES = 50


def functions(tree: ast.AST) -> Iterator[tuple[str, int, int]]:
    """Yield name, first line and length of every function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1


def main() -> int:
    """Print what is over budget and the sizes in general."""
    problems, files, lengths = [], [], []
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        where = path.relative_to(ROOT)
        files.append(len(text.splitlines()))
        if files[-1] > FILE_LINES:
            problems.append(f"{where}: {files[-1]} lines, the budget is {FILE_LINES}")
        for name, line, length in functions(ast.parse(text)):
            lengths.append(length)
            if length > FUNCTION_LINES:
                problems.append(f"{where}:{line}: {name} has {length} lines, the budget is {FUNCTION_LINES}")
    print("\n".join(problems), end="\n" if problems else "")
    ninth = sorted(lengths)[len(lengths) * 9 // 10]
    print(
        f"{len(files)} files, median {median(files):g} lines;"
        f" {len(lengths)} functions, median {median(lengths):g}, nine in ten at most {ninth}"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

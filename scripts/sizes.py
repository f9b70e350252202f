"""Enforces the limits on size, and unique names: of modules within a room, of classes in the package.

Files have at most 400 lines, functions 50 lines and six parameters, folders 22 modules. These are judgements:
what a reader can hold at once. The totals and the page's lines are printed for information; they have no
limit.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "holdfast"
FILE_LINES = 400
FUNCTION_LINES = 50
PARAMETERS = 6
FOLDER_MODULES = 22
PAGE = PACKAGE / "faces" / "web" / "static"

MORE_PARAMETERS: dict[str, str] = {}
"""Functions with more parameters, as `path:name`, each with the reason."""

SHARED_CLASS_NAMES = {
    "DefectSummary": "named in the schemas of two tools, which do not change",
    "Hotspot": "named in the schemas of three tools, which do not change",
    "Performance": "named in the schemas of two tools, which do not change",
}
"""Names that two classes of the package may share, each with the reason."""

TOOLS = "tools"
"""A folder of modules named after tools, which may share their names with other modules of the room."""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of a function's lines."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of a function's parameters, `self` and `cls` aside."""
    named = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    rest = [extra for extra in (function.args.vararg, function.args.kwarg) if extra is not None]
    return len([argument for argument in named if argument.arg not in {"self", "cls"}]) + len(rest)


def function_problems(path: Path, tree: ast.AST) -> Iterator[str]:
    """Yield the functions of a module that exceed a limit."""
    where = path.relative_to(PACKAGE).as_posix()
    for function in functions(tree):
        place = f"src/holdfast/{where}:{function.lineno}: {function.name}"
        if length(function) > FUNCTION_LINES:
            yield f"{place} has {length(function)} lines, the limit is {FUNCTION_LINES}"
        if parameters(function) > PARAMETERS and f"{where}:{function.name}" not in MORE_PARAMETERS:
            yield f"{place} has {parameters(function)} parameters, the limit is {PARAMETERS}"


def folder_problems(modules: list[Path]) -> Iterator[str]:
    """Yield folders with too many modules, and names that two modules of a room share."""
    folders: defaultdict[Path, int] = defaultdict(int)
    named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path in modules:
        where = path.relative_to(PACKAGE)
        folders[where.parent] += 1
        if len(where.parts) > 1 and path.stem != "__init__" and path.parent.name != TOOLS:
            named[room_of(where), path.stem].append(where.as_posix())
    for folder, count in sorted(folders.items()):
        if count > FOLDER_MODULES:
            yield f"src/holdfast/{folder}: {count} modules, the limit is {FOLDER_MODULES}"
    for (room, name), places in sorted(named.items()):
        if len(places) > 1:
            yield f"src/holdfast/{room}: {name!r} is the name of {' and '.join(places)}"


def class_problems(trees: dict[Path, ast.Module]) -> Iterator[str]:
    """Yield names that several classes of the package share."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name not in SHARED_CLASS_NAMES:
                named[node.name].append(path.relative_to(PACKAGE).as_posix())
    for name, places in sorted(named.items()):
        if len(places) > 1:
            yield f"src/holdfast: {name!r} is a class in {' and '.join(places)}"


def room_of(where: Path) -> str:
    """Return the folder within which names of modules are unique: a room, or one of the faces."""
    return "/".join(where.parts[: 2 if where.parts[0] == "faces" and len(where.parts) > 2 else 1])


def main() -> int:
    """Print what exceeds a limit, then the totals."""
    modules = sorted(PACKAGE.rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules}
    problems, files, lengths = [*folder_problems(modules), *class_problems(trees)], [], []
    for path, tree in trees.items():
        files.append(len(path.read_text(encoding="utf-8").splitlines()))
        lengths += [length(function) for function in functions(tree)]
        if files[-1] > FILE_LINES:
            problems.append(f"{path.relative_to(ROOT)}: {files[-1]} lines, the limit is {FILE_LINES}")
        problems += function_problems(path, tree)
    print("\n".join(problems), end="\n" if problems else "")
    ninetieth = sorted(lengths)[len(lengths) * 9 // 10]
    page = sum(len(path.read_bytes().splitlines()) for path in PAGE.rglob("*") if path.is_file())
    print(
        f"{len(files)} modules, {sum(files):,} lines, median {median(files):g};"
        f" {len(lengths)} functions, median {median(lengths):g}, 90th percentile {ninetieth};"
        f" {page:,} lines of the page"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

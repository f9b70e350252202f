"""Whether complexity is counted as others count it: ruff, radon, lizard, complexipy and cognitive-complexity.

    python -m bench.complexity [--corpus FOLDER]...

For Python the corpus is the standard library of the Python that runs this, without its tests. Others are
trees in other languages, which lizard reads too; `HOLDFAST_TREES` names folders that hold them. A function
is compared with the one that begins on the same line, in other languages with the one that ends there. One
that differs is put under the first construct that it has of those that the other program is known to count
otherwise, or under none of them.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from bench._peers import Peers, folders
from bench._results import Results, absent, parser
from bench.names import spearman
from holdfast.syntax.languages import language_of
from holdfast.syntax.parse import ParseTooLong
from holdfast.syntax.record import FunctionMetrics, read_record

PACKAGES = ("radon", "lizard", "complexipy", "cognitive-complexity")
LEFT_OUT = frozenset({"site-packages", "test", "tests", "idle_test", "lib2to3", "__pycache__"})
LIZARD = """
import json, lizard, lizard_languages, pathlib
found = []
for path in map(str, pathlib.Path(".").rglob("*.*")):
    if lizard_languages.get_reader_for(path) and pathlib.Path(path).is_file():
        try:
            told = lizard.analyze_file(path).function_list
            found += [(path, each.start_line, each.end_line, each.cyclomatic_complexity) for each in told]
        except Exception:  # some files make it fail, and its command line then ends for all
            pass
print(json.dumps(found))
"""
FEWEST = 100
"""Functions that end on the same line, for a language to have a row."""
COGNITIVE = """
import ast, json, pathlib, sys
from cognitive_complexity.api import get_cognitive_complexity
found = []
for path in pathlib.Path(".").rglob("*.py"):
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((str(path), node.lineno, get_cognitive_complexity(node)))
print(json.dumps(found))
"""

Place = tuple[str, int]
Figures = Mapping[Place, int]
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
RECURSION = "call of its own name"
LOOP = (ast.For, ast.AsyncFor, ast.While)


@cache
def ours(folder: Path) -> dict[Place, FunctionMetrics]:
    """Return our figures for every function with a name, but for files that take too long to parse."""
    found: dict[Place, FunctionMetrics] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        with suppress(ParseTooLong):
            record = read_record(path.name, path.read_bytes(), with_names=False)
            for each in record.functions if record is not None else ():
                if "<" not in each.name:
                    found.setdefault((str(path.relative_to(folder)), each.line), each)
    return found


def ruff(_: Peers, folder: Path) -> Figures:
    options = ["--isolated", "--no-cache", "--select", "C901", "--output-format", "json"]
    command = [
        str(Path(sys.executable).with_name("ruff")),
        "check",
        *options,
        "--config",
        "lint.mccabe.max-complexity=0",
    ]
    told = json.loads(subprocess.run([*command, str(folder)], capture_output=True, check=False).stdout)
    return {
        (os.path.relpath(each["filename"], folder), each["location"]["row"]): int(
            each["message"].split("(")[1].split()[0]
        )
        for each in told
        if each["code"] == "C901"
    }


def radon(peers: Peers, folder: Path) -> Figures:
    def blocks(found: list[dict[str, object]]) -> Iterator[dict[str, object]]:
        for block in found:
            yield block
            for inner in ("closures", "methods"):
                yield from blocks(block.get(inner, []))

    told = json.loads(peers.run("radon", "cc", "-j", ".", within=folder))
    return {
        (path, block["lineno"]): block["complexity"]
        for path, found in told.items()
        for block in (blocks(found) if isinstance(found, list) else ())
        if block["type"] != "class"
    }


def lizard(peers: Peers, folder: Path) -> Figures:
    told = json.loads(peers.run("python", "-c", LIZARD, within=folder))
    return {(path, line): figure for path, line, _, figure in told}


def complexipy(peers: Peers, folder: Path) -> Figures:
    """Return its figures, which come with names for places: those that are there once."""
    options = [
        "--quiet",
        "--isolated",
        "--no-ignore",
        "--max-complexity-allowed",
        "0",
        "--output-format",
        "json",
    ]
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch, "told.json")
        peers.run("complexipy", ".", *options, "--output", str(place), within=folder)
        told = json.loads(place.read_text(encoding="utf-8"))
    lines: dict[tuple[str, str], list[int]] = {}
    for (path, line), each in ours(folder).items():
        lines.setdefault((path, each.name), []).append(line)
    named = [((each["path"], each["function_name"].replace("::", ".")), each["complexity"]) for each in told]
    many = Counter(key for key, _ in named)
    return {
        (key[0], lines[key][0]): figure
        for key, figure in named
        if many[key] == 1 and len(lines.get(key, ())) == 1
    }


def cognitive_complexity(peers: Peers, folder: Path) -> Figures:
    told = json.loads(peers.run("python", "-c", COGNITIVE, within=folder))
    return {(path, line): figure for path, line, figure in told}


def constructs(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield what a function has that programs count in different ways."""
    for node in ast.walk(function):
        if node is not function:
            yield from _named(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function.name:
            yield RECURSION


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assert):
        yield "assert"
    if isinstance(node, (*LOOP, ast.Try, ast.TryStar)) and node.orelse:
        yield "else of a loop or try"
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        yield "elif"
    if isinstance(node, ast.AsyncFor):
        yield "async for"
    if isinstance(node, ast.Try | ast.TryStar) and node.finalbody:
        yield "finally"
    if isinstance(node, ast.match_case):
        yield "match"
    if isinstance(node, ast.comprehension):
        yield "comprehension"
    if isinstance(node, (*FUNCTION, ast.ClassDef, ast.Lambda)):
        yield "inner function"
    if isinstance(node, ast.BoolOp | ast.IfExp):
        yield "operators"


PYTHON: dict[str, tuple[Callable[[Peers, Path], Figures], str, tuple[str, ...]]] = {
    "ruff C901": (ruff, "cyclomatic", ()),
    "radon cc": (radon, "extended", ("inner function",)),
    "lizard": (lizard, "extended", ("assert", "else of a loop or try", "finally", "match", "inner function")),
    "complexipy": (
        complexipy,
        "cognitive",
        ("comprehension", "else of a loop or try", RECURSION, "inner function", "operators"),
    ),
    "cognitive-complexity": (
        cognitive_complexity,
        "cognitive",
        ("elif", "else of a loop or try", "operators", RECURSION, "inner function", "match", "async for"),
    ),
}
"""How to ask each program, which of our figures is beside it, and what it is known to count otherwise."""
UNEXPLAINED = "none of these"


def standard_library(folder: Path) -> Path:
    """Copy the library of this Python, without its tests, where programs leave nothing out for its place."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in library.rglob("*.py"):
        inside = path.relative_to(library)
        if not LEFT_OUT.intersection(inside.parts):
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / inside)
    return folder


def python(results: Results, peers: Peers, folder: Path) -> None:
    """Compare the functions of a tree in Python."""
    mine, rows = ours(folder), []
    nodes = {
        (str(path.relative_to(folder)), node.lineno): node
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, FUNCTION)
    }
    for name, (ask, figure, known) in PYTHON.items():
        theirs = ask(peers, folder)
        both = theirs.keys() & mine.keys()
        why: Counter[str] = Counter()
        plain = 0
        for place in both:
            has = {*constructs(nodes[place]), *([RECURSION] if mine[place].recursive else [])}
            plain += has.isdisjoint(known)
            if getattr(mine[place], figure) != theirs[place]:
                why[next((each for each in known if each in has), UNEXPLAINED)] += 1
        equal = 100 * (1 - why.total() / len(both))
        told = ", ".join(f"{each} {count}" for each, count in why.most_common())
        rows.append((name, figure, len(theirs), len(theirs) - len(both), f"{equal:.2f}", told, plain))
        if name in BARS:
            what, bar = BARS[name]
            results.bar(
                what,
                equal if bar else float(why[UNEXPLAINED]),
                bar,
                against=name,
                better="higher" if bar else "lower",
            )
    columns = (
        "beside",
        "our figure",
        "functions",
        "not ours",
        "equal %",
        "of the others, so many have",
        "functions with none of these",
    )
    results.table("python", columns, rows)
    results.table(
        "halstead", ("beside", "figure", "functions", "rank correlation"), [volume(peers, folder, mine)]
    )


BARS = {
    "ruff C901": ("complexity, statements: % of functions equal, standard library", 100.0),
    "radon cc": ("complexity, extended: % of functions equal, standard library", 99.5),
    "complexipy": (
        "cognitive complexity: functions that differ and have no construct known to, standard library",
        0.0,
    ),
}


def volume(peers: Peers, folder: Path, mine: Mapping[Place, FunctionMetrics]) -> tuple[str, str, int, float]:
    """Compare the order by Halstead's volume, of functions with a name that their file has once."""
    named: dict[tuple[str, str], list[float]] = {}
    for (path, _), each in mine.items():
        named.setdefault((path, each.name.rpartition(".")[2]), []).append(each.volume)
    told = json.loads(peers.run("radon", "hal", "-f", "-j", ".", within=folder))
    pairs = [
        (figures["volume"], named[path, name][0])
        for path, found in told.items()
        for name, figures in found.get("functions", {}).items()
        if len(named.get((path, name), ())) == 1
    ]
    return "radon hal", "Halstead's volume", len(pairs), spearman(*zip(*pairs, strict=True))


def others(results: Results, peers: Peers, trees: list[Path]) -> None:
    """Compare the functions of trees in other languages with lizard's."""
    counted: dict[str, Counter[str]] = {}
    names: dict[str, dict[str, None]] = {}
    for tree in trees:
        mine = {(path, each.end_line): each.extended for (path, _), each in ours(tree).items()}
        told = json.loads(peers.run("python", "-c", LIZARD, within=tree))
        theirs = {(path, end): figure for path, _, end, figure in told}
        for place in mine.keys() | theirs.keys():
            language = language_of(place[0])
            if language is None or language.name == "python":
                continue
            row = counted.setdefault(language.name, Counter())
            row["ours"] += place in mine
            row["theirs"] += place in theirs
            if place in mine and place in theirs:
                names.setdefault(language.name, {})[tree.name] = None
                row["both"] += 1
                row["equal"] += mine[place] == theirs[place]
    rows = [
        (
            f"{name} ({', '.join(names[name])})",
            row["ours"],
            row["theirs"],
            row["both"],
            f"{100 * row['equal'] / row['both']:.1f}",
        )
        for name, row in sorted(counted.items(), key=lambda item: -item[1]["both"])
        if row["both"] >= FEWEST
    ]
    results.table(
        "languages",
        ("language", "functions, ours", "lizard's", "end on the same line", "of these equal %"),
        rows,
    )


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--corpus", type=Path, action="append", help="a tree in other languages")
    given = options.parse_args()
    trees = given.corpus or sorted(
        tree for each in folders("HOLDFAST_TREES") for tree in each.iterdir() if tree.is_dir()
    )
    if given.save and not trees:
        return absent("a folder of trees in other languages (HOLDFAST_TREES)")
    peers = Peers("complexity", PACKAGES)
    with tempfile.TemporaryDirectory() as scratch:
        library = standard_library(Path(scratch, "library"))
        files = len(list(library.rglob("*.py")))
        about = f"Python's standard library without its tests, {files} files (PSF licence)"
        versions = {**peers.versions(), "ruff": version("ruff")}
        results = Results("bench.complexity", about, versions)
        python(results, peers, library)
    if trees:
        others(results, peers, trees)
    return results.finish(given)


if __name__ == "__main__":
    sys.exit(main())

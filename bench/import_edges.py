"""Whether the graph's imports are those that Python itself would follow: edge by edge, on a tree of files.

For every import statement, as Python's own parser reads it, Python's own finder is asked which file it loads,
with the path that pytest would give the file: the folder beside its outermost package, then the root and its
`src`. No code of the tree is run; files that this version of Python does not read are left out.

    python -m bench.import_edges [FOLDER]...

`HOLDFAST_IMPORTS` names the folders too.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from bench._peers import folders
from bench._results import Results, absent, parser
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.dependency_graph import dependency_graph
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import read_record

Edge = tuple[str, str]


class PythonsView:
    """What Python would load, for the files below a root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._specs: dict[tuple[str, tuple[str, ...]], ModuleSpec | None] = {}
        self._bound: dict[str, frozenset[str]] = {}

    def edges(self, path: Path) -> Iterator[Edge]:
        """Yield the edges from a file."""
        for node in ast.walk(ast.parse(path.read_bytes())):
            for target in self._targets(path, node):
                if target != path and target.is_relative_to(self.root):
                    yield str(path.relative_to(self.root)), str(target.relative_to(self.root))

    def _targets(self, path: Path, node: ast.AST) -> Iterator[Path]:
        if isinstance(node, ast.Import):
            for name in node.names:
                yield from _file(self._find(path, name.name.split(".")))
        elif isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".") if node.module else []
            if node.level:
                package = self._package(path)
                keep = len(package) - node.level + 1
                if keep <= 0:
                    return
                module = package[:keep] + module
            for name in node.names:
                yield from self._taken(path, module, name.name)

    def _taken(self, path: Path, module: list[str], name: str) -> Iterator[Path]:
        """Yield the file of what is taken from a module: its own, or that of a module in it."""
        owner = self._find(path, module)
        if owner is None:
            return
        own = next(_file(owner), None)
        if name != "*" and (own is None or name not in self._names(own)):
            inner = self._find(path, [*module, name])
            if inner is not None and inner.origin:
                yield from _file(inner)
                return
        yield from _file(owner)

    def _package(self, path: Path) -> list[str]:
        """Return the package that a file is in."""
        parts: list[str] = []
        folder = path.parent
        while (folder / "__init__.py").exists():
            parts.insert(0, folder.name)
            folder = folder.parent
        return parts

    def _find(self, path: Path, parts: list[str]) -> ModuleSpec | None:
        base = path.parent
        for _ in self._package(path):
            base = base.parent
        search: list[str] = [str(base), str(self.root), str(self.root / "src")]
        spec: ModuleSpec | None = None
        for done in range(1, len(parts) + 1):
            key = (parts[done - 1], tuple(search))  # a last name alone, since no parent is ever loaded
            if key not in self._specs:
                self._specs[key] = PathFinder.find_spec(key[0], search)
            spec = self._specs[key]
            if spec is None:
                return None
            search = list(spec.submodule_search_locations or ())
        return spec

    def _names(self, path: Path) -> frozenset[str]:
        """Return the names that a module binds itself, and not by importing a module of its own."""
        key = str(path)
        if key not in self._bound:
            readable = _is_readable(path)
            self._bound[key] = frozenset(_bindings(ast.parse(path.read_bytes()))) if readable else frozenset()
        return self._bound[key]


def _bindings(node: ast.AST) -> Iterator[str]:
    """Yield the names that a module binds at its top, but for its own modules."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner.name
        elif isinstance(inner, ast.ImportFrom) and inner.module:
            yield from (name.asname or name.name for name in inner.names)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        else:
            yield from _bindings(inner)


def _is_readable(path: Path) -> bool:
    """Return whether this version of Python reads a file."""
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return False
    return True


def _file(spec: ModuleSpec | None) -> Iterator[Path]:
    if spec is not None and spec.origin and spec.origin.endswith(".py"):
        yield Path(spec.origin)


def ours(root: Path, paths: list[Path]) -> set[Edge]:
    """Return the edges of our graph."""
    records = {str(path.relative_to(root)): read_record(path.name, path.read_bytes()) for path in paths}
    others = [str(path.relative_to(root)) for path in root.glob("*.*") if path.is_file()]

    def read(name: str) -> str | None:
        place = root / name
        return place.read_text(encoding="utf-8", errors="replace") if place.is_file() else None

    scan = Scan({name: record for name, record in records.items() if record}, {}, (), tuple(others))
    graph = dependency_graph(scan, Resolution(scan, read), "import-graph")
    return {(edge.origin, edge.target) for edge in graph.edges}


def main() -> int:
    """Compare, and show where the two differ."""
    arguments = parser(__doc__)
    arguments.add_argument("folders", type=Path, nargs="*", default=folders("HOLDFAST_IMPORTS"))
    options = arguments.parse_args()
    if not options.folders:
        return absent("a tree in Python (HOLDFAST_IMPORTS)")
    rows = []
    for folder in options.folders:
        root = Path(os.path.realpath(folder))
        paths = sorted(path for path in root.rglob("*.py") if _is_readable(path))
        python = PythonsView(root)
        theirs = {edge for path in paths for edge in python.edges(path)}
        found = ours(root, paths)
        rows.append((folder.name, len(paths), len(theirs), len(theirs & found), len(found - theirs)))
        for title, edges in (("only Python", theirs - found), ("only ours", found - theirs)):
            for origin, target in sorted(edges)[:20]:
                print(f"  {title}: {origin} -> {target}")
    results = Results(
        "bench.import_edges",
        "Trees in Python as their repositories have them; what differs in them was looked at",
    )
    results.table("trees", ("tree", "files", "edges by Python", "of these ours", "only ours"), rows)
    return results.finish(options)


if __name__ == "__main__":
    sys.exit(main())

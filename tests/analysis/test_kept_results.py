"""What is kept from one scan to the next: after edits, results equal those of a computation from scratch."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.analysis.dead_code.detection import find_dead_code
from holdfast.analysis.engine.scan import Scan
from holdfast.analysis.graph.cross_language import cross_language_references
from holdfast.analysis.graph.dependency_graph import dependency_graph
from holdfast.analysis.graph.resolution import Resolution
from holdfast.syntax.record import Record, read_record

LINES = {
    "pkg/__init__.py": [
        "from pkg.core import run",
        "from . import helper",
        "helper = None",
        "__all__ = ['run']",
    ],
    "pkg/core.py": [
        "from pkg.helper import assist as help_out",
        "import pkg.helper",
        "class Base:\n    def save(self): return self.load()\n    def load(self): return 1",
        "class Child(Base):\n    def store(self): return save_all()",
        "def run(): return help_out()",
        "def save_all(): return run_never()",
        "def run_never(): return 2",
        "def outer(run_never=0):\n    def nested(): return help_out()\n    return nested().store",
        "class Lazy:\n    @plug\n    def get(self): return outer()\n    found = save_all()",
        "@register\ndef plug(): pass",
    ],
    "pkg/helper.py": [
        "from pkg.core import Child, save_all",
        "def assist(): return Child().save()",
        "def unused_helper(x): return x.store()",
        "NAMES = ['run_never', 'plug']",
        "for each in Base.__subclasses__(): pass",
    ],
    "main.py": [
        "import pkg",
        "from pkg import helper",
        "from pkg.core import *",
        "if __name__ == '__main__': pkg.run()",
        "helper.unused_helper(1)",
        "Lazy.get",
        "def main(): return helper.assist()",
    ],
    "web/a.ts": [
        "import Thing, { part as piece } from './b'",
        "export function show() { return piece() }",
        "export const used = new Thing().render()",
        "show()",
    ],
    "web/b.ts": [
        "export default class Thing { render() { return 1 } hide() { return 2 } }",
        "export function part() { return inner() }",
        "function inner() { return 1 }",
        "export { part as other }",
    ],
    "go/m/main.go": [
        "package main",
        'import "example.org/m/util"',
        "func main() { util.Do() }",
        "func idle() {}",
    ],
    "go/m/util/util.go": [
        "package util",
        "func Do() int { return hidden() }",
        "func hidden() int { return 1 }",
    ],
    "go/m/util/more.go": ["package util", "func Other() int { return Do() }", "func hidden2() {}"],
    "rs/src/lib.rs": ["mod part;", "use part::work;", "pub fn go() { work(); }", "fn alone() {}"],
    "rs/src/part.rs": ["pub fn work() { inner() }", "fn inner() {}", "pub struct work2;"],
    "j/A.java": [
        "package j;",
        "import j.B;",
        "public class A { void a() { new B().b(); } private void z() {} }",
    ],
    "j/B.java": [
        "package j;",
        "public class B { void b() {} private int unusedField; }",
        "class C extends B {}",
    ],
    "c/a.c": [
        '#include "b.h"',
        "int main(void) { return twice(2); }",
        "static int never(void) { return 1; }",
    ],
    "c/b.h": ["int twice(int n);", "#define OLD 1"],
}
"""For each file, pieces of text; each version of the file has some of them."""
OTHERS = {
    "go/m/go.mod": "module example.org/m\n",
    "rs/Cargo.toml": '[package]\nname = "rs"\n',
    "notes.txt": "run_never and Thing",
}
PIECES = [(path, piece) for path, pieces in LINES.items() for piece in range(len(pieces))]


def scan_of(records: dict[str, Record]) -> Scan:
    return Scan(dict(records), {}, (), tuple(OTHERS), version=None, others_version="same")


def results(resolution: Resolution, scan: Scan) -> list[object]:
    return [
        find_dead_code(resolution),
        dependency_graph(scan, resolution, "full-dependency", include_external=True),
        dependency_graph(scan, resolution, "import-graph"),
        cross_language_references(scan, resolution),
        [resolution.imports.paths(path) for path in scan.files],
    ]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8))
def test_results_after_edits_equal_those_from_scratch(edits: list[tuple[str, int]]) -> None:
    left_out: set[tuple[str, int]] = set()
    records: dict[str, Record] = {}

    def read(path: str) -> None:
        pieces = enumerate(LINES[path])
        text = "".join(f"{piece}\n" for number, piece in pieces if (path, number) not in left_out)
        record = read_record(path, text.encode())
        assert record is not None
        records[path] = record

    for path in LINES:
        read(path)
    kept = Resolution(scan_of(records), OTHERS.get)
    results(kept, scan_of(records))
    for edit in edits:
        left_out ^= {edit}
        read(edit[0])
        scan = scan_of(records)
        kept = Resolution(scan, OTHERS.get, kept)
        assert results(kept, scan) == results(Resolution(scan, OTHERS.get), scan)


def test_imports_are_kept_unless_an_interface_changed() -> None:
    records: dict[str, Record] = {}
    for path, pieces in LINES.items():
        record = read_record(path, "\n".join(pieces).encode())
        assert record is not None
        records[path] = record
    first = Resolution(scan_of(records), OTHERS.get)
    results(first, scan_of(records))

    def edited(path: str, text: str, former: Resolution) -> Resolution:
        record = read_record(path, text.encode())
        assert record is not None
        records[path] = record
        return Resolution(scan_of(records), OTHERS.get, former)

    second = edited("pkg/core.py", "def other(): pass", first)
    assert second.imports.is_renewed
    hidden = edited("pkg/__init__.py", "core = 1", second)
    assert not hidden.imports.is_renewed

"""Whole functions and files that are equal: told even where all of their parts stand elsewhere too."""

from __future__ import annotations

from holdfast.analysis.duplicates.clone import CloneKind, CloneQuery
from tests.analysis.duplicates.test_near_clones import CHANGED, ORIGINAL, found, lines, places

Places = list[tuple[CloneKind, list[tuple[str, int, int]]]]


def of_kinds(files: dict[str, str], *kinds: CloneKind) -> Places:
    classes = found(files, CloneQuery(frozenset({*kinds, "gapped"}))).groups
    return [
        (one.kind, there) for one, there in zip(classes, places(classes), strict=True) if one.kind in kinds
    ]


def scattered(function: str) -> dict[str, str]:
    """Return two files with a function, and others in which all parts of it stand, each in one of its own."""
    rows = function.splitlines(keepends=True)
    files = {"a.py": f"import os\nx = 1\n{function}", "b.py": f"y = 2\nz = 3\n{function}"}
    for start in range(0, len(rows) - 7, 2):
        part = "".join(rows[start : start + 9])
        files[f"p{start}.py"] = f"def other{start}(q):\n{lines(2, f'v{start}')}{part}{lines(2, f'w{start}')}"
    return files


def test_copies_of_a_function_are_told_though_every_part_of_it_stands_elsewhere_too() -> None:
    function = "def function(x):\n" + lines(24, "k")

    assert ("exact", [("a.py", 3, 27), ("b.py", 3, 27)]) in of_kinds(scattered(function), "exact")


def test_a_renamed_copy_is_told_likewise() -> None:
    function = "def function(x):\n" + lines(24, "k")
    files = scattered(function)
    files["b.py"] = files["b.py"].replace("ak", "nk").replace("bk", "mk")

    assert ("renamed", [("a.py", 3, 27), ("b.py", 3, 27)]) in of_kinds(files, "renamed")


def test_equal_files_are_told_where_no_function_is_looked_at() -> None:
    function = "def function(x):\n" + lines(24, "k")
    files = scattered(function) | {"a.py": function, "b.py": function}
    classes = found(files, CloneQuery(frozenset({"exact"}))).groups

    assert [("a.py", 1, 25), ("b.py", 1, 25)] in places(classes)


def test_what_a_longer_clone_holds_is_not_told_again() -> None:
    text = f"{ORIGINAL}\n\n{CHANGED}"

    assert of_kinds({"a.py": text, "b.py": text}, "exact") == [("exact", [("a.py", 1, 25), ("b.py", 1, 25)])]


def test_functions_shorter_than_asked_for_are_told_only_as_a_part_of_a_longer_file() -> None:
    short = "def f(a, b):\n    g(a.x, b.y, a.z, b.w, key=a[0])\n    return h(a, b.x(1, 2, 3), c=4)\n"
    other = f"def f0(q):\n    return {list(range(20))}\n"
    renamed = short.replace("a.", "k.").replace("(a,", "(k,").replace("=a", "=k")

    assert of_kinds({"a.py": short, "b.py": renamed, "c.py": other}, "exact", "renamed") == []
    longer = [text + "\n\nA = f(1, 2)\nB = f(3, 4)\n" for text in (short, renamed)]
    found_kinds = of_kinds({"a.py": longer[0], "b.py": longer[1]}, "exact", "renamed")
    assert found_kinds == [("renamed", [("a.py", 1, 7), ("b.py", 1, 7)])]


def test_empty_files_are_no_clones() -> None:
    assert of_kinds({"a.py": "", "b.py": "# nothing\n"}, "exact", "renamed", "semantic") == []

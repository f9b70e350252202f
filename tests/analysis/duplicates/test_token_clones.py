"""Exact and renamed clones: what is one, where it begins and ends, and trees made to be slow or silly."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.analysis.duplicates.clone import CloneKind, CloneQuery, FragmentGroup
from holdfast.analysis.duplicates.clone_report import CloneReport
from holdfast.analysis.duplicates.clones import clones_in_files, project_clones
from holdfast.analysis.engine.product import TOKENS, SourceText
from holdfast.analysis.engine.scan import Project
from holdfast.analysis.engine.token_stream import TokenStream
from holdfast.analysis.room import Analysis
from holdfast.storage.git.repository import Repository
from holdfast.syntax.languages import language_of
from tests.analysis.engine.test_scanner import write
from tests.reliability.samples import examples

EXACT: frozenset[CloneKind] = frozenset({"exact"})
RENAMED: frozenset[CloneKind] = frozenset({"renamed"})
BOTH = EXACT | RENAMED

SUM = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n"
SUMMED = "def summed(rows):\n    value = 0\n    for row in rows:\n        value += row\n    return value\n"
MIXED = "def summed(rows):\n    value = 0\n    for row in rows:\n        value += rows\n    return value\n"


def clones(
    files: dict[str, str], kinds: frozenset[CloneKind] = BOTH, min_lines: int = 5, min_tokens: int = 20
) -> CloneReport:
    """Return the clones of files; `SUM` has 20 tokens."""
    return clones_in_files(streams(files), CloneQuery(kinds, min_lines, min_tokens), dict)


def streams(files: dict[str, str]) -> dict[str, TokenStream]:
    found = {}
    for path, text in sorted(files.items()):
        language = language_of(path, text)
        assert language is not None
        parts = TOKENS.make(SourceText(path, language.name, text.encode()))
        assert parts is not None
        found[path] = TOKENS.restore(parts)
    return found


def places(found: CloneReport) -> list[tuple[str, list[tuple[str, int, int]]]]:
    return [(one.kind, [fragment[:3] for fragment in one.fragments]) for one in found.groups]


@pytest.mark.requirement("analysis-126")
def test_copies_are_exact_clones_whatever_their_layout_and_comments() -> None:
    other = "import os\n\n\n# before\ndef total( items ):\n    result = 0  # none\n\n    for item in items:\n"
    other += "        result += item\n    return result\n\n\nx = 1\n"
    found = clones({"a.py": "y = 2\n" + SUM, "b.py": other, "c.py": "z = [3]\n"})

    assert places(found) == [("exact", [("a.py", 2, 6), ("b.py", 5, 10)])]
    assert found.groups[0].similarity == 1.0
    assert found.duplicate_lines == {"a.py": 5, "b.py": 6}
    assert found.code.share == 11 / found.code.lines


def test_a_copy_ends_with_the_tokens_that_all_have_in_common() -> None:
    calls = [f"call{number}(first, second);" for number in range(6)]
    one_line, lines = " ".join(calls), "\n".join(calls)
    files = {"a.js": f"{one_line}\n", "b.js": f"{lines} one(1);\n", "c.js": f"{lines} two(2);\n"}

    # The first file has too few lines, and ends the common code where a line of the others goes on.
    assert places(clones(files, EXACT)) == [("exact", [("b.js", 1, 5), ("c.js", 1, 5)])]


@pytest.mark.requirement("analysis-127")
def test_names_and_literals_may_differ_in_renamed_clones_where_that_is_consistent() -> None:
    found = clones({"a.py": SUM, "b.py": SUMMED.replace("= 0", "= 100")})

    assert places(found) == [("renamed", [("a.py", 1, 5), ("b.py", 1, 5)])]
    assert 0 < found.groups[0].similarity < 1
    assert places(clones({"a.py": SUM, "b.py": MIXED})) == []
    assert places(clones({"a.py": SUM, "b.py": SUMMED}, EXACT)) == []
    assert places(clones({"a.py": SUM, "b.py": SUM}, RENAMED)) == []


def test_copies_of_many_files_are_one_class() -> None:
    found = clones({f"{name}.py": f"{name} = 1\n{SUM}" for name in "abcdef"}, EXACT)

    assert places(found) == [("exact", [(f"{name}.py", 2, 6) for name in "abcdef"])]


def test_a_part_that_more_files_share_is_a_class_of_its_own() -> None:
    more = (
        "\n\ndef more(a, b):\n    c = a + b\n    d = a - b\n    while c > d:\n        c -= 1\n    return c\n"
    )
    longer = SUM + more
    found = clones({"a.py": longer, "b.py": longer, "c.py": SUM + "\n\nclass C: pass\n"})

    assert places(found) == [
        ("exact", [("a.py", 1, 13), ("b.py", 1, 13)]),
        ("exact", [("a.py", 1, 5), ("c.py", 1, 5)]),
    ]


def test_two_functions_renamed_each_in_its_own_way_are_two_clones() -> None:
    two = "\n\n" + SUM.replace("total", "count").replace("+=", "-=")
    other = "\n\n" + SUM.replace("total", "amount").replace("+=", "-=").replace("item", "thing")
    found = clones({"a.py": SUM + two, "b.py": SUMMED + other})

    assert ("renamed", [("a.py", 1, 5), ("b.py", 1, 5)]) in places(found)
    assert any(
        fragments[0][0] == "a.py" and fragments[0][1] <= 8 and fragments[0][2] == 12
        for _, fragments in places(found)
    )


def test_imports_and_comments_alone_are_no_clones() -> None:
    imports = "".join(f"from package.module{number} import a, b, c, d\n" for number in range(12))
    comments = "".join(f"# the same remark, {number}\n" for number in range(12))

    assert clones({"a.py": imports + comments, "b.py": imports + comments}).groups == ()


def test_languages_are_compared_where_one_may_be_a_copy_of_the_other() -> None:
    script = "function f(a) {\n  let b = 0;\n  for (const c of a) {\n    b += c;\n  }\n  return b;\n}\n"
    braces = "int f(int a)\n{\n  int b = 0;\n  while (a > b) {\n    b += 2;\n  }\n  return b;\n}\n"

    assert len(clones({"a.js": script, "b.ts": script, "c.tsx": script}).groups[0].fragments) == 3
    assert len(clones({"a.c": braces, "b.cpp": braces}).groups[0].fragments) == 2
    assert clones({"a.c": braces, "b.java": braces, "d.cs": braces}).groups == ()


TABLE = "x = [\n" + "".join(f"    ({number}, 'a'),\n" for number in range(50)) + "]\n"
FIELDS = "class Row:\n" + "".join(f"    {name}: {name}_type\n" for name in "abcdefghijklmnopqrst")
INTERFACE = "export interface Options {\n" + "".join(
    f"  {name}?: string | undefined;\n  on{name}(value: Map<string, {name}>): void;\n" for name in "ABCDEFGH"
) + "}\n"  # fmt: skip
GO_TYPE = "type Options struct {\n" + "".join(
    f"\t{name} []string `json:\"{name}\"`\n\tOn{name} func(a, b int)\n" for name in "ABCDEFGH"
) + "}\n"  # fmt: skip
KEYS = "const keys = {\n" + "".join(f"  {name}: [key('{name}'), 1],\n" for name in "abcdefghijkl") + "};\n"


@pytest.mark.parametrize(
    ("name", "text"), [("py", TABLE), ("py", FIELDS), ("ts", INTERFACE), ("go", GO_TYPE), ("js", KEYS)]
)
def test_tables_and_types_are_no_clones(name: str, text: str) -> None:
    assert clones({f"a.{name}": text, f"b.{name}": text}).groups == ()


def constructor(names: str, more: str = "") -> str:
    return f"def __init__(self, {', '.join(names)}):\n" + "".join(
        f"    self.{name}{more} = {name}\n" for name in names
    )


def test_lists_of_like_statements_are_clones_only_if_most_names_are_equal() -> None:
    first = constructor("abcdefghijkl")

    assert clones({"a.py": first, "b.py": constructor("mnopqrstuvwx")}).groups == ()
    assert len(clones({"a.py": first, "b.py": first}).groups) == 1
    assert len(clones({"a.py": first, "b.py": constructor("abcdefghijkx")}).groups) == 1


def test_a_fragment_has_at_least_min_tokens() -> None:
    files = {"a.py": "a = 1\n" + SUM, "b.py": "b()\n" + SUM}

    assert len(clones(files, min_tokens=20).groups) == 1
    assert clones(files, min_tokens=21).groups == ()
    assert clones_in_files(streams(files), CloneQuery(BOTH), dict).groups == ()  # 50 by default


BRACES = """\
  const total = count(rows);
  for (const row of rows) {
    if (row.size > total) {
      report(row.name, total);
    }
    total.add(row.size);
  }
  return total;
"""


def test_a_fragment_is_whole_statements_without_the_brackets_around() -> None:
    first = f"function one(rows) {{\n{BRACES}}}\n\nfunction next(a) {{\n  a.stop();\n}}\n"
    other = f"function two(rows, x) {{\n  x.start();\n{BRACES}}}\n\nfunction next(a) {{\n  a.go(1);\n}}\n"

    assert places(clones({"a.js": first, "b.js": other})) == [("exact", [("a.js", 2, 9), ("b.js", 3, 10)])]


def test_a_statement_that_ends_beyond_the_equal_lines_is_left_out() -> None:
    first = f"def one(rows):\n    a = 1\n{BODY}    for row in rows:\n        row.first(1)\n"
    other = f"def two(rows):\n    b(2)\n{BODY}    for row in rows:\n        row.second[1]\n"

    assert places(clones({"a.py": first, "b.py": other})) == [("exact", [("a.py", 3, 7), ("b.py", 3, 7)])]


BODY = "".join(f"    {line}\n" for line in (
    "total = sum(rows)", "report(total, rows[0])", "if total > 9:", "    return None", "names = sorted(rows)",
))  # fmt: skip


def test_each_place_is_in_one_group_but_for_what_others_copy() -> None:
    longer = SUM + "\n\ndef more(a, b):\n    c = a + b\n    while c > a:\n        c -= b\n    return c\n"
    found = clones({"a.py": longer, "b.py": longer, "c.py": longer.replace("total", "added"), "d.py": SUM})

    assert places(found) == [
        ("exact", [("a.py", 1, 12), ("b.py", 1, 12)]),
        ("renamed", [("a.py", 1, 12), ("c.py", 1, 12)]),
        ("exact", [("a.py", 1, 5), ("d.py", 1, 5)]),
    ]


def test_exact_groups_that_a_renaming_makes_equal_are_joined_by_one_place_of_each() -> None:
    found = clones({"a.py": SUM, "b.py": SUM, "c.py": SUMMED, "d.py": SUMMED})

    assert sorted(places(found)) == [
        ("exact", [("a.py", 1, 5), ("b.py", 1, 5)]),
        ("exact", [("c.py", 1, 5), ("d.py", 1, 5)]),
        ("renamed", [("a.py", 1, 5), ("c.py", 1, 5)]),
    ]


def test_clones_in_tests_are_counted_and_listed_apart() -> None:
    found = clones({"a.py": SUM, "b.py": SUM, "tests/c.py": SUM * 3, "tests/d.py": SUM * 3})

    assert (found.code.lines, found.code.duplicate) == (10, 10)
    assert (found.tests.lines, found.tests.duplicate) == (30, 30)
    assert [found.is_in_tests(group) for group in found.groups] == sorted(
        map(found.is_in_tests, found.groups)
    )
    alone = clones({"tests/c.py": SUM, "tests/d.py": SUM})
    assert (alone.code.share, alone.tests.lines) == (1.0, 0)


def test_repetitions_in_a_row_are_fragments_side_by_side() -> None:
    found = clones({"a.py": "".join(SUM.replace("total", f"f{number}") for number in range(8))}, RENAMED)

    assert [(one.start_line, one.end_line) for one in found.groups[0].fragments] == [
        (start, start + 4) for start in range(1, 40, 5)
    ]
    assert len(found.groups) == 1


@pytest.mark.requirement("analysis-138")
def test_min_lines_is_what_a_fragment_has_at_least() -> None:
    files = {"a.py": "a = 1\n" + SUM, "b.py": "b()\n" + SUM}

    assert len(clones(files, min_lines=5).groups) == 1
    assert clones(files, min_lines=6).groups == ()
    two = {"a.py": "f(1, 2)\ng(x)\n", "b.py": "f(1, 2)\ng(x)\n"}
    assert len(clones(two, min_lines=2, min_tokens=10).groups) == 1


def test_an_id_stays_when_other_code_changes() -> None:
    before = clones({"a.py": SUM, "b.py": SUM})
    after = clones({"a.py": "import os\n\nx = 1\n" + SUM, "b.py": SUM, "0.py": "y = 1\n", "c.py": SUM})

    assert [one.id for one in before.groups] == [one.id for one in after.groups]


@pytest.mark.parametrize("kinds", [EXACT, RENAMED])
def test_very_many_equal_lines_and_files_take_no_longer_than_their_number(
    kinds: frozenset[CloneKind],
) -> None:
    """What grows with the square of it would take hours."""
    lines = clones(
        {"a.py": "x = [1]\n" * 100_000, "b.py": "".join(f"y{n} = f(x)\n" for n in range(20_000))}, kinds
    )
    files = clones({f"{number}.py": SUM * 4 for number in range(3_000)}, kinds)

    assert lines.groups == ()
    assert files.code.share == (1.0 if kinds == EXACT else 0.0)
    assert all(len(one.fragments) >= 3_000 for one in files.groups)


def test_prefixes_of_one_another_are_compared_in_bounded_time() -> None:
    lines = [f"value{number} = call({'a, ' * (number % 12)}{number})\n" for number in range(600)]
    found = clones({f"{number:03}.py": "".join(lines[: number * 2]) for number in range(300)}, EXACT)

    assert found.code.share > 0.9


STATEMENTS = st.sampled_from([
    "a = b + c", "if a > b:\n    return c", "call(a, b)", "for a in b:\n    c += a", "d.e = 'x'", "print(1)",
    "while d:\n    d -= 2", "e = [a, b, c]", "assert a", "try:\n    f()\nfinally:\n    g()",
])  # fmt: skip
BLOCKS = st.lists(STATEMENTS, min_size=1, max_size=8).map(lambda found: "\n".join(found) + "\n")


def tokens_of(files: dict[str, str], one: FragmentGroup) -> list[list[str]]:
    """Return the words of each fragment, found without anything that is tested here."""
    import io
    import tokenize

    blank = {
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.COMMENT,
        tokenize.ENDMARKER,
    }
    words = []
    for fragment in one.fragments:
        read = tokenize.generate_tokens(io.StringIO(files[fragment.file]).readline)
        within = range(fragment.start_line, fragment.end_line + 1)
        words.append([token.string for token in read if token.type not in blank and token.start[0] in within])
    return words


def renaming(words: list[str]) -> list[str | int]:
    first: dict[str, int] = {}
    literal = {True: "0", False: "''"}
    fixed = {"if", "return", "for", "in", "while", "assert", "try", "finally"}
    return [
        first.setdefault(word, len(first)) if word.isidentifier() and word not in fixed
        else literal[word.isdigit()] if word[0] in "'0123456789" else word
        for word in words
    ]  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(
    blocks=st.lists(BLOCKS, min_size=2, max_size=6),
    order=st.lists(st.integers(0, 5), min_size=2, max_size=12),
)
def test_every_class_has_equal_tokens_on_true_lines_and_nothing_is_counted_twice(
    blocks: list[str], order: list[int]
) -> None:
    files = {
        f"{name}.py": "".join(blocks[(at + shift) % len(blocks)] for at in order)
        for shift, name in enumerate("ab")
    }
    found = clones(files, min_lines=3)

    assert 0 <= found.code.share <= 1
    assert all(count <= found.line_counts[path] for path, count in found.duplicate_lines.items())
    for one in found.groups:
        words = tokens_of(files, one)
        normal = [renaming(row) for row in words] if one.kind == "renamed" else words
        assert all(row == normal[0] for row in normal), (one, words)
        spans = sorted(fragment[:3] for fragment in one.fragments)
        assert all(a[0] != b[0] or a[2] < b[1] for a, b in pairwise(spans))


@settings(max_examples=examples(60), deadline=None)
@given(
    before=BLOCKS, after=BLOCKS, planted=st.lists(STATEMENTS, min_size=6, max_size=10), rename=st.booleans()
)
def test_a_planted_clone_is_found(before: str, after: str, planted: list[str], rename: bool) -> None:
    block = "def planted(a, b, c):\n" + "".join(
        f"    {line}\n" for statement in [*planted, "return a"] for line in statement.split("\n")
    )
    copy = block.replace("planted", "copied").replace("'x'", "'y'") if rename else block
    found = clones({"a.py": before + block + "class Other:\n    pass\n", "b.py": copy + after})

    def covers(one: FragmentGroup) -> bool:
        lines = {(fragment.file, line) for fragment in one.fragments
                 for line in range(fragment.start_line, fragment.end_line + 1)}  # fmt: skip
        first, count = before.count("\n") + 1, block.count("\n")
        return all(("a.py", first + at) in lines and ("b.py", 1 + at) in lines for at in range(count))

    assert any(covers(one) for one in found.groups)


def test_a_report_is_kept_while_nothing_changes(repository: Path) -> None:
    write(repository, {"a.py": SUM, "b.py": SUM})
    room = Analysis(Repository.at(repository))
    try:
        tokens = room.scan_tokens(Project())
        first = project_clones(room, tokens, Project(), CloneQuery(BOTH, min_tokens=20))
        assert project_clones(room, tokens, Project(), CloneQuery(BOTH, min_tokens=20)) is first
        part = Project("a.py")
        assert (
            project_clones(room, room.scan_tokens(part), part, CloneQuery(BOTH, min_tokens=20)).groups == ()
        )
    finally:
        room.close()
    assert len(first.groups) == 1

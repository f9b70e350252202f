"""Columns of tokens and rows: the lines and indentation of each, whatever other files there are."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.analysis.columns.file_columns import FileColumns
from holdfast.analysis.duplicates.clone import COPY_KINDS, CloneQuery
from holdfast.analysis.duplicates.clone_corpus import CloneCorpus
from holdfast.analysis.duplicates.clones import clones_in_files
from holdfast.analysis.duplicates.token_columns import KeptColumns, token_columns
from holdfast.analysis.engine.token_stream import TokenStream
from tests.analysis.duplicates.test_token_clones import MIXED, SUM, SUMMED, streams
from tests.reliability.samples import examples

LANGUAGES = {"a.py": "python", "b.rb": "ruby", "c.c": "c", "d.go": "go", "e.ts": "typescript"}
CODE = st.lists(
    st.sampled_from(
        [
            "\n",
            "\n    ",
            "x",
            "y",
            " = ",
            "(",
            ")",
            "{",
            "}",
            ",",
            "#",
            "if ",
            "type ",
            '"""a\nb"""',
            "import a\n",
            "++",
        ]
    ),
    max_size=80,
).map("".join)


def corpus(files: dict[str, str]) -> CloneCorpus:
    found = streams(files)
    return CloneCorpus(found, token_columns(found.values()))


def test_the_columns_of_many_files_have_the_lines_of_each() -> None:
    found = corpus({"a.py": "x = 1\ny\n", "b.py": "", "c.py": '\n\n"""z\n"""\nw'})

    assert found.file_starts.tolist() == [0, 4, 4, 6]
    assert found.lines_at(np.arange(found.size)).tolist() == [1, 1, 1, 2, 3, 5]
    assert found.end_lines_at(np.arange(found.size)).tolist() == [1, 1, 1, 2, 4, 5]


def test_every_row_knows_how_far_it_is_indented() -> None:
    found = corpus(
        {"a.py": "if x:\n    y\n\n    # z\n    if w:\n\tv = 1\nu", "b.py": "\n  t", "c.c": "  /* a */ b\n\tc"}
    )

    assert found.rows["level"].tolist() == [0, 4, 4, 4, 0, 2, 2, 4]


def columns_of(files: dict[str, TokenStream]) -> dict[str, list[int]]:
    found: FileColumns = token_columns(files.values())
    return {
        f"{table} {name}": values.tolist()
        for table, rows in found.tables.items()
        for name, values in rows.columns.items()
    }


@given(st.lists(st.tuples(st.sampled_from(sorted(LANGUAGES)), CODE), min_size=1, max_size=4))
@settings(max_examples=examples(100), deadline=None)
def test_the_columns_of_a_file_depend_on_it_alone(written: list[tuple[str, str]]) -> None:
    files = streams({f"{number}{name}": text + 30 * "\nz = z" for number, (name, text) in enumerate(written)})

    alone = [columns_of({path: stream}) for path, stream in files.items()]
    assert columns_of(files) == {name: [n for one in alone for n in one[name]] for name in alone[0]}


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 4)), min_size=2, max_size=6))
@settings(max_examples=examples(60), deadline=None)
def test_clones_after_changes_are_those_of_the_same_files_read_anew(steps: list[dict[str, int]]) -> None:
    texts = [SUM, SUMMED, 2 * MIXED, f"import os\n{SUM}\n{SUMMED}", ""]
    files: dict[str, str] = {}
    kept = KeptColumns()
    for step in steps:
        files |= {f"{name}.py": texts[number] for name, number in step.items()}
        if len(files) > 3:
            files.pop(min(files))
        for min_lines in (3, 5):
            query = CloneQuery(COPY_KINDS, min_lines, 20)
            found = clones_in_files(streams(files), query, dict, kept.statements)
            assert found == clones_in_files(streams(files), query, dict)

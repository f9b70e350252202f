"""The record of a file: what one pass over its text tells, and its way into the cache and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.syntax.core.sections import PackedRecord, pack
from holdfast.syntax.record import read_record

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.suffix != ".expected")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_packed_record_is_the_record(path):
    record = read_record(path.name, path.read_bytes())
    assert record.names.definitions
    assert record.comments
    packed = PackedRecord(pack(record))
    assert packed == record
    assert repr((*packed.functions, *packed.comments)) == repr((*record.functions, *record.comments))
    assert repr(tuple(packed.names)) == repr(tuple(record.names))  # truth values, too, are of the same type


def test_a_section_is_unpacked_without_the_others():
    record = read_record("a.py", b"# why\ndef f():\n    return 1\n")
    numbers, comments, names = pack(record)
    assert PackedRecord((numbers, b"", b"")).functions == record.functions
    assert PackedRecord((numbers, comments, b"")).comments == record.comments
    assert PackedRecord((numbers, b"", names)).names == record.names


def test_texts_with_any_character_are_packed():
    record = read_record("a.py", "# \0, \x01, é, \uffff, \U0010ffff\n#\n".encode())
    assert PackedRecord(pack(record)) == record


def test_a_file_in_no_language_of_ours_has_no_record():
    assert read_record("notes.txt", b"def f(): pass\n") is None


def test_comments_stand_where_they_stand_and_strings_are_none():
    text = '"""A docstring # not a comment."""\nx = "# no"  # é yes\r\n\n# one\n# two\né = 1  # là\n'
    record = read_record("a.py", text.encode())
    assert [tuple(comment) for comment in record.comments] == [
        (2, 13, 2, "# é yes"),
        (4, 1, 4, "# one"),
        (5, 1, 5, "# two"),
        (6, 8, 6, "# là"),
    ]
    assert (record.lines, record.code_lines, record.comment_lines) == (6, 3, 2)


def test_what_is_wrong_is_said_only_where_the_text_is_wrong():
    assert read_record("a.py", b"def f(:\n").syntax_error.startswith("line 1, column ")
    assert read_record("a.py", b"def f():\n    pass\n").syntax_error is None
    behind_the_language = b"ODD_MACRO(x) { } }\nint main(void) { return 0; }\n"
    assert read_record("a.c", behind_the_language).syntax_error is None

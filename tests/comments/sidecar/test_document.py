"""Bytes and hashes are those that JavaScript gives; the expected values here were printed by Node."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.comments.sidecar.javascript_json import number_text, parse, stringify
from holdfast.comments.sidecar.source import line_hash, range_hash, split_lines
from holdfast.storage.files.foreign_document import UnreadableDocument

NUMBERS = [
    (1.0, "1"),
    (0.95, "0.95"),
    (1e21, "1e+21"),
    (1e20, "100000000000000000000"),
    (123456789012345680000.0, "123456789012345680000"),
    (1e-6, "0.000001"),
    (1e-7, "1e-7"),
    (1.5e-9, "1.5e-9"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (-0.0, "0"),
    (-2.5, "-2.5"),
    (0.1 + 0.2, "0.30000000000000004"),
    (1e300, "1e+300"),
]
HASHES = [
    ("function add(a, b) {", "d55a9883b881a4b3"),
    ("\ufefffunction add(a, b) {", "d55a9883b881a4b3"),
    ("\u00a0 x = 1\u00a0", "8ff436def1451285"),
    ("x = 1\r", "8ff436def1451285"),
    ("", "1db9f36777e9ef0b"),
    ("   \t", "1db9f36777e9ef0b"),
    ("\u3000\u2003", "1db9f36777e9ef0b"),
    ('const s = "😀𝒳";', "d85f1420e67b359c"),
    ("\u0085x\u0085", "035950f51c26dce5"),
    ("\u001cx\u001f", "f059a5c73b3b0da0"),
    ("x\ud800y", "0b37743370331e33"),
    ("\u180ex", "876e0f2083644e10"),
    ("\u200bx", "ce9707d945a5ce59"),
]
PRINTED = """{
  "a": "é\u2028\u007f\\u0001\\b\\f\\n\\r\\t\\"\\\\/",
  "b": "😀",
  "c": "\\ud83d",
  "d": [],
  "e": {},
  "f": [
    [],
    [
      1,
      [
        2
      ]
    ]
  ],
  "g": null
}"""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@pytest.mark.requirement("comments-102")
@pytest.mark.parametrize(("value", "text"), NUMBERS)
def test_numbers_are_written_as_javascript_writes_them(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.requirement("comments-102")
def test_a_document_is_written_as_javascript_writes_it() -> None:
    value = {
        "a": 'é\u2028\u007f\u0001\b\f\n\r\t"\\/',
        "b": "😀",
        "c": "\ud83d",
        "d": [],
        "e": {},
        "f": [[], [1, [2]]],
        "g": None,
    }
    assert stringify(value) == PRINTED.encode()
    assert stringify(parse(PRINTED.encode())) == PRINTED.encode()


@given(JSON)
def test_what_is_printed_is_read_back_and_printed_the_same(value: Any) -> None:
    data = stringify(value)
    again = parse(data)
    assert stringify(again) == data
    assert json.loads(data) == again


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_in_one_way(data: bytes) -> None:
    with contextlib.suppress(UnreadableDocument):
        parse(data)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[1e999]",
        '{"a": Infinity}',
        "[" * 20_000,
        "9" * 5_000,
        '{"comments": [{"text": "one", "text": "two"}]}',
        "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs",
    ],
)
def test_what_is_no_json_of_ours_is_refused(text: str) -> None:
    with pytest.raises(UnreadableDocument):
        parse(text.encode())


@pytest.mark.requirement("comments-103")
@pytest.mark.parametrize(("line", "expected"), HASHES)
def test_a_line_has_the_hash_that_the_extension_gives_it(line: str, expected: str) -> None:
    assert line_hash(line) == expected


@pytest.mark.requirement("comments-103")
def test_several_lines_have_the_hash_that_the_extension_gives_them() -> None:
    assert range_hash(["function multiply(a, b) {", "  return a * b;", "}"]) == "f4dea788b2db40e9"


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", [""]), ("a\r\nb\nc", ["a", "b", "c"]), ("a\n", ["a", ""]), ("a\rb\u2028c", ["a\rb\u2028c"])],
)
def test_lines_are_counted_as_the_editor_counts_them(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines

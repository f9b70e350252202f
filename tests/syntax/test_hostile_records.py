"""Records of texts that nobody would write: whatever the bytes, there is a record or the declared refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.syntax import parse as parsing
from holdfast.syntax.core.sections import PackedRecord, pack
from holdfast.syntax.languages import LANGUAGES
from holdfast.syntax.parse import ParseTooLong
from holdfast.syntax.record import MODULE, read_record
from tests.reliability.samples import examples

FOLDER = Path(__file__).parent
SAMPLES = {
    path.name: path.read_bytes()
    for folder in ("samples", "names_samples")
    for path in sorted((FOLDER / folder).iterdir())
    if path.suffix != ".expected"
}
ENDINGS = sorted(language.extensions[0] for language in LANGUAGES)
SPLINTERS = (
    b"\x00\xff(){}[]<>\"'`$#@\\\n;:,.=->::...\xe2\x82", b"import ", b"return\n", b"class ", b"def ", b"{",
    b"(" * 40, b'"""', b"/*", b"#include", b"use a::{", b"\xef\xbb\xbf", b"__all__ = [", b"export {",
)  # fmt: skip


def assert_holds_together(path: str, source: bytes) -> None:
    """Every index is one of a definition, every line one of the file, and the record survives its way."""
    try:
        record = read_record(path, source)
    except ParseTooLong:  # a grammar that loses itself in a text is stopped
        return
    assert record is not None
    names, lines = record.names, range(1, record.lines + 2)
    known = range(MODULE, len(names.definitions))
    assert all(row.container in known and row.line in lines for row in names.definitions)
    assert all(row.definition in known for rows in (names.uses, names.calls, names.unused) for row in rows)
    assert all(row.line in lines for rows in (names.imports, names.calls, names.unused) for row in rows)
    assert all(row.start_line <= row.line and row.start_line <= row.end_line for row in names.definitions)
    assert record.code_lines + record.comment_lines <= record.lines
    assert PackedRecord(pack(record)) == record


@settings(max_examples=examples(150), deadline=None)
@given(ending=st.sampled_from(ENDINGS), source=st.binary(max_size=300))
def test_any_bytes_have_a_record(ending, source):
    assert_holds_together(f"a{ending}", source)


@settings(max_examples=examples(300), deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(SAMPLES)))
def test_a_sample_cut_and_disturbed_has_a_record(data, name):
    source = SAMPLES[name]
    cuts = st.integers(0, len(source))
    start, end, at = data.draw(cuts), data.draw(cuts), data.draw(cuts)
    splinter = data.draw(st.sampled_from(SPLINTERS))
    disturbed = source[:at] + splinter + source[at:]
    for text in (source[: max(start, end)], source[:start] + source[end:], disturbed):
        assert_holds_together(name, text)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "piece", [b"(", b"{", b"[", b"f(", b"if x {\n", b"a.", b"class A {\n", b'"#{', b"x = "]
)
def test_depth_ends_nothing(ending, piece):
    assert_holds_together(f"a{ending}", piece * 3000)


def test_a_deep_nest_of_definitions_is_read_to_a_depth_that_nobody_needs():
    text = "".join(f"{' ' * depth}def f{depth}():\n" for depth in range(300)) + " " * 300 + "pass\n"
    record = read_record("a.py", text.encode())
    assert len(record.names.definitions) == 200
    assert record.names.definitions[199].container == 198


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.js", "(function(){" * 8000 + "})()" * 8000),  # the query
        ("a.js", "function f(){" * 2000 + "}" * 2000),  # the calls
        ("a.java", "class A { void m() { " * 1000 + "}}" * 1000),
    ],
)
def test_functions_in_each_other_are_read_or_given_up(name, text):
    assert_holds_together(name, text.encode())  # unbounded, each of these took minutes to hours


def test_a_text_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(parsing, "MAX_CHARACTERS", 100)
    assert read_record("a.py", b"x = 1\n" * 10)
    with pytest.raises(ParseTooLong):
        read_record("a.py", b"x = 1\n" * 20)

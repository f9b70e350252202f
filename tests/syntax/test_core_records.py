"""The compiled core gives the records that the Python reader gives, byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.syntax.core.library import is_found, read_records
from holdfast.syntax.core.sections import pack
from holdfast.syntax.languages import LANGUAGES, Language, language_of
from holdfast.syntax.parse import MAX_CHARACTERS, ParseTooLong
from holdfast.syntax.record import read_record
from tests.conftest import ROOT
from tests.reliability.samples import examples

pytestmark = pytest.mark.skipif(not is_found(), reason="the compiled core is not built")

SAMPLES = {
    path.name: path.read_bytes()
    for folder in ("samples", "complexity_samples", "names_samples")
    for path in sorted((Path(__file__).parent / folder).iterdir())
    if path.suffix != ".expected"
}
SPLINTERS = (
    *(
        b"(){}[]<>\"'`$#@\\\n;:,.=->::...\xe2\x82\x00\xff",
        b"{",
        b"}",
        b"(" * 40,
        b'"""',
        b"/*",
        b"=/[",
        b"&&",
    ),
    *(b"import ", b"return\n", b"class ", b"def ", b"<<E\n", b"use a::{", b"__all__ = [", b"export {"),
    *(b"function f() { return ", b"if a:\n ", b"else if (a) {", b"a = b = "),
    *(b"\xef\xbb\xbf", b"\xc3\xa9 ", b"\r", b"\x0c"),
)


def language_name(path: str, source: bytes) -> str | None:
    language = language_of(path, source.decode("utf-8-sig", "replace"))
    return None if language is None else language.name


def differences(files: list[tuple[str, bytes]], with_names: bool = True) -> list[str]:
    """Return the files whose records differ; those that take Python too long are left out."""
    texts = [
        (path, language_name(path, source) or "", source.decode("utf-8-sig", "replace").encode())
        for path, source in files
    ]
    compiled = read_records(texts, threads=2, with_names=with_names)
    differing = []
    for (path, source), found in zip(files, compiled, strict=True):
        try:
            record = read_record(path, source, with_names=with_names)
        except ParseTooLong:
            continue
        assert record is not None
        if found != list(pack(record, with_names=with_names)[: 2 + with_names]):
            differing.append(path if isinstance(found, list) else f"{path}: {found.message}")
    return differing


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_have_equal_records(name: str) -> None:
    assert differences([(name, SAMPLES[name])]) == []
    assert differences([(name, SAMPLES[name])], with_names=False) == []


def test_the_files_of_this_repository_have_equal_records() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    paths = [path for path in listed.decode().split("\0") if (ROOT / path).is_file()]
    files = [(path, (ROOT / path).read_bytes()) for path in paths]
    assert differences([file for file in files if language_name(*file) is not None]) == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_texts_of_nothing_or_little_have_equal_records(language: Language) -> None:
    path = f"a{language.extensions[0]}"
    texts = (b"", b"\n", b" ", b"a", b"a\r\nb", b"\xef\xbb\xbfa", b"\xff\xfe\x00", "é = 'ü'\n".encode())
    assert differences([(path, text) for text in texts]) == []


@settings(max_examples=examples(600), deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(SAMPLES)))
def test_damaged_samples_have_equal_records(data: st.DataObject, name: str) -> None:
    source = SAMPLES[name]
    places = st.integers(0, len(source))
    start, middle, end = sorted(data.draw(st.tuples(places, places, places)))
    splinter = data.draw(st.sampled_from(SPLINTERS))
    before, first, second, after = source[:start], source[start:middle], source[middle:end], source[end:]
    replaced, swapped = before + splinter + second + after, before + second + first + after
    nested, repeated = before + splinter + source + splinter + after, before + first * 3 + splinter + after
    damaged = data.draw(st.sampled_from((replaced, swapped, nested, repeated)))
    if language_name(name, damaged) is not None:
        assert differences([(name, damaged)]) == []


@settings(max_examples=examples(150), deadline=None)
@given(language=st.sampled_from(LANGUAGES), source=st.binary(max_size=300))
def test_any_bytes_have_equal_records(language: Language, source: bytes) -> None:
    assert differences([(f"a{language.extensions[0]}", source)]) == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@pytest.mark.parametrize("opening", ["(", "{", "[", "a(", "if (a) {", "a.b(", "class A{", "-"])
def test_deeply_nested_texts_have_equal_records(language: Language, opening: str) -> None:
    assert differences([(f"a{language.extensions[0]}", opening.encode() * 1_000)]) == []


def test_a_file_that_cannot_be_read_fails_alone() -> None:
    files = [
        ("long.py", "python", b"a" * (MAX_CHARACTERS + 1)),
        ("a.xyz", "klingon", b"a"),
        ("a.py", "python", b"a"),
    ]
    too_long, unknown, read = read_records(files, threads=2)
    assert not isinstance(too_long, list)
    assert too_long.too_long
    assert not isinstance(unknown, list)
    assert "klingon" in unknown.message
    record = read_record("a.py", b"a")
    assert record is not None
    assert read == list(pack(record))

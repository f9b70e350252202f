"""The compiled core gives the tokens that `lexer.tokenize` gives, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.syntax.core.library import is_found, read_tokens
from holdfast.syntax.languages import LANGUAGES, language_of
from holdfast.syntax.lexer import tokenize
from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not is_found(), reason="the compiled core is not built")

PARTS = [
    *("\n", "\n    ", "\n\t \r", " ", "\t", "\r", "\f", "\v", "\\", "\\\n", "\\'", "\0", "é", "\u00a0"),
    *("'", '"', "'''", '"""', "`", "/", "//", "/*", "*/", "#", "##", "#[", "@", "$", '@"', '$@"', "!", "?"),
    *("r", "b", "fR", 'r#"', '"#', 'R"(', ')"', "<<", "<<EOF\n", "<<-'EOF'", "EOF", "\nEOF\n", "))"),
    *("1", "1.5e+3", "0x1F", "1e", "+", "-", "e", "name", "x\n", "if", "return ", "=", ", ", ";"),
    *("{", "}", "[", "]", "(", ")", ".", ":", "import", "import ", "import {", "from x import (", "from "),
    *("package", "use", "pub use ", "extern crate ", "require", "load", "global using ", "namespace "),
    *("source ", ". ", "#include <a>", "export *", "export {", "include_once "),
]
"""What the lexers' patterns begin, end or contain; joined at random they reach every branch."""


def differences(files: Iterable[tuple[str, str, bytes]]) -> list[str]:
    """Return the paths of files whose tokens differ."""
    files = list(files)
    compiled = read_tokens(files, threads=2)
    return [
        path
        for (path, language, text), found in zip(files, compiled, strict=True)
        if found != list(tokenize(language, text))
    ]


def test_the_files_of_this_repository_have_equal_tokens() -> None:
    folders = ("src", "tests", "scripts", "bench", "core/src")
    paths = [path for name in folders for path in (ROOT / name).rglob("*") if path.is_file()]
    files = []
    for path in paths:
        text = path.read_bytes()
        language = language_of(path.name, text[:1000].decode("utf-8", "replace"))
        if language is not None:
            files.append((str(path.relative_to(ROOT)), language.name, text))
    assert {language for _, language, _ in files} == {language.name for language in LANGUAGES}
    assert differences(files) == []


@given(st.sampled_from(LANGUAGES), st.lists(st.sampled_from(PARTS), max_size=30))
def test_texts_of_what_the_patterns_look_for_have_equal_tokens(language, parts: list[str]) -> None:
    assert differences([("text", language.name, "".join(parts).encode())]) == []


@given(st.sampled_from(LANGUAGES), st.binary(max_size=200))
def test_any_bytes_have_equal_tokens(language, text: bytes) -> None:
    assert differences([("text", language.name, text)]) == []


@pytest.mark.parametrize("start", ["", '"', "'", '"""', "from x import (", "import {", "=/", "<<A\n"])
@pytest.mark.parametrize("repeated", ["'", '"', "\\a", '"\\a', "=/[", "/", "a,\n", " \t", "{,", "<<A\n"])
def test_long_repetitions_have_equal_tokens(start: str, repeated: str) -> None:
    text = (start + repeated * (50_000 // len(repeated))).encode()
    assert differences((language.name, language.name, text) for language in LANGUAGES) == []


@pytest.mark.parametrize("parts", [1, 499, 500, 501])
@pytest.mark.parametrize("characters", [0, 199, 200, 201])
def test_the_bounds_of_regular_expression_literals_are_equal(parts: int, characters: int) -> None:
    texts = (f"x = /{part * parts}/g.test(y)\n" for part in ("a", "\\/", f"[{'b' * characters}]", "[\\]/]"))
    assert differences(("a.js", "javascript", text.encode()) for text in texts) == []


def test_an_unknown_language_is_a_failure_of_its_file_alone(tmp_path: Path) -> None:
    failed, read = read_tokens([("a", "klingon", b"x"), ("b", "go", b"x")], threads=1)
    assert isinstance(read, list)
    assert not isinstance(failed, list)
    assert (failed.too_long, "klingon" in failed.message) == (False, True)

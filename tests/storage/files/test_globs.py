"""Patterns for paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import InvalidArguments
from holdfast.storage.files.globs import escape_path, file_filter, is_pattern, matcher


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("src/**/*.rs", "src/main.rs", True),
        ("src/**/*.rs", "src/a/b/main.rs", True),
        ("src/**/*.rs", "lib/src/main.rs", False),
        ("src/*.rs", "src/main.rs", True),
        ("src/*.rs", "src/a/main.rs", False),
        ("src/*", "src/a/main.rs", False),
        ("*.py", "a.py", True),
        ("*.py", "deep/down/a.py", True),
        ("*.py", "a.pyc", False),
        ("./*.py", "deep/a.py", True),
        ("/src/a.py", "src/a.py", True),
        ("**/target/**", "target/a.rs", True),
        ("**/target/**", "x/target/y/a.rs", True),
        ("**/target/**", "x/targets/a.rs", False),
        ("target", "x/target/y/a.rs", True),
        ("tests/", "tests/a/b.py", True),
        ("tests/", "app/tests/b.py", True),
        ("app/tests", "app/tests/b.py", True),
        ("app/tests", "x/app/tests/b.py", False),
        ("a?c.py", "abc.py", True),
        ("a?c.py", "a/c.py", False),
        ("a[bx]c.py", "axc.py", True),
        ("a[!b]c.py", "abc.py", False),
        ("a[!b]c.py", "a/c.py", False),
        ("a[0-9].py", "a7.py", True),
        ("a[].py", "a[].py", True),
        ("a[]b].py", "a].py", True),
        ("*.{js,ts}", "x/a.ts", True),
        ("*.{js,ts}", "x/a.tsx", False),
        ("{src,lib}/**", "lib/x/a.c", True),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("a+b(c).py", "a+b(c).py", True),
        ("a.py", "abpy", False),
        ("ä*.py", "äöü.py", True),
        ("a\nb.py", "a\nb.py", True),
        ("**", "any/where", True),
        ("*.py", "a\udcff.py", True),
        ("[id].tsx", "i.tsx", True),
        ("[id].tsx", "app/[id].tsx", True),
        ("app/[id]/", "app/[id]/page.tsx", True),
        ("{slug}.md", "{slug}.md", True),
        ("{slug}.md", "slug.md", True),
        ("a[^b]c.py", "axc.py", True),
        ("a[^b]c.py", "abc.py", False),
        (r"\*.py", "a.py", False),
        (r"\*.py", "*.py", True),
        ("a**b", "a/x/b", True),
        ("a**/b", "a/x/b", True),
        ("a**/b", "ab", False),
        ("[z-a].py", "[z-a].py", True),
        ("[z-a*.py", "[z-a.b.py", True),
    ],
)
def test_a_pattern_fits_what_it_says(pattern: str, path: str, fits: bool) -> None:
    assert matcher([pattern])(path) is fits


def test_one_of_several_patterns_is_enough() -> None:
    either = matcher(["*.py", "docs/**"])
    assert [either(path) for path in ("a.py", "docs/x/y.md", "x.md")] == [True, True, False]


def test_a_pattern_made_to_be_slow_is_not() -> None:
    assert not matcher(["*a" * 400])("a" * 4000 + "b")


@pytest.mark.parametrize("patterns", [["a" * 1001], ["a"] * 101])
def test_too_many_or_too_long_patterns_are_refused(patterns: list[str]) -> None:
    with pytest.raises(InvalidArguments, match="At most 100 patterns"):
        matcher(patterns)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_is_a_pattern(pattern: str, path: str) -> None:
    matcher([pattern])(path)


@given(st.text(max_size=40))
def test_an_escaped_text_matches_itself_alone(text: str) -> None:
    matches = matcher([f"/x/{escape_path(text)}z"])
    assert matches(f"x/{text}z")
    assert not matches(f"x/{text}yz")


def test_a_text_without_signs_is_the_path_of_one_file() -> None:
    assert not is_pattern("src/a.py")
    assert file_filter("./src/a.py")("src/a.py")
    assert not file_filter("a.py")("src/a.py")
    assert file_filter("*.py")("src/a.py")


@given(st.text(alphabet="abc/.+()|^$\\ ü", min_size=1, max_size=30))
def test_a_path_without_signs_fits_itself(path: str) -> None:
    whole = path.removeprefix("./").strip("/")
    assert matcher([path])(whole)
